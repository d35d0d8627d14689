"""A results folder as commands read it: from its store, whether or not a server plays the event."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sternhalma_server.archive import STORE
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.folders import EventFolder, event_folder
from sternhalma_server.record import Record
from sternhalma_server.results import Results
from sternhalma_server.rulings import read_results
from sternhalma_server.settings import Settings
from sternhalma_server.store import Store, StoreError


def found_in(folder: Path) -> EventFolder:
    """The event of *folder*. Raises `BadInputError` where there is none."""
    found = event_folder(folder)
    if found is None:
        raise BadInputError(f"expected a results folder, with {STORE} in it, got {str(folder)!r}")
    return found


def results_in(
    folder: Path, watch: Callable[[Record], None] | None = None
) -> tuple[Settings, Results]:
    """The event of *folder* and what it comes to; *watch* is shown each record.

    Raises `BadInputError` for a folder without a store that can be read.
    """
    found = found_in(folder)
    try:
        with Store.read(found.store) as store:
            return read_results(store, found.stored(store), watch)
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
