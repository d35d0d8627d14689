"""Who of a ladder plays next and against whom: what each bot needs, and what a game would teach.

Who has begun the fewest games with its version goes first, since its author waits for a first
word; then who is known least. The opponents are those of whom a game teaches most (`lesson`),
divided by one more than the games they had with it lately: without that the two who are closest
would play each other for ever. Whatever is equal is decided by a number drawn once for each bot
from the seed, so that the answer depends on no order in which names are kept.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.strength import Strength, lesson

_LATELY: Final = 32  # opponents that are remembered


@dataclass(slots=True)
class Contender:
    """What a ladder knows of one entry.

    `number` counts its versions and `begun` the games of the current one; `playing` are the games
    it is in; `luck` decides among equals.
    """

    name: str
    entry: Entry
    luck: int
    version: str | None = None
    number: int = 0
    begun: int = 0
    playing: int = 0
    strength: Strength = field(default_factory=Strength)
    _lately: deque[str] = field(default_factory=lambda: deque[str](maxlen=_LATELY))

    @property
    def held(self) -> int:
        """How many opponents are remembered."""
        return len(self._lately)

    def met_lately(self) -> Counter[str]:
        """How often each opponent is among the last ones."""
        return Counter(self._lately)

    def meet(self, names: Iterable[str]) -> None:
        """A game with *names*, itself among them, has begun."""
        self.begun += 1
        self.playing += 1
        self._lately.extend(name for name in names if name != self.name)

    def renew(self, version: str) -> None:
        """It is another version now: unsure, and it has met nobody."""
        self.version = version
        self.number += 1
        self.begun = 0
        self.strength = self.strength.of_successor()
        self._lately.clear()


def neediest(contenders: Iterable[Contender]) -> Contender:
    """Who is to play first."""
    return min(contenders, key=lambda one: (one.begun, -one.strength.variance, one.luck))


def opponents(
    chosen: Sequence[Contender], pool: Collection[Contender], sides: int
) -> tuple[Contender, ...]:
    """*chosen* and the best of *pool* to make *sides*, one after the other."""
    game = list(chosen)
    worth = dict.fromkeys((other.name for other in pool), 0.0)
    for one in game:
        worth.pop(one.name, None)
    added = game.copy()
    while len(game) < sides:
        left = [other for other in pool if other.name in worth]
        for one in added:
            met = one.met_lately()
            strength = one.strength
            for other in left:
                taught = lesson(strength, other.strength)
                worth[other.name] += taught / (1 + met.get(other.name, 0))
        added = [max(left, key=lambda other: (worth[other.name], other.luck))]
        del worth[added[0].name]
        game += added
    return tuple(game)
