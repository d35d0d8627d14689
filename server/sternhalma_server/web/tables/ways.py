"""What whoever is to move can do, as data for a page that knows no rules.

For each marble that can move: where its move may end, with the way the rules would take, and where
each hop leads from wherever a chain of it can stand, so that a chain can be entered hop by hop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sternhalma import Game, Hole, Mask
from sternhalma.board import holes_of
from sternhalma.movegen import Moves, moves_of_seats


def ways_of(game: Game) -> dict[str, Any]:
    """The ways of the seat to move in *game*; empty if there is none.

    `marbles` has an item for each marble that can move, by its hole: `ends` are whole paths, with
    the fewest landings there are, by the hole where they end; `hops` the holes one hop away, by
    each hole where a chain may stand. With `again` a chain may come to a hole a second time.
    """
    position = game.position
    if position.turn is None:
        return {}
    occupied = position.occupied
    marbles: dict[str, Any] = {}
    for moves in moves_of_seats(position.seating)[position.turn]:
        for bit, reach in moves.destinations(occupied, position.marbles[moves.lane.colour]):
            origin = Hole(bit.bit_length() - 1)
            hops, before = _chains(game, moves, occupied, origin)
            ends = {str(target): _way(before, origin, target) for target in holes_of(Mask(reach))}
            marbles[str(origin)] = {"ends": ends, "hops": hops}
    return {"marbles": marbles, "again": position.rules.revisits}


def _chains(
    game: Game, moves: Moves, occupied: int, origin: Hole
) -> tuple[dict[str, list[int]], dict[Hole, Hole]]:
    """Where one hop leads, from every hole that a chain from *origin* can come to; and for each of
    those holes the one before it in a shortest chain."""
    others = occupied ^ 1 << origin
    hops: dict[str, list[int]] = {}
    before = {origin: origin}
    queue = [origin]
    for hole in queue:
        landings = list(holes_of(Mask(moves.hops(others, 1 << hole) & ~others)))
        if not game.rules.revisits:
            landings = [landing for landing in landings if landing != origin]
        if landings:
            hops[str(hole)] = [int(landing) for landing in landings]
        for landing in landings:
            if landing not in before:
                before[landing] = hole
                queue.append(landing)
    return hops, before


def _way(before: Mapping[Hole, Hole], origin: Hole, target: Hole) -> list[int]:
    """The way from *origin* to *target*, which is a step where no chain leads there."""
    path = [target]
    while path[-1] != origin:
        path.append(before.get(path[-1], origin))
    return [int(hole) for hole in reversed(path)]
