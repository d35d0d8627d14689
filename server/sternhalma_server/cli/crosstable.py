"""Print who scored what against whom in an event, while it is played or later.

A cell has the points, and after a bar the games where they are not one. The columns have the
numbers of the rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.folder import results_in
from sternhalma_tournament.crosstable import (
    crosstable,
    crosstable_csv,
    crosstable_json,
    crosstable_markdown,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `crosstable`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results folder")
    add_format(parser, "csv", "json")


def run(arguments: argparse.Namespace) -> int:
    """Print the table; 0 if there is one."""
    _, results = results_in(arguments.folder)
    table = crosstable(results.standings(), results.tally)
    print_as(
        arguments.format,
        {
            "md": lambda: crosstable_markdown(table),
            "csv": lambda: crosstable_csv(table),
            "json": lambda: crosstable_json(table),
        },
    )
    return 0
