"""A position: the marbles, whose turn it is, and who has finished or gone out.

A position is what the position text shows, no more: limits, runs of passes and results belong to a
game. Positions are values; to move is to make another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sternhalma.board import LETTERS, Hole, Mask
from sternhalma.rules import Rules
from sternhalma.seating import Lane, Seat, Seating, seating


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a player has come: marbles in the target, steps left for all the others."""

    home: int
    distance: int

    @property
    def key(self) -> tuple[int, int]:
        """Smaller is further: more home first, then less distance."""
        return -self.home, self.distance


class Position(NamedTuple):
    """One position. A named tuple, because one is made for every turn and a frozen dataclass costs
    three times as much to make.

    `marbles` holds a set of holes for each colour of the board; `turn` is the seat to move, None
    when the game is over; `counts` the turns each seat has had; `finished` and `out` the seats that
    have finished or gone out, in order, those of the same rank in one tuple.
    """

    seating: Seating
    marbles: tuple[Mask, ...]
    turn: Seat | None
    counts: tuple[int, ...]
    finished: tuple[tuple[Seat, ...], ...] = ()
    out: tuple[tuple[Seat, ...], ...] = ()

    @staticmethod
    def start(rules: Rules, players: int) -> Position:
        """The position before the first turn. Raises `RulesError` for a wrong number."""
        table = seating(rules, players)
        return Position(
            seating=table,
            marbles=tuple(
                lane.home if lane.letter in table.owners else Mask(0) for lane in table.lanes
            ),
            turn=Seat(0),
            counts=(0,) * players,
        )

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.seating.rules

    @property
    def seats(self) -> tuple[str, ...]:
        """The letters that each seat plays."""
        return self.seating.letters

    @property
    def occupied(self) -> Mask:
        """The holes with a marble."""
        return Mask(sum(self.marbles))  # no hole has two marbles, so the sum is the union

    @property
    def ply(self) -> int:
        """The number of the turn to be played, from 1; passes count, going out does not."""
        return sum(self.counts) + 1

    def own(self, seat: Seat) -> Mask:
        """The marbles of all colours of *seat*."""
        result = 0
        for lane in self.seating.lanes_of[seat]:
            result |= self.marbles[lane.colour]
        return Mask(result)

    def letter_at(self, hole: Hole) -> str | None:
        """The letter of the marble in *hole*, None where it is empty."""
        for colour, marbles in enumerate(self.marbles):
            if marbles >> hole & 1:
                return LETTERS[colour]
        return None

    def lane_at(self, hole: Hole) -> Lane | None:
        """The lane of the marble in *hole*, None where it is empty."""
        for colour, marbles in enumerate(self.marbles):
            if marbles >> hole & 1:
                return self.seating.lanes[colour]
        return None

    @property
    def gone(self) -> frozenset[Seat]:
        """The seats that take no more turns: finished or out."""
        return frozenset(seat for group in self.finished + self.out for seat in group)

    @property
    def active(self) -> tuple[Seat, ...]:
        """The seats still in, in the order of turns."""
        if not self.finished and not self.out:
            return self.seating.seats
        gone = self.gone
        return tuple(seat for seat in self.seating.seats if seat not in gone)

    def following(self, seat: Seat) -> Seat | None:
        """The seat whose turn comes after *seat*'s, None when nobody is still in."""
        players = len(self.counts)
        if not self.finished and not self.out:
            return self.seating.seats[(seat + 1) % players]
        gone = self.gone
        for step in range(1, players + 1):
            candidate = Seat((seat + step) % players)
            if candidate not in gone:
                return candidate
        return None

    def moved(self, origin: Hole, target: Hole) -> tuple[Mask, ...]:
        """The marbles after one has gone from *origin* to *target*."""
        bit = 1 << origin
        for colour, own in enumerate(self.marbles):
            if own & bit:
                there = Mask(own ^ (bit | 1 << target))
                return (*self.marbles[:colour], there, *self.marbles[colour + 1 :])
        raise ValueError(f"expected a marble in hole {origin}, it is empty")

    def without(self, seat: Seat, holes: Mask) -> Position:
        """The position with the marbles of *seat* lifted from *holes*."""
        lifted = {lane.colour for lane in self.seating.lanes_of[seat]}
        return self._replace(
            marbles=tuple(
                Mask(own & ~holes) if colour in lifted else own
                for colour, own in enumerate(self.marbles)
            ),
        )

    def progress(self, seat: Seat) -> Progress:
        """How far *seat* has come."""
        home = distance = 0
        for lane in self.seating.lanes_of[seat]:
            marbles = self.marbles[lane.colour]
            home += (marbles & lane.fill).bit_count()
            away: int = marbles & ~lane.fill
            while away:
                low = away & -away
                distance += lane.steps_left[low.bit_length() - 1]
                away ^= low
        return Progress(home, distance)

    def unit_progress(self, seat: Seat) -> Progress:
        """How far *seat* has come, with its partner where there is one."""
        shares = [self.progress(member) for member in self.seating.units[seat]]
        return Progress(
            sum(share.home for share in shares), sum(share.distance for share in shares)
        )
