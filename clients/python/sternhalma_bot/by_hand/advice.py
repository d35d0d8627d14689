"""Advice for a person: the move that the sample bot lookahead would play."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sternhalma import Move
from sternhalma_bot.bots import lookahead
from sternhalma_bot.turn import Turn

SECONDS: Final = 1.0  # a person does not wait longer for a hint; usually it takes a tenth of that


def advise(turn: Turn) -> Move:
    """A good move for *turn*, within a second and within its clock."""
    seconds = SECONDS / lookahead.BRAKE
    left = seconds if turn.time_left is None else min(seconds, turn.time_left)
    return lookahead.choose(replace(turn, time_left=left))
