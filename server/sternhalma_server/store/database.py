"""Connections to a store: how it is opened, written to and read, and what a full disk looks like.

There is one connection for writing and one for reading, so that reading never waits for a commit.
A transaction is on the disk for good when it ends (`synchronous=FULL`: log and fsync); it takes as
long as the disk does, so it belongs in a thread.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

from sternhalma_server.store import schema
from sternhalma_server.store.stored import StoreBusyError, StoreError, StoreFullError

PATIENCE: Final = 5.0  # seconds that a call waits for another program's transaction
LOG_KEPT: Final = 16 << 20  # bytes; a longer log is cut once the file has taken it over

Row = tuple[Any, ...]

# What a full disk looks like. An fsync that fails leaves nothing behind that is relied on: the
# transaction is rolled back, and the next one writes its pages again from the same place.
_FULL: Final = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_DIR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMSIZE,
    }
)


class Database:
    """The connections to the store *path*; no *writer* where it is only read.

    `version` is how many steps its tables have gone: a store that is only read may be an older one.
    Whoever holds `writing` keeps other threads from writing; a thread may take it twice.
    """

    def __init__(
        self,
        path: Path,
        reader: sqlite3.Connection,
        writer: sqlite3.Connection | None,
        version: int,
    ) -> None:
        self.path = path
        self.version = version
        self.writing = threading.RLock()
        self._reader = reader
        self._writer = writer
        self._reading = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open for reading and writing; see `Store.open`."""
        with _translated(path):
            writer = _connect(path, "rwc")
            try:
                schema.version_of(writer)
                mode = writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                if mode != "wal":
                    raise StoreError(f"{path}: expected a disk for a log, got journal mode {mode}")
                writer.execute("PRAGMA synchronous = FULL")
                writer.execute("PRAGMA foreign_keys = ON")
                writer.execute(f"PRAGMA journal_size_limit = {LOG_KEPT}")
                schema.migrate(writer)
                reader = _connect(path, "ro")
            except BaseException:
                writer.close()
                raise
        return cls(path, reader, writer, len(schema.MIGRATIONS))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open for reading only; see `Store.read`."""
        with _translated(path):
            reader = _connect_to_read(path)
            try:
                version = schema.version_of(reader)
                if not version:
                    raise schema.SchemaError("expected a store, got one that was never filled")
            except BaseException:
                reader.close()
                raise
        return cls(path, reader, None, version)

    def close(self) -> None:
        """Close the connections; the file takes over what the log holds, if it can."""
        with self.writing, self._reading:
            # A reader that is open would keep the log from being emptied and removed.
            self._reader.close()
            if self._writer is not None:
                with suppress(sqlite3.Error):
                    self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._writer.close()

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """A transaction: on the disk at its end, or rolled back. Raises `StoreError`."""
        connection = self._writer
        if connection is None:
            raise StoreError(f"{self.path}: expected a store open for writing, got one to read")
        with self.writing, _translated(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite may have rolled back by itself.
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """The connection for reading, for a few statements. Raises `StoreError`."""
        with self._reading, _translated(self.path):
            yield self._reader

    def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows that *statement* selects. Raises `StoreError`."""
        with self.reading() as connection:
            return rows_of(connection, statement, *values)


def rows_of(connection: sqlite3.Connection, statement: str, *values: object) -> list[Row]:
    """All rows that *statement* selects, and no statement left open."""
    return connection.execute(statement, values).fetchall()


def _connect(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    # Transactions are begun by hand. Several threads use a connection, one at a time.
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}{more}",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )


def _connect_to_read(path: Path) -> sqlite3.Connection:
    reader = _connect(path, "ro")
    try:
        rows_of(reader, "SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError as error:
        reader.close()
        log = path.with_name(f"{path.name}-wal")
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_DIRECTORY or log.exists():
            raise
        # A closed store in a folder that may not be written: SQLite would put its shared memory
        # there. There is no log, so nobody has it open, and the file is all there is.
        return _connect(path, "ro", "&immutable=1")
    except BaseException:
        reader.close()
        raise
    return reader


@contextmanager
def _translated(path: Path) -> Generator[None]:
    """Turns what SQLite raises into a `StoreError` about the store *path*."""
    try:
        yield
    except schema.SchemaError as error:
        raise StoreError(f"{path}: {error}") from None
    except sqlite3.Error as error:
        # Errors of Python's own layer have no code: a store that was closed, above all.
        code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code in _FULL:
            raise StoreFullError(f"{path}: expected room on the disk: {error}") from error
        if code & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StoreBusyError(f"{path}: another program holds the store: {error}") from error
        raise StoreError(f"{path}: expected a store that can be used: {error}") from error
