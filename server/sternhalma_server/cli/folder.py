"""A results folder as commands read it: from its store, whether or not a server plays the event."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sternhalma_server.archive import STORE
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.record import Record
from sternhalma_server.results import Results
from sternhalma_server.rulings import read_results
from sternhalma_server.settings import Settings
from sternhalma_server.store import Store, StoreError


def results_in(
    folder: Path, watch: Callable[[Record], None] | None = None
) -> tuple[Settings, Results]:
    """The event of *folder* and what it comes to; *watch* is shown each record.

    Raises `BadInputError` for a folder without a store that can be read.
    """
    path = folder / STORE
    if not path.exists():
        raise BadInputError(f"expected a results folder, with {STORE} in it, got {str(folder)!r}")
    try:
        with Store.read(path) as store:
            return read_results(store, watch)
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
