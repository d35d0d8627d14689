"""Where an event is: in a results folder of its own, or in the folder of a league.

    results/cup/                 a results folder: store.sqlite and what is derived from it
    results/open/                a league's folder: store.sqlite, league.toml, ratings, season
    results/open/events/cup/     what is derived from an event of the league; its store is above

A command that is given either of the first and the last kind finds the event and its store.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sternhalma_server.archive import STORE
from sternhalma_server.rulings import stored_event
from sternhalma_server.store import Store, StoredEvent, StoreError

LEAGUE: Final = "league.toml"  # what the league's file is called in its folder
EVENTS: Final = "events"  # the folder of the folders of a league's events


@dataclass(frozen=True, slots=True)
class EventFolder:
    """The folder `root` of an event; `league` is that of its league, None if it has a store."""

    root: Path
    league: Path | None = None

    @property
    def store(self) -> Path:
        """The file of the store that the event is in."""
        return (self.league or self.root) / STORE

    @property
    def server(self) -> Path:
        """The folder in which a server that plays the event can be asked."""
        return self.league or self.root

    def stored(self, store: Store) -> StoredEvent:
        """The event in *store*, which is open. Raises `StoreError`."""
        if self.league is None:
            return stored_event(store)
        event = store.event(self.root.name)
        if event is None:
            names = ", ".join(event.name for event in store.events()) or "none yet"
            raise StoreError(
                f"{self.league}: expected an event of the league ({names}), got {self.root.name!r}"
            )
        return event


def event_folder(folder: Path) -> EventFolder | None:
    """The event that *folder* is of; None if there is no store for it.

    The folder of a league's event need not be there: a ladder has nothing to put into it.
    """
    if (folder / STORE).exists():
        return EventFolder(folder)
    league = folder.parent.parent
    if folder.parent.name == EVENTS and (league / STORE).exists():
        return EventFolder(folder, league)
    return None
