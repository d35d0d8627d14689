"""One event: which game starts next, who sits in it, and what becomes of it.

The director asks the event's scheduler for a game whenever bots are free, so that a slow bot holds
up its own games and nobody else's. All it decides it decides in one task, between two checkpoints,
so two games can never take the same connection.

Games that were running when the server was stopped come first, and go on where they were.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

import trio

from sternhalma_server.clock import SECOND
from sternhalma_server.conductor import Conductor, Keeper
from sternhalma_server.gathering import gather, has_just_gone, send_away
from sternhalma_server.hall import Hall
from sternhalma_server.keeping import Begun
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.programs import ScarcityError
from sternhalma_server.recording import record_of
from sternhalma_server.referee import Finished
from sternhalma_server.results import result_of
from sternhalma_server.roster import Chair, Roster
from sternhalma_server.sentence import Sentence
from sternhalma_server.settings import Settings
from sternhalma_server.store import StoreError
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Withdrawal,
)
from sternhalma_tournament.entries import Entry, bots_by_seat
from sternhalma_tournament.formats import scheduler_after
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import Scheduler, bye_result
from sternhalma_tournament.scores import GameResult

log = logging.getLogger(__name__)


class Director:
    """Plays one event to its end, with the bots in *hall*.

    *scheduler* knows the games to come, those that are over and the host's *rulings* having been
    told to it; *begun* are the games that were running when the server stopped, and *versions*
    those that bots have played the event with, None where they may change them. *spare* is how
    many connections of a bot are to be left to other events.
    """

    forfeits: ClassVar[bool] = True  # games of those who do not come are played without them

    def __init__(
        self,
        settings: Settings,
        scheduler: Scheduler,
        hall: Hall,
        keeper: Keeper,
        observer: Observer,
        begun: Mapping[int, Begun] | None = None,
        rulings: Iterable[Amendment] = (),
        versions: Mapping[str, str | None] | None = None,
        spare: Callable[[str], int] | None = None,
    ) -> None:
        self._settings = settings
        self._scheduler = scheduler
        self._hall = hall
        self._lobby = hall.lobby
        self._keeper = keeper
        self._observer = observer
        self._conductor = Conductor(settings, keeper, hall)
        self._begun = dict(begun or {})
        self._ready = settings.waits.ready
        self._roster = Roster(
            settings, hall, observer.tell, versions, spare, forfeits=self.forfeits
        )
        self._entries: dict[str, Entry] = {}
        self._entry_of: dict[str, str] = {}  # the name of a bot's entry
        for entry in settings.entries:
            self._know(entry)
        self._out: set[str] = set()  # entries that play no more, by a ruling of the host
        for ruling in rulings:
            self._note(ruling)
        self._under_way: dict[int, Pairing] = {}  # begun, by the scheduler's lights, and not over
        self._due: deque[Pairing] = deque()  # begun once already, and first to be played
        for game in self._begun.values():
            if game.pairing is not None:
                scheduler.start(game.pairing)
                self._under_way[game.pairing.number] = game.pairing
                self._due.append(game.pairing)
        self._missing: list[str] = []  # who has been told to be waited for
        self._failed: set[int] = set()  # games that failed once and are played again
        self._running = 0
        self._draining = False
        self._held = False
        self._changed = trio.Event()
        self.summary = Summary()

    def why(self, bot: str) -> str:
        """Why *bot* has no game now, for the bot itself."""
        if bot in self._roster.withdrawn:
            return f"{bot} is withdrawn from the event"
        other = self._roster.other_version(bot)
        if other is not None:
            right, got = (version or "none" for version in other)
            return f"expected version {right} as before in this event, got {got}"
        return self._scheduler.why(self._entry_of[bot], self._roster.free(self._ready))

    @property
    def running(self) -> int:
        """How many games are being played or prepared."""
        return self._running

    @property
    def games(self) -> int:
        """How many games there are to be, as far as can be said now."""
        planned = self._keeper.planned
        return self._scheduler.games if planned is None else planned

    @property
    def bots(self) -> list[str]:
        """The bots that play in this event, or did."""
        return [bot for entry in self._entries.values() for bot in entry.bots]

    def knows(self, bot: str) -> bool:
        """Whether *bot* plays in this event."""
        return bot in self._roster

    def needs(self, bot: str) -> int:
        """How many connections of *bot* this event can use now or soon; 0 if it plays no more."""
        if self._draining or not self.knows(bot) or self._roster.is_withdrawn(bot):
            return 0
        entry = self._entry_of[bot]
        scheduler = self._scheduler
        if entry in self._out or scheduler.done:
            return 0
        if isinstance(scheduler, LeagueScheduler) and not scheduler.to_come(entry):
            return 0
        return self._roster.needs(bot)

    def has_withdrawn(self, entry: str) -> bool:
        """Whether a bot of *entry* is withdrawn because it did not come to its games."""
        bots = self._entries[entry].bots if entry in self._entries else ()
        return any(bot in self._roster.withdrawn for bot in bots)

    @contextmanager
    def held(self) -> Generator[None]:
        """Begin no games meanwhile, and do not end: a ruling is being written down."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            self._notify()

    def scheduler_after(self, history: Sequence[GameResult | Amendment]) -> Scheduler:
        """The scheduler after *history*, to which the games are added that are under way.

        Raises `ValueError` if the last ruling in it comes too late for the games that have begun.
        """
        # A game that is stored and not yet told to the scheduler is under way.
        over = [
            one
            for one in history
            if not (isinstance(one, GameResult) and one.number in self._under_way)
        ]
        return scheduler_after(self._settings.event, over, self._under_way.values())

    def heed(self, ruling: Amendment, history: Sequence[GameResult | Amendment]) -> None:
        """Let a ruling of the host take effect, the last one in *history*.

        Games that have begun are played on.
        """
        self._note(ruling)
        for pairing in list(self._due):
            put_off = pairing.number not in self._begun and pairing.number not in self._failed
            if put_off and not self._out.isdisjoint(pairing.entries):
                self._due.remove(pairing)
                del self._under_way[pairing.number]
        self._scheduler = self.scheduler_after(history)
        self._observer.planned(self.games)
        self._notify()

    def _know(self, entry: Entry) -> Entry:
        self._entries[entry.name] = entry
        self._entry_of |= dict.fromkeys(entry.bots, entry.name)
        return entry

    def _note(self, ruling: Amendment) -> None:
        """Know who plays and who does not."""
        match ruling:
            case LateEntry(entry=name, bots=bots):
                entry = self._know(Entry(name, bots))
                self._roster.join(entry)
            case Reinstatement(entry=name):
                self._out.discard(name)
                self._roster.reinstate(self._entries[name])
            case Withdrawal(entry=name) | Disqualification(entry=name) | Expunging(entry=name):
                self._out.add(name)
                forfeit = isinstance(ruling, Withdrawal) and ruling.forfeit
                # Games that are called all the same are not held up by those who do not come.
                if forfeit or (
                    self._settings.event.format == "knockout" and self._settings.sides > 2
                ):
                    self._roster.rule_out(self._entries[name])
            case _:
                pass

    def drain(self) -> None:
        """Begin no more games; `run` returns when those that run are over."""
        self._draining = True
        self._notify()

    def go_on(self) -> None:
        """Begin games again after `drain`, if `run` has not returned yet."""
        self._draining = False
        self._notify()

    async def run(self) -> Summary:
        """Play all games; returns when the last is stored."""
        self._observer.planned(self.games)
        async with trio.open_nursery() as nursery:
            while True:
                await self._start_games(nursery)
                self._tell_who_is_missing()
                left = bool(self._due) or not self._scheduler.done
                idle = not self._running and not self._held
                if idle and (self._draining or not left):
                    self.summary.complete = not left
                    self.summary.withdrawn = self._roster.withdrawn
                    return self.summary
                await self._something_new()

    def _tell_who_is_missing(self) -> None:
        """While nothing can be played, let the host know who is waited for."""
        if self._running or self._draining:
            return
        free = self._roster.free(self._ready)
        missing = [
            bot
            for entry in self._entries.values()
            if entry.name not in self._out
            for bot in dict.fromkeys(entry.bots)
            if bot not in free
        ]
        if missing and missing != self._missing:
            seconds = self._ready // SECOND
            names = ", ".join(missing[:8])
            others = f" and {len(missing) - 8} others" if len(missing) > 8 else ""
            self._observer.tell(f"waiting up to {seconds} s for {names}{others}")
        self._missing = missing

    async def _something_new(self) -> None:
        """Return when a game has ended, somebody has come or gone, or a wait is over."""
        expiry = min(map(self._roster.next_expiry, (self._ready, self._settings.waits.restart)))
        if self._keeper.stalled:
            expiry = min(expiry, trio.current_time() + 1)
        with trio.move_on_at(expiry):
            async with trio.open_nursery() as nursery:

                async def when(happening: trio.Event) -> None:
                    await happening.wait()
                    nursery.cancel_scope.cancel()

                nursery.start_soon(when, self._changed)
                await self._lobby.changed()
                nursery.cancel_scope.cancel()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _start_games(self, nursery: trio.Nursery) -> None:
        while self._running < self._settings.parallel and not self._draining:
            if not self._hall.has_room:
                return
            if self._keeper.stalled or self._held:
                return
            found = self._next_due() or self._next_new()
            if found is None:
                return
            pairing, chairs = found
            if len(pairing.entries) == 1:
                bye = bye_result(pairing)
                await self._keeper.keep_bye(bye)
                self._finish(bye)
                continue
            self._running += 1
            self._hall.running += 1
            nursery.start_soon(self._conduct, pairing, chairs)

    def _next_due(self) -> tuple[Pairing, tuple[Chair, ...]] | None:
        """A game that was due once already and whose bots are there."""
        for pairing in self._due:
            is_begun = pairing.number in self._begun
            patience = self._settings.waits.restart if is_begun else self._ready
            chairs = self._roster.reserve(self._bots(pairing), patience)
            if chairs is not None:
                self._due.remove(pairing)
                return pairing, chairs
        return None

    def _next_new(self) -> tuple[Pairing, tuple[Chair, ...]] | None:
        """A game that may begin, by the scheduler's lights, with its bots' slots taken."""
        patience = self._ready
        pairing = self._scheduler.next(self._roster.free(patience))
        if pairing is None:
            return None
        bots = self._bots(pairing) if len(pairing.entries) > 1 else ()
        chairs = self._roster.reserve(bots, patience)
        assert chairs is not None, "the scheduler was told who is free"
        self._scheduler.start(pairing)
        self._under_way[pairing.number] = pairing
        return pairing, chairs

    def _finish(self, result: GameResult) -> None:
        self._under_way.pop(result.number, None)
        self._scheduler.finish(result)

    def _bots(self, pairing: Pairing) -> tuple[str, ...]:
        entries = tuple(self._entries[name] for name in pairing.entries)
        return bots_by_seat(entries, self._settings.event.players)

    async def _conduct(self, pairing: Pairing, chairs: tuple[Chair, ...]) -> None:
        """Play one game, whatever happens in it."""
        try:
            finished = await self._play(pairing, chairs)
        except StoreError:
            raise  # what cannot be stored is not played again
        except Exception as problem:
            # The server's own failure is nobody's loss: the game is void and played once more.
            if isinstance(problem, ScarcityError):
                self._tell(pairing, f": {problem}")
            else:
                log.exception("game %d failed", pairing.number)
            self._begun.pop(pairing.number, None)
            await self._play_again(pairing)
        else:
            if finished is not None:
                self._count(finished)
                self._finish(result_of(record_of(finished)))
        finally:
            self._roster.give_back(chairs)
            self._running -= 1
            self._hall.running -= 1
            self._notify()

    async def _play_again(self, pairing: Pairing) -> None:
        if pairing.number not in self._failed:
            self._failed.add(pairing.number)
            self.summary.replayed += 1
            self._due.appendleft(pairing)
            self._tell(pairing, " failed and is played again")
        else:
            bots = self._bots(pairing)
            table = self._conductor.table(pairing, bots, [None] * len(bots))
            finished = await self._conductor.void(table, Reason.SERVER_FAULT)
            self._count(finished)
            self._finish(result_of(record_of(finished)))

    async def _play(self, pairing: Pairing, chairs: tuple[Chair, ...]) -> Finished | None:
        """Seat the bots and play; None if that cannot be now, and the game is put off."""
        begun = self._begun.get(pairing.number)
        try:
            holders = await gather(chairs, self._conductor.name(pairing), self._hall)
        except ScarcityError as problem:
            self._tell(pairing, f": {problem}")
            await self._play_again(pairing)
            return None
        try:
            if has_just_gone(chairs, holders, self._hall):
                # Its connection ended in this very moment.
                self._put_off(pairing)
                return None
            self._roster.take_attendance(chairs, holders)
            versions = [None if holder is None else holder.login.version for holder in holders]
            if begun is not None:
                versions = list(begun.versions)
            table = self._conductor.table(pairing, self._bots(pairing), versions)
            self._observer.started(table)
            if not any(holders):
                return await self._conductor.void(table, Reason.ABORTED)
            finished = await self._conductor.play(pairing, table, holders, begun)
            send_away(finished, holders, self._hall)
            return finished
        finally:
            for holder in holders:
                if holder is not None:
                    self._lobby.release(holder)

    def _put_off(self, pairing: Pairing) -> None:
        """Play a game later: who has gone has its time to come back like anybody who is missing
        when a game is due."""
        self._due.append(pairing)

    def _tell(self, pairing: Pairing, what: str) -> None:
        number = str(pairing.number)
        self._observer.tell(Sentence(f"game {number}{what}", game=number))

    def _count(self, finished: Finished) -> None:
        self.summary.games += 1
        for fall in finished.falls:
            if fall.reason.is_forfeit:
                self.summary.forfeits[finished.table.bots[fall.seat], fall.reason] += 1
        self.summary.voids += finished.reason.is_void
        self._observer.planned(self.games)
        self._observer.finished(finished)
