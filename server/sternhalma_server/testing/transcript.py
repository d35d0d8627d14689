"""Conversations written on a page, held with a server as they are written."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Final, Literal

from sternhalma_server.testing.peer import ScriptedPeer

Side = Literal["S", "B", "="]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation of protocol.md: who says which line, `S` the server, `B` the bot.

    A line of `=` begins another connection. In lines `...` stands for any text, and `<word>` for a
    word that the server says first and that is the same wherever it comes again.
    """

    name: str
    lines: tuple[tuple[Side, str], ...]


_BLOCK: Final = re.compile(
    r"(?:<!-- transcript: (?P<name>\S+) -->\n)?```transcript\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_SIDES: Final[Mapping[str, Side]] = {"S": "S", "B": "B", "=": "="}
_PARTS: Final = re.compile(r"(\.\.\.|<[a-z]+>)")


def read_transcripts(text: str) -> tuple[Transcript, ...]:
    """The transcripts of a Markdown page. Raises `ValueError` for a line by nobody, or no name."""
    return tuple(_transcript(block["name"], block["body"]) for block in _BLOCK.finditer(text))


def _transcript(name: str | None, body: str) -> Transcript:
    if name is None:
        raise ValueError(f"expected '<!-- transcript: NAME -->' before the block {body[:60]!r}")
    lines: list[tuple[Side, str]] = []
    for line in body.splitlines():
        side, space, text = line.partition(" ")
        if side not in _SIDES or not space:
            raise ValueError(f"{name}: expected 'S LINE', 'B LINE' or '= TEXT', got {line!r}")
        lines.append((_SIDES[side], text))
    return Transcript(name, tuple(lines))


async def run_transcript(
    transcript: Transcript, connect: Callable[[], Awaitable[ScriptedPeer]]
) -> None:
    """Hold the conversation over what *connect* gives; the connections are closed at its end.

    An `AssertionError` names the first line that comes out otherwise.
    """
    words: dict[str, str] = {}
    with ExitStack() as peers:

        async def connected() -> ScriptedPeer:
            return peers.enter_context(closing(await connect()))

        peer = await connected()
        for number, (side, text) in enumerate(transcript.lines, start=1):
            if side == "=":
                peer = await connected()
            elif side == "B":
                await peer.send("".join(words.get(part, part) for part in _PARTS.split(text)))
            else:
                line = await peer.receive()
                found = _pattern(text, words).fullmatch(line)
                at = f"{transcript.name}, line {number}"
                assert found is not None, f"{at}: expected {text!r}, got {line!r}"
                words |= {f"<{word}>": value for word, value in found.groupdict().items()}


def _pattern(text: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """What a line of the server must be, where *words* are known already."""
    parts: list[str] = []
    for part in _PARTS.split(text):
        if part == "...":
            parts.append(".*")
        elif _PARTS.fullmatch(part) and part not in words:
            parts.append(f"(?P<{part[1:-1]}>[^ ]+)")
        else:
            parts.append(re.escape(words.get(part, part)))
    return re.compile("".join(parts))
