"""Keeping an event's results while it runs: records at once, tables at most once a second."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import trio

from sternhalma_server.archive import write_record, write_tables
from sternhalma_server.recording import record_of
from sternhalma_server.referee import Finished
from sternhalma_server.results import Results

TABLES_EVERY: Final = 1.0  # seconds


class FolderKeeper:
    """Writes finished games into the results folder *root*, and the tables they add up to."""

    def __init__(self, root: Path, results: Results) -> None:
        self._root = root
        self._results = results
        self._stale = trio.Event()
        self._writing = trio.Lock()

    async def keep(self, finished: Finished) -> None:
        """Write the record; it is on the disk when this returns."""
        record = record_of(finished)
        await trio.to_thread.run_sync(write_record, self._root, record)
        self._results.add(record)
        self._stale.set()

    async def write_tables(self) -> None:
        """Write the tables now."""
        async with self._writing:
            self._stale = trio.Event()
            # Worked out here, where games are added, and only written elsewhere.
            await trio.to_thread.run_sync(write_tables, self._root, self._results.files())

    async def run(self) -> None:
        """Write the tables whenever there is news, until cancelled."""
        while True:
            await self._stale.wait()
            await self.write_tables()
            await trio.sleep(TABLES_EVERY)
