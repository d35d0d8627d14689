"""Who was to meet whom in a game of an event, from its file and from what had happened before.

In a league every game follows from the event file; in other formats who meets depends on results.
So an event's results are told in the order in which they came, and what was to be played is asked
before each: the same scheduler that ran the event answers.

One thing results do not tell: which games had begun when the host ruled that somebody leaves or
comes. Those were played as they had been paired, all others were paired anew around them. So in
such a round whatever fits is believed, and from the next round on nothing else than what follows.
"""

from __future__ import annotations

from typing import Final

from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.amendments import Amendment, LateEntry, Rulings
from sternhalma_tournament.event import Event, entries_of
from sternhalma_tournament.extent import extent_of
from sternhalma_tournament.formats import scheduler_after, scheduler_of
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.schedule import Pairing, opening_key
from sternhalma_tournament.scheduler import bye_result
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.swiss import SwissScheduler

PLENTY: Final = MAX_SLOT  # connections, so that who meets does not hang on who was there


class Agenda:
    """What *event* has to play.

    With *sits_out* byes are entered as they come up, and put in `byes`.
    """

    def __init__(self, event: Event, *, sits_out: bool = False) -> None:
        self.byes: list[GameResult] = []
        self._event = event
        self._sits_out = sits_out
        self._scheduler = scheduler_of(event)
        self._history: list[GameResult | Amendment] = []
        self._free = {bot.name: PLENTY for bot in event.bots}
        self._open: dict[int, Pairing] = {}  # what may begin, as far as it was looked for
        self._before: dict[int, Pairing] = {}  # what might have begun before a ruling
        self._ruled = False  # since the last result
        self._doubtful: set[int] = set()  # rounds in which there was a ruling

    def extent(self) -> tuple[int, int]:
        """How many games that count the event has, byes among them, and how many are to come.

        As far as can be said now.
        """
        results: list[GameResult] = []
        amendments: list[Amendment] = []
        extent = extent_of(self._event)
        for one in self._history:
            if isinstance(one, GameResult):
                results.append(one)
                extent.enter(one)
            else:
                amendments.append(one)
                extent.rule(amendments, results)
        counted = sum(1 for _ in Rulings.of(amendments).apply(results))
        return extent.games, extent.games - counted

    def pairing(self, number: int, entries: tuple[str, ...]) -> Pairing:
        """What was to be played as game *number*, which *entries* are said to have played.

        Raises `ValueError` if no such game could be played then.
        """
        if isinstance(self._scheduler, LeagueScheduler):
            return self._scheduler.pairing(number)
        if number not in self._open:
            self._look()
        found = self._open.get(number)
        if self._history and (found is None or found.entries != entries):
            found = self._begun_before(number, entries) or found
        if found is None:
            raise ValueError(f"expected a game that the event had to play then, got game {number}")
        return found

    def finish(self, result: GameResult) -> None:
        """A game, or a bye, is over. Raises `ValueError` if it was not to be played."""
        self._scheduler.finish(result)
        self._open.pop(result.number, None)
        self._history.append(result)
        if self._ruled:
            self._doubtful.add(self._round(result.number))
            self._ruled = False

    def amend(self, amendment: Amendment) -> None:
        """The host has ruled. Raises `ValueError` if that does not fit the event."""
        if not isinstance(self._scheduler, LeagueScheduler):
            self._look()
            self._before |= self._open
        self._scheduler = scheduler_after(self._event, [*self._history, amendment])
        self._history.append(amendment)
        if isinstance(amendment, LateEntry):
            self._free |= dict.fromkeys(amendment.bots, PLENTY)
        self._open.clear()
        self._ruled = True

    def _look(self) -> None:
        """Find everything that may begin now."""
        self._open.clear()
        while (pairing := self._scheduler.next(self._free)) is not None:
            if self._sits_out and len(pairing.entries) == 1:
                self.byes.append(bye_result(pairing))
                self.finish(self.byes[-1])
                continue
            self._scheduler.start(pairing)
            self._open[pairing.number] = pairing
        for number in self._open:
            self._scheduler.release(number)

    def _begun_before(self, number: int, entries: tuple[str, ...]) -> Pairing | None:
        """The game as it was paired if a ruling may have had to do with it, and it fits."""
        pairing = self._before.get(number)
        if isinstance(self._scheduler, SwissScheduler):
            pairing = self._doubted(self._scheduler, number, entries)
        if pairing is None or pairing.entries != entries:
            return None
        try:
            self._scheduler = scheduler_after(self._event, self._history, [pairing])
        except ValueError:
            return None
        self._open.clear()
        return pairing

    def _doubted(
        self, scheduler: SwissScheduler, number: int, entries: tuple[str, ...]
    ) -> Pairing | None:
        """The game as it is said to have been, if it is of a round in which there was a ruling."""
        round_ = self._round(number)
        if self._ruled or (self._doubtful and round_ > scheduler.round):
            self._doubtful.add(round_)
        if round_ not in self._doubtful:
            return None
        opening = opening_key(entries, str(round_))
        return Pairing(number, entries, round_, cycle=1, opening=opening)

    def _round(self, number: int) -> int:
        """The round of a Swiss whose game *number* is."""
        return (number - 1) // len(entries_of(self._event)) + 1
