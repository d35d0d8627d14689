"""Dividing entries into games so that equals meet and nobody meets twice.

Wanted, the first above all others: few meetings of those who have met; small differences of
points; seats that can be balanced. A local search exchanges members of two games while that helps,
which for the sizes of a league is as good as an exact matching and works for any number of sides.
Whether a division without a second meeting exists at all is a question of its own; for two sides a
search through the possibilities answers it where the exchanges got stuck.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from sternhalma_tournament.chance import Chance

Game = tuple[str, ...]

_AGAIN: Final = 10_000_000  # cost of a second meeting
_APART: Final = 100  # cost of a difference of one half point, squared
_NEAR: Final = 12  # games
_STIRS: Final = 30
_STEPS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a division is judged by.

    `half_points` of each entry; `met` how often two have met (unordered, missing is never); `seat`
    what the best seats of a game cost: little, but for seats nobody should be given again.
    """

    half_points: Mapping[str, int]
    met: Mapping[frozenset[str], int]
    seat: Callable[[Game], int]

    def cost(self, game: Game) -> int:
        """The cost of one game, members in any order."""
        cost = self.seat(game)
        for one, other in combinations(game, 2):
            cost += _AGAIN * self.met.get(frozenset((one, other)), 0)
            cost += _APART * (self.half_points[one] - self.half_points[other]) ** 2
        return cost

    def again(self, games: Sequence[Game]) -> int:
        """Second and further meetings in *games*."""
        return sum(
            self.met.get(frozenset(pair), 0) for game in games for pair in combinations(game, 2)
        )


def divide(order: Sequence[str], sides: int, wishes: Wishes, chance: Chance) -> list[Game]:
    """Games of *sides* for all of *order*, which is sorted by points and a multiple of *sides*."""
    games = [tuple(order[at : at + sides]) for at in range(0, len(order), sides)]
    games = _improve(games, wishes)
    best = games
    for _ in range(_STIRS):
        if not wishes.again(best):
            break
        games = _improve(_stir(games, chance), wishes)
        best = min(best, games, key=lambda found: sum(map(wishes.cost, found)))
    if wishes.again(best) and sides == 2:
        fresh = _fresh_pairs(order, wishes)
        best = _improve(fresh, wishes) if fresh else best
    return sorted(best, key=lambda game: sorted(map(order.index, game)))


def _improve(games: Sequence[Game], wishes: Wishes) -> list[Game]:
    """Exchange members of two games until no exchange helps."""
    now = list(games)
    costs = [wishes.cost(game) for game in now]
    better = True
    while better:
        better = False
        for one, other in _neighbours(costs):
            found = _best_exchange(now[one], now[other], costs[one] + costs[other], wishes)
            if found is not None:
                now[one], now[other] = found
                costs[one], costs[other] = wishes.cost(now[one]), wishes.cost(now[other])
                better = True
    return now


def _neighbours(costs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The games that may exchange: near in points, or anywhere for one with a second meeting."""
    for one, other in combinations(range(len(costs)), 2):
        if costs[one] == costs[other] == 0:
            continue
        if other - one <= _NEAR or max(costs[one], costs[other]) >= _AGAIN:
            yield one, other


def _best_exchange(one: Game, other: Game, cost: int, wishes: Wishes) -> tuple[Game, Game] | None:
    best: tuple[Game, Game] | None = None
    for at, mine in enumerate(one):
        for place, yours in enumerate(other):
            new = (
                (*one[:at], yours, *one[at + 1 :]),
                (*other[:place], mine, *other[place + 1 :]),
            )
            new_cost = wishes.cost(new[0]) + wishes.cost(new[1])
            if new_cost < cost:
                best, cost = new, new_cost
    return best


def _stir(games: Sequence[Game], chance: Chance) -> list[Game]:
    """*games* with a third of their members sent round in a ring."""
    members = [list(game) for game in games]
    moved = [
        (game, chance.below(len(members[game])))
        for game in range(len(members))
        if chance.below(3) == 0
    ]
    for (game, place), (other, its) in pairwise(moved):
        one, two = members[game][place], members[other][its]
        members[game][place], members[other][its] = two, one
    return [tuple(game) for game in members]


def _fresh_pairs(order: Sequence[str], wishes: Wishes) -> list[Game] | None:
    """Pairs of two who have not met, or None if there is none or the search takes too long."""
    open_ = {
        name: [
            other for other in order if other != name and frozenset((name, other)) not in wishes.met
        ]
        for name in order
    }
    steps = 0
    pairs: list[Game] = []

    def search(left: frozenset[str]) -> bool:
        nonlocal steps
        if not left:
            return True
        # Whoever has the fewest possibilities goes first, so that dead ends show early.
        name = min(sorted(left), key=lambda n: sum(other in left for other in open_[n]))
        for other in open_[name]:
            steps += 1
            if steps > _STEPS:
                return False
            if other in left:
                pairs.append((name, other))
                if search(left - {name, other}):
                    return True
                pairs.pop()
        return False

    return pairs if search(frozenset(order)) else None
