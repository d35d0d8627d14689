"""The clocks of one game: what each seat has left, and the lag it is credited."""

from __future__ import annotations

from collections.abc import Iterable

from sternhalma import Seat
from sternhalma_server.clock import Budget, Lag, TimeControl


class Timekeeper:
    """Keeps the time of every seat. All times are nanoseconds.

    *in_credit* are the seats that get credit for *lag*: those that play over a network.
    """

    __slots__ = ("_buckets", "_budgets", "_control", "_lag", "_limits")

    def __init__(
        self, control: TimeControl, lag: Lag | None, seats: int, in_credit: Iterable[Seat]
    ) -> None:
        self._control = control
        self._lag = lag
        self._budgets = [control.start()] * seats
        self._limits = [control.limit(budget) for budget in self._budgets]
        self._buckets = {} if lag is None else dict.fromkeys(in_credit, lag.cap)

    def budget(self, seat: Seat) -> Budget:
        """What *seat* has left."""
        return self._budgets[seat]

    def limit(self, seat: Seat) -> int | None:
        """The most the next move of *seat* can be charged, None if there is no limit."""
        return self._limits[seat]

    def patience(self, seat: Seat) -> int | None:
        """How long the next answer of *seat* may take to come, credit included; None: for ever."""
        limit = self._limits[seat]
        return None if limit is None else limit + self._buckets.get(seat, 0)

    def charge(self, seat: Seat, elapsed: int) -> tuple[int, int | None]:
        """Take a move that took *elapsed* off the clock: what is charged and what is credited,
        None for a seat without credit."""
        credit = None
        charged = elapsed
        if self._lag is not None and seat in self._buckets:
            credit = self._lag.credit(elapsed, self._buckets[seat])
            charged -= credit
        self.spend(seat, charged, credit)
        return charged, credit

    def spend(self, seat: Seat, charged: int, credit: int | None) -> None:
        """Take a move that was *charged* and *credited* so off the clock."""
        budget = self._budgets[seat] = self._control.spend(self._budgets[seat], charged)
        self._limits[seat] = self._control.limit(budget)
        if self._lag is not None and seat in self._buckets:
            self._buckets[seat] = self._lag.refill(self._buckets[seat], credit or 0)
