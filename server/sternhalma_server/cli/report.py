"""Write the pages of an event or of a league: standings, games with their replay, bots, ratings.

The folder needs nothing else: it opens from a disk, and any host of files can have it. The same
store gives the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sternhalma_server.archive import STORE, write_whole
from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.folder import found_in
from sternhalma_server.cli.league_folder import charter_in
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.folders import LEAGUE
from sternhalma_server.pages.event_pages import EventPages
from sternhalma_server.pages.league_pages import league_pages
from sternhalma_server.pages.places import INDEX, SCRIPT, EventPlaces
from sternhalma_server.pages.summary import summary_of
from sternhalma_server.pages.templates import MissingTemplatesError, Templates, assets
from sternhalma_server.store import Store, StoreError
from sternhalma_tournament.text import counted

PAGES: Final = "pages"  # the folder in that of the event or the league


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results or league folder")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help=f"where to write (default: DIR/{PAGES})"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the pages; 0 if all could be written."""
    folder: Path = arguments.folder
    out: Path = arguments.out or folder / PAGES
    try:
        templates = Templates()
    except MissingTemplatesError as error:
        raise BadInputError(str(error)) from None
    _check(out)
    written = 0
    try:
        for name, text in _pages(folder, templates):
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
            written += name.endswith(".html")
    except OSError as error:
        raise BadInputError(
            f"{error.filename}: expected a folder that can be written: {error.strerror}"
        ) from None
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
    print(f"{counted(written, 'page')}, the first is {out / INDEX}")
    return CLEAN


def _check(out: Path) -> None:
    """Refuse a folder that holds something else than an earlier report."""
    if not out.exists() or (out / SCRIPT).exists():
        return
    if not out.is_dir() or any(out.iterdir()):
        raise BadInputError(
            f"expected a new folder for the pages, or one with earlier pages, got {str(out)!r}"
        )


def _pages(folder: Path, templates: Templates) -> Iterator[tuple[str, str]]:
    if (folder / LEAGUE).exists():
        charter = charter_in(folder)
        with Store.read(folder / STORE) as store:
            yield from assets().items()
            yield from league_pages(store, charter, templates)
        return
    found = found_in(folder)
    with Store.read(found.store) as store:
        summary = summary_of(store, found.stored(store))
        yield from assets().items()
        yield from EventPages(templates, summary, EventPlaces()).pages(store)
