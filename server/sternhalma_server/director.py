"""One event: which game starts next, who sits in it, and what becomes of bots that do not come.

The director starts any game whose bots are free, as near to the schedule's order as that allows: a
slow bot holds up its own games and nobody else's. All it decides it decides in one task, between
two checkpoints, so two games can never take the same connection.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

import trio

from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.crew import Crew
from sternhalma_server.opening import number, opening_paths
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.runner import Runner
from sternhalma_server.seats import Holder, Lobby
from sternhalma_server.session import State
from sternhalma_server.settings import Settings
from sternhalma_server.verdict import Reason
from sternhalma_tournament.entries import bots_by_seat
from sternhalma_tournament.roundrobin import round_robin
from sternhalma_tournament.schedule import Pairing

LOOK_AHEAD: Final = 64  # pairings considered beyond the first that has to wait
WITHDRAWN_AFTER: Final = 3  # games in a row that a bot did not come to
READY_SECONDS: Final = 60.0  # how long a game waits for a remote bot that is not connected

log = logging.getLogger(__name__)


class Observer(Protocol):
    """Who is told how the event goes."""

    def started(self, table: Table) -> None:
        """A game has started."""
        ...

    def finished(self, finished: Finished) -> None:
        """A game is over and stored."""
        ...

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        ...


class Keeper(Protocol):
    """Where finished games go."""

    async def keep(self, finished: Finished) -> None:
        """Store a finished game; it is safe when this returns."""
        ...


@dataclass(slots=True)
class Attendance:
    """Whether a bot comes to its games."""

    missed: int = 0  # in a row
    gone_since: float | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat reserved for a bot's slot; no slot for a bot that is not going to come."""

    bot: str
    slot: int | None


@dataclass(slots=True)
class Summary:
    """What became of an event."""

    games: int = 0
    forfeits: Counter[tuple[str, Reason]] = field(default_factory=Counter[tuple[str, Reason]])
    voids: int = 0
    withdrawn: list[str] = field(default_factory=list[str])

    @property
    def clean(self) -> bool:
        """Whether nothing went wrong: no forfeit, no void game, no bot withdrawn."""
        return not self.forfeits and not self.voids and not self.withdrawn


