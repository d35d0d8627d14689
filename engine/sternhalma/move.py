"""A move: the holes that one marble touches, in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sternhalma.board import Board, Hole, NotationError

MAX_PATH: Final = 128  # holes; a longer chain must be sent in its short form


class IllegalMoveError(ValueError):
    """A move that the rules do not allow; says which hop failed and why."""


@dataclass(frozen=True, slots=True)
class Move:
    """A path from the marble's hole to where it ends, or, with no hole at all, a pass.

    A path of two holes is the short form: it stands for any legal way from the first to the second.
    """

    path: tuple[Hole, ...]

    @property
    def is_pass(self) -> bool:
        """Whether this is `PASS`."""
        return not self.path

    @property
    def origin(self) -> Hole:
        """The hole the marble leaves. A pass has none: `IndexError`."""
        return self.path[0]

    @property
    def target(self) -> Hole:
        """The hole the marble ends in. A pass has none: `IndexError`."""
        return self.path[-1]


PASS: Final = Move(())


class ShortForms:
    """The short form of every move on a board, by the places of the two holes.

    The place of a hole is its number plus one, the bit length of its mask; at place 0 there is
    nothing to find. A list of moves is put together from here: to make every move anew takes five
    times as long. A row of `rows`, the moves from one hole, is empty until it has been made. All of
    them take 2 MB for the star and 9 MB for the Halma board.
    """

    def __init__(self, board: Board) -> None:
        self._targets = tuple(map(Hole, range(len(board.coordinates))))
        self.rows: list[tuple[Move, ...]] = [()] * (1 + len(self._targets))

    def make_row(self, place: int) -> tuple[Move, ...]:
        """Make the moves from the hole at *place*, which are kept."""
        origin = Hole(place - 1)
        self.rows[place] = row = (PASS, *(Move((origin, target)) for target in self._targets))
        return row


@lru_cache(maxsize=64)
def short_forms(board: Board) -> ShortForms:
    """The one table of *board*."""
    return ShortForms(board)


def parse_move(board: Board, text: str) -> Move:
    """The move written *text* (`d5-e5`, `a5-c7-e7`, `pass`); `format_move` writes it.

    Raises `NotationError`. Whether the move is legal is a question to a game.
    """
    words = text.split("-", MAX_PATH)
    if len(words) > MAX_PATH:
        raise NotationError(
            f"expected at most {MAX_PATH} holes in a path, got more:"
            f" send the short form, {words[0][:20]!r} and the last hole"
        )
    if len(words) < 2:
        if text.lower() == "pass":
            return PASS
        raise NotationError(f"expected a path such as d5-e5 or 'pass', got {text[:40]!r}")
    by_name = board.by_name
    try:
        return Move(tuple([by_name[word] for word in words]))
    except KeyError:  # upper case, or no hole at all
        return Move(tuple([board.parse_hole(word) for word in words]))


def format_move(board: Board, move: Move) -> str:
    """The notation of *move*; `parse_move` reads it back."""
    if move.is_pass:
        return "pass"
    names = board.names
    return "-".join([names[hole] for hole in move.path])
