"""Perft: how many different sequences of moves there are, to compare move generators by.

As in the published counts it does not stop when somebody finishes, and a seat that cannot move
ends its line: passes are not counted.
"""

from __future__ import annotations

from collections import Counter

from sternhalma.board import Mask
from sternhalma.movegen import moves_for
from sternhalma.position import Position


def perft(position: Position, depth: int) -> int:
    """The number of (from, to) move sequences of length *depth* from *position*."""
    if depth < 0:
        raise ValueError(f"expected a depth of 0 or more, got {depth}")
    if depth == 0:
        return 1
    turn = position.turn
    if turn is None:
        return 0
    by_colour = moves_for(position.seating)
    # One level of the tree at a time, equal positions counted together: moves of different seats
    # commute, so about half the work is saved.
    level = Counter({tuple(position.marbles): 1})
    for _ in range(depth - 1):
        lanes = position.seating.lanes_of[turn]
        following: Counter[tuple[Mask, ...]] = Counter()
        for marbles, times in level.items():
            occupied = sum(marbles)
            for lane in lanes:
                colour = lane.colour
                own = marbles[colour]
                before, behind = marbles[:colour], marbles[colour + 1 :]
                for origin, reach in by_colour[colour].destinations(occupied, own):
                    left = own ^ origin
                    rest = reach
                    while rest:
                        target = rest & -rest
                        rest ^= target
                        following[*before, Mask(left | target), *behind] += times
        level = following
        turn = position.following(turn)
        assert turn is not None
    lanes = position.seating.lanes_of[turn]
    return sum(
        times * reach.bit_count()
        for marbles, times in level.items()
        for lane in lanes
        for _, reach in by_colour[lane.colour].destinations(sum(marbles), marbles[lane.colour])
    )
