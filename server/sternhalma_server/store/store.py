"""What a store can be asked and told. Each call that writes is on the disk when it returns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sternhalma_server.store.chain import amendment_digest, digest_of, first_link, next_link
from sternhalma_server.store.database import Database, rows_of
from sternhalma_server.store.segments import Segments, finished_among
from sternhalma_server.store.stored import (
    STATES,
    Amendment,
    Decision,
    EventId,
    FinishedGame,
    GameStoredError,
    State,
    StoreBusyError,
    StoredEvent,
    StoredGame,
    StoreError,
    StoreFullError,
)

PAGE: Final = 64  # games read at a time


class Store:
    """A store that is open; also a context manager, which closes it.

    Reading waits for no commit and may be done anywhere. Whatever writes waits for the disk and
    belongs in a thread, in any; such calls take turns. Beside what is said at each call, all raise
    `StoreError`, and those that write `StoreFullError` or `StoreBusyError` where they can be tried
    again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._segments = Segments(database)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the store *path* for reading and writing, and make it if there is none.

        An older store is brought up to date. Raises `StoreError`, for a newer store too.
        """
        return cls(Database.open(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open the store *path* for reading only, whether or not a server writes to it.

        Raises `StoreError`, for an older and for a newer store too.
        """
        return cls(Database.read(path))

    @property
    def path(self) -> Path:
        """The store's file."""
        return self._database.path

    def close(self) -> None:
        """Close the store; it is one file then, unless somebody else has it open."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add_event(self, name: str, source: bytes) -> EventId:
        """Add the event called *name* with the event file *source*; it is `created`.

        Raises `StoreError` if the store holds an event of that name.
        """
        with self._database.transaction() as connection:
            if rows_of(connection, "SELECT 1 FROM event WHERE name = ?", name):
                raise StoreError(f"expected a new event, the store holds one called {name!r}")
            cursor = connection.execute(
                "INSERT INTO event (name, source, digest, state) VALUES (?, ?, ?, 'created')",
                (name, source, first_link(source)),
            )
            assert cursor.lastrowid is not None
            return EventId(cursor.lastrowid)

    def event(self, name: str) -> StoredEvent | None:
        """The event called *name*, if there is one."""
        rows = self._database.rows(f"{_EVENTS} WHERE name = ?", name)
        return StoredEvent(*rows[0]) if rows else None

    def events(self) -> list[StoredEvent]:
        """All events, in the order in which they were added."""
        return [StoredEvent(*row) for row in self._database.rows(f"{_EVENTS} ORDER BY id")]

    def set_state(self, event: EventId, state: State) -> None:
        """Note how the event stands, and take the lines of finished games away.

        Raises `ValueError` for a word that is no state.
        """
        if state not in STATES:
            raise ValueError(f"expected one of {', '.join(STATES)}, got {state!r}")
        with self._database.transaction() as connection:
            cursor = connection.execute("UPDATE event SET state = ? WHERE id = ?", (state, event))
            if not cursor.rowcount:
                raise _no_event(event)
        # The state is noted; that there is no room to tidy up is no reason to say otherwise.
        with suppress(StoreFullError, StoreBusyError):
            self._segments.sweep(event)

    def write(
        self, event: EventId, segment: str, results: Sequence[FinishedGame | Decision]
    ) -> None:
        """Store the lines *segment* of running games and *results*, in this order: all, or nothing.

        Each line is `GAME<TAB>text<LF>`. Raises `GameStoredError` if some of the games are stored
        already, `ValueError` for a segment whose last line has no line feed or for a game given
        twice.
        """
        if segment and not segment.endswith("\n"):
            raise ValueError(f"expected a line feed at the end, got {segment[-20:]!r}")
        numbers = [result.game for result in results if isinstance(result, FinishedGame)]
        if len(set(numbers)) != len(numbers):
            raise ValueError(f"expected each game once, got {numbers!r}")
        with self._database.transaction() as connection:
            if results:
                stored = finished_among(connection, event, numbers)
                if stored:
                    raise GameStoredError(stored)
                _add(connection, event, results)
            if segment:
                self._segments.add(connection, event, segment)
        self._segments.added(event, len(segment))

    def finished_games(self, event: EventId) -> Iterator[StoredGame]:
        """The finished games of the event, in the order in which they were stored.

        They are read a few at a time: whoever takes long over them holds up nobody.
        """
        place = 0
        while rows := self._database.rows(
            f"{_GAMES} WHERE event = ? AND place > ? ORDER BY place LIMIT {PAGE}", event, place
        ):
            for row in rows:
                game = StoredGame(*row)
                place = game.place
                yield game

    def finished_numbers(self, event: EventId) -> set[int]:
        """The numbers of the finished games of the event."""
        rows = self._database.rows("SELECT number FROM game WHERE event = ?", event)
        return {number for (number,) in rows}

    def game(self, event: EventId, number: int) -> StoredGame | None:
        """The finished game *number*, if it is stored."""
        rows = self._database.rows(f"{_GAMES} WHERE event = ? AND number = ?", event, number)
        return StoredGame(*rows[0]) if rows else None

    def running_lines(self, event: EventId) -> dict[int, list[str]]:
        """The texts of the lines of each game that is not finished, by its number, in order."""
        return self._segments.running(event)

    def head(self, event: EventId) -> str:
        """The head of the event's hash chain."""
        with self._database.reading() as connection:
            return _head(connection, event)[1]

    def check_chain(self, event: EventId) -> list[str]:
        """What does not agree in the event's hash chain: a sentence each, none if all is well."""
        rows = self._database.rows("SELECT name, source, digest FROM event WHERE id = ?", event)
        if not rows:
            raise _no_event(event)
        ((name, source, written),) = rows
        problems: list[str] = []
        link = first_link(source)
        if written != link:
            problems.append(f"event {name}: expected the digest {link} of its file, got {written}")
        place = 0
        for result in self._results(event):
            if isinstance(result, StoredGame):
                what, digest = f"game {result.game}", result.digest
                right = digest_of(result.record)
                if digest != right:
                    problems.append(f"{what}: expected digest {right} of its record, got {digest}")
            else:
                what, digest = "amendment", amendment_digest(result.kind, result.text)
            # What comes next is held against what is written here, so one change is one problem.
            place, link = place + 1, next_link(link, digest)
            if (result.place, result.chain) != (place, link):
                problems.append(
                    f"{what}: expected place {place} and value {link} in the chain,"
                    f" got {result.place} and {result.chain}"
                )
                place, link = result.place, result.chain
        return problems

    def _results(self, event: EventId) -> Iterator[StoredGame | Amendment]:
        """All that is in the chain, in the order of its places."""
        amendments = self.amendments(event)
        for game in self.finished_games(event):
            while amendments and amendments[0].place <= game.place:
                yield amendments.pop(0)
            yield game
        yield from amendments

    def amend(self, event: EventId, kind: str, text: str) -> None:
        """Add something that was decided about the event; it becomes part of the hash chain.

        Raises `ValueError` for a *kind* of more than one line.
        """
        self.write(event, "", [Decision(kind, text)])

    def amendments(self, event: EventId) -> list[Amendment]:
        """All amendments of the event, in order."""
        rows = self._database.rows(
            "SELECT kind, text, chain, place FROM amendment WHERE event = ? ORDER BY place", event
        )
        return [Amendment(*row) for row in rows]

    def set_secret(self, event: EventId, name: str, digest: str) -> None:
        """Keep the SHA-256 of the key that the bot *name* was given, in place of an earlier one."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO secret (event, name, digest) VALUES (?, ?, ?)",
                (event, name, digest),
            )

    def secrets(self, event: EventId) -> dict[str, str]:
        """The SHA-256 of each bot's key, by the bot's name."""
        return dict(self._database.rows("SELECT name, digest FROM secret WHERE event = ?", event))


_EVENTS: Final = "SELECT id, name, source, digest, state FROM event"
_GAMES: Final = "SELECT number, record, said, digest, chain, place FROM game"


def _add(
    connection: sqlite3.Connection, event: EventId, results: Sequence[FinishedGame | Decision]
) -> None:
    """Add *results* to the event and to its chain."""
    place, link = _head(connection, event)
    for result in results:
        place += 1
        match result:
            case FinishedGame(number, record, said):
                digest = digest_of(record)
                link = next_link(link, digest)
                connection.execute(
                    "INSERT INTO game (event, place, number, record, said, digest, chain)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (event, place, number, record, said, digest, link),
                )
            case Decision(kind, text):
                link = next_link(link, amendment_digest(kind, text))
                connection.execute(
                    "INSERT INTO amendment (event, place, kind, text, chain)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (event, place, kind, text, link),
                )


def _head(connection: sqlite3.Connection, event: EventId) -> tuple[int, str]:
    """The place and the value of the last link of the event's chain."""
    rows = rows_of(
        connection,
        "SELECT 0, digest FROM event WHERE id = ?1"
        " UNION ALL SELECT * FROM (SELECT place, chain FROM game"
        " WHERE event = ?1 ORDER BY place DESC LIMIT 1)"
        " UNION ALL SELECT * FROM (SELECT place, chain FROM amendment"
        " WHERE event = ?1 ORDER BY place DESC LIMIT 1)",
        event,
    )
    if not rows:
        raise _no_event(event)
    place, link = max(rows)
    return int(place), str(link)


def _no_event(event: EventId) -> StoreError:
    return StoreError(f"expected an event of the store, got number {event}")
