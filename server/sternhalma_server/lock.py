"""One server for one store: two would deal out the same games twice.

The lock is the kernel's (`flock`), so it goes with its holder, however that ends. The file stays:
taking it away would let one server lock the old file and another one a new file of the same name.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self


class LockedError(Exception):
    """A store that another process has locked; `pid` is that process, None if it is not known."""

    def __init__(self, path: Path, pid: int | None) -> None:
        who = "another process" if pid is None else f"process {pid}"
        super().__init__(f"{path}: expected a store that no other server uses, {who} does")
        self.pid = pid


class StoreLock:
    """The lock of the store *path*, in the file `<path>.lock`; a context manager."""

    def __init__(self, path: Path) -> None:
        # Resolved, so that a link to the store is the store.
        self._store = path.resolve()
        self._file: int | None = None

    @property
    def path(self) -> Path:
        """The file that is locked; its text is the holder's process id."""
        return self._store.with_name(f"{self._store.name}.lock")

    def acquire(self) -> None:
        """Take the lock. Raises `LockedError` if another process, or another lock, has it.

        Raises `OSError` if the file cannot be made.
        """
        # Not inherited by programs that are started (PEP 446): a bot that outlives its server must
        # not keep the store locked.
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 32)
            os.close(file)
            raise LockedError(self._store, int(holder) if holder.isdigit() else None) from None
        except BaseException:
            os.close(file)
            raise
        self._file = file
        # The process id is only told to others: a full disk must not keep a server from its store.
        with suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Give the lock back, if it is held."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.ftruncate(file, 0)
            os.close(file)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
