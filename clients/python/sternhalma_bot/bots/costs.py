"""What each hole costs a marble: the one opinion about the game that the sample bots share.

A marble outside its target pays the steps to the tip of the target, once more the steps to the
nearest hole that is still to be filled, and one for being outside; a marble inside pays only what
it lacks to the tip. So a step forward outside is worth two, which brings marbles in before those
inside tidy up; a marble inside moves on towards the tip, which opens the front for the next; and
the last marbles walk along the front to the gap, where the way to the tip alone would leave them
standing.
"""

from __future__ import annotations

from functools import lru_cache

from sternhalma import Board, Lane, Mask, Position
from sternhalma.board import holes_of

TO_LEAVE = 8  # for each step out of the start point, where staying too long loses the game


def hole_costs(position: Position, lane: Lane) -> tuple[int, ...]:
    """For each hole what a marble of *lane* pays there, seen from *position*."""
    occupied = position.occupied
    gaps = lane.fill & ~occupied or lane.fill & ~position.marbles[lane.colour]
    must_leave = lane.start if position.rules.clear_by is not None else 0
    return _table(position.seating.board, lane, Mask(gaps or lane.fill), Mask(must_leave))


@lru_cache(maxsize=4096)
def _table(board: Board, lane: Lane, gaps: Mask, must_leave: Mask) -> tuple[int, ...]:
    # The tip of a point, or the corner of a camp, is the hole with the fewest neighbours.
    tip = min(holes_of(lane.target), key=lambda hole: board.neighbours[hole].bit_count())
    to_tip = board.distances(Mask(1 << tip))
    to_gap = board.distances(gaps)
    to_leave = board.distances(Mask(board.everywhere & ~must_leave))
    return tuple(
        to_tip[hole]
        if lane.fill >> hole & 1
        else to_tip[hole] + to_gap[hole] + 1 + TO_LEAVE * to_leave[hole]
        for hole in range(len(to_tip))
    )
