"""How long to think: the clock of a game, a budget for one move of it, and a deadline to look at.

A bot that never asks for the time plays the same moves again when an event is played again. So
these are for those who would rather use the time they have, and for a brake behind a fixed budget.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

MOVES_TO_GO: Final = 30  # how many moves the time that is left is spread over
MARGIN: Final = 0.05  # seconds; for the way to the server and back

_UNITS: Final[Mapping[str, float]] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME: Final = r"(\d+(?:\.\d+)?)(ms|s|m|h)"
_CLOCK: Final = re.compile(rf"{_TIME}(?:\+(?:{_TIME}|(\d+)x{_TIME}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a game, in seconds.

    Either each move has `move`, or a player has `base` for all his moves, and then `increment` more
    after each or some number of periods of `period`.
    """

    move: float = 0.0
    base: float = 0.0
    increment: float = 0.0
    period: float = 0.0

    def budget(self, left: float, periods: int = 0, moves_to_go: int = MOVES_TO_GO) -> float:
        """Seconds to spend on a move with *left* on the clock, *periods* of byo-yomi among them.

        >>> parse_clock("60s+0.5s").budget(left=30)
        1.5
        >>> parse_clock("60s+5x2s").budget(left=10, periods=5)
        2.0
        """
        if self.move:
            return left
        base = max(0.0, left - periods * self.period)
        # A move that ends within a period leaves that period whole, so one of them is always free.
        free = self.increment + (self.period if periods else 0.0)
        return min(left, base / max(1, moves_to_go) + free)


def parse_clock(text: str) -> Clock:
    """The clock that a `game` line tells as *text*; `ValueError` for `none` and what is no clock.

    >>> parse_clock("5m+3x10s")
    Clock(move=0.0, base=300.0, increment=0.0, period=10.0)
    """
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise ValueError(f"expected a clock such as 2s, 60s+0.5s or 60s+5x2s, got {text!r}")
    number, unit, more, more_unit, _periods, period, period_unit = found.groups()
    first = float(number) * _UNITS[unit]
    if more is not None:
        return Clock(base=first, increment=float(more) * _UNITS[more_unit])
    if period is not None:
        return Clock(base=first, period=float(period) * _UNITS[period_unit])
    return Clock(move=first)


def with_margin(budget: float, margin: float = MARGIN) -> float:
    """*budget* less what the network may take, but never less than half of it.

    >>> with_margin(2.0), with_margin(0.06)
    (1.95, 0.03)
    """
    return max(budget - margin, budget / 2)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the clock *now*, in its seconds; `math.inf` never comes."""

    at: float = math.inf
    now: Callable[[], float] = time.monotonic

    @property
    def left(self) -> float:
        """Seconds until then, 0 once it has passed."""
        return max(0.0, self.at - self.now())

    @property
    def passed(self) -> bool:
        """Whether the moment has come."""
        return self.now() >= self.at
