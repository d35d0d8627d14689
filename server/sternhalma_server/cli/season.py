"""Print the table of a league's season: what the ranks of its events add up to."""

from __future__ import annotations

import argparse
from pathlib import Path

from sternhalma_server.archive import STORE
from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.league_folder import charter_in
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.store import Store, StoreError
from sternhalma_server.yearbook import season_in
from sternhalma_tournament.season_tables import season_csv, season_json, season_markdown


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `season`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the league's folder")
    parser.add_argument(
        "--interim", action="store_true", help="count events that are not over, as they stand"
    )
    add_format(parser, "csv", "json")


def run(arguments: argparse.Namespace) -> int:
    """Print the table; 0 if there is one."""
    folder: Path = arguments.folder
    charter = charter_in(folder)
    try:
        with Store.read(folder / STORE) as store:
            season = season_in(store, charter, interim=arguments.interim)
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
    print_as(
        arguments.format,
        {
            "md": lambda: season_markdown(season),
            "csv": lambda: season_csv(season),
            "json": lambda: season_json(season),
        },
    )
    return 0
