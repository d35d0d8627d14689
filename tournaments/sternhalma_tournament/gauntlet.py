"""Gauntlets: challengers who each meet everybody of the field, while the field rests from itself.

With two sides a cycle is every challenger against every entry of the field. With more, the field's
seats are filled as in a round robin of the field alone with one side less, and every game of that
is played once with each challenger, whose seat moves on from game to game and from cycle to cycle.
"""

from dataclasses import dataclass
from math import gcd

from sternhalma_tournament.berger import BergerTable
from sternhalma_tournament.designs import CyclicDesign, cyclic_design
from sternhalma_tournament.order import reach
from sternhalma_tournament.schedule import Seating


@dataclass(frozen=True, slots=True)
class DuelGauntlet:
    """Two sides: entries 0..challengers-1 against the *field* that follows them."""

    challengers: int
    field: int

    @property
    def games(self) -> int:
        """Games of one cycle."""
        return self.challengers * self.field

    @property
    def period(self) -> int:
        """Two cycles: there and back."""
        return 2

    @property
    def spread(self) -> int:
        """Both groups are gone through in turn, so that nobody gets two games ahead."""
        return 1

    def seating(self, cycle: int, index: int) -> Seating:
        """Game *index* of *cycle*, both from 0; in a round the smaller group plays once."""
        few, many = sorted((self.challengers, self.field))
        round_, place = divmod(index, few)
        # The larger group is gone through in steps of the smaller one; where that would come back
        # to the same meetings too early, one more step is made.
        other = (round_ * few + place + round_ // (many // gcd(few, many))) % many
        challenger, rival = (place, other) if self.challengers == few else (other, place)
        pair = (challenger, self.challengers + rival)
        return Seating(
            entries=pair if (cycle + challenger + rival) % 2 == 0 else pair[::-1],
            round=cycle * many + round_,
            repetition=str(cycle // 2 + 1),
        )


@dataclass(frozen=True, slots=True)
class GroupGauntlet:
    """Three sides and more: every game of *rest*, the field's own table, with each challenger."""

    challengers: int
    field: int
    rest: BergerTable | CyclicDesign
    sides: int

    @property
    def games(self) -> int:
        """Games of one cycle."""
        return self.challengers * self.rest.games

    @property
    def period(self) -> int:
        """As often as the field's table comes round with the challengers in every seat."""
        return self.sides * self.rest.period

    @property
    def spread(self) -> int:
        """The reach of the field's games; the challengers take turns."""
        games = [self.rest.seating(0, self._game(index)[0]).entries for index in range(self.games)]
        return max(1, reach(self.field, games))

    def seating(self, cycle: int, index: int) -> Seating:
        """Game *index* of *cycle*, both from 0."""
        game, challenger = self._game(index)
        # All seats of a challenger in one game of the field come before the field's next cycle.
        again, turn = divmod(cycle, self.sides)
        field = self.rest.seating(again, game)
        seat = (turn + game + challenger) % self.sides
        others = tuple(self.challengers + entry for entry in field.entries)
        return Seating(
            entries=(*others[:seat], challenger, *others[seat:]),
            round=cycle * self.rest.games + index // self.challengers,
            repetition=field.repetition,
        )

    def _game(self, index: int) -> tuple[int, int]:
        """The field's game and the challenger; challengers begin at different games."""
        game, challenger = divmod(index, self.challengers)
        first = challenger * self.rest.games // self.challengers
        return (game + first) % self.rest.games, challenger


def gauntlet_table(size: int, challengers: int, sides: int) -> DuelGauntlet | GroupGauntlet:
    """The table for *size* entries, the first of which are *challengers*; ValueError if too few."""
    field = size - challengers
    if challengers < 1 or field < max(1, sides - 1):
        raise ValueError(
            f"expected a challenger and a field of at least {max(1, sides - 1)}, "
            f"got {challengers!r} and {field!r}"
        )
    if sides == 2:
        return DuelGauntlet(challengers, field)
    rest = BergerTable(field, 1) if sides == 3 else cyclic_design(field, sides - 1, 1)
    return GroupGauntlet(challengers, field, rest, sides)
