"""A turn as a bot sees it: the game to move in, and what an answer may depend on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import sternhalma
from sternhalma.rules import AtLimit
from sternhalma_bot.clock import MARGIN, MOVES_TO_GO, Clock, Deadline, with_margin


@dataclass(frozen=True, eq=False)
class Turn:
    """One turn.

    `position` is its text, `ply` its number in the game, `seed` the number the server gave this
    seat for this game, `time_left` the seconds for this move when the turn arrived (None without a
    clock), `offered` whether somebody offers a draw. `limit` and `at_limit` are the game's, None
    for the rules' own. `clock` is that of the game, None where there is none, `periods` how many
    periods of byo-yomi are in `time_left`, and `arrived` when the turn arrived, in seconds of
    `time.monotonic`.

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
    clock: Clock | None = None
    periods: int = 0
    arrived: float | None = None

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

    def budget(self, moves_to_go: int = MOVES_TO_GO, margin: float = MARGIN) -> float | None:
        """Seconds to spend on this move, None without a clock.

        What is left for the game is spread over *moves_to_go*; *margin* seconds are kept for the
        way to the server and back.
        """
        if self.time_left is None:
            return None
        clock = self.clock or Clock(base=self.time_left)
        return with_margin(clock.budget(self.time_left, self.periods, moves_to_go), margin)

    def deadline(
        self, seconds: float | None = None, now: Callable[[], float] = time.monotonic
    ) -> Deadline:
        """The end of *seconds* from the arrival of this turn, of its `budget` unless told.

        Without a clock and without *seconds* it never comes.
        """
        seconds = self.budget() if seconds is None else seconds
        if seconds is None:
            return Deadline(now=now)
        return Deadline((now() if self.arrived is None else self.arrived) + seconds, now)
