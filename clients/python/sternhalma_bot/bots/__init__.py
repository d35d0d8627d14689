"""Sample bots, from the plainest to one that looks ahead.

Each is a module with a function `choose(turn)`, and is meant to be read. All of them play every
rule set, and answer from the position and the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import sternhalma
from sternhalma_bot.bots import beam, greedy, lookahead, mcts, random_bot
from sternhalma_bot.turn import Turn


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample bot and what it does, in a line."""

    choose: Callable[[Turn], sternhalma.Move]
    summary: str


SAMPLES: Final[Mapping[str, Sample]] = {
    "random": Sample(random_bot.choose, "plays any legal move"),
    "greedy": Sample(greedy.choose, "plays the move that gains most"),
    "beam": Sample(beam.choose, "plays what gains most with its next move (beam search)"),
    "mcts": Sample(mcts.choose, "plays on a hundred times (Monte Carlo tree search)"),
    "lookahead": Sample(lookahead.choose, "searches a few moves ahead (alpha-beta)"),
}
