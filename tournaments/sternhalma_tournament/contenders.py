"""Who of a ladder plays next and against whom: what each bot needs, and what a game would teach.

Who has begun the fewest games with its version goes first, since its author waits for a first
word; then who is known least. The opponents are those of whom a game teaches most (`lesson`),
divided by one more than the games they had with it lately: without that the two who are closest
would play each other for ever. Whatever is equal is decided by a number drawn once for each bot
from the seed, so that the answer depends on no order in which names are kept.

Where games end one by one, those of a game that has ended find nobody but each other, and would
again and again: two halves of a league might never meet. So the same company is kept for so many
games in a row only, as long as somebody else is playing.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.strength import Strength, lesson

_LATELY: Final = 32  # opponents that are remembered
_IN_A_ROW: Final = 4


@dataclass(slots=True)
class Contender:
    """What a ladder knows of one entry.

    `number` counts its versions and `begun` the games of the current one; `playing` are the games
    it is in; `luck` decides among equals; `company` are all in its last game, which it has been in
    for `in_a_row` games.
    """

    name: str
    entry: Entry
    luck: int
    version: str | None = None
    number: int = 0
    begun: int = 0
    playing: int = 0
    strength: Strength = field(default_factory=Strength)
    company: frozenset[str] = frozenset()
    in_a_row: int = 0
    _lately: deque[str] = field(default_factory=lambda: deque[str](maxlen=_LATELY))

    @property
    def held(self) -> int:
        """How many opponents are remembered."""
        return len(self._lately)

    def met_lately(self) -> Counter[str]:
        """How often each opponent is among the last ones."""
        return Counter(self._lately)

    def is_tired_of(self, names: Iterable[str]) -> bool:
        """Whether it should rather wait for others than play *names* once more."""
        return self.in_a_row >= _IN_A_ROW and self.company == frozenset(names)

    def meet(self, names: Sequence[str]) -> None:
        """A game with *names*, itself among them, has begun."""
        self.begun += 1
        self.playing += 1
        company = frozenset(names)
        self.in_a_row = self.in_a_row + 1 if company == self.company else 1
        self.company = company
        self._lately.extend(name for name in names if name != self.name)

    def renew(self, version: str) -> None:
        """It is another version now: unsure, and it has met nobody."""
        self.version = version
        self.number += 1
        self.begun = 0
        self.strength = self.strength.of_successor()
        self.company, self.in_a_row = frozenset(), 0
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
