"""Tables as templates draw them: cells with the page each leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sternhalma_server.sheet import Grid, Line, parse_sheet

# The place that a cell below a title leads to, None for nowhere.
Linker = Callable[[str, str], str | None]

_NAMES: Final = frozenset({"entry", "bot", "opponent", "version", "stronger than"})


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: what it says, where it leads to, and whether it names its row."""

    text: str
    href: str | None = None
    names: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: `title` says what it is to those who cannot see it."""

    title: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Of a text: a table, or else a line, `mark` being "#" for a heading and "-" for a point."""

    table: Table | None = None
    text: str = ""
    mark: str = ""


def nowhere(_head: str, _text: str) -> str | None:
    """The linker of a table whose cells lead nowhere."""
    return None


def dress(markdown: str, title: str, to: Linker = nowhere) -> list[Part]:
    """The tables and lines of one of our texts, without its empty lines."""
    return list(_parts(markdown, title, to))


def table_of(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    align: str,
    to: Linker = nowhere,
) -> Table:
    """A table of texts; *align*: l or r for each column."""
    grid = Grid(tuple(head), tuple(side == "r" for side in align), tuple(map(tuple, rows)))
    return _table(grid, title, to)


def _parts(markdown: str, title: str, to: Linker) -> Iterator[Part]:
    for part in parse_sheet(markdown):
        match part:
            case Grid():
                yield Part(table=_table(part, title, to))
            case Line(text, mark) if text:
                yield Part(text=text, mark=mark)
            case Line():
                pass


def _table(grid: Grid, title: str, to: Linker) -> Table:
    named = next((at for at, head in enumerate(grid.head) if head in _NAMES), None)
    return Table(
        title=title,
        head=tuple(
            Cell(head, right=right) for head, right in zip(grid.head, grid.right, strict=True)
        ),
        rows=tuple(
            tuple(
                Cell(text, to(head, text) if text else None, names=at == named, right=right)
                for at, (head, right, text) in enumerate(
                    zip(grid.head, grid.right, row, strict=True)
                )
            )
            for row in grid.rows
        ),
    )
