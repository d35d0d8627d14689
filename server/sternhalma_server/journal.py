"""The way into the store while games are played: nobody waits for the disk but who must.

A turn is a line on a list. One task takes all that came since it last looked and has a thread write
it in one transaction, so that many games share one fsync, and the more there are, the more share
it. A result is written at once, and `finish` returns when it is safe; lines alone are
written at most every 20 ms, for they are only needed after a crash.

A disk that takes nothing ends no event: everything is kept and tried again, the host is told, and
the director starts no more games while `stalled`. A store that is gone, or broken, ends it: nothing
can be promised any more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import trio

from sternhalma_server.store import (
    Decision,
    EventId,
    FinishedGame,
    GameStoredError,
    Store,
    StoreBusyError,
    StoreError,
    StoreFullError,
)

LINES_EVERY: Final = 0.02  # seconds between two writes of lines alone
RETRY_EVERY: Final = 1.0  # seconds between two tries while the disk takes nothing


class StoreLostError(StoreError):
    """A store that can no more be written while games are played; one sentence."""


@dataclass(slots=True)
class _Waiting:
    """A result on its way to the disk, and whoever waits for it."""

    result: FinishedGame | Decision
    settled: trio.Event = field(default_factory=trio.Event)
    error: StoreError | None = None

    @property
    def game(self) -> int | None:
        """The number of the game, None for a decision."""
        return self.result.game if isinstance(self.result, FinishedGame) else None

    def settle(self, error: StoreError | None = None) -> None:
        """Tell who waits: the result is safe, or it cannot be stored for *error*."""
        self.error = error
        self.settled.set()


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is written together: lines of running games, and results in the order they came."""

    lines: list[str]
    results: list[_Waiting]


class Journal:
    """What happens in *event*, on its way into *store*; *tell* takes sentences for the host.

    `run` has to be running for anything to be written. When the journal is closed, after `run` has
    been cancelled, what was not written yet is; nothing may be posted after that.
    """

    def __init__(self, store: Store, event: EventId, tell: Callable[[str], None]) -> None:
        self._store = store
        self._event = event
        self._tell = tell
        self._lines: list[str] = []
        self._results: list[_Waiting] = []
        self._games: set[int] = set()  # the games that are on their way
        self._batch: _Batch | None = None  # on its way; kept until the disk has taken it
        self._something = trio.Event()  # there is something to be written
        self._urgent = trio.Event()  # there is a result to be written
        self._writing = trio.Lock()
        self._thread = trio.CapacityLimiter(1)
        self._broken: StoreLostError | None = None
        self._file = _identity(store.path)
        self._stalled = False
        self.batches = 0  # written, each with one sync of the disk

    @property
    def stalled(self) -> bool:
        """Whether the disk takes nothing now; *tell* is called whenever this has changed."""
        return self._stalled

    def post(self, game: int, line: str) -> None:
        """Write *line* of the running *game* soon. Raises `ValueError` for more than one line.

        Nothing but this is done for every turn: it costs a sixth of a microsecond.
        """
        if "\n" in line:
            raise ValueError(f"expected one line, got {line!r}")
        lines = self._lines
        if not lines:
            self._something.set()
        lines.append(f"{game}\t{line}\n")

    async def finish(self, game: FinishedGame) -> None:
        """Store a finished game; it is on the disk when this returns, however long that takes.

        Who is cancelled while waiting takes nothing back: the game is stored all the same. Raises
        `GameStoredError` for a game that is stored already, `StoreLostError` if the store is lost.
        """
        if game.game in self._games:
            raise GameStoredError([game.game])
        self._games.add(game.game)
        await self._store_result(game)

    async def amend(self, kind: str, text: str) -> None:
        """Store what was decided about the event, behind all results that came before.

        It is on the disk when this returns, and cancelling takes nothing back, as with `finish`.
        Raises `ValueError` for a *kind* of more than one line, `StoreLostError` if the store is
        lost.
        """
        await self._store_result(Decision(kind, text))

    async def run(self) -> None:
        """Write what comes, until cancelled. Raises `StoreLostError` if the store is lost."""
        next_lines = -math.inf
        while True:
            await self._something.wait()
            with trio.move_on_at(next_lines):
                await self._urgent.wait()
            next_lines = trio.current_time() + LINES_EVERY
            while not await self._written():
                await trio.sleep(RETRY_EVERY)

    async def close(self) -> None:
        """Write what is left, in spite of any cancellation.

        Raises `StoreFullError` or `StoreBusyError` if the disk does not take it; then this can be
        tried again.
        """
        with trio.CancelScope(shield=True):
            while self._batch is not None or self._lines or self._results:
                await self._write()

    async def close_or_tell(self) -> bool:
        """`close`; False, after a sentence for the host, if the disk does not take what is left."""
        try:
            await self.close()
        except StoreFullError as problem:
            self._tell(f"{problem}; games go on from what was stored last")
            return False
        return True

    async def _written(self) -> bool:
        """Write, and keep the host informed; False if it has to be tried again."""
        try:
            await self._write()
        except (StoreFullError, StoreBusyError) as error:
            if not self._stalled:
                self._stalled = True
                self._tell(
                    f"{error}; nothing is lost, games go on, but none is over before"
                    " it is stored, and no new ones start; trying again every second"
                )
            return False
        if self._stalled:
            self._stalled = False
            self._tell(f"{self._store.path}: the store takes results again, nothing was lost")
        return True

    async def _store_result(self, result: FinishedGame | Decision) -> None:
        if self._broken is not None:
            raise StoreLostError(str(self._broken)) from self._broken
        waiting = _Waiting(result)
        self._results.append(waiting)
        self._something.set()
        self._urgent.set()
        await waiting.settled.wait()
        if waiting.error is not None:
            raise waiting.error

    async def _write(self) -> None:
        """Write all there is in one transaction."""
        async with self._writing:
            batch = self._batch
            if batch is None:
                batch = self._batch = _Batch(self._lines, self._results)
                self._lines, self._results = [], []
                self._something, self._urgent = trio.Event(), trio.Event()
            try:
                # Not abandoned when cancelled: whatever was written is known to be.
                await trio.to_thread.run_sync(self._store_batch, batch, limiter=self._thread)
            except GameStoredError as error:
                self._refuse(batch, error.games)
            except (StoreFullError, StoreBusyError):
                raise
            except StoreError as error:
                self._broken = StoreLostError(str(error))
                for waiting in [*batch.results, *self._results]:
                    waiting.settle(StoreLostError(str(error)))
                raise self._broken from error
            else:
                self._batch = None
                self.batches += 1
                for waiting in batch.results:
                    if waiting.game is not None:
                        self._games.discard(waiting.game)
                    waiting.settle()

    def _refuse(self, batch: _Batch, games: Collection[int]) -> None:
        """Take *games*, which are stored already, out of *batch*; the rest is tried again."""
        for waiting in list(batch.results):
            if waiting.game is not None and waiting.game in games:
                batch.results.remove(waiting)
                self._games.discard(waiting.game)
                waiting.settle(GameStoredError([waiting.game]))
        self._something.set()

    def _store_batch(self, batch: _Batch) -> None:
        results = [waiting.result for waiting in batch.results]
        try:
            self._store.write(self._event, "".join(batch.lines), results)
        finally:
            # Into a file that was deleted SQLite writes without complaint.
            if _identity(self._store.path) != self._file:
                raise StoreError(
                    f"{self._store.path}: expected the store where it was opened, it is gone;"
                    " nothing that is played can be kept"
                )


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells the file *path* from any other, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
