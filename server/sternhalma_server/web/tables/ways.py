"""What whoever is to move can do, as data for a page that knows no rules.

For each marble that can move: where its move may end, with the way the rules would take, and where
each hop leads from wherever a chain of it can stand, so that a chain can be entered hop by hop.
"""

from __future__ import annotations

from typing import Any

from sternhalma import Game, Hole, Mask
from sternhalma.board import holes_of
from sternhalma.movegen import Moves, moves_of_seats


def ways_of(game: Game) -> dict[str, Any]:
    """The ways of the seat to move in *game*; empty if there is none.

    `marbles` has an item for each marble that can move, by its hole: `ends` are whole paths by the
    hole where they end, `hops` the holes one hop away, by each hole where a chain may stand. With
    `again` a chain may come to a hole a second time.
    """
    position = game.position
    if position.turn is None:
        return {}
    occupied = position.occupied
    marbles: dict[str, Any] = {}
    for moves in moves_of_seats(position.seating)[position.turn]:
        for bit, reach in moves.destinations(occupied, position.marbles[moves.lane.colour]):
            origin = Hole(bit.bit_length() - 1)
            ends: dict[str, list[int]] = {}
            for target in holes_of(Mask(reach)):
                move = game.find_path(origin, target)
                if move is not None:
                    ends[str(target)] = list(move.path)
            marbles[str(origin)] = {"ends": ends, "hops": _hops(game, moves, occupied, origin)}
    return {"marbles": marbles, "again": position.rules.revisits}


def _hops(game: Game, moves: Moves, occupied: int, origin: Hole) -> dict[str, list[int]]:
    """Where one hop leads, from every hole that a chain from *origin* can come to."""
    others = occupied ^ 1 << origin
    hops: dict[str, list[int]] = {}
    queue = [origin]
    for hole in queue:
        landings = list(holes_of(Mask(moves.hops(others, 1 << hole) & ~others)))
        if not game.rules.revisits:
            landings = [landing for landing in landings if landing != origin]
        hops[str(hole)] = [int(landing) for landing in landings]
        queue += [one for one in landings if one not in queue]
    return {hole: landings for hole, landings in hops.items() if landings}
