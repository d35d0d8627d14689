"""A text with tables in Markdown, as it is for files and pipes, or drawn for a terminal.

There is one way to make a table, and drawing only dresses it: what a person sees on a terminal is
what is committed and compared elsewhere.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Final

from sternhalma_server.sheet import Grid, Line, parse_sheet

_WIDE: Final = 10_000  # columns: in a pipe nothing is cut off


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """Declare `--format` with *formats* beside `table` and `md`, and `--json` for short."""
    parser.add_argument(
        "--format",
        choices=("table", "md", *formats),
        help="how to print it (default: table on a terminal, md elsewhere)",
    )
    parser.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="the same as --format json",
    )


def print_as(wanted: str | None, texts: Mapping[str, Callable[[], str]]) -> None:
    """Print that of *texts* which is *wanted*; a table is drawn from the Markdown."""
    if wanted is None:
        wanted = "table" if sys.stdout.isatty() else "md"
    if wanted == "table":
        draw(texts["md"]())
    else:
        print(texts[wanted](), end="")


def draw(markdown: str) -> None:
    """Print *markdown* with its tables drawn."""
    from rich.console import Console
    from rich.text import Text

    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else _WIDE, highlight=False, markup=False)
    for part in parse_sheet(markdown):
        match part:
            case Grid():
                _draw_table(console.print, part)
            case Line(text, "#"):
                console.print(Text(text, "bold"))
            case Line(text, mark):
                console.print(Text(f"{mark} {text}" if mark else text))


def _draw_table(show: Callable[..., None], grid: Grid) -> None:
    from rich.box import ROUNDED
    from rich.table import Table
    from rich.text import Text

    table = Table(box=ROUNDED)
    for title, right in zip(grid.head, grid.right, strict=True):
        table.add_column(Text(title), justify="right" if right else "left")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    show(table)
