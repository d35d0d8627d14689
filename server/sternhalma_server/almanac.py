"""When a league's ratings, its season and its bots' pages are written: now and then, by a process.

To fit ratings to all games of a league takes a while, and a referee shares its time with every
other thread of its process. So a process of its own does it, which only reads the store.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

EVERY: Final = 30.0  # seconds between two looks whether games have been played


class Almanac:
    """Keeps what is derived from the league in the folder *root* up to date.

    *tell* is given sentences for the host.
    """

    def __init__(self, root: Path, tell: Callable[[str], None]) -> None:
        self._root = root
        self._tell = tell

    async def run(self, count: Callable[[], int]) -> None:
        """Write whenever *count*, which tells of games, has changed; until cancelled."""
        before: int | None = None
        while True:
            now = count()
            if now != before:
                before = now
                await self.write()
            await trio.sleep(EVERY)

    async def write(self) -> None:
        """Write everything anew; what goes wrong with it is told and stops nothing."""
        command = [sys.executable, "-m", "sternhalma_server.yearbook", str(self._root)]
        try:
            done = await trio.run_process(
                command, stdin=subprocess.DEVNULL, capture_stderr=True, check=False
            )
        except OSError as error:
            self._tell(f"cannot write ratings and tables of the league: {error.strerror}")
            return
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason"]
            self._tell(f"cannot write ratings and tables of the league: {lines[-1]}")
