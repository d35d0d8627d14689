"""Print the standings of an event, while it is played or later.

They are added up from the results folder's store, which is only read. On a terminal the table is
drawn; elsewhere it is Markdown, byte for byte the file standings.md once all games are over.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.folder import results_in


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `standings`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results folder")
    add_format(parser, "csv", "json")


def run(arguments: argparse.Namespace) -> int:
    """Print the table; 0 if there is one."""
    _, results = results_in(arguments.folder)
    files = results.files()
    kinds = ("md", "csv", "json")
    print_as(
        arguments.format, {kind: partial(files.__getitem__, f"standings.{kind}") for kind in kinds}
    )
    return 0
