"""A position as a picture of characters.

A letter is a marble, a dot an empty hole. The star has the names of the first and the last hole
beside every row, so that one finds `e5` by its row and counts on; the square has its files and
ranks along the edges. With colour each letter has one of its own, and the empty holes of a point
have the colour of the marbles that start there.
"""

from __future__ import annotations

from typing import Final

from sternhalma import STAR, Board, Hole, Position

_COLOURS: Final = {"A": 31, "B": 33, "C": 32, "D": 36, "E": 34, "F": 35}  # as terminals number them
_BOLD: Final = 1
_MARGIN: Final = 4  # the longest name of a hole, and a space


def draw(position: Position, *, colour: bool = False) -> list[str]:
    """The lines of the picture of *position*, from the north, without spaces at their ends."""
    board = position.seating.board
    cells = [_cell(position, Hole(i), colour) for i in range(len(board.coordinates))]
    return _star(board, cells) if board is STAR else _square(board, cells)


def _star(board: Board, cells: list[str]) -> list[str]:
    # A step along a row is two columns, a step to the next row one: the holes of a row stand
    # between those of the row before.
    def column(hole: Hole) -> int:
        row, number = board.coordinates[hole]
        return 2 * number - row

    west = min(column(row[0]) for row in board.rows)
    lines: list[str] = []
    for row in board.rows:
        first, last = board.format_hole(row[0]), board.format_hole(row[-1])
        indent = column(row[0]) - west + _MARGIN
        holes = " ".join(cells[hole] for hole in row)
        lines.append(f"{first.rjust(indent - 1)} {holes} {last}")
    return lines


def _square(board: Board, cells: list[str]) -> list[str]:
    files = " ".join(board.format_hole(hole)[0] for hole in board.rows[0])
    lines = [
        f"{board.format_hole(row[0])[1:]:>2} {' '.join(cells[hole] for hole in row)}"
        f" {board.format_hole(row[0])[1:]}"
        for row in board.rows
    ]
    return [f"   {files}", *lines, f"   {files}"]


def _cell(position: Position, hole: Hole, colour: bool) -> str:
    letter = position.letter_at(hole)
    if not colour:
        return letter or "."
    if letter is not None:
        return f"\x1b[{_BOLD};{_COLOURS[letter]}m{letter}\x1b[0m"
    for point, holes in position.seating.board.points.items():
        if holes >> hole & 1:
            return f"\x1b[{_COLOURS[point]}m.\x1b[0m"
    return "."
