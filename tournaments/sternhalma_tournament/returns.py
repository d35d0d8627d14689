"""Games of two in pairs: the second has the seats swapped and the opening of the first.

What an opening or a seat is worth then cancels out. A first game waits for its return from its end
on, as long as both bots are what they were: of a game that still runs nobody knows whether it will
count. The two need not be played one right after the other.
"""

from collections.abc import Mapping, Sequence

from sternhalma_tournament.schedule import Pairing

_NOTHING: Mapping[str, Sequence[Pairing]] = {}


class Returns:
    """The first games that wait for their returns."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[str, list[Pairing]]] = {}  # both ways

    def __len__(self) -> int:
        return sum(len(games) for one in self._waiting.values() for games in one.values()) // 2

    def of(self, name: str) -> Mapping[str, Sequence[Pairing]]:
        """The first games of *name* by opponent, those that have waited longest in front."""
        return self._waiting.get(name, _NOTHING)

    def wait(self, first: Pairing) -> None:
        """*first* has ended, or its return has not been played after all."""
        one, other = first.entries
        games = self._waiting.setdefault(one, {}).setdefault(other, [])
        games.append(first)
        games.sort(key=lambda game: game.number)
        self._waiting.setdefault(other, {})[one] = games

    def take(self, pairing: Pairing) -> Pairing | None:
        """*pairing* has begun: the first game that it is the return of, if it is one."""
        one, other = pairing.entries
        for first in self.of(one).get(other, ()):
            if first.opening == pairing.opening and first.entries == (other, one):
                self._remove(first)
                return first
        return None

    def drop(self, name: str) -> None:
        """The games of *name* wait no more."""
        for first in [first for games in self.of(name).values() for first in games]:
            self._remove(first)

    def _remove(self, first: Pairing) -> None:
        one, other = first.entries
        self._waiting[one][other].remove(first)
        if not self._waiting[one][other]:
            for name, its in ((one, other), (other, one)):
                del self._waiting[name][its]
                if not self._waiting[name]:
                    del self._waiting[name]
