"""Which bot is free for a game, and which one is not going to come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from sternhalma_server.clock import SECOND
from sternhalma_server.crew import Crew
from sternhalma_server.seats import Holder, Lobby
from sternhalma_server.settings import Settings

WITHDRAWN_AFTER: Final = 3  # games in a row that a bot did not come to


@dataclass(slots=True)
class Attendance:
    """Whether a bot comes to its games."""

    missed: int = 0  # in a row
    withdrawn: bool = False
    # Since when it has had fewer connections than so many, which a game that is due needs of it.
    short_since: dict[int, float] = field(default_factory=dict[int, float])


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat reserved for a bot's slot; no slot for a bot that is not going to come."""

    bot: str
    slot: int | None


class Roster:
    """The bots of an event: reserves their slots for games and counts who does not come.

    *tell* is given sentences for the host.
    """

    def __init__(
        self, settings: Settings, lobby: Lobby, crew: Crew, tell: Callable[[str], None]
    ) -> None:
        self._settings = settings
        self._lobby = lobby
        self._crew = crew
        self._tell = tell
        self._taken: set[tuple[str, int]] = set()
        self._attendance = {bot.name: Attendance() for bot in settings.event.bots}

    @property
    def withdrawn(self) -> list[str]:
        """The bots that have been withdrawn."""
        return [name for name, its in self._attendance.items() if its.withdrawn]

    def reserve(self, bots: Sequence[str], patience: int) -> tuple[Chair, ...] | None:
        """Take a slot of every one of *bots*, or none of them if one is not free.

        A remote bot that has not been connected for *patience* (nanoseconds) gets a chair without
        a slot: it is not waited for any longer.
        """
        chairs: list[Chair] = []
        for bot in bots:
            chair = self._free_chair(bot, chairs, patience / SECOND)
            if chair is None:
                return None
            chairs.append(chair)
        self._taken.update((c.bot, c.slot) for c in chairs if c.slot is not None)
        return tuple(chairs)

    def give_back(self, chairs: Iterable[Chair]) -> None:
        """The game is over: its slots are free again."""
        self._taken.difference_update((c.bot, c.slot) for c in chairs if c.slot is not None)

    def next_expiry(self, patience: int) -> float:
        """When, on trio's clock, the next bot that is waited for is given up."""
        now = trio.current_time()
        ends = [
            since + patience / SECOND
            for its in self._attendance.values()
            for since in its.short_since.values()
            if not its.withdrawn
        ]
        return min((end for end in ends if end > now), default=float("inf"))

    def _free_chair(self, bot: str, before: list[Chair], patience: float) -> Chair | None:
        its = self._attendance[bot]
        if its.withdrawn:
            return Chair(bot, None)
        taken = self._taken | {(c.bot, c.slot) for c in before if c.slot is not None}
        slots: Iterable[int]
        if self._crew.is_local(bot):
            slots = range(1, self._settings.slots(self._settings.bot(bot)) + 1)
        else:
            slots = [holder.login.slot for holder in self._lobby.idle(bot)]
        needed = 1 + sum(chair.bot == bot for chair in before)
        for slot in slots:
            if (bot, slot) not in taken:
                its.short_since.pop(needed, None)
                return Chair(bot, slot)
        # A bot that is busy will come; one with too few connections for this game will not.
        if self._crew.is_local(bot) or self._lobby.connections(bot) >= needed:
            its.short_since.pop(needed, None)
            return None
        now = trio.current_time()
        since = its.short_since.setdefault(needed, now)
        return Chair(bot, None) if now >= since + patience else None

    def take_attendance(self, chairs: tuple[Chair, ...], holders: Sequence[Holder | None]) -> None:
        """Count who came to a game; who misses several in a row is withdrawn."""
        for chair, holder in zip(chairs, holders, strict=True):
            its = self._attendance[chair.bot]
            if holder is not None:
                its.missed = 0
                continue
            its.missed += 1
            its.short_since.clear()  # every game waits for it anew
            if its.missed >= WITHDRAWN_AFTER and not its.withdrawn:
                its.withdrawn = True
                self._tell(
                    f"{chair.bot} did not come to {WITHDRAWN_AFTER} games in a row and is withdrawn"
                )

    def why(self, bot: str, others: Sequence[str], game: int) -> str:
        """Why *bot* waits for *game*, which it plays with *others*."""
        if self._attendance[bot].withdrawn:
            return f"{bot} is withdrawn from the event"
        missing = [name for name in others if not self._lobby.connections(name)]
        if missing:
            return f"game {game} waits for {missing[0]}, who is not connected"
        return f"game {game} with {', '.join(others)} waits until all are free"
