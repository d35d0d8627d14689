"""Any legal move, each as likely as the others."""

from __future__ import annotations

import sternhalma
from sternhalma_bot.turn import Turn


def choose(turn: Turn) -> sternhalma.Move:
    """A move drawn from all that are legal."""
    return turn.rng.choice(turn.game.legal_moves())
