"""Games whose worker was lost, and who may have to do with it.

A machine is taken away, or a program takes all its memory; from far away both look the same. What
is lost in company is played again, first one game to a task, and what is lost again while nothing
else is played anywhere: whoever else was on the same machine is cleared by that. A game that loses
its worker even then is doomed, and marks all who play in it. An entry that has more marks than any
other, and more than one, is what these games have in common.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from enum import Enum, auto

from sternhalma_tournament.schedule import Pairing


class Company(Enum):
    """What else was being played when a game was lost."""

    TASK = auto()  # other games of the same task, before it or behind it
    OTHERS = auto()  # other tasks
    NOBODY = auto()  # nothing, anywhere


class Losses:
    """Games that were lost with their workers and are not over yet.

    `again` are those to be played one to a task, `alone` those to be played while nothing else is,
    `doomed` those that were lost even so, by number.
    """

    def __init__(self) -> None:
        self.again: deque[Pairing] = deque()
        self.alone: deque[Pairing] = deque()
        self.doomed: dict[int, Pairing] = {}
        self._marked: dict[int, Pairing] = {}  # doomed once, and nobody was named for it

    def lose(self, games: Iterable[Pairing], company: Company) -> None:
        """A task was lost with these of its *games* not over."""
        match company:
            case Company.TASK:
                self.again.extend(games)
            case Company.OTHERS:
                self.alone.extend(games)
            case Company.NOBODY:
                for game in games:
                    self.doomed[game.number] = self._marked[game.number] = game

    @property
    def suspect(self) -> str | None:
        """The entry that stands out among those that are marked; None if none does."""
        marks = Counter(name for game in self._marked.values() for name in {*game.entries})
        (first, most), (_, next_most) = [*marks.most_common(2), ("", 0), ("", 0)][:2]
        return first if most > 1 and most > next_most else None

    def name(self, entry: str) -> list[Pairing]:
        """It was *entry*: nobody else is marked by its games, and those doomed are to be played
        without it."""
        self._marked = {n: game for n, game in self._marked.items() if entry not in game.entries}
        freed = [game for game in self.doomed.values() if entry in game.entries]
        for game in freed:
            del self.doomed[game.number]
        return freed
