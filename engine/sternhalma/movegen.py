"""Where marbles can go: the hot part of the engine, and all of it.

One look-up in the tables of `hops` tells where all hops from a hole land; what is left is to take
away what is occupied, and to flood on from each landing. The target lock of `corner` and Halma
costs nothing: a hole inside the target has tables of its own whose landings are cut down to the
target. Measured against shifted bitboards (a third of the speed) and against neighbour tables with
a search (half).

Holes are taken from a set highest first: `bit_length` finds the highest at a fifth of what
`mask & -mask` takes to find the lowest. Tables of holes therefore have the place of a hole one up,
where the bit length of its mask points, and a place 0 that nobody asks for.

A written path is checked hop by hop against a table of its own: for two holes those on the way and
the one of them that must be occupied.

Everything outside this module asks it in terms of masks, so that a compiled version can take its
place without anybody noticing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sternhalma.board import Hole, Mask
from sternhalma.hops import LineHops, Ways, long_hops, short_hops, ways
from sternhalma.move import Move, ShortForms, short_forms
from sternhalma.position import Position
from sternhalma.rules import Lock
from sternhalma.seating import Lane, Seat, Seating

# For one hole of one lane: its mask, the neighbours, the landings by occupied neighbours, and where
# a move that begins here may end.
Cell = tuple[int, int, dict[int, int], int]
# For one hole of one lane: where a chain that stands here may land at all, and the lines here.
Lines = tuple[int, tuple[tuple[int, LineHops], ...]]


@dataclass(frozen=True, eq=False, slots=True)
class Moves:
    """The moves of one colour under one rule set; made by `moves_for`, once.

    `cells`, `bits` (masks alone) and `lines` (none without long hops) are indexed by the bit length
    of the mask of a hole, `ways` by the hole.
    """

    lane: Lane
    long: bool
    revisits: bool
    everywhere: int
    southward: bool  # whether the target is in higher holes than the start
    cells: tuple[Cell, ...]
    bits: tuple[int, ...]
    lines: tuple[Lines, ...]
    ways: tuple[Ways, ...]
    short_forms: ShortForms

    def destinations(self, occupied: int, marbles: int) -> list[tuple[int, int]]:
        """For each of *marbles* its hole and the set of holes where a move of it may end.

        *occupied* is every marble on the board, *marbles* those to move, of this colour. Both holes
        are masks; the list is in ascending order of holes and leaves out marbles that cannot move.
        """
        if self.long:
            return self._long_destinations(occupied, marbles)
        cells = self.cells
        empty = self.everywhere ^ occupied
        found: list[tuple[int, int]] = []
        rest = marbles
        while rest:
            origin, near, hops, ends = cells[rest.bit_length()]
            rest ^= origin
            around = occupied & near
            reach = near ^ around
            landings = hops[around] & empty
            if landings:
                # That the chain sees its origin empty changes nothing here: a hop leads two holes
                # on, so the origin is never next to a landing, and to be back there gains nothing.
                free = empty ^ landings
                while landings:
                    hole, near, hops, _ = cells[landings.bit_length()]
                    landings ^= hole
                    new = hops[occupied & near] & free
                    if new:
                        free ^= new
                        landings |= new
                reach |= empty ^ free
            reach &= ends
            if reach:
                found.append((origin, reach))
        found.reverse()
        return found

    def _long_destinations(self, occupied: int, marbles: int) -> list[tuple[int, int]]:
        cells, bits, lines = self.cells, self.bits, self.lines
        empty = self.everywhere ^ occupied
        found: list[tuple[int, int]] = []
        rest = marbles
        while rest:
            origin, near, _, ends = cells[rest.bit_length()]
            rest ^= origin
            others = occupied ^ origin
            free = empty
            landings = origin
            while landings:
                place = landings.bit_length()
                landable, through = lines[place]
                landings ^= bits[place]
                new = 0
                for line, hops in through:
                    on_line = others & line
                    if on_line:
                        new |= hops[on_line]
                new &= free & landable
                if new:
                    free ^= new
                    landings |= new
            reach = (near & empty | empty ^ free) & ends
            if reach:
                found.append((origin, reach))
        found.reverse()
        return found

    def moves(self, occupied: int, marbles: int) -> list[Move]:
        """The moves of *marbles* in their short form, ascending; see `destinations`."""
        if self.long:
            return self._listed(self._long_destinations(occupied, marbles))
        # The loop of `destinations` once more: to list what that returns takes a tenth longer.
        cells, bits, rows = self.cells, self.bits, self.short_forms.rows
        empty = self.everywhere ^ occupied
        found: list[Move] = []
        append = found.append
        rest = marbles
        while rest:
            place = rest.bit_length()
            origin, near, hops, ends = cells[place]
            rest ^= origin
            around = occupied & near
            reach = near ^ around
            landings = hops[around] & empty
            if landings:
                free = empty ^ landings
                while landings:
                    hole, near, hops, _ = cells[landings.bit_length()]
                    landings ^= hole
                    new = hops[occupied & near] & free
                    if new:
                        free ^= new
                        landings |= new
                reach |= empty ^ free
            reach &= ends
            if reach:
                row = rows[place] or self.short_forms.make_row(place)
                while reach:
                    target = reach.bit_length()
                    append(row[target])
                    reach ^= bits[target]
        found.reverse()
        return found

    def _listed(self, destinations: list[tuple[int, int]]) -> list[Move]:
        bits, rows = self.bits, self.short_forms.rows
        found: list[Move] = []
        append = found.append
        for origin, targets in reversed(destinations):
            place, reach = origin.bit_length(), targets
            row = rows[place] or self.short_forms.make_row(place)
            while reach:
                target = reach.bit_length()
                append(row[target])
                reach ^= bits[target]
        found.reverse()
        return found

    def hops(self, others: int, hole: int) -> int:
        """The set of holes that one hop from *hole* leads to; *others* leaves out the origin."""
        place = hole.bit_length()
        if self.long:
            landings = 0
            landable, through = self.lines[place]
            for line, hops_by_line in through:
                landings |= hops_by_line[others & line]
            return landings & landable
        _, near, hops, _ = self.cells[place]
        return hops[others & near] & ~others

    def ends(self, origin: Hole) -> int:
        """The set of holes where a move that begins in *origin* may end."""
        return self.cells[origin + 1][3]

    def allows(self, occupied: int, path: tuple[Hole, ...]) -> bool:
        """Whether *path*, which begins at a marble of this colour, is legal as it is written.

        That is a step or hops, one after the other. A path of two holes that is neither may still
        be the short form of a longer one.
        """
        origin, end = path[0], 1 << path[-1]
        bit, near, _, ends = self.cells[origin + 1]
        if near & end:  # a chain, which goes two holes at a time, never ends next to its origin
            return len(path) == 2 and end & ends != 0 and end & occupied == 0
        ways_from = self.ways
        others = occupied ^ bit
        hole = origin
        try:
            for landing in path[1:]:
                way, over = ways_from[hole][landing]
                if others & way != over:
                    return False
                hole = landing
        except KeyError:  # no hop at all
            return False
        if end == bit or not end & ends:
            return False
        # With three holes or fewer only the first and the last can be the same.
        return self.revisits or len(path) < 4 or len(set(path)) == len(path)

    def can_move(self, occupied: int, marbles: int) -> bool:
        """Whether any of *marbles* has a move; quick where one can step."""
        cells = self.cells
        rest = marbles
        southward = self.southward
        while rest:
            # From the front: the marbles behind are the ones that are often blocked.
            front = rest if southward else rest & -rest
            origin, near, _, ends = cells[front.bit_length()]
            rest ^= origin
            if near & ends & ~occupied:
                return True
        return bool(self.destinations(occupied, marbles))


def _moves(seating: Seating, lane: Lane) -> Moves:
    rules, board = seating.rules, seating.board
    everywhere: int = board.everywhere
    cells: list[Cell] = [(0, 0, {}, 0)]
    lines: list[Lines] = [(0, ())]
    all_ways: list[Ways] = []
    for number, (near, hops) in enumerate(short_hops(board)):
        hole = Hole(number)
        inside = lane.target >> hole & 1
        ends = lane.target if inside and rules.lock is not Lock.NONE else lane.ends
        landable = everywhere
        table = hops
        if inside and rules.lock is Lock.LANDINGS:
            landable = lane.target
            table = {pattern: landings & landable for pattern, landings in hops.items()}
        cells.append((1 << hole, near, table, ends))
        if rules.long:
            lines.append((landable, long_hops(board)[hole]))
        all_ways.append(ways(board, hole, landable, long=rules.long))
    return Moves(
        lane=lane,
        long=rules.long,
        revisits=rules.revisits,
        everywhere=everywhere,
        southward=lane.target > lane.start,
        cells=tuple(cells),
        bits=tuple(cell[0] for cell in cells),
        lines=tuple(lines),
        ways=tuple(all_ways),
        short_forms=short_forms(board),
    )


@lru_cache(maxsize=128)
def moves_for(seating: Seating) -> tuple[Moves, ...]:
    """The moves of every colour of *seating*, by colour."""
    return tuple(_moves(seating, lane) for lane in seating.lanes)


@lru_cache(maxsize=128)
def moves_of_seats(seating: Seating) -> tuple[tuple[Moves, ...], ...]:
    """For each seat the moves of its colours."""
    by_colour = moves_for(seating)
    return tuple(tuple(by_colour[lane.colour] for lane in lanes) for lanes in seating.lanes_of)


def seat_moves(position: Position, seat: Seat) -> Iterator[tuple[Hole, Mask]]:
    """For each marble of *seat* that can move its hole and the set of holes a move may end in."""
    occupied = position.occupied
    for moves in moves_of_seats(position.seating)[seat]:
        for origin, reach in moves.destinations(occupied, position.marbles[moves.lane.colour]):
            yield Hole(origin.bit_length() - 1), Mask(reach)


def seat_list(position: Position, seat: Seat) -> list[Move]:
    """The moves of *seat* in their short form, ascending for each of its colours."""
    marbles = position.marbles
    occupied = sum(marbles)
    first, *more = moves_of_seats(position.seating)[seat]
    found = first.moves(occupied, marbles[first.lane.colour])
    for moves in more:
        found += moves.moves(occupied, marbles[moves.lane.colour])
    return found


def can_move(position: Position, seat: Seat) -> bool:
    """Whether *seat* has any move at all."""
    marbles = position.marbles
    occupied = sum(marbles)
    for moves in moves_of_seats(position.seating)[seat]:
        if moves.can_move(occupied, marbles[moves.lane.colour]):
            return True
    return False


def count_moves(position: Position, seat: Seat) -> int:
    """How many distinct (from, to) moves *seat* has."""
    return sum(reach.bit_count() for _, reach in seat_moves(position, seat))
