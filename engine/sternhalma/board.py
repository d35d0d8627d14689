"""The two boards: which holes there are, how they touch, and what they are called.

Everything here follows from one predicate per board (is this coordinate a hole?) and its list of
directions. No table is typed in by hand, so none can be mistyped: neighbours, rays, points and
names are all computed from the coordinates, once, at import.

A set of holes is a `Mask`, an integer with bit `1 << hole` set for each hole in it: Python's
integers make unions, differences and emptiness tests cost tens of nanoseconds.

The star lies in a 17 x 17 square of (row, number); one diagonal direction of the square is left
out, which makes it a triangular grid. The Halma board is a 16 x 16 square of (file, rank).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NewType

Hole = NewType("Hole", int)  # 0.. row by row from the north, west to east
Mask = NewType("Mask", int)  # a set of holes, bit `1 << hole` for each
Coordinate = tuple[int, int]

LETTERS: Final = "ABCDEF"


class NotationError(ValueError):
    """A text that is no hole, move or position; says what was expected, what came and where."""


@dataclass(frozen=True, eq=False)
class Board:
    """One board, compared by identity: `STAR`, `HALMA13` and `HALMA19` are all there are.

    `coordinates` holds a pair per hole, in the order of the holes; `directions` the steps between
    neighbours in the order that decides between equally short paths; `points` the holes of each
    letter's start point; `rows` the holes of each row of the position text, from the north.
    """

    name: str
    coordinates: tuple[Coordinate, ...]
    directions: tuple[Coordinate, ...]
    points: Mapping[str, Mask]
    rows: tuple[tuple[Hole, ...], ...]
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Board {self.name}>"

    @property
    def letters(self) -> str:
        """The letters of the points, clockwise."""
        return "".join(self.points)

    def opposite(self, letter: str) -> str:
        """The letter of the point opposite: the target of the marbles that bear *letter*."""
        count = len(self.points)
        return self.letters[(self.letters.index(letter) + count // 2) % count]

    @cached_property
    def everywhere(self) -> Mask:
        """All holes."""
        return Mask((1 << len(self.coordinates)) - 1)

    @cached_property
    def row_spans(self) -> tuple[slice, ...]:
        """Where each row's holes lie in a text with one character for each hole."""
        return tuple(slice(row[0], row[-1] + 1) for row in self.rows)

    @cached_property
    def row_of(self) -> tuple[int, ...]:
        """For each hole the number of its row, from the north."""
        return tuple(number for number, row in enumerate(self.rows) for _ in row)

    @cached_property
    def in_points(self) -> Mask:
        """The holes of all points, used or not."""
        return union(self.points.values())

    @cached_property
    def rays(self) -> tuple[tuple[tuple[Hole, ...], ...], ...]:
        """For each hole and each direction the holes in that direction, nearest first."""
        at = {coordinate: Hole(i) for i, coordinate in enumerate(self.coordinates)}

        def ray(start: Coordinate, step: Coordinate) -> Iterator[Hole]:
            p, q = start[0] + step[0], start[1] + step[1]
            while (p, q) in at:
                yield at[p, q]
                p, q = p + step[0], q + step[1]

        return tuple(
            tuple(tuple(ray(start, step)) for step in self.directions) for start in self.coordinates
        )

    @cached_property
    def neighbours(self) -> tuple[Mask, ...]:
        """For each hole the set of the holes next to it."""
        return tuple(mask_of(ray[0] for ray in rays if ray) for rays in self.rays)

    def distances(self, goal: Mask) -> tuple[int, ...]:
        """For each hole the number of steps to the nearest hole of *goal* on an empty board."""
        steps = dict.fromkeys(holes_of(goal), 0)
        queue = deque(steps)
        while queue:
            hole = queue.popleft()
            for neighbour in holes_of(self.neighbours[hole]):
                if neighbour not in steps:
                    steps[neighbour] = steps[hole] + 1
                    queue.append(neighbour)
        return tuple(steps[Hole(i)] for i in range(len(self.coordinates)))

    @cached_property
    def by_name(self) -> dict[str, Hole]:
        """The hole of each name."""
        return {name: Hole(i) for i, name in enumerate(self.names)}

    def format_hole(self, hole: Hole) -> str:
        """The name of *hole*; `parse_hole` reads it back."""
        return self.names[hole]

    def parse_hole(self, text: str) -> Hole:
        """The hole called *text*; upper case is accepted. Raises `NotationError`."""
        hole = self.by_name.get(text.lower()) if text.isascii() else None
        if hole is None:
            raise NotationError(f"expected a hole of the {self.name} board, got {text[:20]!r}")
        return hole


