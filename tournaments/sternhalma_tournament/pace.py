"""How far who is present has got, so that nobody runs away from the others.

In a league without an end games begun cannot be compared from the first day: a newcomer would have
to catch up months, and all the others to wait for it. So each has a level. It rises by one with
each game begun, and only levels of those present are compared. Who arrives below all of them is
lifted to the lowest, who arrives out of their reach is brought to the highest, and who was away
for a moment finds its level as it was, so that a new connection buys no games.

A game may begin if nobody in it is then *spread* or more above anybody who waits for one. As those
who wait are never further apart, the lowest of them can always play: several of them each other, a
single one anybody, since its own level rises too. So the bound holds and never stops everybody.
Who plays is not waited for, or one slow bot would set the pace of all; where it falls out of the
others' reach meanwhile its level is lifted. It gets its games as fast as it plays them.

A game that is not played after all stays in the levels. Else a bot whose games never come about
would stay the lowest, and all the others would wait for it.
"""

from collections.abc import Collection


class Pace:
    """The levels of bots, those present less than *spread* apart."""

    def __init__(self, spread: int) -> None:
        # With 1, when two of three have played, the third could play neither.
        self.spread = max(spread, 2)
        self._levels: dict[str, int] = {}
        self._present: set[str] = set()

    def __len__(self) -> int:
        return len(self._levels)

    def level(self, name: str) -> int:
        """The level of *name*, comparable only with others that are present."""
        return self._levels.get(name, 0)

    def note(self, present: set[str]) -> None:
        """Exactly *present* are there now."""
        arrived = present - self._present
        self._present &= present
        for name in sorted(arrived, key=lambda name: (self.level(name), name)):
            self._arrive(name)

    def begin(self, names: Collection[str]) -> None:
        """A game of *names* has begun; who is out of their reach by now is lifted into it."""
        for name in names:
            self._levels[name] = self.level(name) + 1
        least = max(map(self.level, names)) - self.spread + 1
        for name in self._present:
            self._levels[name] = max(self._levels[name], least)

    def lowest(self, waiting: Collection[str]) -> set[str]:
        """Those of *waiting* with the lowest level."""
        floor = self._floor(waiting)
        return {name for name in waiting if self._levels[name] == floor}

    def ahead(self, name: str, waiting: Collection[str]) -> int:
        """How many games *name* is above the lowest of *waiting*."""
        return self._levels[name] - self._floor(waiting)

    def within(self, waiting: Collection[str]) -> list[str]:
        """Which of *waiting* may begin a game whoever else of them is in it."""
        most = self._floor(waiting) + self.spread - 2
        return [name for name in waiting if self._levels[name] <= most]

    def _floor(self, names: Collection[str]) -> int:
        return min(map(self._levels.__getitem__, names), default=0)

    def _arrive(self, name: str) -> None:
        level = self.level(name)
        if self._present:
            floor = self._floor(self._present)
            if level >= floor + self.spread:
                level = max(map(self._levels.__getitem__, self._present))
            level = max(level, floor)
        self._levels[name] = level
        self._present.add(name)
