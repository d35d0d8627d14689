"""A results folder as commands read it: from its store, whether or not a server plays the event."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sternhalma_server.archive import STORE
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.folders import EVENTS, LEAGUE, EventFolder, event_folder
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


def server_folder(folder: Path) -> Path:
    """The folder in which a server is asked: that of the league for the folder of its event."""
    found = event_folder(folder)
    return folder if found is None else found.server


def unusable(folder: Path, error: OSError) -> str:
    """The sentence for a *folder* in which something could not be written."""
    which = "" if error.filename in {None, str(folder)} else f" ({error.filename})"
    return (
        f"{folder}: expected a folder that can be made and written, got:"
        f" {error.strerror or error}{which}"
    )


def game_in(folder: Path, word: str) -> str:
    """The number in *word*, which may name the event of *folder* as bots are told it: `cup/17`.

    Raises `BadInputError` where it names another one.
    """
    name, slash, number = word.rpartition("/")
    if not slash:
        return word
    found = event_folder(folder)
    event = None if found is None else _name_of(found)
    if event is None and (folder / LEAGUE).exists():
        meant = str(folder / EVENTS / name)[:200]
        raise BadInputError(
            f"expected the folder of the event, {meant!r}, got that of its league, {str(folder)!r}"
        )
    if event is None or event.casefold() != name.casefold():
        whose = "" if event is None else f" of {event}"
        raise BadInputError(
            f"expected the number of a game{whose}, such as {number[:40]}, got {word[:40]!r}"
        )
    return number


def _name_of(found: EventFolder) -> str | None:
    """The name of an event, None if there is none or no one event."""
    if found.league is not None:
        return found.root.name
    try:
        with Store.read(found.store) as store:
            return None if store.league is not None else found.stored(store).name
    except (StoreError, ValueError):
        return None


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
