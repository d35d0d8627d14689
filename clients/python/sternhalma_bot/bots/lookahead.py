"""A few moves of looking ahead: iterative deepening with a fixed budget.

The budget counts work, not time, so that the answer depends on the seed and the position alone,
however busy the machine is. It takes some 25 ms of a processor on the star and 50 on the Halma
board, so that one that has to be shared with many still answers well within a clock of two seconds.
Twice the budget was once seen to take longer than that, where others kept the machine busy. The
clock ends a search only when half of the time left is gone.
"""

from __future__ import annotations

import time

import sternhalma
from sternhalma_bot.bots.search import Search
from sternhalma_bot.turn import Turn

BUDGET = 15_000  # marbles whose moves are looked for
LONG_HOPS = 4  # how much dearer a marble is with long hops
WIDTH = 16  # moves tried in a position
BRAKE = 0.5  # of the time left for the move


def choose(turn: Turn) -> sternhalma.Move:
    """The move that the deepest search found best."""
    game = turn.game
    position, seat = game.position, game.turn or sternhalma.Seat(0)
    began = time.monotonic()
    brake = None if turn.time_left is None else began + BRAKE * turn.time_left
    search = Search(
        position,
        seat,
        budget=BUDGET // (LONG_HOPS if position.rules.long else 1),
        width=WIDTH,
        impatience=_impatience(position, seat),
        stop=lambda: brake is not None and time.monotonic() > brake,
    )
    return search.best(turn.rng.shuffle)


def _impatience(position: sternhalma.Position, seat: sternhalma.Seat) -> int:
    # Two bots that look ahead may both wait for the other to open a ladder, to and fro, up to the
    # turn limit. By the time a game is usually half over waiting begins to lose its worth.
    turns_for_each_marble = 2
    usual = turns_for_each_marble * position.own(seat).bit_count()
    return max(0, position.counts[seat] - usual) // 2
