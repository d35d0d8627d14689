"""Adding up results: everything that standings need, and no game by itself.

A tally grows with the number of entries, not with the number of games, so that ten million games
can be added one by one. Only sums are kept, so that the order in which results come in cannot
matter.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from sternhalma_tournament.scores import BYE, GameResult, half_points

# The other faults (time, illegal, malformed) are the play of a running program; these are its
# absence.
CRASHES: Final = frozenset({"disconnect", "flood", "no-start"})


@dataclass(slots=True)
class SideScore:
    """What was scored from one side's seats, as sums of half points and of their squares."""

    games: int = 0
    half_points: int = 0
    squares: int = 0

    def add(self, won: int) -> None:
        """Count a game worth *won* half points."""
        self.games += 1
        self.half_points += won
        self.squares += won * won


@dataclass(slots=True)
class Score:
    """What one entry has so far; `places` counts games by place, `forfeits` by reason.

    `opponents` counts those met, once for every meeting. Byes are in the points, not in the games.
    """

    games: int = 0
    byes: int = 0
    half_points: int = 0
    opponents: int = 0
    wins: int = 0
    plies: int = 0
    places: Counter[int] = field(default_factory=Counter[int])
    forfeits: Counter[str] = field(default_factory=Counter[str])
    sides: dict[int, SideScore] = field(default_factory=dict[int, SideScore])

    @property
    def crashes(self) -> int:
        """Games lost by not being there."""
        return sum(count for reason, count in self.forfeits.items() if reason in CRASHES)


@dataclass(slots=True)
class Meetings:
    """What one entry scored against one other, in so many games."""

    games: int = 0
    half_points: int = 0
    level: int = 0

    @property
    def won(self) -> int:
        """Games in which the entry was placed above the other."""
        return (self.half_points - self.level) // 2

    @property
    def lost(self) -> int:
        """Games in which the entry was placed below the other."""
        return self.games - self.level - self.won


class Tally:
    """Sums of results of *entries*; `add` takes one more. A bye is worth *bye* half points."""

    def __init__(
        self, entries: Iterable[str], results: Iterable[GameResult] = (), bye: int = 2
    ) -> None:
        self.scores: dict[str, Score] = {name: Score() for name in entries}
        self.against: dict[tuple[str, str], Meetings] = {}
        self.sides: list[SideScore] = []
        self.games = 0
        self.void = 0
        self._bye = bye
        for result in results:
            self.add(result)

    def add(self, result: GameResult) -> None:
        """Count *result*; ValueError if it names an entry that is not of this event."""
        places = result.places_by_entry()
        for name in places:
            if name not in self.scores:
                raise ValueError(
                    f"expected entries of the event in game {result.number}, got {name!r}"
                )
        if not result.scored:
            self.void += 1
        elif result.reason == BYE:
            self._sit_out(result.entries[0])
        else:
            self._score(result, places)

    def meetings(self, name: str, other: str) -> Meetings:
        """What *name* scored against *other*; zeros if they have not met."""
        return self.against.get((name, other)) or Meetings()

    def _sit_out(self, name: str) -> None:
        self.scores[name].byes += 1
        self.scores[name].half_points += self._bye

    def _score(self, result: GameResult, places: dict[str, int]) -> None:
        self.games += 1
        best = min(places.values())
        alone = sum(place == best for place in places.values()) == 1
        while len(self.sides) < len(places):
            self.sides.append(SideScore())
        for side, (name, place) in enumerate(places.items()):
            won = self._meet(name, place, places)
            score = self.scores[name]
            score.games += 1
            score.half_points += won
            score.opponents += len(places) - 1
            score.wins += place == best and alone
            score.plies += result.plies
            score.places[place] += 1
            score.sides.setdefault(side, SideScore()).add(won)
            self.sides[side].add(won)
        self._forfeit(result)

    def _meet(self, name: str, place: int, places: dict[str, int]) -> int:
        won = 0
        for other, its in places.items():
            if other == name:
                continue
            half = half_points(place, its)
            met = self.against.get((name, other))
            if met is None:
                met = self.against[name, other] = Meetings()
            met.games += 1
            met.half_points += half
            met.level += place == its
            won += half
        return won

    def _forfeit(self, result: GameResult) -> None:
        # An entry with two seats forfeits a game once, whichever partner was at fault; the reason
        # that comes first in the alphabet stands where both were, so that it does not depend on
        # anything.
        faults: dict[str, str] = {}
        for name, reason in zip(result.entries, result.forfeits, strict=True):
            if reason is not None:
                faults[name] = min(reason, faults.get(name, reason))
        for name, reason in faults.items():
            self.scores[name].forfeits[reason] += 1
