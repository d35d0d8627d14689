"""Who scored what against whom, in the order of the standings."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sternhalma_tournament.standings import Standings
from sternhalma_tournament.tables import csv_text, json_text
from sternhalma_tournament.tally import Tally
from sternhalma_tournament.text import decimal_text, markdown_table, points_text


@dataclass(frozen=True, slots=True)
class Cell:
    """What the entry of a row scored against that of a column."""

    half_points: int
    games: int

    @property
    def points(self) -> Fraction:
        """The points, exactly."""
        return Fraction(self.half_points, 2)


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Rows and columns of *entries* in the order of the standings; None against oneself."""

    entries: tuple[str, ...]
    half_points: tuple[int, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def crosstable(standings: Standings, tally: Tally) -> Crosstable:
    """The crosstable of *tally* in the order of *standings*."""
    names = tuple(row.entry for row in standings.rows)
    return Crosstable(
        entries=names,
        half_points=tuple(row.half_points for row in standings.rows),
        cells=tuple(
            tuple(None if name == other else _cell(tally, name, other) for other in names)
            for name in names
        ),
    )


def crosstable_markdown(table: Crosstable) -> str:
    """A cell has the points, and after a bar the games where they are not one: `1½/2`."""
    numbers = [str(place) for place in range(1, len(table.entries) + 1)]
    rows = [
        [
            number,
            name,
            *map(_cell_text, cells),
            points_text(Fraction(half, 2)),
        ]
        for number, name, cells, half in zip(
            numbers, table.entries, table.cells, table.half_points, strict=True
        )
    ]
    head = ["", "entry", *numbers, "points"]
    return markdown_table(head, rows, "rl" + "r" * (len(numbers) + 1))


def crosstable_csv(table: Crosstable) -> str:
    """One line for every two entries in both orders, which spreadsheets can turn into any table."""
    lines: list[Sequence[str]] = [["entry", "opponent", "points", "games"]]
    for name, cells in zip(table.entries, table.cells, strict=True):
        for other, cell in zip(table.entries, cells, strict=True):
            if cell is not None:
                lines.append([name, other, decimal_text(cell.points), str(cell.games)])
    return csv_text(lines)


def crosstable_json(table: Crosstable) -> str:
    """Entries in order and a matrix of cells, null for the entry itself."""
    return json_text(
        {
            "entries": table.entries,
            "cells": [
                [
                    cell and {"points": decimal_text(cell.points), "games": cell.games}
                    for cell in cells
                ]
                for cells in table.cells
            ],
        }
    )


def _cell(tally: Tally, name: str, other: str) -> Cell:
    met = tally.meetings(name, other)
    return Cell(met.half_points, met.games)


def _cell_text(cell: Cell | None) -> str:
    if cell is None:
        return "x"
    if cell.games == 0:
        return ""
    return points_text(cell.points) + (f"/{cell.games}" if cell.games > 1 else "")
