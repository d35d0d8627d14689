"""Which bot is free for a game, and which one is not going to come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from sternhalma_server.clock import SECOND
from sternhalma_server.hall import Hall
from sternhalma_server.seats import Holder
from sternhalma_server.sentence import Sentence
from sternhalma_server.settings import Settings
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.entries import Entry

WITHDRAWN_AFTER: Final = 3  # games in a row that a bot did not come to


@dataclass(slots=True)
class Attendance:
    """Whether a bot comes to its games; `needs` is how many connections a game takes of it."""

    needs: int
    missed: int = 0  # in a row
    withdrawn: bool = False
    ruled_out: bool = False  # withdrawn by the host, not for being away
    short_since: float | None = None  # since when it has had fewer connections than it needs


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat reserved for a bot's slot; no slot for a bot that is not going to come."""

    bot: str
    slot: int | None


class Roster:
    """The bots of an event: reserves their slots for games and counts who does not come.

    *tell* is given sentences for the host. *versions* are those in which remote bots have played
    the event; who is connected in another one is not there, as far as this event goes. None: bots
    may change theirs. *spare* is how many connections of a bot are to be left to other events. With
    *forfeits* the games of those who do not come are played without them.
    """

    def __init__(
        self,
        settings: Settings,
        hall: Hall,
        tell: Callable[[str], None],
        versions: Mapping[str, str | None] | None = None,
        spare: Callable[[str], int] | None = None,
        *,
        forfeits: bool = True,
    ) -> None:
        self._settings = settings
        self._forfeits = forfeits
        self._spare = spare
        self._lobby = hall.lobby
        self._crew = hall.crew
        self._tell = tell
        self._versions = None if versions is None else dict(versions)
        self._taken = hall.taken
        self._attendance: dict[str, Attendance] = {}
        for entry in settings.entries:
            self.join(entry)

    def __contains__(self, bot: str) -> bool:
        return bot in self._attendance

    @property
    def withdrawn(self) -> list[str]:
        """The bots that have been withdrawn because they did not come."""
        return [n for n, its in self._attendance.items() if its.withdrawn and not its.ruled_out]

    def is_withdrawn(self, bot: str) -> bool:
        """Whether *bot* is withdrawn, by the host or because it did not come."""
        return self._attendance[bot].withdrawn

    def join(self, entry: Entry) -> None:
        """The bots of *entry* take part."""
        seats = self._settings.event.players // self._settings.sides
        for bot in entry.bots:
            # With pairs a bot that has no partner plays both seats.
            self._attendance[bot] = Attendance(needs=seats // len(entry.bots))

    def needs(self, bot: str) -> int:
        """How many connections of *bot* one game takes."""
        return self._attendance[bot].needs

    def rule_out(self, entry: Entry) -> None:
        """The host has withdrawn *entry*: nobody waits for its bots."""
        for bot in entry.bots:
            self._attendance[bot].withdrawn = self._attendance[bot].ruled_out = True

    def reinstate(self, entry: Entry) -> None:
        """The host lets *entry* play again, whyever it was withdrawn."""
        self.join(entry)

    def free(self, patience: int) -> dict[str, int]:
        """How many connections of each bot are free; a bot that is waited for is left out.

        A remote bot that has had too few connections for *patience* (nanoseconds) counts as free:
        its games come up and are played without it.
        """
        free: dict[str, int] = {}
        for bot, its in self._attendance.items():
            if self._given_up(bot, its, patience / SECOND):
                if self._forfeits:
                    free[bot] = MAX_SLOT
            elif self._crew.is_local(bot) or self._connections(bot):
                free[bot] = len(self._slots(bot))
        return free

    def reserve(self, bots: Sequence[str], patience: int) -> tuple[Chair, ...] | None:
        """Take a slot of every one of *bots*, or none of them if one is not free.

        Who has been given up after *patience* (nanoseconds) gets a chair without a slot.
        """
        chairs: list[Chair] = []
        for bot in bots:
            its = self._attendance[bot]
            before = [chair.slot for chair in chairs if chair.bot == bot]
            slots = [slot for slot in self._slots(bot) if slot not in before]
            if slots and not its.withdrawn:
                chairs.append(Chair(bot, slots[0]))
            elif self._given_up(bot, its, patience / SECOND):
                chairs.append(Chair(bot, None))
            else:
                return None
        self._taken.update((c.bot, c.slot) for c in chairs if c.slot is not None)
        for chair in chairs:
            self._fix_version(chair)
        return tuple(chairs)

    def _fix_version(self, chair: Chair) -> None:
        """From its first game on a remote bot plays the event in one version."""
        holder = None if chair.slot is None else self._lobby.get(chair.bot, chair.slot)
        if self._versions is not None and holder is not None and not self._crew.is_local(chair.bot):
            self._versions.setdefault(chair.bot, holder.login.version)

    def give_back(self, chairs: Iterable[Chair]) -> None:
        """The game is over: its slots are free again."""
        self._taken.difference_update((c.bot, c.slot) for c in chairs if c.slot is not None)

    def next_expiry(self, patience: int) -> float:
        """When, on trio's clock, the next bot that is waited for is given up."""
        now = trio.current_time()
        ends = [
            its.short_since + patience / SECOND
            for its in self._attendance.values()
            if its.short_since is not None and not its.withdrawn
        ]
        return min((end for end in ends if end > now), default=float("inf"))

    def _slots(self, bot: str) -> list[int]:
        """The slots of *bot* that are free: of a local bot those that can be started too."""
        if self._crew.is_local(bot):
            slots = list(range(1, self._crew.slots(bot) + 1))
        else:
            idle = self._lobby.idle(bot)
            slots = [holder.login.slot for holder in idle if self._plays(holder)]
        free = [slot for slot in slots if (bot, slot) not in self._taken]
        if self._spare is None or not free:
            return free
        return free[: max(0, len(free) - self._spare(bot))]

    def _connections(self, bot: str) -> int:
        """How many connections a remote bot has, in games or not, in the version it plays."""
        return sum(map(self._plays, self._lobby.all_of(bot)))

    def _plays(self, holder: Holder) -> bool:
        version = holder.login.version
        return self._versions is None or self._versions.get(holder.name, version) == version

    def other_version(self, bot: str) -> tuple[str | None, str | None] | None:
        """In which version *bot* plays the event, and in which other one it is connected instead.

        None where that is not so.
        """
        holders = self._lobby.all_of(bot)
        if self._versions is None or not holders or any(map(self._plays, holders)):
            return None
        return self._versions[bot], holders[0].login.version

    def _given_up(self, bot: str, its: Attendance, patience: float) -> bool:
        if its.withdrawn:
            return True
        # A bot that is busy will come; one with too few connections for any game will not.
        if self._crew.is_local(bot) or self._connections(bot) >= its.needs:
            its.short_since = None
            return False
        now = trio.current_time()
        if its.short_since is None:
            its.short_since = now
        return now >= its.short_since + patience

    def take_attendance(self, chairs: tuple[Chair, ...], holders: Sequence[Holder | None]) -> None:
        """Count who came to a game; who misses several in a row is withdrawn."""
        for chair, holder in zip(chairs, holders, strict=True):
            its = self._attendance[chair.bot]
            if holder is not None:
                its.missed = 0
                continue
            its.missed += 1
            its.short_since = None  # every game waits for it anew
            if its.missed >= WITHDRAWN_AFTER and not its.withdrawn:
                its.withdrawn = True
                missed = f"did not come to {WITHDRAWN_AFTER} games in a row and is withdrawn"
                self._tell(Sentence(f"{chair.bot} {missed}", bot=chair.bot))
