"""Search for base blocks: games that, shifted through all entries, make a balanced design.

A base block names the numbers of one game's entries. Adding 1 modulo the number of entries again
and again makes as many games as there are entries, in which everybody sits in every seat once,
whatever the block. So only meetings are left to be balanced: two entries at distance d meet as
often as d occurs inside the blocks. Where a perfect difference set is known it is taken; elsewhere
annealing evens the distances out. The seed is fixed: the same numbers give the same design
everywhere.
"""

from collections.abc import Iterable, Sequence
from math import exp
from typing import Final

from sternhalma_tournament.chance import Chance

Block = tuple[int, ...]

# Perfect for meetings; a search would find the last one only with luck.
DIFFERENCE_SETS: Final[dict[tuple[int, int], tuple[Block, ...]]] = {
    (7, 3): ((0, 1, 3),),
    (13, 3): ((0, 1, 4), (0, 2, 7)),
    (13, 4): ((0, 1, 3, 9),),
    (31, 6): ((0, 1, 3, 8, 12, 18),),
}

_STEPS_A_BLOCK: Final = 2000
_MOST_STEPS: Final = 40_000
_ATTEMPTS: Final = 3
_HOTTEST: Final = 4.0
_COLDEST: Final = 0.1


class Distances:
    """How often each distance occurs in some blocks, and the cost of that.

    The cost is the sum over all pairs of entries of squared meetings, divided by half the number of
    entries: the sum of meetings being fixed, it is least where meetings are most even.
    """

    def __init__(self, size: int, blocks: Iterable[Sequence[int]] = ()) -> None:
        self.size = size
        self.count = [0] * (size // 2 + 1)  # by distance; index 0 stays unused
        self.cost = 0
        for block in blocks:
            for place, member in enumerate(block):
                self.add(member, block[:place])

    def meetings(self) -> list[int]:
        """How often entries at distance 1, 2, ... meet; opposite ones meet twice an occurrence."""
        return [count * self._weight(d) // 2 for d, count in enumerate(self.count) if d]

    def add(self, member: int, others: Iterable[int]) -> None:
        """Count the distances from *member* to *others*."""
        for other in others:
            distance = self._fold(member - other)
            self.cost += self._weight(distance) * (2 * self.count[distance] + 1)
            self.count[distance] += 1

    def remove(self, member: int, others: Iterable[int]) -> None:
        """Undo `add`."""
        for other in others:
            distance = self._fold(member - other)
            self.count[distance] -= 1
            self.cost -= self._weight(distance) * (2 * self.count[distance] + 1)

    def least_cost(self, more: int) -> int:
        """No *more* distances can be added at less cost than this."""
        count, cost = self.count.copy(), self.cost
        for _ in range(more):
            steps = [(self._weight(d) * (2 * count[d] + 1), d) for d in range(1, len(count))]
            step, distance = min(steps)
            count[distance] += 1
            cost += step
        return cost

    def _fold(self, difference: int) -> int:
        distance = difference % self.size
        return min(distance, self.size - distance)

    def _weight(self, distance: int) -> int:
        return 4 if 2 * distance == self.size else 2


def find_blocks(size: int, sides: int, amount: int, before: Sequence[Block]) -> list[Block]:
    """*amount* more blocks that even out meetings together with the blocks *before*.

    The best that a bounded search finds; it need not be perfect, and it is the same every time.
    """
    known = DIFFERENCE_SETS.get((size, sides), ())
    if len(known) == amount and not before:
        return list(known)
    if sides == size:
        return [tuple(range(size))] * amount
    floor = Distances(size, before).least_cost(amount * sides * (sides - 1) // 2)
    best: tuple[int, list[Block]] | None = None
    for attempt in range(_ATTEMPTS):
        chance = Chance(f"design/{size}/{sides}/{len(before)}+{amount}/{attempt}")
        start = [_random_block(size, sides, chance) for _ in range(amount)]
        found = _anneal(start, Distances(size, [*before, *start]), floor, chance)
        if best is None or found[0] < best[0]:
            best = found
        if best[0] == floor:
            break
    assert best is not None
    return best[1]


def _anneal(
    blocks: list[list[int]], now: Distances, floor: int, chance: Chance
) -> tuple[int, list[Block]]:
    amount, sides, size = len(blocks), len(blocks[0]), now.size
    best = (now.cost, [tuple(block) for block in blocks])
    steps = min(_MOST_STEPS, _STEPS_A_BLOCK * amount)
    for step in range(steps):
        if best[0] == floor:
            break
        heat = _HOTTEST * (_COLDEST / _HOTTEST) ** (step / steps)
        block = blocks[chance.below(amount)]
        place, new, cost = chance.below(sides), chance.below(size), now.cost
        if new in block:
            continue
        old, others = block[place], block[:place] + block[place + 1 :]
        now.remove(old, others)
        now.add(new, others)
        if now.cost > cost and chance.unit() >= exp((cost - now.cost) / heat):
            now.remove(new, others)
            now.add(old, others)
            continue
        block[place] = new
        if now.cost < best[0]:
            best = (now.cost, [tuple(block) for block in blocks])
    return best


def _random_block(size: int, sides: int, chance: Chance) -> list[int]:
    members = list(range(size))
    chance.shuffle(members)
    return members[:sides]
