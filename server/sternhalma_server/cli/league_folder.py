"""A league's folder as commands use it: by its server if one runs there, else by its store."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from sternhalma_server.archive import STORE
from sternhalma_server.cli.folder import unusable
from sternhalma_server.cli.parser import BadInputError, unknown
from sternhalma_server.control import SOCKET, ControlError, ask
from sternhalma_server.folders import LEAGUE
from sternhalma_server.league_book import LeagueBook
from sternhalma_server.lock import LockedError, StoreLock
from sternhalma_server.rulings import settings_in
from sternhalma_server.store import RegisteredBot, Store, StoreError
from sternhalma_tournament.charter import Charter, parse_charter

# Seconds for whoever has the store to let go of it: a server that ends writes its ratings first.
PATIENCE: Final = 25.0
PAUSE: Final = 0.05  # seconds


def decide(folder: Path, request: Mapping[str, Any]) -> list[str]:
    """Do what *request* asks (see `LeagueBook.do`); sentences. Raises `BadInputError`."""
    _check(folder)
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return _asked(folder, request) or _written(folder, request)
        except LockedError as error:
            # A server that starts has the store before it can be asked, and one that ends has it a
            # little longer; another command has it for a moment.
            if time.monotonic() > until:
                raise BadInputError(str(error)) from None
        time.sleep(PAUSE)


def _asked(folder: Path, request: Mapping[str, Any]) -> list[str] | None:
    """What the league's server has done; None if there is none. Raises `BadInputError`."""
    if not (folder / SOCKET).exists():
        return None
    try:
        return list(ask(folder, request)["done"])
    except ControlError as error:
        if not error.nobody:
            raise BadInputError(str(error)) from None
    return None


def _written(folder: Path, request: Mapping[str, Any]) -> list[str]:
    """What was done in the league's store. Raises `BadInputError`, `LockedError`."""
    charter = charter_in(folder)
    try:
        with StoreLock(folder / STORE), Store.open(folder / STORE) as store:
            return LeagueBook(store, charter, folder).do(request)
    except (ValueError, StoreError) as error:
        raise BadInputError(str(error)) from None
    except OSError as error:
        raise BadInputError(unusable(folder, error)) from None


def charter_in(folder: Path) -> Charter:
    """What the league's file says that its server was started with. Raises `BadInputError`."""
    path = folder / LEAGUE
    try:
        return parse_charter(path.read_bytes(), str(path))
    except OSError as error:
        raise BadInputError(f"{path}: expected the league's file: {error.strerror}") from None
    except ValueError as error:
        raise BadInputError(str(error)) from None


def names_of(folder: Path, *, left: bool = False) -> list[str]:
    """The bots of the league, its own first; with *left* those that have left it too.

    Raises `BadInputError`.
    """
    own = [bot.name for bot in charter_in(folder).bots]
    return own + [bot.name for bot in league_bots(folder) if left or bot.digest is not None]


def spelled(name: str, names: Iterable[str]) -> str | None:
    """The one of *names* that is *name* but for case."""
    return next((one for one in names if one.casefold() == name.casefold()), None)


def member(folder: Path, name: str) -> str:
    """The bot of the league called *name*, whatever the case. Raises `BadInputError`."""
    names = names_of(folder)
    found = spelled(name, names)
    if found is None:
        raise BadInputError(
            unknown("bot", name, names) if names else f"expected a bot of the league, got {name!r}"
        )
    return found


def league_bots(folder: Path) -> list[RegisteredBot]:
    """The bots that are or were registered with the league. Raises `BadInputError`."""
    _check(folder)
    try:
        with Store.read(folder / STORE) as store:
            return store.bots()
    except StoreError as error:
        raise BadInputError(str(error)) from None


def league_events(folder: Path) -> list[dict[str, Any]]:
    """The events of the league and how they stand. Raises `BadInputError`."""
    _check(folder)
    try:
        with Store.read(folder / STORE) as store:
            return [
                {
                    "name": event.name,
                    "state": event.state,
                    "format": settings_in(store, event).event.format,
                    "games": store.count(event.id),
                }
                for event in store.events()
            ]
    except (StoreError, ValueError) as error:
        raise BadInputError(str(error)) from None


def _check(folder: Path) -> None:
    try:
        there = (folder / STORE).exists() and (folder / LEAGUE).exists()
    except OSError as error:
        raise BadInputError(unusable(folder, error)) from None
    if not there:
        raise BadInputError(
            f"expected a league's folder, with {STORE} and {LEAGUE} in it, got {str(folder)!r}"
        )
