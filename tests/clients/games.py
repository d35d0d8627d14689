"""Games between sample bots, without a server."""

from __future__ import annotations

import random
from collections.abc import Sequence

import sternhalma as sh
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.turn import Turn


def opened(rules: str, players: int, plies: int, seed: int, limit: int | None = None) -> sh.Game:
    rng = random.Random(seed)
    game = sh.Game.new(rules, players, limit=limit)
    while game.ply <= plies and game.turn is not None:
        legal = game.legal_moves()
        game = game.play(rng.choice(legal) if legal else sh.PASS)
    return game


def at_home(game: sh.Game, seat: int) -> int:
    """How many marbles of *seat* stand in their own start."""
    position = game.position
    lanes = position.seating.lanes_of[seat]
    return sum((position.marbles[lane.colour] & lane.start).bit_count() for lane in lanes)


def played(game: sh.Game, bots: Sequence[str], seed: int = 0) -> sh.Game:
    """The end of *game* with a sample bot on every seat; an illegal move raises."""
    while (seat := game.turn) is not None:
        if game.must_pass:
            game = game.play(sh.PASS)
        else:
            game = game.play(SAMPLES[bots[seat]].choose(Turn.of(game, seed)))
    return game
