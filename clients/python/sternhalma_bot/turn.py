"""A turn as a bot sees it: the game to move in, and what an answer may depend on."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

import sternhalma
from sternhalma.rules import AtLimit


@dataclass(frozen=True, eq=False)
class Turn:
    """One turn.

    `position` is its text, `ply` its number in the game, `seed` the number the server gave this
    seat for this game, `time_left` the seconds for this move when the turn arrived (None without a
    clock), `offered` whether somebody offers a draw. `limit` and `at_limit` are the game's, None
    for the rules' own.

    An event can be played again move for move if its bots answer from `position`, `seed` and `rng`
    alone, never from the time.
    """

    position: str
    ply: int
    seed: int = 0
    time_left: float | None = None
    limit: int | None = None
    at_limit: AtLimit | None = None
    offered: bool = False

    @staticmethod
    def of(game: sternhalma.Game, seed: int = 0) -> Turn:
        """The turn that *game* waits for, to ask a bot without any server."""
        terms = game.terms
        turn = Turn(str(game), game.ply, seed, None, terms.limit, terms.at_limit)
        turn.__dict__["game"] = game  # where the cached property below looks first
        return turn

    @cached_property
    def game(self) -> sternhalma.Game:
        """The game at this turn, to ask for moves and to try them out."""
        # As a puzzle: how many marbles there are is the server's business.
        return sternhalma.Game.load(
            self.position, puzzle=True, limit=self.limit, at_limit=self.at_limit
        )

    @cached_property
    def rng(self) -> random.Random:
        """Chance that falls the same way whenever this seed meets this ply again."""
        return random.Random(f"{self.seed} {self.ply}")
