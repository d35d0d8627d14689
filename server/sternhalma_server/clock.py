"""Clocks: how much time a move may take, and what is left after it.

All times are nanoseconds, as integers: nothing is rounded before it is shown. Nobody here asks what
time it is; elapsed times are arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000

_DURATION: Final = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h)", re.ASCII)
_UNITS: Final = {"ms": MILLISECOND, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_FORMS: Final = "'none', '2s' a move, '60s+0.5s' base and increment, '60s+5x2s' base and byo-yomi"


class ClockError(ValueError):
    """A clock that cannot be read; says what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one player has left: the main time and, with byo-yomi, the periods behind it."""

    main: int
    periods: int = 0


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How an event measures time; `parse_clock` makes one from the event file's text.

    `base` is the time a move (`per_move`) or the game starts with, `increment` what each move adds,
    `periods` of `period` each follow when the base is used up. Without `timed` there is no limit.
    """

    text: str
    timed: bool = True
    per_move: bool = False
    base: int = 0
    increment: int = 0
    periods: int = 0
    period: int = 0

    def start(self) -> Budget:
        """What each player has before the first move."""
        return Budget(self.base, self.periods)

    def limit(self, budget: Budget) -> int | None:
        """The longest the next move may take, None if there is no limit."""
        if not self.timed:
            return None
        return budget.main + budget.periods * self.period

    def spend(self, budget: Budget, charged: int) -> Budget:
        """What is left after a move that took *charged*, which is at most the limit.

        A move that ends within a period keeps that period whole; each period used up before is
        lost.
        """
        if not self.timed or self.per_move:
            return budget
        over = charged - budget.main
        if over <= 0 or not self.periods:
            return Budget(budget.main - charged + self.increment, budget.periods)
        lost = max(0, -(-over // self.period) - 1)
        return Budget(0, budget.periods - lost)


def parse_clock(text: str) -> TimeControl:
    """The time control written *text*. Raises `ClockError`.

    >>> parse_clock("60s+0.5s").increment
    500000000
    """
    if text == "none":
        return TimeControl(text, timed=False)
    base, plus, more = text.partition("+")
    if not plus:
        if _duration(base, text) == 0:
            raise ClockError(f"expected more than no time a move, got {text!r}")
        return TimeControl(text, per_move=True, base=_duration(base, text))
    count, times, period = more.partition("x")
    if not times:
        control = TimeControl(text, base=_duration(base, text), increment=_duration(more, text))
        if control.base == 0:
            raise ClockError(f"expected some time to start with, got {text!r}")
        return control
    if not re.fullmatch(r"[1-9]\d{0,2}", count, re.ASCII):
        raise ClockError(f"expected a clock such as {_FORMS}, got {text[:40]!r}")
    length = _duration(period, text)
    if length == 0:
        raise ClockError(f"expected periods longer than no time, got {text!r}")
    return TimeControl(text, base=_duration(base, text), periods=int(count), period=length)


def _duration(word: str, text: str) -> int:
    found = _DURATION.fullmatch(word)
    if found is None:
        raise ClockError(f"expected a clock such as {_FORMS}, got {text[:40]!r}")
    # Through a decimal point but not through a float: 0.1 s is exactly 100 ms.
    whole, _, part = found[1].partition(".")
    thousandths = int(whole) * 1000 + int(part.ljust(3, "0"))
    return thousandths * _UNITS[found[2]] // 1000


@dataclass(frozen=True, slots=True)
class Lag:
    """Credit for the network: a bucket that holds `cap` at most and gains `per_move` a move.

    A move that took t is credited c = min(t, bucket), and then bucket = min(cap, bucket - c +
    per_move). The bucket is full when the game begins.
    """

    per_move: int
    cap: int

    @property
    def text(self) -> str:
        """As the `game` line tells it: milliseconds a move and at most."""
        return f"{self.per_move // MILLISECOND}/{self.cap // MILLISECOND}"

    def credit(self, elapsed: int, bucket: int) -> int:
        """What a move that took *elapsed* is credited."""
        return min(elapsed, bucket)

    def refill(self, bucket: int, credit: int) -> int:
        """The bucket after a move that was credited *credit*."""
        return min(self.cap, bucket - credit + self.per_move)


def parse_duration(text: str) -> int:
    """A length of time such as `500ms`, `2s`, `1.5m` or `1h`, in nanoseconds.

    Raises `ClockError`.
    """
    if not _DURATION.fullmatch(text):
        raise ClockError(f"expected a time such as '500ms', '2s' or '5m', got {text[:40]!r}")
    return _duration(text, text)


def milliseconds(nanoseconds: int) -> str:
    """A time as the protocol writes what was charged: milliseconds to the microsecond."""
    # Half of what an f-string takes, for a number with leading zeros.
    return "%d.%03d" % (nanoseconds // MILLISECOND, nanoseconds // 1000 % 1000)  # noqa: UP031
