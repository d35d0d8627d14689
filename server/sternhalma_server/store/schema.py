"""The tables of a store, as the steps that lead to them.

A store says in SQLite's `user_version` how many steps it has gone. What is older goes the steps
that are missing, all in one transaction; what is newer is left alone. A step that has been released
is never changed: another one is added behind it.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Final

# Marks a file as a store of ours ("StHa"), so that no other program's database is taken for one.
APPLICATION: Final = 0x53744861

_FIRST: Final = (
    """
    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        source BLOB NOT NULL,
        digest TEXT NOT NULL,
        state TEXT NOT NULL
    )
    """,
    # A finished game. `place` is its number in the event's chain, which it shares with amendments.
    """
    CREATE TABLE game (
        event INTEGER NOT NULL REFERENCES event (id),
        place INTEGER NOT NULL CHECK (place > 0),
        number INTEGER NOT NULL CHECK (number > 0),
        record TEXT NOT NULL,
        said TEXT NOT NULL,
        digest TEXT NOT NULL,
        chain TEXT NOT NULL,
        PRIMARY KEY (event, place),
        UNIQUE (event, number)
    )
    """,
    """
    CREATE TABLE amendment (
        event INTEGER NOT NULL REFERENCES event (id),
        place INTEGER NOT NULL CHECK (place > 0),
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        chain TEXT NOT NULL,
        PRIMARY KEY (event, place)
    )
    """,
    # Lines of running games, of many games in one row, in the order in which they came. There is no
    # index by event: it would be one more page to write for all that is written, and events that
    # are over have no rows here.
    """
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        event INTEGER NOT NULL REFERENCES event (id),
        lines TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE secret (
        event INTEGER NOT NULL REFERENCES event (id),
        name TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (event, name)
    ) WITHOUT ROWID
    """,
    # What has happened is added to, never edited. This stops mistakes; the chain shows intent.
    """
    CREATE TRIGGER game_is_final BEFORE UPDATE ON game
    BEGIN SELECT RAISE (ABORT, 'a finished game is never edited'); END
    """,
    """
    CREATE TRIGGER amendment_is_final BEFORE UPDATE ON amendment
    BEGIN SELECT RAISE (ABORT, 'an amendment is never edited'); END
    """,
)

# A league: its name, the bots that are registered with it (no digest: gone), and of each game in
# short how it ended, so that ratings over a million games need not read a million records.
_LEAGUE: Final = (
    "ALTER TABLE game ADD COLUMN outcome TEXT",
    """
    CREATE TABLE league (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        name TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE bot (
        name TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
        digest TEXT,
        since TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST, _LEAGUE)
WITH_LEAGUE: Final = 2  # the version from which on there are the tables of a league


class SchemaError(Exception):
    """A file whose tables are not those of a store of this version or an older one."""


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps the tables have gone.

    Raises `SchemaError` for another program's database and for a store of a newer version.
    """
    version = _pragma(connection, "user_version")
    application = _pragma(connection, "application_id")
    if application != APPLICATION:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application or version or tables:
            raise SchemaError("expected a store, got another program's database")
    if version > len(MIGRATIONS):
        raise SchemaError(
            f"expected a store of version {len(MIGRATIONS)} or older, got version {version},"
            " which a newer server has written"
        )
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Go the steps that are missing, all of them or none. Raises as `version_of`."""
    if version_of(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Counted again, now that nobody else can be at it.
        for step in MIGRATIONS[version_of(connection) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
