"""How many games make a task: so many that it lasts seconds, whatever a game takes.

To start a batch and its programs takes a second, so that a task of one quick game would be mostly
that; and what is lost with a worker is a task. What a game takes is not known before some have been
played, so the first tasks are single games.
"""

from __future__ import annotations

from typing import Final

TASK: Final = 15.0  # seconds that a task is meant to last
MOST: Final = 250  # games in a task, however quick: programs of many bots run beside each other
_GROWTH: Final = 8  # times as many games as in the tasks before, at most


class Pace:
    """What games have taken so far; `size` is how many make a task."""

    def __init__(self) -> None:
        self.size = 1
        self._each: float | None = None  # seconds a game, later ones counting more

    def note(self, games: int, seconds: float) -> None:
        """A task of so many *games*, 1 or more, has taken *seconds*."""
        each = max(seconds, 0.001) / games
        self._each = each if self._each is None else (self._each + each) / 2
        fitting = max(1, round(TASK / self._each))
        self.size = min(fitting, _GROWTH * max(games, self.size), MOST)

    def share(self, left: int, cores: int) -> int:
        """How many of *left* games the next task takes, so that all *cores* end at about one time.

        Towards the end tasks become smaller, down to a quarter: starting them takes its time too.
        """
        return max(1, self.size // 4, min(self.size, left // (2 * cores)))
