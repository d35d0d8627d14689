"""All games of an event whose games are known in advance, without ever holding them.

A list of every game is what makes league programs run out of memory. Here a game is computed from
its number: a table knows one cycle by arithmetic, the schedule adds names, cycles and openings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from sternhalma_tournament.entries import Entry


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game to be played.

    `entries` are names by side in turn order. `round` runs on through the cycles. `opening` is the
    key from which the opening plies are drawn: the same for all seatings of one meeting, another
    for every repetition, so that bots without chance do not repeat a game.
    """

    number: int
    entries: tuple[str, ...]
    round: int
    cycle: int
    opening: str


@dataclass(frozen=True, slots=True)
class Seating:
    """One game of a table: entries (numbers from 0) by side, and which repetition it is."""

    entries: tuple[int, ...]
    round: int
    repetition: str


class Table(Protocol):
    """Who meets whom, as arithmetic: `seating(cycle, index)` for any game of any cycle."""

    @property
    def games(self) -> int:
        """Games of one cycle."""
        ...

    @property
    def period(self) -> int:
        """After so many cycles meetings and seats repeat."""
        ...

    @property
    def spread(self) -> int:
        """The reach of the order of games (see `order`): no smaller spread can be promised."""
        ...

    def seating(self, cycle: int, index: int) -> Seating:
        """Game *index* (from 0) of *cycle* (from 0)."""
        ...


@dataclass(frozen=True, slots=True)
class Schedule:
    """The pairings of *cycles* cycles of *table*, each built when it is asked for.

    In a gauntlet the first so many entries are the *challengers*, who play far more than the
    others. Numbers begin after *before*; *most* ends the schedule inside its last cycle.
    """

    entries: tuple[Entry, ...]
    table: Table
    cycles: int
    challengers: int = 0
    before: int = 0
    most: int | None = None

    def __len__(self) -> int:
        games = self.table.games * self.cycles
        return games if self.most is None else min(games, self.most)

    def __iter__(self) -> Iterator[Pairing]:
        return (self.pairing(number) for number in range(self.before + 1, self.last + 1))

    def __contains__(self, number: int) -> bool:
        return self.before < number <= self.last

    @property
    def last(self) -> int:
        """The number of the last game."""
        return self.before + len(self)

    def pairing(self, number: int) -> Pairing:
        """The game *number*; IndexError beyond the end."""
        if number not in self:
            raise IndexError(
                f"expected a game from {self.before + 1} to {self.last}, got {number!r}"
            )
        cycle, index = divmod(number - self.before - 1, self.table.games)
        seating = self.table.seating(cycle, index)
        names = tuple(self.entries[entry].name for entry in seating.entries)
        return Pairing(
            number=number,
            entries=names,
            round=seating.round + 1,
            cycle=cycle + 1,
            opening=opening_key(names, seating.repetition),
        )


def opening_key(names: tuple[str, ...], repetition: str) -> str:
    """The key of a meeting: its entries in any order, and which repetition it is.

    >>> opening_key(("zoe", "max"), "1")
    'max+zoe:1'
    """
    return f"{'+'.join(sorted(names))}:{repetition}"
