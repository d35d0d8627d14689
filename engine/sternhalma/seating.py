"""Who sits where, and which holes matter to whom, for a rule set and a number of players.

A seat is a place in the order of turns. It plays one or more colours, and each colour has a lane:
where its marbles start, where they must go, and where a move of theirs may end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NewType

from sternhalma.board import Board, Mask, holes_of, union
from sternhalma.rules import Ends, Rules

Seat = NewType("Seat", int)  # 0.. in the order of turns
Colour = NewType("Colour", int)  # 0.. in the order of the letters


@dataclass(frozen=True, slots=True)
class Lane:
    """The way of one colour.

    `start` and `target` are the points that the locks and the start rule speak of; `home` is what
    the marbles fill at first and `fill` what has to be filled (both larger than the points with
    fifteen marbles); `ends` is where a move from outside the target may end; `steps_left` tells for
    each hole how far it is from the nearest hole of `fill`.
    """

    letter: str
    colour: Colour
    opposite: Colour
    start: Mask
    target: Mask
    home: Mask
    fill: Mask
    ends: Mask
    steps_left: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Seating:
    """A rule set with its players seated. Made by `seating`, one for each rule set and number."""

    rules: Rules
    letters: tuple[str, ...]  # the colours of each seat
    lanes: tuple[Lane, ...]  # by colour, seated or not

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self.rules.board

    @property
    def players(self) -> int:
        """How many seats there are."""
        return len(self.letters)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The letter that each seat is called by: its first."""
        return tuple(group[0] for group in self.letters)

    @cached_property
    def text(self) -> str:
        """The letters of all seats, as the seats field of a position text has them."""
        return ",".join(self.letters)

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """All seats in the order of turns."""
        return tuple(Seat(i) for i in range(self.players))

    @cached_property
    def lanes_of(self) -> tuple[tuple[Lane, ...], ...]:
        """The lanes of each seat."""
        return tuple(
            tuple(lane for lane in self.lanes if lane.letter in group) for group in self.letters
        )

    @cached_property
    def starts(self) -> tuple[Mask, ...]:
        """The start points of each seat."""
        return tuple(union(lane.start for lane in lanes) for lanes in self.lanes_of)

    @cached_property
    def fills(self) -> tuple[Mask, ...]:
        """All that each seat has to fill."""
        return tuple(union(lane.fill for lane in lanes) for lanes in self.lanes_of)

    @cached_property
    def filled(self) -> Mask:
        """The holes that anybody has to fill."""
        return union(self.fills)

    @cached_property
    def units(self) -> tuple[tuple[Seat, ...], ...]:
        """For each seat, the seats that are placed together with it: a pair, or itself alone."""
        half = self.players // 2
        if not self.rules.pairs:
            return tuple((seat,) for seat in self.seats)
        return tuple((Seat(seat % half), Seat(seat % half + half)) for seat in self.seats)

    @cached_property
    def partners(self) -> tuple[Seat | None, ...]:
        """For each seat its partner, None where everybody plays alone."""
        return tuple(
            next((other for other in unit if other != seat), None)
            for seat, unit in enumerate(self.units)
        )

    @cached_property
    def owners(self) -> dict[str, Seat]:
        """The seat that plays each letter."""
        return {letter: seat for seat in self.seats for letter in self.letters[seat]}


@lru_cache(maxsize=128)
def seating(rules: Rules, players: int) -> Seating:
    """The seating of *players* under *rules*. Raises `RulesError` for a number not allowed."""
    rules.check_players(players)
    board = rules.board
    return Seating(
        rules=rules,
        letters=_letters(rules, players),
        lanes=tuple(_lane(rules, Colour(i)) for i in range(len(board.letters))),
    )


def _letters(rules: Rules, players: int) -> tuple[str, ...]:
    letters = rules.board.letters
    half = len(letters) // 2
    match rules.colours, players:
        case 2, _:
            return ("AB", "DE")
        case 3, _:
            return ("ACE", "BDF")
        case _, 2:
            return (letters[0], letters[half])
        case _, 3:
            return ("A", "C", "E")
        case _, 4:
            return ("A", "B", "D", "E") if half == 3 else tuple(letters)
        case _:
            return tuple(letters)


def _lane(rules: Rules, colour: Colour) -> Lane:
    board = rules.board
    letter = board.letters[colour]
    other = board.opposite(letter)
    start, target = board.points[letter], board.points[other]
    home, fill = start, target
    if rules.fifteen:
        home, fill = _with_front_row(board, start), _with_front_row(board, target)
    ends = board.everywhere
    if rules.ends is Ends.OWN_POINTS:
        ends = Mask(board.everywhere & ~board.in_points | start | target)
    return Lane(
        letter=letter,
        colour=colour,
        opposite=Colour(board.letters.index(other)),
        start=start,
        target=target,
        home=home,
        fill=fill,
        ends=ends,
        steps_left=board.distances(fill),
    )


def _with_front_row(board: Board, point: Mask) -> Mask:
    """A point and the holes outside all points that touch it: five on the star."""
    touching = union(board.neighbours[hole] for hole in holes_of(point))
    return Mask(point | touching & ~board.in_points)
