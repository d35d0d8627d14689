"""One event on many machines: which games go out next, and what becomes of what comes back.

Games, seats and seeds are settled before anything is sent. So it does not matter where a game is
played, nor how often: the first result that comes is stored, under the game's number, and any other
is dropped. Each result is played through once more here before it is believed.

There are never more tasks out than keep all cores busy. What a driver that is killed had out is
played again, and no more than that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec
import trio

from sternhalma_server.archive import add_runs
from sternhalma_server.fleet import Fleet, FleetError, Lost, Played
from sternhalma_server.keeping import StoreKeeper
from sternhalma_server.layout import Layout
from sternhalma_server.losses import Company, Losses
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.orders import (
    AnyReport,
    Ended,
    Order,
    Over,
    Printed,
    Refused,
    Told,
    format_order,
    own_version,
)
from sternhalma_server.pace import Pace
from sternhalma_server.proof import check_said, proved
from sternhalma_server.record import Record, RecordError, parse_record
from sternhalma_server.recording import record_of, signed
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.results import result_of
from sternhalma_server.settings import Settings
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Withdrawal,
)
from sternhalma_tournament.entries import bots_by_seat
from sternhalma_tournament.event import Event
from sternhalma_tournament.formats import scheduler_after
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import Scheduler, bye_result
from sternhalma_tournament.scores import GameResult

LOOK_EVERY: Final = 2.0  # seconds between two looks at how many workers there are
SPREAD: Final = 1 << 30  # games: a program that is started where it plays has no seat to wait for


@dataclass(frozen=True, slots=True)
class Task:
    """Games that are out together; `alone` if nothing else is out anywhere."""

    pairings: tuple[Pairing, ...]
    alone: bool = False

    @property
    def company(self) -> Company:
        """What else is played beside a game of it."""
        if len(self.pairings) > 1:
            return Company.TASK
        return Company.NOBODY if self.alone else Company.OTHERS


class Dispatcher:
    """Plays one event to its end on the machines of *fleet*.

    *history* is what it has come to so far, results and rulings in the order in which they came;
    *programs* are the fingerprints of its bots. What programs print goes into the folder *root*.
    An entry whose games lose their workers is withdrawn: *suspected* writes that down.
    """

    def __init__(
        self,
        settings: Settings,
        history: Sequence[GameResult | Amendment],
        fleet: Fleet,
        keeper: StoreKeeper,
        observer: Observer,
        programs: Mapping[str, str],
        root: Path,
        suspected: Callable[[str], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._event = wide(settings.event)
        self._scheduler = scheduler_after(self._event, history)
        self._fleet = fleet
        self._keeper = keeper
        self._observer = observer
        self._programs = dict(programs)
        self._root = root
        self._layout = Layout(settings)
        self._entries = {entry.name: entry for entry in settings.entries}
        self._free = {bot.name: MAX_SLOT for bot in settings.event.bots}
        self._absent: set[str] = set()  # entries whose games are played without them
        self._under_way: dict[int, Pairing] = {}  # begun, by the scheduler's lights, and not over
        self._due: list[Pairing] = []  # the next to be sent out, in company
        self._losses = Losses()
        self._pace = Pace()
        self._out: set[Task] = set()
        self._cores = 0
        self._draining = False
        self._held = False
        self._changed = trio.Event()
        self._told: set[str] = set()
        self._printing = trio.Lock()
        self._suspected = suspected
        self.summary = Summary()
        for one in history:
            if not isinstance(one, GameResult):
                self._note(one)

    # What the host asks of it, as of a director.

    @property
    def running(self) -> int:
        """How many games are out."""
        return sum(len(task.pairings) for task in self._out)

    @property
    def games(self) -> int:
        """How many games there are to be, as far as can be said now."""
        return self._keeper.planned

    def knows(self, bot: str) -> bool:
        """Whether *bot* plays in this event."""
        return bot in self._free

    def why(self, bot: str) -> str:
        """Why *bot* has no game now."""
        entry = next(entry.name for entry in self._entries.values() if bot in entry.bots)
        games = sum(entry in pairing.entries for pairing in self._under_way.values())
        if games:
            return f"{bot} plays where there is a core free for it, games sent out: {games}"
        return self._scheduler.why(entry, self._free)

    def has_withdrawn(self, entry: str) -> bool:
        """Never: who does not come is found absent game by game."""
        del entry
        return False

    @contextmanager
    def held(self) -> Generator[None]:
        """Send nothing out meanwhile, and do not end: a ruling is being written down."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._notify()

    def scheduler_after(self, history: Sequence[GameResult | Amendment]) -> Scheduler:
        """The scheduler after *history*, to which the games are added that are under way.

        Raises `ValueError` if the last ruling in it comes too late for the games that have begun,
        or lets a bot in, which would have to dial in.
        """
        if history and isinstance(history[-1], LateEntry):
            raise ValueError(
                "expected no late entry while the event is on many machines, where bots are"
                f" programs, got {history[-1].entry!r}"
            )
        over = [
            one
            for one in history
            if not (isinstance(one, GameResult) and one.number in self._under_way)
        ]
        return scheduler_after(self._event, over, self._under_way.values())

    def heed(self, ruling: Amendment, history: Sequence[GameResult | Amendment]) -> None:
        """Let a ruling of the host take effect, the last one in *history*.

        Games that are out, or were lost and are played again, are played on.
        """
        self._note(ruling)
        while self._due:
            del self._under_way[self._due.pop().number]
        self._scheduler = self.scheduler_after(history)
        self._observer.planned(self.games)
        self._notify()

    def drain(self) -> None:
        """Send nothing more out; `run` returns when what is out has come back."""
        self._draining = True
        self._notify()

    async def run(self) -> Summary:
        """Play all games; returns when the last is stored."""
        self._observer.planned(self.games)
        async with trio.open_nursery() as nursery:
            while True:
                changed = self._changed
                if not (self._draining or self._held or self._keeper.stalled):
                    await self._send_out(nursery)
                left = bool(self._under_way) or not self._scheduler.done
                if not (self._out or self._held) and (self._draining or not left):
                    self.summary.complete = not left
                    return self.summary
                with trio.move_on_after(LOOK_EVERY):
                    await changed.wait()

    # What goes out.

    async def _send_out(self, nursery: trio.Nursery) -> None:
        """Send out as much as there is room for."""
        try:
            self._cores = await self._fleet.cores()
        except FleetError as error:
            self._give_up(str(error))
            return
        if not self._cores:
            self._tell_once("no worker is there yet, games wait for one")
        # No more than can be played at once: what waits on a worker is lost with it too, and a
        # core waits milliseconds for a task that lasts seconds.
        while len(self._out) < max(1, self._cores) and not self._held:
            task = await self._next_task()
            if task is None:
                return
            self._out.add(task)
            nursery.start_soon(self._see_through, task)

    async def _next_task(self) -> Task | None:
        losses = self._losses
        if any(task.alone for task in self._out):
            return None
        if losses.alone:
            # It waits until nothing is out.
            return None if self._out else Task((losses.alone.popleft(),), alone=True)
        if losses.again:
            return Task((losses.again.popleft(),))
        await self._draw()
        if self._due:
            size = self._pace.share(self._left, max(1, self._cores))
            pairings, self._due = self._due[:size], self._due[size:]
            return Task(tuple(pairings))
        if losses.doomed and not self._out:
            await self._void_doomed()
            return await self._next_task()
        return None

    @property
    def _left(self) -> int:
        return max(0, self.games - self._keeper.played - self.running)

    async def _draw(self) -> None:
        """Take from the scheduler what may begin, as much as makes a task."""
        size = self._pace.share(self._left, max(1, self._cores))
        while len(self._due) < size and not self._held:
            pairing = self._scheduler.next(self._free)
            if pairing is None:
                return
            if len(pairing.entries) == 1:
                bye = bye_result(pairing)
                await self._keeper.keep_bye(bye)
                self._scheduler.finish(bye)
                continue
            self._scheduler.start(pairing)
            self._under_way[pairing.number] = pairing
            self._due.append(pairing)

    def _order(self, task: Task) -> Order:
        playing = {name for pairing in task.pairings for name in pairing.entries}
        bots = chain.from_iterable(self._entries[name].bots for name in playing)
        return Order(
            server=own_version(),
            event=self._settings.event.name,
            source=self._settings.source,
            folder=str(self._settings.folder.absolute()),
            hidden=str(self._root.absolute()),
            pairings=task.pairings,
            absent=tuple(sorted(playing & self._absent)),
            programs={bot: self._programs[bot] for bot in bots},
        )

    # What comes back.

    async def _see_through(self, task: Task) -> None:
        """Have *task* played, and take what comes of it."""
        order = format_order(self._order(task))
        try:
            outcome = await self._fleet.play(order)
        except FleetError as error:
            self._out.discard(task)
            self._give_up(str(error))
            return
        try:
            match outcome:
                case Played(worker, answer):
                    await self._take(task, worker, answer.reports, answer.fate)
                case Lost(how):
                    await self._lose(task, task.pairings, how)
        finally:
            self._out.discard(task)
            self._notify()

    async def _take(
        self, task: Task, worker: str, reports: Iterable[AnyReport], fate: str | None
    ) -> None:
        left = {pairing.number: pairing for pairing in task.pairings}
        overs: list[tuple[Over, Finished, Record]] = []
        for report in reports:
            match report:
                case Over(game=number) if number in left:
                    try:
                        overs.append((report, *self._proved(left[number], report)))
                    except (ValueError, LookupError) as error:
                        fate = f"{worker}: game {number}: {error}"
                    else:
                        del left[number]
                case Told(sentence):
                    self._tell_once(sentence)
                case Printed(bot, slot, text) if bot in self._free and 0 < slot <= MAX_SLOT:
                    # The name of a file is made of these, and somebody else has written them.
                    await self._keep_printed(bot, slot, text)
                case Refused(reason):
                    self._observer.tell(f"{worker} plays no games: {reason}")
                    self._fleet.refuse(worker)
                    self._due[:0] = left.values()
                    return
                case Ended(seconds) if overs:
                    self._pace.note(len(overs), seconds)
                case _:
                    pass
        # At once, so that they share what the disk takes.
        async with trio.open_nursery() as nursery:
            for over, finished, record in overs:
                nursery.start_soon(self._keep, over, finished, record)
        if left:
            await self._lose(task, tuple(left.values()), fate or f"{worker} left them out")

    def _proved(self, pairing: Pairing, over: Over) -> tuple[Finished, Record]:
        """The game that *over* tells of, and its record. Raises `ValueError`."""
        record = parse_record(over.record)
        check_said(record, over.said)
        if signed(record, self._programs) != record:
            raise RecordError("expected the fingerprints of its programs, got others")
        versions = [player.version for player in record.players]
        table = self._layout.table(pairing, self._bots(pairing), versions)
        return proved(signed(record, {}), table), record

    def _bots(self, pairing: Pairing) -> tuple[str, ...]:
        entries = tuple(self._entries[name] for name in pairing.entries)
        return bots_by_seat(entries, self._settings.event.players)

    async def _keep(self, over: Over, finished: Finished, record: Record) -> None:
        """Store a game, unless it is stored already."""
        if self._under_way.get(over.game) is None:
            return
        if await self._keeper.keep_record(record, over.said):
            self._count(finished)
        if self._under_way.pop(over.game, None) is not None:
            self._scheduler.finish(result_of(record))

    def _count(self, finished: Finished) -> None:
        self.summary.games += 1
        self._observer.planned(self.games)
        self._observer.finished(finished)

    async def _keep_printed(self, bot: str, slot: int, text: bytes) -> None:
        try:
            async with self._printing:
                await trio.to_thread.run_sync(add_runs, self._root, bot, slot, text)
        except OSError as problem:
            self._tell_once(f"cannot keep what {bot} (slot {slot}) printed: {problem.strerror}")

    # What is lost.

    async def _lose(self, task: Task, games: Sequence[Pairing], how: str) -> None:
        """A worker is gone with *games*, or something else has come of them than results."""
        numbers = ", ".join(str(game.number) for game in games[:8])
        more = f" and {len(games) - 8} more" if len(games) > 8 else ""
        word = "game" if len(games) == 1 else "games"
        self._observer.tell(f"{word} {numbers}{more} lost, and played again: {how}")
        self._losses.lose((game for game in games if game.number in self._under_way), task.company)
        suspect = self._losses.suspect
        if suspect is not None:
            self._absent.add(suspect)
            self._due[:0] = self._losses.name(suspect)
            self.summary.withdrawn.append(suspect)
            await self._suspected(suspect)

    async def _void_doomed(self) -> None:
        """Nobody can be named for these games: they are nobody's loss."""
        for pairing in list(self._losses.doomed.values()):
            bots = self._bots(pairing)
            referee = Referee(self._layout.table(pairing, bots, [None] * len(bots)))
            referee.void(Reason.SERVER_FAULT)
            assert referee.finished is not None
            record = signed(record_of(referee.finished), self._programs)
            over = Over(pairing.number, "", "", "")
            await self._keep(over, referee.finished, record)
            del self._losses.doomed[pairing.number]

    def _give_up(self, sentence: str) -> None:
        self._tell_once(sentence)
        self.drain()

    # Small things.

    def _note(self, ruling: Amendment) -> None:
        """Know whose games are played without them."""
        match ruling:
            case Reinstatement(entry=name):
                self._absent.discard(name)
            case Withdrawal(entry=name) | Disqualification(entry=name) | Expunging(entry=name):
                forfeit = isinstance(ruling, Withdrawal) and ruling.forfeit
                if forfeit or (
                    self._settings.event.format == "knockout" and self._settings.sides > 2
                ):
                    self._absent.add(name)
            case _:
                pass

    def _tell_once(self, sentence: str) -> None:
        """A batch knows nothing of those before it, and tells the same as they did."""
        if sentence not in self._told:
            self._told.add(sentence)
            self._observer.tell(sentence)

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def wide(event: Event) -> Event:
    """*event* with its games in no order: which bots are free plays no part here."""
    return msgspec.structs.replace(event, spread=SPREAD)
