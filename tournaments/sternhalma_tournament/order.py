"""The order in which the games of a cycle are begun, so that nobody gets far ahead.

With three and more in a game no order keeps everybody level all the time. How far the one ahead
must get is the `reach` of an order: the most games that anybody in a game has had, this one
included, above the fewest that anybody has had before it. No scheduler that keeps to the order can
promise a smaller spread, and one that does can promise this.
"""

from collections.abc import Sequence
from typing import Final

from sternhalma_tournament.chance import Chance

Games = Sequence[tuple[int, ...]]  # the entries of each game, numbered from 0

# Comparing every game with every other takes seconds beyond this; cycles that long are left in the
# order in which they come, which is nearly as good.
_LONGEST: Final = 600
_ATTEMPTS: Final = 4
_BEST: Final = 2


def even_order(size: int, games: Games, key: str) -> tuple[int, ...]:
    """The numbers of *games* in an order of small reach; *key* seeds the search."""
    orders = [tuple(range(len(games)))]
    if len(games) <= _LONGEST:
        for attempt in range(_ATTEMPTS):
            order = _greedy(size, games, Chance(f"{key}/{attempt}"))
            orders.append(order)
            if reach(size, [games[game] for game in order]) <= _BEST:
                break
    return min(orders, key=lambda order: reach(size, [games[game] for game in order]))


def reach(size: int, games: Games) -> int:
    """How far anybody is ahead of anybody else when *games* are begun in this order."""
    played = [0] * size
    least, at_least, worst = 0, size, 0
    for game in games:
        worst = max(worst, max(played[entry] for entry in game) + 1 - least)
        for entry in game:
            at_least -= played[entry] == least
            played[entry] += 1
        if at_least == 0:
            least = min(played)
            at_least = played.count(least)
    return worst


def _greedy(size: int, games: Games, chance: Chance) -> tuple[int, ...]:
    left = list(range(len(games)))
    chance.shuffle(left)
    played = [0] * size
    order: list[int] = []
    while left:
        floor = min(played) + 1

        def cost(game: int, floor: int = floor) -> tuple[int, int]:
            counts = [played[entry] for entry in games[game]]
            # Up to one above the least nothing is lost; among those, who is behind goes first.
            return max(floor, *counts), sum(counts)

        game = min(left, key=cost)
        left.remove(game)
        order.append(game)
        for entry in games[game]:
            played[entry] += 1
    return tuple(order)
