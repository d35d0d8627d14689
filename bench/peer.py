"""A published move generator in pure Python to be measured beside: magmacrunch-chinese-checkers.

Its rules differ in one point: a marble hops over marbles of other players only. So that both are
known to be asked the same question, `expected` finds that set with our own tables, and the bench
compares before it measures. Elsewhere it knows no target lock and no points that are out of bounds,
as `duel`. Its move generator finds fewer moves for that, which is to its advantage.

The package is licensed for noncommercial use; here it is installed by its name into the bench's own
environment, asked for moves and timed.
"""

from __future__ import annotations

import importlib
from typing import Any

import sternhalma as sh
from sternhalma.movegen import moves_for

NAME = "magmacrunch-chinese-checkers"
Pair = tuple[int, int]  # the holes a move leaves and ends in


class Peer:
    """The peer's rules, with our holes translated to its holes."""

    def __init__(self) -> None:
        self.rules: Any = importlib.import_module("chinese_checkers.rules")
        board = sh.Rules.parse("duel").board
        # Our (row, diagonal) about the middle hole i9 is its (q, r, s), rows being its r.
        self._index: list[int] = []
        for name in board.names:
            row, diagonal = ord(name[0]) - ord("i"), int(name[1:]) - 9
            cube = (diagonal - row, row, -diagonal)
            self._index.append(self.rules.INDEX[cube])
        self._hole = {self.rules.POSITIONS[index]: hole for hole, index in enumerate(self._index)}

    def cells(self, position: sh.Position) -> tuple[list[int], int]:
        """Its board for *position* and the player to move."""
        cells = [self.rules.EMPTY] * len(self._index)
        for colour, marbles in enumerate(position.marbles):
            for hole, index in enumerate(self._index):
                if marbles >> hole & 1:
                    cells[index] = colour
        turn = position.turn
        assert turn is not None
        return cells, position.seating.lanes_of[turn][0].colour

    def moves(self, cells: list[int], player: int) -> list[Any]:
        """Its list of legal moves: what is timed."""
        moves: list[Any] = self.rules.legal_moves(cells, player)
        return moves

    def pairs(self, moves: list[Any]) -> list[Pair]:
        """Its moves as our holes, ascending; a pair for each of its moves."""
        return sorted((self._hole[move.frm], self._hole[move.to]) for move in moves)


def expected(position: sh.Position) -> list[Pair]:
    """The moves of `duel` if only marbles of other players may be hopped over, ascending."""
    turn = position.turn
    assert turn is not None
    lane = position.seating.lanes_of[turn][0]
    table = moves_for(position.seating)[lane.colour]
    empty = table.everywhere & ~position.occupied
    own = position.marbles[lane.colour]
    others = position.occupied & ~own
    found: list[Pair] = []
    for origin in range(own.bit_length()):
        if not own >> origin & 1:
            continue
        _, near, _, _ = table.cells[origin + 1]
        reach = near & empty
        free = empty
        landings = 1 << origin
        while landings:
            hole, near, hops, _ = table.cells[landings.bit_length()]
            landings ^= hole
            new = hops[others & near] & free
            free ^= new
            landings |= new
        reach |= empty ^ free
        found += [(origin, target) for target in range(reach.bit_length()) if reach >> target & 1]
    return found
