"""Proving the times of a record: what was charged, what was left, and why a clock ran out.

A record holds what was measured (when a turn was sent, when its answer arrived) beside what became
of it (charged, credited, left). The second follows from the first by the arithmetic of clocks, and
here it is done again. Texts are cut to the microsecond, so a time stands for the thousand
nanoseconds from it on, and each clock is kept as the least and the most it can have shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sternhalma_server.clock import (
    MILLISECOND,
    SECOND,
    Budget,
    Lag,
    TimeControl,
    milliseconds,
    parse_clock,
)
from sternhalma_server.record import Out, Ply, Record, RecordError
from sternhalma_server.verdict import Reason

MOVE_KEYS: Final = ("charged", "left", "sent", "received", "late")
FALL_KEYS: Final = ("sent", "waited", "limit")

MICROSECOND: Final = 1000

_CUT: Final = MICROSECOND - 1  # nanoseconds that a text may have lost
_MOMENTS: Final = frozenset({"sent", "received"})
_MOMENT: Final = re.compile(r"(0|[1-9][0-9]{0,11})\.([0-9]{6})", re.ASCII)
_LENGTH: Final = re.compile(r"(0|[1-9][0-9]{0,14})\.([0-9]{3})", re.ASCII)


def prove_times(record: Record, lag: Lag | None) -> None:
    """Do the arithmetic of the clocks of *record* again; *lag* is the event's credit.

    The record is one that `replay` has proved.
    Raises `RecordError` naming the game, the line and the difference.
    """
    watches = _watches(record, lag)
    for number, happening in enumerate(record.happened):
        try:
            match happening:
                case Ply():
                    watches[happening.seat].move(happening)
                case Out():
                    watches[happening.seat].fall(happening)
                case _:
                    pass
        except ValueError as error:
            line = record.line_of(number)
            raise RecordError(f"game {record.game}, line {line}: {error}") from None


def credit_left(record: Record, seat: str, lag: Lag | None) -> int | None:
    """What the bucket of *seat* held at the end of *record*, None if it had no credit.

    In nanoseconds. A seat that has made no move says nothing of its credit. Raises `ValueError` for
    times that cannot be read or do not hold.
    """
    watch = _watches(record, lag)[seat]
    for happening in record.happened:
        if isinstance(happening, Ply) and happening.seat == seat:
            watch.move(happening)
    return watch.most.bucket if watch.credited else None


def moment(text: str) -> int:
    """A moment of a record, seconds since 1970, in nanoseconds. Raises `ValueError`."""
    return _time(text, _MOMENT, SECOND, "a moment such as '1764451826.123456'")


def length(text: str) -> int:
    """A length of time of a record, milliseconds, in nanoseconds. Raises `ValueError`."""
    return _time(text, _LENGTH, MILLISECOND, "milliseconds such as '12.345'")


def _time(text: str, form: re.Pattern[str], unit: int, example: str) -> int:
    found = form.fullmatch(text)
    if found is None:
        raise ValueError(f"expected {example}, got {text!r}")
    return int(found[1]) * unit + int(found[2]) * MICROSECOND


def _watches(record: Record, lag: Lag | None) -> dict[str, _Watch]:
    control = parse_clock(record.clock)
    return {player.seat: _Watch(control, lag) for player in record.players}


@dataclass(frozen=True, slots=True)
class _Reading:
    """One end of what a clock can have shown: the budget, and the bucket of credit."""

    budget: Budget
    bucket: int


class _Watch:
    """The clock of one seat as its record tells it: `least` and `most` it can have shown."""

    def __init__(self, control: TimeControl, lag: Lag | None) -> None:
        self.control = control
        self.lag = lag
        self.least = self.most = _Reading(control.start(), 0 if lag is None else lag.cap)
        self.credited = False  # the last move was

    def move(self, ply: Ply) -> None:
        """Take a move off the clock. Raises `ValueError` if its times do not hold."""
        if ply.source is not None:
            if ply.evidence:
                raise ValueError(f"expected no times of a ply by {ply.source!r}, got some")
            return
        keys = dict(ply.evidence)
        times = _times(keys, MOVE_KEYS)
        self.credited = "credit" in keys
        credit = length(keys["credit"]) if self.credited else 0
        self._check_credit(times["received"] - times["sent"], times["charged"], credit)
        limit = self._limit(self.most)
        if limit is not None and times["charged"] > limit:
            raise ValueError(
                f"expected at most {milliseconds(limit)} charged, the flag falls then,"
                f" got {keys['charged']}"
            )
        self.least = self._spent(self.least, times["charged"] + _CUT, credit + _CUT)
        self.most = self._spent(self.most, times["charged"], credit)
        self._check_left(keys["left"])

    def fall(self, out: Out) -> None:
        """Hold how a seat went out against its clock. Raises `ValueError`."""
        keys = dict(out.evidence)
        if "limit" in keys:
            self._check_limit(length(keys["limit"]))
        if out.reason is not Reason.TIME:
            return
        times = _times(keys, FALL_KEYS)
        patience = times["limit"] + (self.least.bucket if self.credited else 0)
        if times["waited"] + _CUT <= patience:
            raise ValueError(
                f"expected more than {milliseconds(patience)} waited before a fall by time,"
                f" got {keys['waited']}"
            )

    def _check_credit(self, elapsed: int, charged: int, credit: int) -> None:
        cut = 2 * _CUT if self.credited else _CUT
        if not charged + credit - _CUT <= elapsed <= charged + credit + _CUT + cut:
            raise ValueError(
                f"expected the {_signed(elapsed)} ms from sent to received to be charged or"
                f" credited, got {milliseconds(charged)} and {milliseconds(credit)}"
            )
        if not self.credited:
            return
        if self.lag is None:
            raise ValueError(
                f"expected no credit in an event without lag, got {milliseconds(credit)}"
            )
        least = self.lag.credit(max(0, elapsed - _CUT), self.least.bucket)
        most = self.lag.credit(elapsed + _CUT, self.most.bucket)
        if not least - _CUT <= credit <= most:
            raise ValueError(f"expected credit={milliseconds(most)}, got {milliseconds(credit)}")

    def _check_left(self, text: str) -> None:
        least, most = self._limit(self.least), self._limit(self.most)
        right = ("-", "-")
        if least is not None and most is not None:
            right = (str(least // MILLISECOND), str(most // MILLISECOND))
            if text.isdecimal() and int(right[0]) <= int(text) <= int(right[1]):
                return
        if text not in right:
            raise ValueError(f"expected left={right[1]} by the clock, got {text!r}")

    def _check_limit(self, limit: int) -> None:
        least, most = self._limit(self.least), self._limit(self.most)
        if least is None or most is None:
            raise ValueError(f"expected no limit without a clock, got {milliseconds(limit)}")
        if not least - _CUT <= limit <= most:
            raise ValueError(
                f"expected limit={milliseconds(most)} by the clock, got {milliseconds(limit)}"
            )

    def _limit(self, reading: _Reading) -> int | None:
        return self.control.limit(reading.budget)

    def _spent(self, reading: _Reading, charged: int, credit: int) -> _Reading:
        limit = self._limit(reading)
        if limit is not None:
            charged = min(charged, limit)  # only rounding can have made it more
        bucket = 0
        if self.lag is not None:
            taken = min(credit, reading.bucket) if self.credited else 0
            bucket = self.lag.refill(reading.bucket, taken)
        return _Reading(self.control.spend(reading.budget, charged), bucket)


def _times(keys: Mapping[str, str], wanted: tuple[str, ...]) -> dict[str, int]:
    """The times under the keys *wanted*, in nanoseconds, but for `left`, which may be `-`."""
    missing = [key for key in wanted if key not in keys]
    if missing:
        raise ValueError(f"expected {', '.join(wanted)}, got no {missing[0]!r}")
    times: dict[str, int] = {}
    for key in wanted:
        if key in _MOMENTS:
            times[key] = moment(keys[key])
        elif key != "left":
            times[key] = length(keys[key])
    return times


def _signed(nanoseconds: int) -> str:
    sign = "-" if nanoseconds < 0 else ""
    return f"{sign}{milliseconds(abs(nanoseconds))}"
