"""A text with tables in Markdown, as it is for files and pipes, or drawn for a terminal.

There is one way to make a table, and drawing only dresses it: what a person sees on a terminal is
what is committed and compared elsewhere.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Final

_WIDE: Final = 10_000  # columns: in a pipe nothing is cut off
_BAR: Final = re.compile(r"(?<!\\)\|")


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
    for in_table, lines in groupby(markdown.splitlines(), lambda line: line.startswith("|")):
        if in_table:
            _draw_table(console.print, list(lines))
            continue
        for line in lines:
            heading = line.startswith("#")
            text = _plain(line.lstrip("# ") if heading else line)
            console.print(Text(text, "bold" if heading else ""))


def _draw_table(show: Callable[..., None], lines: list[str]) -> None:
    from rich.box import ROUNDED
    from rich.table import Table
    from rich.text import Text

    head, rule, *rows = map(_cells, lines)
    table = Table(box=ROUNDED)
    for title, ruled in zip(head, rule, strict=True):
        table.add_column(Text(title), justify="right" if ruled.endswith(":") else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    show(table)


def _cells(line: str) -> list[str]:
    """The cells of a line of a table, as they were before `cell_text`."""
    return [_plain(cell.strip()) for cell in _BAR.split(line)[1:-1]]


def _plain(cell: str) -> str:
    return re.sub(r"\\([\\|])", r"\1", cell)
