"""A bot fetches what it was told in a game, over the wire and with its token only."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio

from server.kept import CUP, games_of
from server.test_retelling import Quiet, firsts
from sternhalma_server import cli
from sternhalma_server.admission import token_digest
from sternhalma_server.archive import STORE
from sternhalma_server.conversation import parse_conversation
from sternhalma_server.hosting import host_event
from sternhalma_server.library import PLACES, Library
from sternhalma_server.listener import Listener
from sternhalma_server.record import format_record
from sternhalma_server.session import Session
from sternhalma_server.settings import settings_of
from sternhalma_server.store import FinishedGame, Store
from sternhalma_server.testing import ScriptedPeer, dial

EVENT = f"""\
name = "open"
rules = "duel"
players = 2
clock = "5s"
limit = 2
[[bots]]
name = "Zoe"
remote = true
token = "sha256:{token_digest("secret")}"
[[bots]]
name = "max"
remote = true
token = "sha256:{token_digest("other")}"
[[bots]]
name = "bare"
remote = true
[[bots]]
name = "late"
remote = true
"""


@asynccontextmanager
async def after_a_game(root: Path) -> AsyncGenerator[Listener, None]:
    """A server at which Zoe and max have played their game, and no more comes."""
    settings, listener = settings_of(EVENT.encode(), "event.toml"), Listener("127.0.0.1", 0)
    with trio.fail_after(30), ExitStack() as peers:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host_event, settings, listener, root, Quiet())
            async with trio.open_nursery() as game:
                for name, token in (("Zoe", "secret"), ("max", "other")):
                    peer = ScriptedPeer(await dial(listener.host, listener.port))
                    peers.enter_context(closing(peer))
                    await peer.login(name, f"token={token}")
                    nursery.start_soon(firsts, peer)
                    game.start_soon(over, peer)
            yield listener
            nursery.cancel_scope.cancel()


async def over(peer: ScriptedPeer) -> None:
    while not any(line.startswith("over ") for line in peer.heard):
        await trio.sleep(0.01)


async def answered(listener: Listener, request: str) -> list[str]:
    with closing(ScriptedPeer(await dial(listener.host, listener.port))) as peer:
        await peer.expect("sternhalma ...")
        await peer.send(request)
        return await peer.end()


async def number_of(listener: Listener) -> int:
    for number in range(1, 7):
        heard = await answered(listener, f"transcript zoe {number} token=secret")
        if heard[0] == "welcome transcript":
            return number
    raise AssertionError("expected a game of Zoe, got none")


async def test_a_bot_is_sent_its_side_of_a_game_that_is_over(tmp_path: Path) -> None:
    async with after_a_game(tmp_path / "r") as listener:
        number = await number_of(listener)
        first, *text, last = await answered(listener, f"transcript ZOE {number} token=secret")
    assert (first, last) == ("welcome transcript", "bye transcript-over that is all of it")
    conversation = parse_conversation("".join(f"{line}\n" for line in text))
    assert conversation.head["seat"].endswith(" Zoe")
    assert conversation.lines[-1].text.startswith(f"over {number} share ")


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("transcript zoe N", "bye bad-token expected the token of 'Zoe'"),
        ("transcript zoe N token=other", "bye bad-token expected the token of 'Zoe'"),
        ("transcript bare N", "bye bad-token expected the token of 'bare'"),
        (
            "transcript ida N token=secret",
            "bye unknown-name expected a bot that plays here and has a token of its own, got 'ida'",
        ),
        ("transcript zoe 99 token=secret", "bye no-transcript expected a game of Zoe that is over"),
        (
            "transcript zoe ? token=secret",
            "bye no-transcript expected a game of Zoe that is over, got none; they are ",
        ),
        ("transcript zoe x token=secret", "bye no-transcript expected a game of Zoe that is over"),
        ("transcript zoe open/N token=secret", "bye no-transcript expected a game of Zoe that is"),
        ("transcript zoe N token=secret seat=F", "bye no-transcript expected seat="),
        ("transcript zoe", "bye malformed expected 'transcript NAME GAME', got 'transcript zoe'"),
        (
            "transcript zoe token=secret",
            "bye malformed expected 'transcript NAME GAME', got no GAME",
        ),
        ("transcript zoe N token", "bye malformed expected key=value in 'transcript'"),
    ],
)
async def test_nobody_else_is_sent_it(request_: str, expected: str, tmp_path: Path) -> None:
    async with after_a_game(tmp_path / "r") as listener:
        number = await number_of(listener)
        (line,) = await answered(listener, request_.replace("N", str(number)))
    assert line.startswith(expected)


async def test_the_command_fetches_it_with_the_token_of_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with after_a_game(tmp_path / "r") as listener:
        number = await number_of(listener)
        words = [f"{listener.host}:{listener.port}", str(number), "--bot", "zoe"]
        run = partial(trio.to_thread.run_sync, cli.main, ["transcript", *words])
        monkeypatch.delenv("STERNHALMA_TOKEN", raising=False)
        assert await run() == 2
        assert "expected the bot's token in STERNHALMA_TOKEN" in capsys.readouterr().err
        monkeypatch.setenv("STERNHALMA_TOKEN", "wrong")
        assert await run() == 2
        assert ": bad-token: expected the token of 'Zoe'" in capsys.readouterr().err
        monkeypatch.setenv("STERNHALMA_TOKEN", "secret")
        assert await run() == 0
    fetched = capsys.readouterr().out
    assert cli.main(["transcript", str(tmp_path / "r"), str(number), "--seat", "zoe"]) == 0
    assert capsys.readouterr().out == fetched


@pytest.mark.parametrize(
    ("game", "listed"),
    [
        ("cup/99", "; they are cup/2, cup/1"),
        ("2", "; they are cup/2, cup/1; they are late/1"),
        ("nothing/2", "; they are cup/2, cup/1; they are late/1"),
        ("late/9", "; they are late/1"),
    ],
)
def test_in_a_league_games_are_listed_with_their_event(
    game: str, listed: str, tmp_path: Path
) -> None:
    records = [record for record in games_of(CUP) if "zoe" in {p.bot for p in record.players}]
    with Store.open(tmp_path / STORE) as store:
        store.found_league("open")
        for event, count in (("cup", 2), ("late", 1)):
            number = store.add_event(event, CUP.replace(b'"cup"', f'"{event}"'.encode(), 1))
            played = [
                FinishedGame(at, format_record(replace(record, game=at)), "")
                for at, record in enumerate(records[:count], start=1)
            ]
            store.write(number, "", played)
    with pytest.raises(ValueError, match="expected a game of zoe that is over") as caught:
        Library(tmp_path)._read("zoe", game, None)
    assert str(caught.value).endswith(listed)


def test_the_folder_of_a_league_is_none_of_an_event(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(tmp_path / STORE) as store:
        store.found_league("open")
    (tmp_path / "league.toml").touch()
    assert cli.main(["transcript", str(tmp_path), "cup/1", "--seat", "zoe"]) == 2
    assert capsys.readouterr().err == (
        f"sternhalma transcript: expected the folder of the event, '{tmp_path}/events/cup', got"
        f" that of its league, '{tmp_path}'\n"
    )


async def test_no_more_are_handed_over_at_once_than_there_are_places(tmp_path: Path) -> None:
    library, session = Library(tmp_path), Session()
    library._fetching = PLACES
    await library.attend(None, session, "zoe", "1", None)  # type: ignore[arg-type]
    assert session.replies == ["bye full expected at most 16 transcripts at once, try again later"]


def test_a_word_that_is_no_address_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STERNHALMA_TOKEN", "secret")
        assert cli.main(["transcript", "results", "1", "--bot", "zoe"]) == 2
    assert "expected HOST:PORT with --bot, got 'results'" in capsys.readouterr().err
