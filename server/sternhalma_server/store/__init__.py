"""The store: everything an event has come to, in one SQLite file. Nowhere else is SQL.

A finished game is a row, written once. The lines of running games are not: many lines of many games
make one row, a segment, and so a turn costs the referee no statement and the disk no page of its
own. All rows carry their event, and a store holds any number of events.

One server writes, under its lock; any number of programs may read meanwhile.
"""

from sternhalma_server.store.store import Store
from sternhalma_server.store.stored import (
    Amendment,
    Decision,
    EventId,
    FinishedGame,
    GameStoredError,
    RegisteredBot,
    State,
    StoreBusyError,
    StoredEvent,
    StoredGame,
    StoredOutcome,
    StoreError,
    StoreFullError,
)

__all__ = [
    "Amendment",
    "Decision",
    "EventId",
    "FinishedGame",
    "GameStoredError",
    "RegisteredBot",
    "State",
    "Store",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "StoredEvent",
    "StoredGame",
    "StoredOutcome",
]
