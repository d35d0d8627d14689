"""Where marbles can go: the hot part of the engine, and all of it.

Short hops: for each hole a dict leads from the pattern of its occupied neighbours to the set of
holes straight behind them, so one look-up answers all six (or eight) directions at once; what is
left is to take away what is occupied, and to flood on from each landing. The target lock of
`corner` and Halma costs nothing: a hole inside the target has a dict of its own whose landings are
cut down to the target. Measured against shifted bitboards (a third of the speed) and against
neighbour tables with a search (half).

Holes are taken from a set highest first: `bit_length` finds the highest at a fifth of what
`mask & -mask` takes to find the lowest. Tables of holes therefore have the place of a hole one up,
where the bit length of its mask points, and a place 0 that nobody asks for.

Long hops are kept by line: for each hole and each line through it the landings by the marbles on
that line, found when first asked for. (Tables by ray cost half as much again; by all lines at once
no pattern ever comes back.)

A written path is checked hop by hop against a table of its own: for two holes the one that must be
occupied and those that must be empty.

Everything outside this module asks it in terms of masks, so that a compiled version can take its
place without anybody noticing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from sternhalma.board import Board, Hole, Mask, mask_of, union
from sternhalma.position import Position
from sternhalma.rules import Lock
from sternhalma.seating import Lane, Seat, Seating

# For one hole of one lane: its mask, the neighbours, the landings by occupied neighbours, where a
# move that begins here may end, and where a chain that stands here may land at all.
Cell = tuple[int, int, dict[int, int], int, int]
_KEPT_OF_LINE: Final = 512  # so that no search, however long, fills the memory
# For one hole, by the hole a hop lands in: what is hopped over and what must be empty.
HopTable = dict[Hole, tuple[int, int]]


class LineHops(dict[int, int]):
    """The long hops from one hole along one line: the set of landings by that of the marbles there.

    `line` is the set of the other holes of the line. An entry is made when it is first asked for.
    """

    def __init__(self, rays: tuple[tuple[Hole, ...], ...]) -> None:
        super().__init__()
        self.line: int = union(map(mask_of, rays))
        self._rays = rays

    def __missing__(self, marbles: int) -> int:
        if len(self) >= _KEPT_OF_LINE:
            self.clear()
        self[marbles] = landings = sum(_long_hop(ray, marbles) for ray in self._rays)
        return landings


def _long_hop(ray: tuple[Hole, ...], marbles: int) -> int:
    """The landing of the hop along *ray*, nearest hole first; 0 where there is none."""
    for over, hole in enumerate(ray):
        if marbles >> hole & 1:
            landing = 2 * over + 1
            beyond = ray[over + 1 : landing + 1]
            if landing < len(ray) and not marbles & mask_of(beyond):
                return 1 << ray[landing]
            break
    return 0


@dataclass(frozen=True, eq=False, slots=True)
class Moves:
    """The moves of one colour under one rule set; made by `moves_for`, once.

    `cells` and `lines` are indexed by the bit length of the mask of a hole.
    """

    lane: Lane
    long: bool
    revisits: bool
    everywhere: int
    southward: bool  # whether the target is in higher holes than the start
    cells: tuple[Cell, ...]
    lines: tuple[tuple[tuple[int, LineHops], ...], ...]  # none without long hops
    hop_tables: tuple[HopTable, ...]

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
            origin, near, hops, ends, _ = cells[rest.bit_length()]
            rest ^= origin
            around = occupied & near
            reach = near ^ around
            landings = hops[around] & empty
            if landings:
                # That the chain sees its origin empty changes nothing here: a hop leads two holes
                # on, so the origin is never next to a landing, and to be back there gains nothing.
                free = empty ^ landings
                while landings:
                    hole, near, hops, _, _ = cells[landings.bit_length()]
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
        cells, lines = self.cells, self.lines
        empty = self.everywhere ^ occupied
        found: list[tuple[int, int]] = []
        rest = marbles
        while rest:
            origin, near, _, ends, _ = cells[rest.bit_length()]
            rest ^= origin
            others = occupied ^ origin
            free = empty
            landings = origin
            while landings:
                place = landings.bit_length()
                hole, _, _, _, landable = cells[place]
                landings ^= hole
                new = 0
                for line, hops in lines[place]:
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

    def hops(self, others: int, hole: int) -> int:
        """The set of holes that one hop from *hole* leads to; *others* leaves out the origin."""
        _, near, hops, _, landable = self.cells[hole.bit_length()]
        if self.long:
            landings = 0
            for line, hops in self.lines[hole.bit_length()]:
                landings |= hops[others & line]
            return landings & landable
        return hops[others & near] & ~others

    def ends(self, origin: Hole) -> int:
        """The set of holes where a move that begins in *origin* may end."""
        return self.cells[origin + 1][3]

    def is_chain(self, occupied: int, path: tuple[Hole, ...]) -> bool:
        """Whether *path*, three holes or more and the first the mover's, is a legal move."""
        others = occupied ^ (1 << path[0])
        tables = self.hop_tables
        hole = path[0]
        for landing in path[1:]:
            hop = tables[hole].get(landing)
            if hop is None or not others & hop[0] or others & hop[1]:
                return False
            hole = landing
        if not self.ends(path[0]) >> hole & 1:
            return False
        return hole != path[0] if self.revisits else len(set(path)) == len(path)

    def can_move(self, occupied: int, marbles: int) -> bool:
        """Whether any of *marbles* has a move; quick where one can step."""
        cells = self.cells
        rest = marbles
        southward = self.southward
        while rest:
            # From the front: the marbles behind are the ones that are often blocked.
            origin = 1 << (rest.bit_length() - 1) if southward else rest & -rest
            rest ^= origin
            _, near, _, ends, _ = cells[origin.bit_length()]
            if near & ends & ~occupied:
                return True
        return bool(self.destinations(occupied, marbles))


