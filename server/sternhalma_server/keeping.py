"""Keeping an event while it runs: moves and finished games in the store, the rest derived from it.

The store is the only record keeper. Records as files and tables are written from it for people,
whenever there is news but tables at most once a second; losing them loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol

import msgspec
import trio

from sternhalma_server.announce import Table
from sternhalma_server.archive import record_name, write_record, write_tables
from sternhalma_server.clock import SECOND
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening
from sternhalma_server.journal import Journal
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import Record, format_record, parse_happening
from sternhalma_server.recording import line_of, record_of, resumed, signed
from sternhalma_server.referee import Finished
from sternhalma_server.rulings import RULING
from sternhalma_server.store import FinishedGame, GameStoredError
from sternhalma_server.wire import clean
from sternhalma_tournament.amendments import Amendment, format_amendment
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


class Posting(Protocol):
    """Where the lines of running games go."""

    def post(self, game: int, line: str) -> None:
        """Take *line* of the running *game*."""
        ...


class Keeping(Protocol):
    """Where finished games go."""

    async def keep(self, finished: Finished, said: str) -> None:
        """Keep a finished game and what its seats *said*; it is safe when this returns."""
        ...


class GameLedger:
    """Writes one game into the journal as it is played."""

    __slots__ = ("_epoch", "_journal", "_keeper", "_letters", "_number", "_said")

    def __init__(
        self, keeper: Keeping, journal: Posting, table: Table, letters: list[str], epoch: int
    ) -> None:
        self._keeper = keeper
        self._journal = journal
        self._number = table.number
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
        self._journal.post(self._number, line_of(self._letters, happening))

    def heard(self, seat: int, line: Line) -> None:
        """Note a line as the seat sent it, with its stamp.

        The runner leaves out lines that follow from the ply they made.
        """
        stamp = line.stamp + self._epoch
        moment = f"{stamp // SECOND}.{stamp % SECOND // 1000:06d}"
        said = f"{self._letters[seat]} {moment} {clean(line.text)}"
        self._said.append(said)
        self._journal.post(self._number, f"{_SAID} {said}")

    async def keep(self, finished: Finished) -> None:
        """Store the finished game; it is on the disk when this returns."""
        await self._keeper.keep(finished, "".join(f"{line}\n" for line in self._said))


class Adding(Protocol):
    """What the results of an event are added up in."""

    def __len__(self) -> int:
        """How many games there are."""
        ...

    @property
    def planned_games(self) -> int:
        """How many there are to be, those included."""
        ...

    def add(self, record: Record) -> None:
        """Count one more game."""
        ...

    def add_bye(self, bye: GameResult) -> None:
        """Count a bye."""
        ...

    def amend(self, amendment: Amendment) -> None:
        """Heed a ruling of the host."""
        ...

    def files(self) -> dict[str, str]:
        """The texts of all tables, by the names of their files."""
        ...


class StoreKeeper:
    """Keeps an event in its store by way of *journal*, and derived from it in the folder *root*.

    `epoch` added to the clock of the stamps gives wall time; *tell* is given sentences for the
    host, and *moved* is called whenever the results have changed. Without *derives* nothing is
    written into the folder. *programs* are the fingerprints of bots that records are to have. A
    *share* is how many games of the event are to be kept here, where that is not all.
    """

    def __init__(
        self,
        root: Path,
        results: Adding,
        journal: Journal,
        tell: Callable[[str], None],
        *,
        moved: Callable[[], None] = lambda: None,
        derives: bool = True,
        programs: Mapping[str, str] | None = None,
        share: int | None = None,
    ) -> None:
        self._root = root
        self._share = share
        self._programs = programs or {}
        self._results = results
        self._journal = journal
        self._derives = derives
        self._tell = tell
        self._moved = moved
        self._unwritten: list[Record] = []
        self._failed = False  # the last try to write tables
        self._news = trio.Event()
        self._writing = trio.Lock()
        self.epoch = time.time_ns() - time.monotonic_ns()

    @property
    def stalled(self) -> bool:
        """Whether the disk is full: no game should be begun."""
        return self._journal.stalled

    @property
    def batches(self) -> int:
        """How many times the disk has taken something for sure, since the server was started."""
        return self._journal.batches

    @property
    def played(self) -> int:
        """How many games are stored."""
        return len(self._results)

    @property
    def planned(self) -> int:
        """How many games there are to be, as far as results and rulings tell."""
        return self._results.planned_games if self._share is None else self._share

    def open(self, table: Table, letters: list[str]) -> GameLedger:
        """The ledger of a game."""
        return GameLedger(self, self._journal, table, letters, self.epoch)

    async def keep(self, finished: Finished, said: str) -> None:
        """Store a finished game; it is on the disk when this returns."""
        await self.keep_record(signed(record_of(finished), self._programs), said)

    async def keep_record(self, record: Record, said: str) -> bool:
        """Store the game of *record*; whether it was not stored before.

        A game that is played twice, because it failed after it was stored or was lost on its way
        here, has its first result.
        """
        text = format_record(record)
        try:
            outcome = format_outcome(outcome_of(record))
            await self._journal.finish(FinishedGame(record.game, text, said, outcome))
        except GameStoredError:
            return False
        except trio.Cancelled:
            self.show(record)  # it is stored all the same when the journal is closed
            raise
        self.show(record)
        self._moved()
        return True

    async def keep_bye(self, bye: GameResult) -> None:
        """Store a bye, which is no game and has no record."""
        await self._journal.amend(BYE, msgspec.json.encode(bye).decode())
        self._results.add_bye(bye)
        self._news.set()

    async def keep_ruling(self, ruling: Amendment) -> None:
        """Store a ruling of the host; the tables heed it."""
        try:
            await self._journal.amend(RULING, format_amendment(ruling))
        except trio.Cancelled:
            self._results.amend(ruling)  # it is stored all the same when the journal is closed
            raise
        self._results.amend(ruling)
        self._moved()
        self._news.set()

    def show(self, record: Record) -> None:
        """Count a game that is stored; what people read is derived soon."""
        self._results.add(record)
        if self._derives:
            self._unwritten.append(record)
            self._news.set()

    async def write(self) -> None:
        """Derive what people read: records that have no file yet, and the tables.

        Whatever goes wrong with that, a full disk say, is told once and tried again with the next
        news: what is derived must never stop what is stored.
        """
        if not self._derives:
            return
        async with self._writing:
            self._news = trio.Event()
            # Worked out here, where games are added, and only written elsewhere.
            records, files = [*self._unwritten], self._results.files()
            try:
                await trio.to_thread.run_sync(_write_all, self._root, records, files)
            except OSError as problem:
                if not self._failed:
                    self._tell(f"cannot write tables and records: {problem.strerror}; going on")
                self._failed = True
                self._news.set()
            else:
                self._failed = False
                del self._unwritten[: len(records)]

    async def run(self) -> None:
        """Derive whenever there is news, until cancelled."""
        self._moved()
        while True:
            await self._news.wait()
            await self.write()
            await trio.sleep(TABLES_EVERY)


def _write_all(root: Path, records: Iterable[Record], files: Mapping[str, str]) -> None:
    for record in records:
        if not (root / record_name(record.game)).exists():
            write_record(root, record)
    write_tables(root, files)
