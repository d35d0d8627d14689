"""Hops, as far as the board alone decides them: tables that `movegen` looks up, hole by hole.

Short hops: for each hole a dict leads from the pattern of its occupied neighbours to the set of
holes straight behind them, so one look-up answers all six (or eight) directions at once.

Long hops are kept by line: for each hole and each line through it the landings by the marbles on
that line, found when first asked for. (Tables by ray cost half as much again; by all lines at once
no pattern ever comes back.)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final

from sternhalma.board import Board, Hole, mask_of, union

_KEPT_OF_LINE: Final = 512  # so that no search, however long, fills the memory

# For one hole the set of its neighbours, and the landings by the set of occupied neighbours.
ShortHops = tuple[int, dict[int, int]]
# For one hole, by the hole a hop lands in: the way there, landing included, and which of its holes
# must be occupied; all others must be empty.
Ways = dict[Hole, tuple[int, int]]


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


@lru_cache(maxsize=64)
def short_hops(board: Board) -> tuple[ShortHops, ...]:
    """The short hops from each hole."""
    tables: list[ShortHops] = []
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
def long_hops(board: Board) -> tuple[tuple[tuple[int, LineHops], ...], ...]:
    """For each hole the lines through it, and the long hops along them."""

    def lines(rays: tuple[tuple[Hole, ...], ...]) -> Iterator[tuple[int, LineHops]]:
        # Directions come in opposite pairs, and two rays of a pair are a line.
        for pair in zip(rays[::2], rays[1::2], strict=True):
            if any(pair):
                hops = LineHops(pair)
                yield hops.line, hops

    return tuple(tuple(lines(rays)) for rays in board.rays)


def ways(board: Board, hole: Hole, landable: int, *, long: bool) -> Ways:
    """The ways of all hops from *hole* to holes of *landable*."""
    table: Ways = {}
    for ray in board.rays[hole]:
        for k in range(1, (len(ray) // 2 if long else min(len(ray) // 2, 1)) + 1):
            landing = ray[2 * k - 1]
            if landable >> landing & 1:
                table[landing] = (mask_of(ray[: 2 * k]), 1 << ray[k - 1])
    return table
