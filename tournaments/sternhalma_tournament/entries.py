"""Who plays the seats of one side.

Standings speak of entries, connections of bots. In most events the two are the same; in an event
of pairs one entry holds two seats that sit opposite, with one bot on both or two bots named
together.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an event: its name in tables, and the bots that play for it."""

    name: str
    bots: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.bots) <= 2:
            raise ValueError(f"expected one or two bots in entry {self.name!r}, got {self.bots!r}")

    def bot(self, turn: int) -> str:
        """The bot on the entry's first seat of a game (*turn* 0) or on its second (1)."""
        return self.bots[0] if turn == 0 else self.bots[-1]


def bots_by_seat(entries: tuple[Entry, ...], players: int) -> tuple[str, ...]:
    """The bot of each seat: seat i belongs to side i % sides.

    >>> bots_by_seat((Entry("x", ("a", "b")), Entry("y", ("c",))), players=4)
    ('a', 'c', 'b', 'c')
    """
    sides = len(entries)
    if sides == 0 or players % sides:
        raise ValueError(
            f"expected the entries to share {players} seats evenly, got {sides} entries"
        )
    return tuple(entries[seat % sides].bot(seat // sides) for seat in range(players))
