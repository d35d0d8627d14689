"""Whether a bot whose connection has ended tries again, and how long it waits before.

A bot that the server has welcomed comes back, because the clock runs on and the server restates the
game (protocol.md, "Coming back"). Pauses double, and each is drawn at random below that: when a
server comes back, a hundred bots that lost it in one moment must not all knock in one moment.
"""

from __future__ import annotations

import random
from typing import Final

from sternhalma_bot.messages import Bye

PATIENCE: Final = 30.0  # seconds; as long as the server waits for a bot in its own turn
FIRST: Final = 0.1  # seconds; what the first pause is drawn below
LONGEST: Final = 5.0  # seconds
STEADY: Final = 10.0  # seconds; a connection that held for so long begins anew with the pauses

# Goodbyes that are not for good: the server that stops is started again, a full one empties.
TEMPORARY: Final = frozenset({"server-stops", "full"})


class Comeback:
    """The ends of one bot's connections, one after the other, and what comes of each.

    Times are in seconds of any clock that does not go back.
    """

    def __init__(self, patience: float = PATIENCE, rng: random.Random | None = None) -> None:
        self._patience = patience
        self._rng = rng or random.Random()
        self._give_up: float | None = None  # nobody who was never let in comes back
        self._tried = 0.0
        self._below = FIRST
        self._farewell: Bye | None = None

    def after(self, end: Bye | OSError, *, welcomed: bool, now: float) -> Bye | float:
        """The goodbye if it is for good, else the seconds to wait before the next try.

        *end* is how the connection ended, *welcomed* whether the server had let the bot in. Raises
        *end* where it is an error and patience has run out.
        """
        if isinstance(end, Bye) and end.code not in TEMPORARY:
            return end
        if welcomed or isinstance(end, Bye):
            self._farewell = end if isinstance(end, Bye) else None
        if welcomed:
            self._give_up = now + self._patience
            self._below = FIRST if now - self._tried >= STEADY else self._below
        left = 0.0 if self._give_up is None else self._give_up - now
        if left <= 0:
            if self._farewell is None:
                assert isinstance(end, OSError)
                raise end
            return self._farewell
        pause = min(self._rng.uniform(0, self._below), left)
        self._below = min(2 * self._below, LONGEST)
        self._tried = now + pause
        return pause
