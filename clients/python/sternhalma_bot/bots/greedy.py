"""The move that gains most, and of those that gain the same the one of the rearmost marble.

It looks at nothing but its own marbles, yet beats chance every time and never shuffles for long.
"""

from __future__ import annotations

import sternhalma
from sternhalma_bot.bots.costs import hole_costs
from sternhalma_bot.turn import Turn


def choose(turn: Turn) -> sternhalma.Move:
    """The move with the greatest gain; chance decides only between equals."""
    game = turn.game
    position = game.position
    lanes = position.seating.lanes_of[game.turn or 0]
    costs = {lane.colour: hole_costs(position, lane) for lane in lanes}
    best: list[sternhalma.Move] = []
    best_key = (-1_000, 0)
    for move in game.legal_moves():
        lane = position.lane_at(move.origin)
        assert lane is not None
        before = costs[lane.colour][move.origin]
        key = (before - costs[lane.colour][move.target], before)
        if key > best_key:
            best_key, best = key, []
        if key == best_key:
            best.append(move)
    return turn.rng.choice(best)