@lru_cache(maxsize=64)
def _short_hops(board: Board) -> tuple[tuple[int, dict[int, int]], ...]:
    """For each hole its neighbours, and the landings by the set of occupied neighbours."""
    tables: list[tuple[int, dict[int, int]]] = []
    for rays in board.rays:
        behind = {1 << ray[0]: (1 << ray[1] if len(ray) > 1 else 0) for ray in rays if ray}
        landings = {
            sum(pattern): sum(behind[neighbour] for neighbour in pattern)
            for size in range(len(behind) + 1)
            for pattern in combinations(behind, size)
        }
        tables.append((sum(behind), landings))
    return tuple(tables)


@lru_cache(maxsize=64)
def _lines(board: Board) -> tuple[tuple[tuple[int, LineHops], ...], ...]:
    """For each hole the lines through it, at the bit length of its mask."""

    def through(rays: tuple[tuple[Hole, ...], ...]) -> Iterator[tuple[int, LineHops]]:
        # Directions come in opposite pairs, and two rays of a pair are a line.
        for pair in zip(rays[::2], rays[1::2], strict=True):
            if any(pair):
                hops = LineHops(pair)
                yield hops.line, hops

    return ((), *(tuple(through(rays)) for rays in board.rays))


def _hop_table(rays: tuple[tuple[Hole, ...], ...], landable: int, *, long: bool) -> HopTable:
    """The hops from one hole to holes of *landable*."""
    table: HopTable = {}
    for ray in rays:
        for k in range(1, (len(ray) // 2 if long else min(len(ray) // 2, 1)) + 1):
            landing = ray[2 * k - 1]
            if landable >> landing & 1:
                over = 1 << ray[k - 1]
                table[landing] = (over, mask_of(ray[: 2 * k]) ^ over)
    return table


def _moves(seating: Seating, lane: Lane) -> Moves:
    rules, board = seating.rules, seating.board
    everywhere: int = board.everywhere
    cells: list[Cell] = [(0, 0, {}, 0, 0)]
    hop_tables: list[HopTable] = []
    for hole, (near, hops) in enumerate(_short_hops(board)):
        inside = lane.target >> hole & 1
        ends = lane.target if inside and rules.lock is not Lock.NONE else lane.ends
        landable = everywhere
        table = hops
        if inside and rules.lock is Lock.LANDINGS:
            landable = lane.target
            table = {pattern: landings & landable for pattern, landings in hops.items()}
        cells.append((1 << hole, near, table, ends, landable))
        hop_tables.append(_hop_table(board.rays[hole], landable, long=rules.long))
    return Moves(
        lane=lane,
        long=rules.long,
        revisits=rules.revisits,
        everywhere=everywhere,
        southward=lane.target > lane.start,
        cells=tuple(cells),
        lines=_lines(board) if rules.long else (),
        hop_tables=tuple(hop_tables),
    )


@lru_cache(maxsize=128)
def moves_for(seating: Seating) -> tuple[Moves, ...]:
    """The moves of every colour of *seating*, by colour."""
    return tuple(_moves(seating, lane) for lane in seating.lanes)


def seat_moves(position: Position, seat: Seat) -> Iterator[tuple[Hole, Mask]]:
    """For each marble of *seat* that can move its hole and the set of holes a move may end in."""
    by_colour = moves_for(position.seating)
    occupied = position.occupied
    for lane in position.seating.lanes_of[seat]:
        moves = by_colour[lane.colour]
        for origin, reach in moves.destinations(occupied, position.marbles[lane.colour]):
            yield Hole(origin.bit_length() - 1), Mask(reach)


def can_move(position: Position, seat: Seat) -> bool:
    """Whether *seat* has any move at all."""
    by_colour = moves_for(position.seating)
    occupied = position.occupied
    for lane in position.seating.lanes_of[seat]:
        if by_colour[lane.colour].can_move(occupied, position.marbles[lane.colour]):
            return True
    return False


def shortest_path(
    moves: Moves, board: Board, occupied: Mask, origin: Hole, target: Hole
) -> tuple[Hole, ...] | None:
    """The fewest landings from *origin* to *target*, None where no move leads there.

    Among equally short chains the first hop that differs decides by the order of the board's
    directions: the queue below keeps the chains of each length in that order.
    """
    start = 1 << origin
    if not moves.ends(origin) >> target & 1 or occupied >> target & 1:
        return None
    if board.neighbours[origin] >> target & 1:
        return (origin, target)
    others = occupied ^ start
    free = ~occupied
    before: dict[Hole, Hole] = {}
    queue = [origin]
    for hole in queue:
        landings = moves.hops(others, 1 << hole) & free
        if not landings:
            continue
        free &= ~landings
        for landing in _in_order(board, hole, landings):
            before[landing] = hole
            queue.append(landing)
        if target in before:
            path = [target]
            while path[-1] != origin:
                path.append(before[path[-1]])
            return tuple(reversed(path))
    return None


def _in_order(board: Board, hole: Hole, landings: int) -> Iterator[Hole]:
    for ray in board.rays[hole]:
        for landing in ray[1::2]:
            if landings >> landing & 1:
                yield landing


def count_moves(position: Position, seat: Seat) -> int:
    """How many distinct (from, to) moves *seat* has."""
    return sum(reach.bit_count() for _, reach in seat_moves(position, seat))
