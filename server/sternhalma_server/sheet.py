"""A text with tables in Markdown, as our own tables are written, taken apart again.

There is one way to make a table, and whoever draws it, on a terminal or in a page, only dresses it:
what a person sees there is what is committed and compared elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

_BAR: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the titles of its columns, whether each has numbers, and its cells as they were."""

    head: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line outside tables, as it was before it was Markdown; `mark` is "#", "-" or empty."""

    text: str
    mark: str = ""


def parse_sheet(markdown: str) -> Iterator[Grid | Line]:
    """The tables and the lines of *markdown* in their order, empty lines among them."""
    for in_table, lines in groupby(markdown.splitlines(), lambda line: line.startswith("|")):
        if in_table:
            yield _grid(list(lines))
        else:
            yield from map(_line, lines)


def _grid(lines: list[str]) -> Grid:
    head, rule, *rows = map(_cells, lines)
    return Grid(head, tuple(ruled.endswith(":") for ruled in rule), tuple(rows))


def _line(line: str) -> Line:
    if line.startswith("#"):
        return Line(_plain(line.lstrip("# ")), "#")
    if line.startswith("- "):
        return Line(_plain(line[2:]), "-")
    return Line(_plain(line))


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a line of a table, as they were before `cell_text`."""
    return tuple(_plain(cell.strip()) for cell in _BAR.split(line)[1:-1])


def _plain(cell: str) -> str:
    return re.sub(r"\\([\\|])", r"\1", cell)
