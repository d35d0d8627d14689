"""What a person types, as values: `parse_typed` reads a line."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sternhalma_bot.options import suggest


class Word(enum.Enum):
    """A command that is one word."""

    ENTER = ""
    BOARD = "board"
    MOVES = "moves"
    HINT = "hint"
    DRAW = "draw"
    RESIGN = "resign"
    REPLAY = "replay"
    NEXT = "next"
    BACK = "back"
    END = "end"
    HELP = "help"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Path:
    """A move, perhaps with the offer of a draw."""

    text: str
    offers_draw: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Where may the marble in this hole go?"""

    hole: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back so many moves of one's own."""

    moves: int = 1


@dataclass(frozen=True, slots=True)
class Number:
    """To the position after this ply."""

    ply: int


Typed = Word | Path | Look | Undo | Number

# What there is, for the help and for completion.
HELP: Final[Mapping[str, str]] = {
    "d5-e5": "move: from and to, or every landing of a chain",
    "d5": "show where the marble in d5 may go",
    "moves": "list all moves",
    "hint": "ask the sample bot lookahead",
    "undo [N]": "take back your last move, or the last N, where nobody rates the game",
    "offer d5-e5": "move, and offer a draw",
    "draw": "agree to a draw that is offered",
    "resign": "give the game up",
    "board": "draw the board again",
    "replay": "walk through the game: next, back, the number of a ply, end",
    "help": "this list",
    "quit": "leave; a game that is on is lost",
}

# The same while a game is walked through.
REPLAY_HELP: Final[Mapping[str, str]] = {
    "next": "one ply on; so does Enter",
    "back": "one ply back",
    "7": "to the position behind ply 7",
    "board": "draw the board again",
    "end": "back to where you were",
    "help": "this list",
    "quit": "the same as end while a game is on, else leave",
}

_WORDS: Final = {word.value: word for word in Word} | {"?": Word.HELP}
# Whether there is such a hole is for the board to say.
_HOLE: Final = re.compile(r"[a-z][0-9]{1,2}", re.ASCII)
_HOLES: Final = re.compile(r"(?:[a-z][0-9]{1,2}[^a-z0-9]*){2,}", re.ASCII)
_COUNT: Final = re.compile(r"[0-9]{1,6}", re.ASCII)
COMMANDS: Final = tuple(word for word in [*_WORDS, "undo", "offer"] if word.isalpha())


class TypedError(ValueError):
    """A line that is no command; a sentence for whoever typed it."""


def parse_typed(line: str) -> Typed:
    """The command in *line*. Raises `TypedError`.

    >>> parse_typed("offer D5-E5")
    Path(text='d5-e5', offers_draw=True)
    """
    match line.lower().split():
        case []:
            return Word.ENTER
        case [word] if word in _WORDS:
            return _WORDS[word]
        case ["undo"]:
            return Undo()
        case ["undo", count] if _COUNT.fullmatch(count) and int(count):
            return Undo(int(count))
        case ["offer", path] if "-" in path:
            return Path(path, offers_draw=True)
        case [word] if _HOLE.fullmatch(word):
            return Look(word)
        case [word] if _COUNT.fullmatch(word):
            return Number(int(word))
        case [word] if "-" in word and all(word.split("-")):
            return Path(word)
        case ["undo", *_]:
            raise TypedError("expected undo, or undo and a number of moves")
        case ["offer", *_]:
            raise TypedError("expected offer and a move, such as: offer d5-e5")
        case words if _HOLES.fullmatch("".join(words)) or "-" in words[0]:
            raise TypedError(
                f"expected holes with one hyphen between them, as in d5-e5, got {_quoted(line)}"
            )
        case words:
            near = suggest(words[0], COMMANDS)
            raise TypedError(f"expected a move or a command, got {_quoted(line)}{near}")


def _quoted(line: str) -> str:
    return repr(line.strip()[:40])
