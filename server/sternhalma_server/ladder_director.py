"""A ladder: the director of an event without an end, in which every bot of a league may play.

Three things differ from any other event. Who is not connected misses nothing, since no game was
promised to it. Bots come for the first time, and come back as another version, at any time. And a
ladder fills the time that the league's events leave: it takes no connection that one of them needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final

import trio

from sternhalma_server.conductor import Keeper
from sternhalma_server.director import Director
from sternhalma_server.hall import Hall
from sternhalma_server.keeping import Begun
from sternhalma_server.observer import Observer
from sternhalma_server.seats import Holder
from sternhalma_server.settings import Settings
from sternhalma_tournament.amendments import Amendment
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.formats import apply_amendment
from sternhalma_tournament.ladder import LadderScheduler
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

FOREVER: Final = 1 << 62  # nanoseconds: nobody is given up for not being there
TURNS: Final = 4  # of trio's loop, which any other director takes at most to begin a game


class LadderDirector(Director):
    """Plays the ladder of *settings* until it is drained.

    *scheduler* knows the bots and the games that are over. *spare* says how many connections of a
    bot the league's events need.
    """

    forfeits: ClassVar[bool] = False

    def __init__(
        self,
        settings: Settings,
        scheduler: LadderScheduler,
        hall: Hall,
        keeper: Keeper,
        observer: Observer,
        begun: Mapping[int, Begun],
        rulings: Iterable[Amendment],
        bots: Iterable[str],
        spare: Callable[[str], int],
    ) -> None:
        super().__init__(settings, scheduler, hall, keeper, observer, begun, spare=spare)
        self._ladder = scheduler
        self._ready = FOREVER
        for bot in bots:
            self._enter(bot)
        for ruling in rulings:
            self._note(ruling)

    def join(self, bot: str) -> None:
        """*bot* has been registered."""
        self._ladder.join(Entry(bot, (bot,)))
        self._enter(bot)
        self._notify()

    def leave(self, bot: str) -> None:
        """*bot* is no longer of the league."""
        self._ladder.withdraw(bot)
        self._notify()

    def come_back(self, bot: str) -> None:
        """*bot*, which had left, is registered again."""
        self._ladder.reinstate(bot)
        self._notify()

    def arrived(self, holder: Holder) -> None:
        """A bot has logged in, perhaps as another version."""
        if self.knows(holder.name):
            self._ladder.renew(holder.name, holder.login.version or "")

    def heed(self, ruling: Amendment, history: Sequence[GameResult | Amendment]) -> None:
        """Let a ruling of the host take effect on games to come; ratings heed all of them."""
        del history
        apply_amendment(self._ladder, ruling)
        self._note(ruling)
        self._notify()

    def _enter(self, bot: str) -> None:
        self._roster.join(self._know(Entry(bot, (bot,))))

    def _put_off(self, pairing: Pairing) -> None:
        """A game that was begun waits for its bots; any other one is simply not played."""
        if pairing.number in self._begun:
            super()._put_off(pairing)
        else:
            del self._under_way[pairing.number]
            self._ladder.release(pairing.number)

    def _tell_who_is_missing(self) -> None:
        """Nobody is: a ladder waits for no one."""

    async def _something_new(self) -> None:
        await super()._something_new()
        # Whoever has become free is the events' first.
        for _ in range(TURNS):
            await trio.lowlevel.checkpoint()
