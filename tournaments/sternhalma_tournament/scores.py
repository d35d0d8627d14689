"""What a finished game is worth.

A point for every opponent placed below, half a point for every opponent level: in a game of two
that is 1, ½, 0; with more seats it rewards every place, and the sum of a game's points is always
the same. Points are kept as whole half points, so that sums are exact and tables byte-stable.
"""

from dataclasses import dataclass
from typing import Final

# Only the server's own fault makes a game void; it is listed, never scored.
VOID_REASONS: Final = frozenset({"server-fault", "aborted"})
# A result with this reason has one entry, who sat out a round, and no game.
BYE: Final = "bye"


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game as the journal has it.

    `entries`, `places` and `forfeits` go by seat in turn order; an entry that holds two seats is
    named twice. Places are 1 for the best, shared ones as 1, 2, 2, 4. A forfeit is the reason, or
    None.
    """

    number: int
    entries: tuple[str, ...]
    places: tuple[int, ...]
    forfeits: tuple[str | None, ...]
    reason: str
    plies: int

    def __post_init__(self) -> None:
        if not len(self.entries) == len(self.places) == len(self.forfeits):
            raise ValueError(
                f"expected as many places and forfeits as seats in game {self.number}, "
                f"got {self.places!r} and {self.forfeits!r} for {self.entries!r}"
            )
        # A side that names two places would appear twice among distinct (entry, place) pairs.
        sides = set(zip(self.entries, self.places, strict=True))
        if self.scored and len(sides) != len(set(self.entries)):
            raise ValueError(
                f"expected partners on one place in game {self.number}, got {self.places!r} "
                f"for {self.entries!r}"
            )

    @property
    def scored(self) -> bool:
        """False for a void game."""
        return self.reason not in VOID_REASONS

    def places_by_entry(self) -> dict[str, int]:
        """The place of each entry, in turn order."""
        return dict(zip(self.entries, self.places, strict=True))


def half_points(place: int, other: int) -> int:
    """What *place* scores against an opponent on place *other*: 2, 1 or 0 half points."""
    return 2 if place < other else 1 if place == other else 0


def bye_half_points(sides: int) -> int:
    """A bye is worth a win over everybody: whoever sits out could not help it."""
    return 2 * (sides - 1)


def game_half_points(result: GameResult) -> dict[str, int]:
    """The half points of each entry of one game; a partner is no opponent."""
    places = result.places_by_entry()
    return {
        name: sum(half_points(place, other) for rival, other in places.items() if rival != name)
        for name, place in places.items()
    }