def mask_of(holes: Iterable[Hole]) -> Mask:
    """The set of *holes*; `holes_of` lists it again."""
    mask = 0
    for hole in holes:
        mask |= 1 << hole
    return Mask(mask)


def holes_of(mask: Mask) -> Iterator[Hole]:
    """The holes of *mask* in ascending order."""
    rest: int = mask
    while rest:
        low = rest & -rest
        yield Hole(low.bit_length() - 1)
        rest ^= low


def union(masks: Iterable[Mask]) -> Mask:
    """All holes that are in any of *masks*."""
    result = 0
    for mask in masks:
        result |= mask
    return Mask(result)


def _star() -> Board:
    # Three axes that add up to nought: the star is the union of two triangles, one with every axis
    # at least -4, one with every axis at most 4, and a point is where one axis leaves -4..4.
    def axes(coordinate: Coordinate) -> tuple[int, int, int]:
        row, number = coordinate
        return number - 9, 8 - row, row - number + 1

    def on_star(coordinate: Coordinate) -> bool:
        return min(axes(coordinate)) >= -4 or max(axes(coordinate)) <= 4

    coordinates = tuple(
        (row, number) for row in range(17) for number in range(1, 18) if on_star((row, number))
    )
    beyond: dict[str, Callable[[int, int, int], bool]] = {
        "A": lambda _u, v, _w: v > 4,
        "B": lambda _u, _v, w: w < -4,
        "C": lambda u, _v, _w: u > 4,
        "D": lambda _u, v, _w: v < -4,
        "E": lambda _u, _v, w: w > 4,
        "F": lambda u, _v, _w: u < -4,
    }
    return Board(
        name="star",
        coordinates=coordinates,
        directions=((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)),
        points={
            letter: mask_of(Hole(i) for i, c in enumerate(coordinates) if inside(*axes(c)))
            for letter, inside in beyond.items()
        },
        rows=tuple(
            tuple(Hole(i) for i, (row, _) in enumerate(coordinates) if row == wanted)
            for wanted in range(17)
        ),
        names=tuple(f"{chr(ord('a') + row)}{number}" for row, number in coordinates),
    )


HALMA_SIDE: Final = 16


def _halma(camp_side: int) -> Board:
    # A camp lies in a corner: squares at most `camp_side` from the corner along both edges, cut off
    # by a diagonal. Side 3 makes the camp of 13, side 4 the camp of 19.
    coordinates = tuple(
        (file, rank) for rank in range(HALMA_SIDE, 0, -1) for file in range(1, HALMA_SIDE + 1)
    )

    def in_camp(letter: str, file: int, rank: int) -> bool:
        along = file - 1 if letter in "AD" else HALMA_SIDE - file
        up = rank - 1 if letter in "CD" else HALMA_SIDE - rank
        return max(along, up) <= camp_side and along + up <= camp_side + 1

    return Board(
        name="halma",
        coordinates=coordinates,
        directions=((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)),
        points={
            letter: mask_of(Hole(i) for i, c in enumerate(coordinates) if in_camp(letter, *c))
            for letter in "ABCD"
        },
        rows=tuple(
            tuple(Hole(row * HALMA_SIDE + file) for file in range(HALMA_SIDE))
            for row in range(HALMA_SIDE)
        ),
        names=tuple(f"{chr(ord('a') + file - 1)}{rank}" for file, rank in coordinates),
    )


STAR: Final = _star()
HALMA13: Final = _halma(camp_side=3)
HALMA19: Final = _halma(camp_side=4)