class Director:
    """Plays one event to its end."""

    def __init__(
        self,
        settings: Settings,
        lobby: Lobby,
        crew: Crew,
        keeper: Keeper,
        observer: Observer,
        address: tuple[str, int],
    ) -> None:
        self._settings = settings
        self._lobby = lobby
        self._crew = crew
        self._keeper = keeper
        self._observer = observer
        self._address = address
        self.schedule = round_robin(settings.entries, settings.sides, settings.event.cycles)
        self._to_come: Iterator[Pairing] = iter(self.schedule)
        self._pending: deque[Pairing] = deque()
        self._faulted: set[int] = set()  # games that failed once and are played again
        self._taken: set[tuple[str, int]] = set()
        self._running = 0
        self._attendance = {bot.name: Attendance() for bot in settings.event.bots}
        self._entries = {entry.name: entry for entry in settings.entries}
        self._changed = trio.Event()
        self.summary = Summary()

    def why(self, bot: str) -> str:
        """Why *bot* has no game now, for the bot itself."""
        if self._attendance[bot].withdrawn:
            return f"{bot} is withdrawn from the event"
        mine = next((p for p in self._pending if bot in self._bots(p)), None)
        if mine is None:
            return "no game of yours is due"
        others = [name for name in self._bots(mine) if name != bot]
        missing = [name for name in others if not self._lobby.connections(name)]
        if missing:
            return f"game {mine.number} waits for {missing[0]}, who is not connected"
        return f"game {mine.number} against {', '.join(others)} waits for a free place"

    async def run(self) -> Summary:
        """Play all games; returns when the last is stored."""
        async with trio.open_nursery() as nursery:
            while True:
                self._start_games(nursery)
                if not self._running and not self._refill():
                    return self.summary
                await self._something_new()

    async def _something_new(self) -> None:
        """Return when a game has ended, somebody has come or gone, or a wait is over."""
        now = trio.current_time()
        gone = [a.gone_since for a in self._attendance.values() if a.gone_since is not None]
        waits = [since + READY_SECONDS for since in gone if since + READY_SECONDS > now]
        with trio.move_on_at(min(waits, default=float("inf"))):
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

    def _refill(self) -> bool:
        """Fill up the pairings under consideration; whether there are any."""
        while len(self._pending) < LOOK_AHEAD:
            pairing = next(self._to_come, None)
            if pairing is None:
                break
            self._pending.append(pairing)
        return bool(self._pending)

    def _start_games(self, nursery: trio.Nursery) -> None:
        while self._running < self._settings.parallel and self._refill():
            for pairing in self._pending:
                chairs = self._reserve(pairing)
                if chairs is not None:
                    break
            else:
                return
            self._pending.remove(pairing)
            self._running += 1
            nursery.start_soon(self._conduct, pairing, chairs)

    def _bots(self, pairing: Pairing) -> tuple[str, ...]:
        entries = tuple(self._entries[name] for name in pairing.entries)
        return bots_by_seat(entries, self._settings.event.players)

    def _reserve(self, pairing: Pairing) -> tuple[Chair, ...] | None:
        """Take a slot of every bot of *pairing*, or none of them if one is not free."""
        chairs: list[Chair] = []
        for bot in self._bots(pairing):
            chair = self._free_chair(bot, chairs)
            if chair is None:
                return None
            chairs.append(chair)
        self._taken.update((c.bot, c.slot) for c in chairs if c.slot is not None)
        return tuple(chairs)

    def _free_chair(self, bot: str, before: list[Chair]) -> Chair | None:
        attendance = self._attendance[bot]
        if attendance.withdrawn:
            return Chair(bot, None)
        taken = self._taken | {(c.bot, c.slot) for c in before if c.slot is not None}
        slots: Iterable[int]
        if self._crew.is_local(bot):
            slots = range(1, self._settings.slots(self._settings.bot(bot)) + 1)
        else:
            slots = [holder.login.slot for holder in self._lobby.idle(bot)]
        for slot in slots:
            if (bot, slot) not in taken:
                attendance.gone_since = None
                return Chair(bot, slot)
        # A bot that is busy will come; one with too few connections for this game will not.
        needed = 1 + sum(chair.bot == bot for chair in before)
        if self._crew.is_local(bot) or self._lobby.connections(bot) >= needed:
            attendance.gone_since = None
            return None
        now = trio.current_time()
        if attendance.gone_since is None:
            attendance.gone_since = now
        return Chair(bot, None) if now >= attendance.gone_since + READY_SECONDS else None

    async def _conduct(self, pairing: Pairing, chairs: tuple[Chair, ...]) -> None:
        """Play one game, whatever happens in it."""
        try:
            finished = await self._play(pairing, chairs)
        except Exception:
            # The referee's own failure is nobody's loss: the game is void and played once more.
            log.exception("game %d failed", pairing.number)
            await self._failed(pairing)
        else:
            self._count(finished)
        finally:
            self._taken.difference_update((c.bot, c.slot) for c in chairs if c.slot is not None)
            self._running -= 1
            self._notify()

    async def _failed(self, pairing: Pairing) -> None:
        self.summary.voids += 1
        if pairing.number not in self._faulted:
            self._faulted.add(pairing.number)
            self._pending.appendleft(pairing)
            self._observer.tell(f"game {pairing.number} failed and is played again")
        else:
            referee = Referee(self._table(pairing, [None] * self._settings.event.players))
            self._count(await self._void(referee, Reason.SERVER_FAULT))

    async def _void(self, referee: Referee, reason: Reason) -> Finished:
        """End a game that no seat is told of."""
        referee.void(reason)
        assert referee.finished is not None
        await self._keeper.keep(referee.finished)
        return referee.finished

    async def _play(self, pairing: Pairing, chairs: tuple[Chair, ...]) -> Finished:
        holders = await self._gather(chairs, pairing)
        try:
            referee = Referee(self._table(pairing, holders))
            self._observer.started(referee.table)
            if not any(holders):
                return await self._void(referee, Reason.ABORTED)
            now = next(h for h in holders if h is not None).connection.transport.now()
            finished = await Runner(referee, holders, self._keeper.keep, now).play()
            self._send_away(finished, holders)
            return finished
        finally:
            for holder in holders:
                if holder is not None:
                    self._lobby.release(holder)

    def _send_away(self, finished: Finished, holders: list[Holder | None]) -> None:
        """Close the connections of bots that left or flooded the server during the game."""
        for fall in finished.falls:
            holder = holders[fall.seat]
            if holder is not None and fall.reason is Reason.FLOOD:
                holder.session.close("flood", "expected fewer lines that answer nothing")
            elif holder is not None and fall.reason is Reason.DISCONNECT:
                holder.session.state = State.CLOSED

    async def _gather(self, chairs: tuple[Chair, ...], pairing: Pairing) -> list[Holder | None]:
        """The connections for *chairs*, each claimed for the game; None for who did not come."""
        holders: list[Holder | None] = [None] * len(chairs)

        async def fetch(seat: int, chair: Chair) -> None:
            if chair.slot is None:
                return
            if self._crew.is_local(chair.bot):
                holder = await self._crew.seat(
                    chair.bot, chair.slot, self._lobby, self._lobby.nursery, self._address
                )
            else:
                holder = self._lobby.get(chair.bot, chair.slot)
            if holder is not None and holder.connection.ended is None:
                await self._lobby.claim(holder, str(pairing.number))
                holders[seat] = holder

        async with trio.open_nursery() as nursery:
            for seat, chair in enumerate(chairs):
                nursery.start_soon(fetch, seat, chair)
        self._take_attendance(chairs, holders)
        return holders

    def _take_attendance(self, chairs: tuple[Chair, ...], holders: list[Holder | None]) -> None:
        for chair, holder in zip(chairs, holders, strict=True):
            attendance = self._attendance[chair.bot]
            if holder is not None:
                attendance.missed = 0
                continue
            attendance.missed += 1
            if attendance.missed >= WITHDRAWN_AFTER and not attendance.withdrawn:
                attendance.withdrawn = True
                self.summary.withdrawn.append(chair.bot)
                self._observer.tell(
                    f"{chair.bot} did not come to {WITHDRAWN_AFTER} games in a row and is withdrawn"
                )

    def _table(self, pairing: Pairing, holders: list[Holder | None]) -> Table:
        settings, event = self._settings, self._settings.event
        players = event.players
        start = Game.new(
            settings.rules, players, limit=settings.terms.limit, at_limit=settings.terms.at_limit
        )
        opening = f"{event.seed}/opening/{pairing.opening}"
        entries = [pairing.entries[seat % settings.sides] for seat in range(players)]
        return Table(
            event=event.name,
            game=str(pairing.number),
            rules=settings.rules,
            terms=settings.terms,
            control=settings.control,
            bots=self._bots(pairing),
            entries=tuple(entries),
            versions=tuple(None if h is None else h.login.version for h in holders),
            seeds=tuple(
                number(f"{event.seed}/{pairing.number}/{letters[0]}")
                for letters in start.position.seats
            ),
            opening=opening_paths(start, event.opening, opening),
            draws=event.draws,
            tries=event.tries,
        )

    def _count(self, finished: Finished) -> None:
        self.summary.games += 1
        for fall in finished.falls:
            if fall.reason.is_forfeit:
                self.summary.forfeits[finished.table.bots[fall.seat], fall.reason] += 1
        if finished.reason is Reason.ABORTED:
            self.summary.voids += 1
        self._observer.finished(finished)
