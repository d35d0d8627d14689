"""What a store can be asked and told. Each call that writes is on the disk when it returns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sternhalma_server.store.chain import amendment_digest, digest_of, first_link, next_link
from sternhalma_server.store.database import Database, Row, rows_of
from sternhalma_server.store.schema import WITH_LEAGUE
from sternhalma_server.store.segments import Segments, finished_among
from sternhalma_server.store.stored import (
    STATES,
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

PAGE: Final = 64  # games read at a time
OUTCOMES: Final = 4096  # the same of what is told in short


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

        An older store is read as it is. Raises `StoreError`, for a newer store too.
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

    def set_source(self, event: EventId, source: bytes) -> None:
        """Give an event that nothing has happened in yet another event file: entries are taken.

        Raises `StoreError` once there is a game or a decision, whose chain the file begins.
        """
        with self._database.transaction() as connection:
            if _head(connection, event)[0]:
                raise StoreError("expected an event before its first game, got one with results")
            connection.execute(
                "UPDATE event SET source = ?, digest = ? WHERE id = ?",
                (source, first_link(source), event),
            )

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

    def finished_games(self, event: EventId, after: int = 0) -> Iterator[StoredGame]:
        """The finished games of the event, in the order in which they were stored.

        Those whose place in the chain is *after* the given one. They are read a few at a time:
        whoever takes long over them holds up nobody.
        """
        place = after
        while rows := self._database.rows(
            f"{self._games} WHERE event = ? AND place > ? ORDER BY place LIMIT {PAGE}", event, place
        ):
            for row in rows:
                game = StoredGame(*row)
                place = game.place
                yield game

    def outcomes(self, event: EventId) -> Iterator[StoredOutcome]:
        """How the finished games of the event ended, in the order in which they were stored.

        They are read many at a time, without their records where an outcome was stored with them.
        """
        outcome = self._outcome
        place = 0
        while rows := self._database.rows(
            f"SELECT number, place, {outcome}, CASE WHEN {outcome} IS NULL THEN record END"
            f" FROM game WHERE event = ? AND place > ? ORDER BY place LIMIT {OUTCOMES}",
            event,
            place,
        ):
            for row in rows:
                yield StoredOutcome(*row)
            place = rows[-1][1]

    def count(self, event: EventId) -> int:
        """How many games of the event have finished."""
        rows = self._database.rows("SELECT count(*) FROM game WHERE event = ?", event)
        return int(rows[0][0])

    def reached(self, event: EventId) -> tuple[int, int]:
        """How many games of the event have finished, and the place of the last one of them."""
        rows = self._database.rows(
            "SELECT count(*), coalesce(max(place), 0) FROM game WHERE event = ?", event
        )
        ((games, place),) = rows
        return int(games), int(place)

    def finished_numbers(self, event: EventId) -> set[int]:
        """The numbers of the finished games of the event."""
        rows = self._database.rows("SELECT number FROM game WHERE event = ?", event)
        return {number for (number,) in rows}

    def game(self, event: EventId, number: int) -> StoredGame | None:
        """The finished game *number*, if it is stored."""
        rows = self._database.rows(f"{self._games} WHERE event = ? AND number = ?", event, number)
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

    @property
    def league(self) -> str | None:
        """The name of the league whose store this is; None for the store of one event."""
        rows = self._league_rows("SELECT name FROM league")
        return str(rows[0][0]) if rows else None

    def found_league(self, name: str) -> None:
        """Make this the store of the league *name*.

        Raises `StoreError` if it is that of another one, or of an event that is played by itself.
        """
        with self._database.transaction() as connection:
            names = [row[0] for row in rows_of(connection, "SELECT name FROM league")]
            if names and names != [name]:
                raise StoreError(
                    f"{self.path}: expected the league {name!r}, got the store of {names[0]!r}"
                )
            if not names and rows_of(connection, "SELECT 1 FROM event"):
                raise StoreError(f"{self.path}: expected the store of a league, got an event's")
            connection.execute("INSERT OR IGNORE INTO league (id, name) VALUES (1, ?)", (name,))

    def bots(self) -> list[RegisteredBot]:
        """The bots of the league by name, those among them that have left."""
        rows = self._league_rows("SELECT name, digest, since FROM bot ORDER BY name")
        return [RegisteredBot(*row) for row in rows]

    def set_bot(self, bot: RegisteredBot) -> None:
        """Register *bot*, in place of what was known of one of that name, whatever the case."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO bot (name, digest, since) VALUES (?, ?, ?)",
                (bot.name, bot.digest, bot.since),
            )

    @property
    def _outcome(self) -> str:
        """The column of outcomes, which older stores do not have."""
        return "NULL" if self._database.version < WITH_LEAGUE else "outcome"

    @property
    def _games(self) -> str:
        columns = f"number, record, said, digest, chain, place, {self._outcome}"
        return f"SELECT {columns} FROM game"

    def _league_rows(self, statement: str) -> list[Row]:
        return [] if self._database.version < WITH_LEAGUE else self._database.rows(statement)


_EVENTS: Final = "SELECT id, name, source, digest, state FROM event"


def _add(
    connection: sqlite3.Connection, event: EventId, results: Sequence[FinishedGame | Decision]
) -> None:
    """Add *results* to the event and to its chain."""
    place, link = _head(connection, event)
    for result in results:
        place += 1
        match result:
            case FinishedGame(number, record, said, outcome):
                digest = digest_of(record)
                link = next_link(link, digest)
                connection.execute(
                    "INSERT INTO game (event, place, number, record, said, digest, chain, outcome)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (event, place, number, record, said, digest, link, outcome),
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
