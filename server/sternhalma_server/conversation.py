"""A conversation between a server and a bot as text: who said which line, and when.

One form for all of them: what a league's bot was told and said in a game, what is written by hand
to try a bot or a server on, what protocol.md shows. docs/conversations.md describes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from sternhalma_server.clock import SECOND

Side = Literal["S", "B", "="]

VERSION: Final = "sternhalma-conversation 1"

_SIDES: Final[Mapping[str, Side]] = {"S": "S", "B": "B", "=": "="}
_LINE: Final = re.compile(r"([SB=]) (-|0|[1-9][0-9]*|(?:0|[1-9][0-9]*)\.[0-9]{6}) (.+)")
_HEAD: Final = re.compile(r"([a-z][a-z-]*) (.+)")
_PARTS: Final = re.compile(r"(\.\.\.|<[a-z]+>|\{[^{} ]+\})")
_HOLES: Final = r"(?:-[a-q][0-9]+)*-"  # what may stand for the hyphen of a move


class ConversationError(ValueError):
    """A text that is no conversation; says which line, what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A line that the server (`S`) or the bot (`B`) said; `=` says that another connection begins.

    It was said *at* nanoseconds after the first, None if that is not known. `line` is its number in
    the text that it was read from, from 1.
    """

    side: Side
    text: str
    at: int | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Lines in the order in which they were said; `head` says what it is, by keyword."""

    lines: tuple[Utterance, ...]
    head: Mapping[str, str] = field(default_factory=dict[str, str])


def format_conversation(conversation: Conversation) -> str:
    """The text of *conversation*; `parse_conversation` reads it back."""
    lines = [VERSION, *(f"{key} {value}" for key, value in conversation.head.items())]
    lines += [f"{one.side} {_stamp(one.at)} {one.text}" for one in conversation.lines]
    return "".join(f"{line}\n" for line in lines)


def parse_conversation(text: str) -> Conversation:
    """The conversation written in *text*. Raises `ConversationError`.

    Lines that are blank or begin with `#` are passed over.
    """
    head: dict[str, str] = {}
    said: list[Utterance] = []
    first, *rest = text.splitlines() or [""]
    if first != VERSION:
        raise ConversationError(f"line 1: expected {VERSION!r}, got {first[:80]!r}")
    for number, line in enumerate(rest, start=2):
        if not line or line.startswith("#"):
            continue
        if found := _LINE.fullmatch(line):
            side, stamp, words = found.groups()
            said.append(Utterance(_SIDES[side], words, _moment(stamp), number))
        elif (found := _HEAD.fullmatch(line)) and not said:
            head[found[1]] = found[2]
        else:
            raise ConversationError(
                f"line {number}: expected 'S TIME LINE', 'B TIME LINE' or '= TIME TEXT',"
                f" got {line[:80]!r}"
            )
    return Conversation(tuple(said), head)


def _stamp(at: int | None) -> str:
    return "-" if at is None else f"{at // SECOND}.{at % SECOND // 1000:06d}"


def _moment(stamp: str) -> int | None:
    if stamp == "-":
        return None
    whole, _, part = stamp.partition(".")
    return int(whole) * SECOND + int(part or 0) * 1000


def fill(text: str, words: Mapping[str, str]) -> str:
    """*text* with each `<word>` that is in *words* put in its place."""
    return "".join(words.get(part, part) for part in _PARTS.split(text))


def match(text: str, line: str, words: Mapping[str, str]) -> dict[str, str] | None:
    """What *line* says in the places of *text*, by `<word>`; None if it is another line.

    In *text* `...` stands for anything, `<word>` for a word, which is that of *words* if it is
    there, and `{a5-b5,a5-c7}` for one of these moves by any way.
    """
    parts: list[str] = []
    fresh: list[str] = []
    for part in _PARTS.split(text):
        if part == "...":
            parts.append(".*")
        elif part.startswith("{") and _PARTS.fullmatch(part):
            moves = part[1:-1].split(",")
            ways = [_HOLES.join(map(re.escape, move.split("-"))) for move in moves]
            parts.append(f"(?:{'|'.join(ways)})")
        elif not _PARTS.fullmatch(part) or part in words:
            parts.append(re.escape(words.get(part, part)))
        elif part in fresh:
            parts.append(f"(?P={part[1:-1]})")
        else:
            fresh.append(part)
            parts.append(f"(?P<{part[1:-1]}>[^ ]+)")
    found = re.fullmatch("".join(parts), line)
    return None if found is None else {f"<{key}>": said for key, said in found.groupdict().items()}


def listed(utterances: Iterable[tuple[int, Side, str]], start: int) -> tuple[Utterance, ...]:
    """*utterances*, each with its moment (nanoseconds), in the order of their moments.

    Those of the same moment stay as they come; *start* is the moment of the first.
    """
    ordered = sorted(utterances, key=lambda one: one[0])
    return tuple(Utterance(side, text, max(0, at - start)) for at, side, text in ordered)
