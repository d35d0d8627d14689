"""How many games an event comes to, as tables say it while there are more to come.

Tables are derived again by whoever verifies them, so the number may follow from nothing but the
event file, the results and the rulings. A scheduler knows more (what is running, what it has looked
at), and what it answers depends on when it is asked.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    Expunging,
    Ruling,
    Rulings,
    Withdrawal,
    late_entries,
)
from sternhalma_tournament.event import SCHEDULED, Event, entries_of, sides_of
from sternhalma_tournament.formats import scheduler_after
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.schedule import Schedule
from sternhalma_tournament.scores import BYE, GameResult
from sternhalma_tournament.trial import Trial


class Extent(Protocol):
    """Told everything that happens to an event, in any order; rulings begin the count anew."""

    def rule(self, amendments: Sequence[Amendment], results: Iterable[GameResult]) -> None:
        """All rulings so far, and all results so far."""
        ...

    def enter(self, result: GameResult) -> None:
        """One more result."""
        ...

    @property
    def games(self) -> int:
        """Games and byes that count, played or to come, as far as can be said now."""
        ...

    @property
    def byes(self) -> int:
        """How many of them are byes."""
        ...


def extent_of(event: Event) -> Extent:
    """The extent of *event* before its first result."""
    if event.sprt is not None:
        return _TrialExtent(event)
    if event.format in SCHEDULED:
        return _LeagueExtent(event)
    if event.format == "swiss":
        return _SwissExtent(event)
    return _KnockoutExtent(event)


def games_with(schedule: Schedule, names: Iterable[str]) -> int:
    """In how many games of *schedule* any of *names* has a seat, by arithmetic from its periods."""
    table = schedule.table
    members = {
        place for place, entry in enumerate(schedule.entries) if entry.name in frozenset(names)
    }
    if not members:
        return 0

    def count(cycle: int, games: int) -> int:
        return sum(
            not members.isdisjoint(table.seating(cycle, index).entries) for index in range(games)
        )

    whole, part = divmod(len(schedule), table.games)
    laps, rest = divmod(whole, table.period)
    total = count(whole, part)
    for cycle in range(min(table.period, whole)):
        total += (laps + (cycle < rest)) * count(cycle, table.games)
    return total


@dataclass(frozen=True, slots=True)
class _Status:
    """Whose games are left out, whose are forfeited, and whose do not count."""

    gone: frozenset[str]
    forfeiting: frozenset[str]
    expunged: frozenset[str]

    @classmethod
    def of(cls, amendments: Iterable[Amendment]) -> "_Status":
        rulings = Rulings.of(amendments).entries
        return cls(
            gone=frozenset(name for name, ruling in rulings.items() if _leaves_out(ruling)),
            forfeiting=frozenset(
                name
                for name, ruling in rulings.items()
                if isinstance(ruling, Withdrawal) and ruling.forfeit
            ),
            expunged=frozenset(n for n, ruling in rulings.items() if isinstance(ruling, Expunging)),
        )


def _leaves_out(ruling: Ruling) -> bool:
    match ruling:
        case Withdrawal(forfeit=forfeit):
            return not forfeit
        case _:
            return isinstance(ruling, Disqualification | Expunging)


class _LeagueExtent:
    """All games of the schedules without those that are left out, and what of them was played."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self.rule((), ())

    def rule(self, amendments: Sequence[Amendment], results: Iterable[GameResult]) -> None:
        self._status = _Status.of(amendments)
        scheduler = scheduler_after(self._event, amendments)
        assert isinstance(scheduler, LeagueScheduler)
        self._to_play = sum(
            len(schedule) - games_with(schedule, self._status.gone)
            for schedule in scheduler.schedules
        )
        self._more = 0
        for result in results:
            self.enter(result)

    def enter(self, result: GameResult) -> None:
        gone = not self._status.gone.isdisjoint(result.entries)
        if gone and self._status.expunged.isdisjoint(result.entries):
            self._more += 1

    @property
    def games(self) -> int:
        return self._to_play + self._more

    @property
    def byes(self) -> int:
        return 0


class _TrialExtent(_LeagueExtent):
    """All games as long as the test wants more; once it is decided, those that were played."""

    def rule(self, amendments: Sequence[Amendment], results: Iterable[GameResult]) -> None:
        self._rulings = Rulings.of(amendments)
        self._trial = Trial.of(self._event)
        self._played = 0
        super().rule(amendments, results)

    def enter(self, result: GameResult) -> None:
        super().enter(result)
        assert self._trial is not None
        for counted in self._rulings.apply([result]):
            self._trial.enter(counted)
            self._played += 1

    @property
    def games(self) -> int:
        assert self._trial is not None
        return super().games if self._trial.verdict is None else self._played


class _SwissExtent:
    """What was played, who of the round is left, and what the rounds to come would have."""

    def __init__(self, event: Event) -> None:
        self._sides = sides_of(event)
        self._rounds = event.rounds or 1
        self._names = [entry.name for entry in entries_of(event)]
        self._last: dict[str, int] = {}  # the round of those that forfeit it, and play no other
        self._first: dict[str, int] = {}  # the first round of those that came late
        self.rule((), ())

    def rule(self, amendments: Sequence[Amendment], results: Iterable[GameResult]) -> None:
        self._status = _Status.of(amendments)
        self._late = [ruling.entry for ruling in late_entries(amendments)]
        self._counted = self._sat_out = 0
        self._round = 1
        self._taken: set[str] = set()
        for result in results:
            self.enter(result)
        # A ruling is told when it is made, so this is its round.
        self._first = {n: self._first.get(n, self._round + bool(self._taken)) for n in self._late}
        self._last = {n: self._last.get(n, self._round) for n in self._status.forfeiting}

    def enter(self, result: GameResult) -> None:
        if self._status.expunged.isdisjoint(result.entries):
            self._counted += 1
            self._sat_out += result.reason == BYE
        round_ = (result.number - 1) // len(self._names) + 1
        if round_ > self._round:
            self._round, self._taken = round_, set()
        if round_ == self._round:
            self._taken.update(result.entries)

    @property
    def games(self) -> int:
        return self._counted + sum(map(sum, self._rounds_to_come()))

    @property
    def byes(self) -> int:
        return self._sat_out + sum(byes for _, byes in self._rounds_to_come())

    def _rounds_to_come(self) -> list[tuple[int, int]]:
        """Games and byes of what is left of the round, and of each round to come."""
        there = [n for n in (*self._names, *self._late) if n not in self._status.gone]
        called = [n for n in there if self._last.get(n, self._round) >= self._round]
        if len(called) < self._sides:
            return []
        if self._taken:  # before, who came late may be called in the round that is proposed
            called = [n for n in called if self._first.get(n, 1) <= self._round]
        left = sum(name not in self._taken for name in called)
        staying = len(there) - len(self._last)
        rounds = self._rounds - self._round if staying >= self._sides else 0
        return [divmod(left, self._sides), *[divmod(staying, self._sides)] * rounds]


class _KnockoutExtent:
    """What the bracket says, which is small enough to be drawn anew each time."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self.rule((), ())

    def rule(self, amendments: Sequence[Amendment], results: Iterable[GameResult]) -> None:
        self._amendments = list(amendments)
        self._results = list(results)
        self._expunged = _Status.of(amendments).expunged

    def enter(self, result: GameResult) -> None:
        self._results.append(result)

    @property
    def games(self) -> int:
        history = [*self._amendments, *self._results]
        dropped = sum(not self._expunged.isdisjoint(one.entries) for one in self._results)
        return scheduler_after(self._event, history).games - dropped

    @property
    def byes(self) -> int:
        return 0
