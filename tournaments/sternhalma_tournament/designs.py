"""Round robins for three sides and more: designs, printed by arithmetic from a few base blocks.

A design is a list of base blocks, each shifted through all entries (see `blocks`): seats are exact
by construction, meetings as even as the search found. A cycle is the fewest blocks with which
everybody meets everybody. Further cycles take further blocks that even out what the first left
uneven, until meetings are exact; from then on the same games come again with the seats turned, with
the same opening, as the second half of a double round robin does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Final

from sternhalma_tournament.blocks import Block, Distances, find_blocks
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.order import even_order, reach
from sternhalma_tournament.schedule import Seating

_ORDER_STEPS: Final = 300
_STRIDES: Final = 40
# So many games are looked for at most, however many cycles there are, so that an event begins at
# once; then the blocks begin again as they are.
_MOST_GAMES: Final = 1500


@dataclass(frozen=True, slots=True)
class CyclicDesign:
    """Base *blocks*, *share* of them to a cycle.

    `orders` has for every cycle until the blocks begin again the order of its games; game g is base
    block g // size of that cycle, shifted by g % size. `spread` is the reach of these orders.
    """

    size: int
    blocks: tuple[Block, ...]
    share: int
    orders: tuple[tuple[int, ...], ...]
    spread: int

    @property
    def games(self) -> int:
        """Games of one cycle."""
        return self.size * self.share

    @property
    def period(self) -> int:
        """Cycles until blocks and their mirror images begin again."""
        return 2 * len(self.orders)

    def seating(self, cycle: int, index: int) -> Seating:
        """Game *index* of *cycle*, both from 0; a round is as many games as seat everybody once."""
        lap, place = divmod(cycle, len(self.orders))
        which, shift = divmod(self.orders[place][index], self.size)
        number = place * self.share + which
        block = turned(self.blocks[number], lap)
        return Seating(
            entries=tuple((member + shift) % self.size for member in block),
            round=(cycle * self.games + index) * len(block) // self.size,
            repetition=f"{number + 1}.{lap // self._seatings(number) + 1}",
        )

    def _seatings(self, number: int) -> int:
        """In how many laps the block's games stay different: one, if shifting gives it back."""
        block = self.blocks[number]
        return 1 if _orbit(self.size, block) < self.size else 2 * len(block)


def turned(block: Block, lap: int) -> Block:
    """The seating of *block* in a later *lap*: all rotations, each followed by its mirror image.

    >>> [turned((0, 1, 3), lap) for lap in range(4)]
    [(0, 1, 3), (3, 1, 0), (1, 3, 0), (0, 3, 1)]
    """
    by = lap // 2 % len(block)
    rotated = block[by:] + block[:by]
    return rotated if lap % 2 == 0 else rotated[::-1]


@lru_cache(maxsize=8)  # asked for by a plan, a scheduler and a table, and searched for a second
def cyclic_design(size: int, sides: int, cycles: int) -> CyclicDesign:
    """The design for *size* entries with *sides* in a game; ValueError where it cannot be."""
    if not 3 <= sides <= size or cycles < 1:
        raise ValueError(
            "expected 3 sides or more, as many entries and a cycle, "
            f"got {sides!r}, {size!r} and {cycles!r}"
        )
    blocks = _first_blocks(size, sides)
    share = len(blocks)
    most = share * min(cycles, max(1, _MOST_GAMES // (share * size)))
    while len(blocks) < most and not _exact(size, blocks):
        blocks += find_blocks(size, sides, share, blocks)
    seated = _seated(size, blocks)
    orders, spread = _orders(size, [seated[at : at + share] for at in range(0, len(seated), share)])
    return CyclicDesign(size, seated, share, orders, spread)


def _first_blocks(size: int, sides: int) -> list[Block]:
    amount = -(-(size - 1) // (sides * (sides - 1)))
    while not min(Distances(size, blocks := find_blocks(size, sides, amount, ())).meetings()):
        amount += 1
    return blocks


def _exact(size: int, blocks: Sequence[Block]) -> bool:
    """Whether the blocks may begin again without adding up what is uneven."""
    if len(blocks[0]) == size:
        # Everybody meets in every game, so that only neighbours are left to be balanced.
        return len(blocks) * size % (size - 1) == 0
    meetings = Distances(size, blocks).meetings()
    return min(meetings) == max(meetings)


def _orbit(size: int, block: Block) -> int:
    """How many different sets of entries the shifts of *block* make."""
    members = frozenset(block)
    return next(
        by
        for by in range(1, size + 1)
        if frozenset((member + by) % size for member in block) == members
    )


def _orders(
    size: int, cycles: Sequence[Sequence[Block]]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """The order of games for each cycle of blocks, and the worst reach of them."""
    orders: list[tuple[int, ...]] = []
    spread = 0
    for cycle, blocks in enumerate(cycles):
        strides = [_stride(size, block) for block in blocks]
        plain = [
            which * size + step * stride % size
            for which, stride in enumerate(strides)
            for step in range(size)
        ]
        games = [tuple((member + game) % size for member in blocks[game // size]) for game in plain]
        even = even_order(size, games, f"order/{size}/{cycle}")
        orders.append(tuple(plain[game] for game in even))
        spread = max(spread, reach(size, [games[game] for game in even]))
    return tuple(orders), spread


def _stride(size: int, block: Block) -> int:
    """The step between shifts with the smallest reach."""
    candidates = [step for step in range(1, size) if gcd(step, size) == 1] or [1]
    chosen = candidates[:: -(-len(candidates) // _STRIDES)]

    def far(step: int) -> int:
        return reach(
            size,
            [tuple((member + at * step) % size for member in block) for at in range(size)],
        )

    return min(chosen, key=far)


def _seated(size: int, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with their members in an order that evens out who moves just before whom."""
    chance = Chance(f"seats/{size}/{len(blocks)}")
    work = [list(block) for block in blocks]
    count = [0] * size
    for block in work:
        for step in _steps(block, size):
            count[step] += 1
    for _ in range(_ORDER_STEPS * len(work)):
        block = work[chance.below(len(work))]
        one, other = chance.below(len(block)), chance.below(len(block))
        before = list(_steps(block, size))
        block[one], block[other] = block[other], block[one]
        after = list(_steps(block, size))
        if _moved(count, before, after) > 0:
            block[one], block[other] = block[other], block[one]
            _moved(count, after, before)
    return tuple(tuple(block) for block in work)


def _moved(count: list[int], before: list[int], after: list[int]) -> int:
    """Count *after* instead of *before*; the change of the sum of squares."""
    change = 0
    for step in before:
        count[step] -= 1
        change -= 2 * count[step] + 1
    for step in after:
        change += 2 * count[step] + 1
        count[step] += 1
    return change


def _steps(block: Sequence[int], size: int) -> Iterator[int]:
    """How far each member is from the one that moves just before it."""
    return ((member - block[place - 1]) % size for place, member in enumerate(block))
