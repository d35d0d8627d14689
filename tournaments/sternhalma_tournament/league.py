"""The scheduler for formats whose games are all known: round robin, gauntlet, match.

The event's own schedule is one lane. Every late entry adds a lane of its own with its games against
those who are there, numbered behind all others, so that no number ever changes its meaning.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.gauntlet import gauntlet_table
from sternhalma_tournament.lane import Lane
from sternhalma_tournament.presence import Free
from sternhalma_tournament.schedule import Pairing, Schedule
from sternhalma_tournament.scores import GameResult


class LeagueScheduler:
    """A `Scheduler` of the games of *schedule*; every entry fills *seats* seats of a game."""

    def __init__(self, schedule: Schedule, seats: int = 1, spread: int = 2) -> None:
        self._seats = seats
        self._spread = spread
        self._lanes: list[Lane] = []
        self._by_entry: defaultdict[str, list[Lane]] = defaultdict(list)
        self._withdrawn: set[str] = set()
        self._add(schedule)

    @property
    def done(self) -> bool:
        """Whether all games have ended and none is to come."""
        return all(lane.done for lane in self._lanes)

    @property
    def games(self) -> int:
        """All games but those left out so far for withdrawn entries."""
        return sum(lane.games for lane in self._lanes)

    @property
    def spread(self) -> int:
        """How many games begun anybody may be ahead in the event's own schedule."""
        return self._lanes[0].spread

    @property
    def held(self) -> int:
        """How many games are held because they were passed over: what memory depends on."""
        return sum(lane.held for lane in self._lanes)

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        """The event's own schedule and one for each late entry."""
        return tuple(lane.schedule for lane in self._lanes)

    def pairing(self, number: int) -> Pairing:
        """The game *number*, whether or not it has begun; ValueError if there is none."""
        return self._lane(number).schedule.pairing(number)

    def next(self, free: Free) -> Pairing | None:
        """The game to begin now, those of late entries first."""
        found = (lane.next(free) for lane in reversed(self._lanes))
        return next((pairing for pairing in found if pairing is not None), None)

    def start(self, pairing: Pairing) -> None:
        """The game has begun."""
        self._lane(pairing.number).start(pairing)

    def release(self, number: int) -> None:
        """The game that had begun is to be played again later."""
        self._lane(number).release(number)

    def finish(self, result: GameResult) -> None:
        """The game has ended."""
        self._lane(result.number).finish(result.number)

    def resume(self, results: Iterable[GameResult]) -> None:
        """Take *results*, in order of numbers; what is whole is taken at once, by arithmetic."""
        by_lane = groupby((result.number for result in results), key=self._lane)
        for lane, numbers in by_lane:
            lane.resume(numbers)

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """*entry* plays no more."""
        self._check(entry)
        self._withdrawn.add(entry)
        for lane in self._lanes_of(entry):
            lane.withdraw(entry, forfeit=forfeit)

    def reinstate(self, entry: str) -> None:
        """*entry* plays again; before anything else."""
        self._check(entry)
        self._withdrawn.discard(entry)
        for lane in self._lanes_of(entry):
            lane.reinstate(entry)

    def join(self, entry: Entry) -> None:
        """A late entry, who plays everybody still there as often as they play each other.

        With more than two sides the late entry gets about as many games as everybody has.
        """
        first = self._lanes[0].schedule
        if first.challengers:
            raise ValueError(f"expected no late entry in a gauntlet, got {entry.name!r}")
        known = dict.fromkeys(one for lane in self._lanes for one in lane.schedule.entries)
        if any(one.name.casefold() == entry.name.casefold() for one in known):
            raise ValueError(f"expected a new name for a late entry, got {entry.name!r}")
        field = [one for one in known if one.name not in self._withdrawn]
        sides = len(first.table.seating(0, 0).entries)
        table = gauntlet_table(len(field) + 1, 1, sides)
        games = (
            first.cycles * len(field) if sides == 2 else len(first) * sides // len(first.entries)
        )
        self._add(
            Schedule(
                entries=(entry, *field),
                table=table,
                cycles=-(-games // table.games),
                challengers=1,
                before=self._lanes[-1].schedule.last,
                most=games,
            )
        )

    def to_come(self, entry: str) -> bool:
        """Whether *entry* may have games that have not begun."""
        return any(lane.to_come(entry) for lane in self._lanes_of(entry))

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing; a late entry's own games come first."""
        self._check(entry)
        lanes = self._lanes_of(entry)
        to_come = [lane for lane in reversed(lanes) if lane.to_come(entry)]
        return (to_come or lanes)[0].why(entry, free)

    def _add(self, schedule: Schedule) -> None:
        lane = Lane(schedule, self._seats, self._spread)
        self._lanes.append(lane)
        for entry in schedule.entries:
            self._by_entry[entry.name].append(lane)

    def _lane(self, number: int) -> Lane:
        for lane in self._lanes:
            if number in lane.schedule:
                return lane
        raise ValueError(f"expected the number of a game of the event, got {number!r}")

    def _lanes_of(self, entry: str) -> list[Lane]:
        return self._by_entry.get(entry, [])

    def _check(self, entry: str) -> None:
        if not self._lanes_of(entry):
            raise ValueError(f"expected an entry of the event, got {entry!r}")
