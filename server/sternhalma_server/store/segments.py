"""The lines of running games: many lines of many games in one row, until nobody needs them.

To take a segment away when its last game ends is not enough: one slow game would keep all that
was said in hours of other games. So segments are swept instead. When they have doubled, the old
ones are gone through, a bounded piece with each write, and what is left of them without finished
games is put together. That costs a line about as much again as writing it did, and the segments
never come to much more than twice the lines of running games.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sternhalma_server.store.database import Database, rows_of
from sternhalma_server.store.stored import (
    EventId,
    StoreBusyError,
    StoreError,
    StoreFullError,
)

SWEPT_FROM: Final = 1 << 20  # characters below which nothing is swept

# Characters gone through at once. Small, because the thread that does it and the referee's take
# turns: this much keeps the referee waiting for half a millisecond.
SWEPT_AT_ONCE: Final = 1 << 17


@dataclass(slots=True)
class _Extent:
    """How much an event's segments hold, in characters, and how far a sweep has come."""

    size: int
    limit: int
    swept: int = 0  # the number of the last segment gone through


class Segments:
    """The segments of all events of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._extents: dict[EventId, _Extent] = {}

    def add(self, connection: sqlite3.Connection, event: EventId, lines: str) -> None:
        """Add *lines*, each `GAME<TAB>text<LF>`, in a transaction that is under way."""
        connection.execute("INSERT INTO journal (event, lines) VALUES (?, ?)", (event, lines))

    def added(self, event: EventId, characters: int) -> None:
        """So much has been added and is safe: sweep a piece if it is time."""
        with self._database.writing:
            extent = self._extents.get(event)
            if extent is None:
                extent = self._measured(event)
            else:
                extent.size += characters
            if extent.size > extent.limit:
                # A disk too full to be swept is no news here: the next write will tell.
                with suppress(StoreFullError, StoreBusyError):
                    self._sweep(event, extent)

    def sweep(self, event: EventId) -> None:
        """Go through all segments of the event now. Raises `StoreError`."""
        with self._database.writing:
            extent = self._measured(event)
            while not self._sweep(event, extent):
                pass

    def running(self, event: EventId) -> dict[int, list[str]]:
        """The lines of each game that is not finished, in order, without its number."""
        lines: dict[int, list[str]] = {}
        rows = self._database.rows("SELECT lines FROM journal WHERE event = ? ORDER BY id", event)
        for (segment,) in rows:
            for line in segment.split("\n")[:-1]:
                game, tab, text = line.partition("\t")
                if not tab or not game.isdecimal():
                    raise StoreError(f"expected GAME<TAB>text in the journal, got {line[:100]!r}")
                lines.setdefault(int(game), []).append(text)
        # Asked after the lines were read, so that no game that ends meanwhile is left half there.
        with self._database.reading() as connection:
            finished = finished_among(connection, event, lines)
        return {game: texts for game, texts in lines.items() if game not in finished}

    def _measured(self, event: EventId) -> _Extent:
        (row,) = self._database.rows(
            "SELECT total(length(lines)) FROM journal WHERE event = ?", event
        )
        extent = self._extents[event] = _Extent(int(row[0]), SWEPT_FROM)
        return extent

    def _sweep(self, event: EventId, extent: _Extent) -> bool:
        """Sweep the next piece; whether it was the last. All of it happens, or nothing."""
        with self._database.transaction() as connection:
            lines, size, last = self._next_piece(connection, event, extent.swept)
            # Games are told apart by their digits: a number for every line takes twice as long.
            games = {line.partition("\t")[0] for line in lines}
            numbers = [int(game) for game in games if game.isdecimal()]
            finished = set(map(str, finished_among(connection, event, numbers)))
            kept = "".join(
                [f"{line}\n" for line in lines if line.partition("\t")[0] not in finished]
            )
            connection.execute(
                "DELETE FROM journal WHERE event = ? AND id > ? AND id <= ?",
                (event, extent.swept, last),
            )
            if kept:
                # The number of the last of those it replaces keeps it before all that are newer.
                connection.execute(
                    "INSERT INTO journal (id, event, lines) VALUES (?, ?, ?)", (last, event, kept)
                )
        extent.size += len(kept) - size
        extent.swept = last
        if size >= SWEPT_AT_ONCE:
            return False
        extent.swept = 0
        extent.limit = max(SWEPT_FROM, 2 * extent.size)
        return True

    def _next_piece(
        self, connection: sqlite3.Connection, event: EventId, after: int
    ) -> tuple[list[str], int, int]:
        """The lines behind segment *after*, their size, and the last segment they are from."""
        lines: list[str] = []
        size, last = 0, after
        cursor = connection.execute(
            "SELECT id, lines FROM journal WHERE event = ? AND id > ? ORDER BY id", (event, after)
        )
        for number, segment in cursor:
            lines += segment.split("\n")[:-1]
            size, last = size + len(segment), number
            if size >= SWEPT_AT_ONCE:
                break
        cursor.close()
        return lines, size, last


def finished_among(
    connection: sqlite3.Connection, event: EventId, games: Iterable[int]
) -> set[int]:
    """Which of *games* are stored as finished."""
    asked = "SELECT 1 FROM game WHERE event = ? AND number = ?"
    return {game for game in games if rows_of(connection, asked, event, game)}
