"""Round robins for two sides, as FIDE's Berger tables have them (Handbook C.05, annex 1).

With N entries (an odd number gets a bye as its highest) the table is a rotation of 1..N-1 around
the fixed N. In round r, counted from 0, N meets the entry r*N/2 mod N-1, on its own seat in even
rounds, and the others pair up symmetrically around that entry. So every cell is arithmetic and no
table is stored.
"""

from dataclasses import dataclass

from sternhalma_tournament.schedule import Seating


@dataclass(frozen=True, slots=True)
class BergerTable:
    """Everybody meets everybody once a cycle; seats are reversed from cycle to cycle.

    Every cycle that another follows plays its last two rounds in exchanged order, as FIDE advises
    for double round robins: else some would have the same seat three times running.
    """

    size: int
    cycles: int

    def __post_init__(self) -> None:
        if self.size < 2 or self.cycles < 1:
            raise ValueError(
                f"expected two entries and one cycle or more, got {self.size!r} and {self.cycles!r}"
            )

    @property
    def games(self) -> int:
        """Games of one cycle."""
        return self.size * (self.size - 1) // 2

    @property
    def period(self) -> int:
        """Two cycles: there and back."""
        return 2

    @property
    def spread(self) -> int:
        """One round; with a bye two, as one entry has had it and another has not."""
        return 1 + self.size % 2

    @property
    def rounds(self) -> int:
        """Rounds of one cycle."""
        return self.size - 1 + self.size % 2

    def seating(self, cycle: int, index: int) -> Seating:
        """Game *index* of *cycle*, both from 0, in the order of the printed tables."""
        place, board = divmod(index, self.size // 2)
        pair = self._pair(self._round_at(cycle, place), board)
        return Seating(
            entries=pair if cycle % 2 == 0 else (pair[1], pair[0]),
            round=cycle * self.rounds + place,
            repetition=str(cycle // 2 + 1),
        )

    def _round_at(self, cycle: int, place: int) -> int:
        exchanged = cycle + 1 < self.cycles and self.rounds > 1 and place >= self.rounds - 2
        return 2 * self.rounds - 3 - place if exchanged else place

    def _pair(self, round_: int, board: int) -> tuple[int, int]:
        ring = self.rounds
        last = ring  # the fixed entry, or the bye
        pivot = round_ * (last + 1) // 2 % ring
        distance = board + self.size % 2  # with a bye its board is left out
        if distance == 0:
            return (pivot, last) if round_ % 2 == 0 else (last, pivot)
        return (pivot + distance) % ring, (pivot - distance) % ring
