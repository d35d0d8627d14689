"""A position as a picture of characters, with what a person wants to see in it.

A letter is a marble, a dot an empty hole, a star a hole where the marble that was asked for may go.
The star board has the names of the first and the last hole beside every row: one finds `e5` by its
row and counts on. The square has its files and ranks along the edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sternhalma import STAR, Board, Hole, Mask, Position

# As terminals number them. The empty holes of a point have the colour of the marbles that start
# there, so that one sees where to go.
_COLOURS: Final = {"A": "31", "B": "33", "C": "32", "D": "36", "E": "34", "F": "35"}
NONE: Final = Mask(0)
_MARBLE: Final = "1;"
_MOVED: Final = "7;"  # swaps the colours of letter and ground
_GOAL: Final = "1"
_MARGIN: Final = 4  # the longest name of a hole, and a space


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out: holes that a marble may go to, and those that the last move touched."""

    goals: Mask = NONE
    moved: Mask = NONE


def draw(position: Position, marks: Marks | None = None, *, colour: bool = False) -> list[str]:
    """The lines of the picture, from the north, without spaces at their ends."""
    board = position.seating.board
    marks = marks or Marks()
    cells = [_cell(position, Hole(i), marks, colour) for i in range(len(board.coordinates))]
    return _star(board, cells) if board is STAR else _square(board, cells)


def _star(board: Board, cells: list[str]) -> list[str]:
    # A step along a row is two columns, a step to the next row is one: the holes of a row stand
    # between those of the row before.
    def column(hole: Hole) -> int:
        row, number = board.coordinates[hole]
        return 2 * number - row

    west = min(column(row[0]) for row in board.rows)
    lines: list[str] = []
    for row in board.rows:
        name = board.format_hole(row[0]).rjust(_MARGIN + column(row[0]) - west - 1)
        lines.append(" ".join([name, *(cells[hole] for hole in row), board.format_hole(row[-1])]))
    return lines


def _square(board: Board, cells: list[str]) -> list[str]:
    files = " ".join(["  ", *(board.format_hole(hole)[0] for hole in board.rows[0])])
    ranks = [board.format_hole(row[0])[1:] for row in board.rows]
    rows = [
        " ".join([rank.rjust(2), *(cells[hole] for hole in row), rank])
        for rank, row in zip(ranks, board.rows, strict=True)
    ]
    return [files, *rows, files]


def _cell(position: Position, hole: Hole, marks: Marks, colour: bool) -> str:
    letter = position.letter_at(hole)
    is_goal = bool(marks.goals >> hole & 1)
    sign = "*" if is_goal else letter or "."
    if not colour:
        return sign
    points = position.seating.board.points
    owner = letter or next((name for name, holes in points.items() if holes >> hole & 1), "")
    style = _COLOURS.get(owner, "39")
    if letter:
        style = _MARBLE + style
    if marks.moved >> hole & 1:
        style = _MOVED + style
    if is_goal:
        style = _GOAL
    return f"\x1b[{style}m{sign}\x1b[0m"
