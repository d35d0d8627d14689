"""Round robins for three sides and more, and how even any schedule is.

A design is a list of base blocks, each shifted through all entries (see `blocks`): seats are exact
by construction, meetings as even as the search found. A cycle is the fewest blocks with which
everybody meets everybody. Further cycles take further blocks that even out what the first left
uneven, until meetings are exact; from then on the same games come again with the seats turned,
with the same opening, as the second half of a double round robin does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final

from sternhalma_tournament.blocks import Block, Distances, find_blocks
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.schedule import Schedule, Seating, Table

_ORDER_STEPS: Final = 300
_STRIDES: Final = 40
# So many are held at most, however many cycles there are; then they begin again as they are.
_MOST_BLOCKS: Final = 256


@dataclass(frozen=True, slots=True)
class CyclicDesign:
    """Base *blocks*, *share* of them to a cycle, block b shifted in steps of strides[b]."""

    size: int
    blocks: tuple[Block, ...]
    share: int
    strides: tuple[int, ...]

    @property
    def games(self) -> int:
        """Games of one cycle."""
        return self.size * self.share

    @property
    def period(self) -> int:
        """Cycles until blocks and their mirror images begin again."""
        lap = 2 * len(self.blocks)
        return lap // gcd(lap, self.share)

    def seating(self, cycle: int, index: int) -> Seating:
        """Game *index* of *cycle*, both from 0; a round is one block with all its shifts."""
        which, step = divmod(index, self.size)
        place = cycle * self.share + which
        lap, number = divmod(place, len(self.blocks))
        block = turned(self.blocks[number], lap)
        shift = step * self.strides[number] % self.size
        return Seating(
            entries=tuple((member + shift) % self.size for member in block),
            round=place,
            repetition=f"{number + 1}.{lap // self._seatings(number) + 1}",
        )

    def _seatings(self, number: int) -> int:
        """In how many laps the block's games stay different: one, if shifting it gives it back."""
        block = self.blocks[number]
        members = set(block)
        if any(
            {(member + by) % self.size for member in block} == members for by in range(1, self.size)
        ):
            return 1
        return 2 * len(block)


def turned(block: Block, lap: int) -> Block:
    """The seating of *block* in a later *lap*: all rotations, each followed by its mirror image.

    >>> [turned((0, 1, 3), lap) for lap in range(4)]
    [(0, 1, 3), (3, 1, 0), (1, 3, 0), (0, 3, 1)]
    """
    by = lap // 2 % len(block)
    rotated = block[by:] + block[:by]
    return rotated if lap % 2 == 0 else rotated[::-1]


def cyclic_design(size: int, sides: int, cycles: int) -> CyclicDesign:
    """The design for *size* entries with *sides* in a game; ValueError where it cannot be."""
    if not 3 <= sides <= size or cycles < 1:
        raise ValueError(
            "expected 3 sides or more, as many entries and a cycle, "
            f"got {sides!r}, {size!r} and {cycles!r}"
        )
    blocks = _first_blocks(size, sides)
    share = len(blocks)
    most = min(share * cycles, max(share, _MOST_BLOCKS))
    while len(blocks) < most and not _exact(size, blocks):
        blocks += find_blocks(size, sides, min(share, most - len(blocks)), blocks)
    ordered = _ordered(size, blocks)
    strides = tuple(_stride(size, block) for block in ordered)
    return CyclicDesign(size, ordered, share, strides)


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


def _ordered(size: int, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with their members in an order that evens out who moves just before whom."""
    chance = Chance(f"order/{size}/{len(blocks)}")
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


def _stride(size: int, block: Block) -> int:
    """The step between shifts that keeps games played most even on the way through the block."""
    candidates = [step for step in range(1, size) if gcd(step, size) == 1]
    chosen = candidates[:: -(-len(candidates) // _STRIDES)]
    return min(chosen, key=lambda stride: _unevenness(size, block, stride))


def _unevenness(size: int, block: Block, stride: int) -> int:
    played = [0] * size
    worst, most, least, at_least = 0, 0, 0, size
    for game in range(size):
        shift = game * stride
        for member in block:
            entry = (member + shift) % size
            if played[entry] == least:
                at_least -= 1
            played[entry] += 1
            most = max(most, played[entry])
        if at_least == 0:
            least = min(played)
            at_least = played.count(least)
        worst = max(worst, most - least)
    return worst


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The least and the most of: meetings of two entries, games of an entry in one seat, and games
    in which one given entry moves just before another."""

    meetings: tuple[int, int]
    seats: tuple[int, int]
    neighbours: tuple[int, int]


def imbalance(schedule: Schedule) -> Imbalance:
    """How even *schedule* is; reads one period of its table, however many cycles it has."""
    size = len(schedule.entries)
    table = schedule.table
    sides = len(table.seating(0, 0).entries)
    period = table.period
    laps, rest = divmod(schedule.cycles, period)
    meetings, seats, neighbours = ([0] * (size * size) for _ in range(3))
    seats = [0] * (size * sides)
    for cycle in range(min(period, schedule.cycles)):
        times = laps + (cycle < rest)
        _count(table, cycle, times, size, (meetings, seats, neighbours))
    off = [x for x in range(size * size) if x % size != x // size]
    return Imbalance(
        meetings=_range([meetings[x] for x in off]),
        seats=_range(seats),
        neighbours=_range([neighbours[x] for x in off]),
    )


def _count(
    table: Table, cycle: int, times: int, size: int, counts: tuple[list[int], list[int], list[int]]
) -> None:
    meetings, seats, neighbours = counts
    for index in range(table.games):
        entries = table.seating(cycle, index).entries
        for seat, entry in enumerate(entries):
            seats[entry * len(entries) + seat] += times
            neighbours[entries[seat - 1] * size + entry] += times
            for other in entries:
                meetings[entry * size + other] += times


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)
