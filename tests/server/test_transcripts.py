"""Every conversation of protocol.md, held with the server that plays real events, over TCP."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import trio

from sternhalma_server.app import run_event
from sternhalma_server.listener import Listener
from sternhalma_server.referee import Finished
from sternhalma_server.settings import settings_of
from sternhalma_server.testing import (
    Collector,
    ScriptedPeer,
    Transcript,
    dial,
    first_moves,
    memory_pair,
    read_transcripts,
    remote_event,
    run_transcript,
)

PROTOCOL = (Path(__file__).parents[2] / "protocol.md").read_text(encoding="utf-8")
TRANSCRIPTS = read_transcripts(PROTOCOL)
EVENT = remote_event("zoe", "max")


async def _forget(finished: Finished) -> None: ...


class Quiet:
    """Observes nothing."""

    def listening(self, host: str, port: int) -> None: ...
    def planned(self, games: int) -> None: ...
    def resumed(self, finished: int, running: int) -> None: ...
    def started(self, table: object) -> None: ...
    def finished(self, finished: Finished, planned: int = 0) -> None: ...
    def tested(self, trial: object) -> None: ...
    def tell(self, sentence: str) -> None: ...


async def _max(host: str, port: int) -> None:
    with closing(ScriptedPeer(await dial(host, port))) as opponent:
        await opponent.login("max")
        await first_moves(opponent)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda t: t.name)
async def test_a_conversation_of_the_protocol_page_goes_as_it_is_written(
    transcript: Transcript,
) -> None:
    listener = Listener("127.0.0.1", 0)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            settings = settings_of(EVENT.encode(), "event.toml", Path())
            nursery.start_soon(run_event, settings, listener, Collector(_forget), Quiet())
            nursery.start_soon(_max, listener.host, listener.port)

            async def connect() -> ScriptedPeer:
                return ScriptedPeer(await dial(listener.host, listener.port))

            await run_transcript(transcript, connect)
            nursery.cancel_scope.cancel()


def test_every_transcript_block_of_the_page_is_found() -> None:
    assert len(TRANSCRIPTS) == PROTOCOL.count("```transcript\n") >= 4


def test_a_transcript_that_goes_otherwise_names_the_line() -> None:
    page = "<!-- transcript: wrong -->\n```transcript\nS sternhalma 2 ...\n```\n"
    with pytest.raises(AssertionError, match=r"wrong, line 1: expected 'sternhalma 2 \.\.\.', got"):
        trio.run(_greeted, read_transcripts(page)[0])


async def _greeted(transcript: Transcript) -> None:
    async def connect() -> ScriptedPeer:
        here, there = memory_pair()
        there.send(b"sternhalma 1 line=1024\n")
        return ScriptedPeer(here)

    await run_transcript(transcript, connect)


def test_a_word_that_comes_again_must_be_the_same() -> None:
    page = "<!-- transcript: w -->\n```transcript\nS sternhalma <n> ...\n= again\nS x <n>\n```\n"
    with pytest.raises(AssertionError, match=r"w, line 3: expected 'x <n>', got 'sternhalma 1 "):
        trio.run(_greeted, read_transcripts(page)[0])
    same = page.replace("S x <n>", "S sternhalma <n> line=1024")
    trio.run(_greeted, read_transcripts(same)[0])


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("```transcript\nS x\n```\n", "expected '<!-- transcript: NAME -->' before the block"),
        (
            "<!-- transcript: a -->\n```transcript\nX x\n```\n",
            "a: expected 'S LINE', 'B LINE' or '= TEXT'",
        ),
    ],
)
def test_a_transcript_block_without_name_or_speaker_is_refused(page: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        read_transcripts(page)
