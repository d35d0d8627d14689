"""Games of two in pairs: the second has the seats swapped and the opening of the first.

What an opening or a seat is worth then cancels out. A first game waits for its return as long as
both bots are what they were; the two need not be played one right after the other.
"""

from collections import defaultdict
from collections.abc import Mapping

from sternhalma_tournament.schedule import Pairing


class Returns:
    """The first games that wait for their returns, at most one of every two entries."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, dict[str, Pairing]] = defaultdict(dict)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values())) // 2

    def of(self, name: str) -> Mapping[str, Pairing]:
        """The first games of *name* by opponent."""
        return self._waiting.get(name, {})

    def begin(self, pairing: Pairing) -> Pairing | None:
        """*pairing* has begun: the first game that it is the return of, or None if it is one."""
        one, other = pairing.entries
        first = self.of(one).get(other)
        if first is not None and first.entries == (other, one):
            self._remove(first)
            return first
        self._add(pairing)
        return None

    def undo(self, pairing: Pairing, first: Pairing | None) -> None:
        """*pairing*, which was the return of *first*, has not been played after all."""
        one, other = pairing.entries
        waiting = self.of(one).get(other)
        if waiting == pairing:
            self._remove(pairing)
        elif waiting is None and first is not None:
            self._add(first)

    def drop(self, name: str) -> None:
        """The games of *name* wait no more."""
        for first in list(self.of(name).values()):
            self._remove(first)

    def _add(self, first: Pairing) -> None:
        one, other = first.entries
        self._waiting[one][other] = self._waiting[other][one] = first

    def _remove(self, first: Pairing) -> None:
        one, other = first.entries
        for name, its in ((one, other), (other, one)):
            del self._waiting[name][its]
            if not self._waiting[name]:
                del self._waiting[name]
