"""Who sits where, by who sat where before: for formats that pair from results.

Everybody should have had every seat equally often, and nobody the same seat again and again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Final

_AGAIN: Final = 1
_FAR: Final = 2  # so many games more in one seat than in another are enough
_TOO_FAR: Final = 100_000


@dataclass(slots=True)
class SeatBook:
    """The seats of each entry so far."""

    sides: int
    count: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    last: dict[str, int] = field(default_factory=dict[str, int])

    def sit(self, entries: Sequence[str]) -> None:
        """*entries* have sat down in this order."""
        for seat, name in enumerate(entries):
            self.count.setdefault(name, [0] * self.sides)[seat] += 1
            self.last[name] = seat

    def seated(self, entries: Sequence[str]) -> tuple[str, ...]:
        """*entries* in the order that leaves seats most even; the first of equal ones."""
        return min(permutations(entries), key=self.cost)

    def cost(self, entries: Sequence[str]) -> int:
        """How uneven it is for *entries* to sit in this order."""
        return sum(self._cost(name, seat) for seat, name in enumerate(entries))

    def _cost(self, name: str, seat: int) -> int:
        count = self.count.get(name)
        if count is None:
            return 0
        gap = count[seat] - min(count)
        return 2 * gap**2 + _TOO_FAR * (gap >= _FAR) + _AGAIN * (self.last[name] == seat)
