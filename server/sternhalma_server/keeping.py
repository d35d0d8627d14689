"""Keeping an event while it runs: moves and finished games in the store, the rest derived from it.

The store is the only record keeper. Records as files and tables are written from it for people,
whenever there is news but tables at most once a second; losing them loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import trio

from sternhalma_server.announce import Table
from sternhalma_server.archive import write_record, write_tables
from sternhalma_server.clock import SECOND
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening
from sternhalma_server.journal import Journal
from sternhalma_server.record import format_happening, format_record, parse_happening, parse_record
from sternhalma_server.recording import record_of, recorded, resumed
from sternhalma_server.referee import Finished
from sternhalma_server.results import Results
from sternhalma_server.store import EventId, FinishedGame, Store
from sternhalma_server.wire import clean
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import BYE, GameResult

TABLES_EVERY: Final = 1.0  # seconds

_BEGIN: Final = "begin"
_SAID: Final = "<"


class Begun:
    """A game that was begun before the server stopped, as its journal lines tell it."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.said: list[str] = []
        self.versions: tuple[str | None, ...] = ()
        self.pairing: Pairing | None = None
        self._happened: list[str] = []
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == _BEGIN:  # a game that failed is begun anew: what was before is void
                versions, pairing = rest.split(" ", 1)
                self.versions = tuple(None if v == "-" else v for v in versions.split(","))
                self.pairing = msgspec.json.decode(pairing, type=Pairing)
                self.said.clear()
                self._happened.clear()
            elif word == _SAID:
                self.said.append(rest)
            else:
                self._happened.append(line)

    def happened(self, letters: list[str]) -> list[Happening]:
        """What had happened, in order."""
        return resumed(letters, [parse_happening(line) for line in self._happened])


def begin_line(versions: Iterable[str | None], pairing: Pairing) -> str:
    """The journal's first line of a game."""
    words = ",".join(version or "-" for version in versions)
    return f"{_BEGIN} {words} {msgspec.json.encode(pairing).decode()}"


class GameLedger:
    """Writes one game into the journal as it is played."""

    __slots__ = ("_epoch", "_journal", "_keeper", "_letters", "_number", "_said")

    def __init__(
        self, keeper: StoreKeeper, journal: Journal, table: Table, letters: list[str], epoch: int
    ) -> None:
        self._keeper = keeper
        self._journal = journal
        self._number = int(table.game)
        self._letters = letters
        self._epoch = epoch
        self._said: list[str] = []

    def begin(self, versions: Iterable[str | None], pairing: Pairing) -> None:
        """Note that the game begins: who plays which version, and which pairing it is."""
        self._journal.post(self._number, begin_line(versions, pairing))

    def go_on(self, begun: Begun) -> None:
        """Take up what was said before the server stopped."""
        self._said = begun.said

    def log(self, happening: Happening) -> None:
        """Note what has happened; it is on the disk soon."""
        self._journal.post(self._number, format_happening(recorded(self._letters, happening)))

    def heard(self, seat: int, line: Line) -> None:
        """Note a line as the seat sent it, with its stamp."""
        stamp = line.stamp + self._epoch
        moment = f"{stamp // SECOND}.{stamp % SECOND // 1000:06d}"
        said = f"{self._letters[seat]} {moment} {clean(line.text)}"
        self._said.append(said)
        self._journal.post(self._number, f"{_SAID} {said}")

    def tell(self, line: str) -> None:
        """Tell those who watch: nobody does yet."""

    async def keep(self, finished: Finished) -> None:
        """Store the finished game; it is on the disk when this returns."""
        await self._keeper.keep(finished, "".join(f"{line}\n" for line in self._said))


class StoreKeeper:
    """Keeps an event in its store by way of *journal*, and derived from it in the folder *root*.

    *epoch* added to the clock of the stamps gives wall time.
    """

    def __init__(
        self, root: Path, results: Results, store: Store, event: EventId, journal: Journal
    ) -> None:
        self._root = root
        self._results = results
        self._store = store
        self._event = event
        self._journal = journal
        self._news = trio.Event()
        self._writing = trio.Lock()
        self.epoch = time.time_ns() - time.monotonic_ns()

    @property
    def stalled(self) -> bool:
        """Whether the disk is full: no game should be begun."""
        return self._journal.stalled

    @property
    def played(self) -> int:
        """How many games are stored."""
        return len(self._results)

    def open(self, table: Table, letters: list[str]) -> GameLedger:
        """The ledger of a game."""
        return GameLedger(self, self._journal, table, letters, self.epoch)

    async def keep(self, finished: Finished, said: str) -> None:
        """Store a finished game, and write its record as a file."""
        text = format_record(record_of(finished))
        number = int(finished.table.game)
        await self._journal.finish(FinishedGame(number, text, said))
        await self.show(text)

    async def keep_bye(self, bye: GameResult) -> None:
        """Store a bye, which is no game and has no record."""
        text = msgspec.json.encode(bye).decode()
        await trio.to_thread.run_sync(self._store.amend, self._event, BYE, text)
        self._results.add_bye(bye)
        self._news.set()

    async def show(self, text: str) -> None:
        """Derive what people read from a record that is stored."""
        record = parse_record(text)
        self._results.add(record)
        await trio.to_thread.run_sync(write_record, self._root, record)
        self._news.set()

    async def write_tables(self) -> None:
        """Write the tables now."""
        async with self._writing:
            self._news = trio.Event()
            # Worked out here, where games are added, and only written elsewhere.
            await trio.to_thread.run_sync(write_tables, self._root, self._results.files())

    async def run(self) -> None:
        """Write the tables whenever there is news, until cancelled."""
        while True:
            await self._news.wait()
            await self.write_tables()
            await trio.sleep(TABLES_EVERY)
