"""The boards of the naive rules, typed in by hand so that no table of the engine is trusted.

A hole is a pair (first, second): on the star (row 1-17, number 1-17), on the Halma square
(file 1-16, rank 1-16).  Both boards then share one spelling, letter of the first and the second
in digits, and one list of directions in the order of RULES.md, "Text".
"""

from collections.abc import Iterator
from functools import cache

Hole = tuple[int, int]

STAR_ROWS = """
a5 b5-6 c5-7 d5-8 e1-13 f2-13 g3-13 h4-13 i5-13 j5-14 k5-15 l5-16 m5-17 n10-13 o11-13 p12-13 q13
"""
HALMA_FILES = " ".join(f"{file}1-16" for file in "abcdefghijklmnop")

STAR_DIRECTIONS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]
HALMA_DIRECTIONS = [*STAR_DIRECTIONS, (1, -1), (-1, 1)]

STAR_POINTS = {
    "A": "a5 b5-6 c5-7 d5-8",
    "B": "e10-13 f11-13 g12-13 h13",
    "C": "j14 k14-15 l14-16 m14-17",
    "D": "n10-13 o11-13 p12-13 q13",
    "E": "j5 k5-6 l5-7 m5-8",
    "F": "e1-4 f2-4 g3-4 h4",
}
STAR_FIVE_MORE = {"A": "e5-9", "D": "m9-13"}

# Rows from the corner inwards: 5, 5, 4, 3, 2 squares of nineteen, 4, 4, 3, 2 of thirteen.
HALMA_ROWS_FROM_CORNER = {19: [5, 5, 4, 3, 2], 13: [4, 4, 3, 2]}


def holes_of(text: str) -> Iterator[Hole]:
    """The holes that *text* lists as `b5-6`: letter, first number, last number."""
    for word in text.split():
        first, _, last = word[1:].partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield (ord(word[0]) - ord("a") + 1, number)


def hole_name(hole: Hole) -> str:
    return "abcdefghijklmnopq"[hole[0] - 1] + str(hole[1])


def halma_corner(letter: str, marbles: int) -> set[Hole]:
    """The camp of *marbles* squares in the corner of *letter*: A is north-west, then clockwise."""
    corner = set()
    for y, width in enumerate(HALMA_ROWS_FROM_CORNER[marbles]):
        for x in range(width):
            file = 1 + x if letter in "AD" else 16 - x
            rank = 16 - y if letter in "AB" else 1 + y
            corner.add((file, rank))
    return corner


class NaiveBoard:
    """One board: its holes by text row, its directions and the points at its rim."""

    def __init__(self, variant: str) -> None:
        self.is_star = not variant.startswith("halma")
        self.letters = "ABCDEF" if self.is_star else "ABCD"
        self.holes = set(holes_of(STAR_ROWS if self.is_star else HALMA_FILES))
        self.directions = STAR_DIRECTIONS if self.is_star else HALMA_DIRECTIONS
        if self.is_star:
            self.points = {letter: set(holes_of(text)) for letter, text in STAR_POINTS.items()}
        else:
            marbles = 19 if variant == "halma19" else 13
            self.points = {letter: halma_corner(letter, marbles) for letter in "ABCD"}
        # Text rows run from the north: the star's by letter, Halma's from rank 16 to rank 1.
        if self.is_star:
            self.rows = [sorted(h for h in self.holes if h[0] == row) for row in range(1, 18)]
        else:
            self.rows = [sorted(h for h in self.holes if h[1] == rank) for rank in range(16, 0, -1)]
        # For every hole the holes on each line out of it, nearest first, by direction.
        self.rays = {
            hole: [self.ray(hole, step) for step in self.directions] for hole in self.holes
        }
        self.by_name = {hole_name(hole): hole for hole in self.holes}

    def opposite(self, letter: str) -> str:
        half = len(self.letters) // 2
        return self.letters[(self.letters.index(letter) + half) % len(self.letters)]

    def along(self, hole: Hole, direction: tuple[int, int], times: int) -> Hole | None:
        """The hole *times* steps away in a straight line, None beyond the board."""
        there = (hole[0] + times * direction[0], hole[1] + times * direction[1])
        return there if there in self.holes else None

    def ray(self, hole: Hole, direction: tuple[int, int]) -> list[Hole]:
        """The holes from *hole* to the edge, without *hole* itself."""
        on_the_way: list[Hole] = []
        while (there := self.along(hole, direction, len(on_the_way) + 1)) is not None:
            on_the_way.append(there)
        return on_the_way

    def steps_to(self, targets: set[Hole]) -> dict[Hole, int]:
        """For every hole the number of steps on an empty board to the nearest of *targets*."""
        steps = dict.fromkeys(targets, 0)
        frontier = list(targets)
        while frontier:
            further = []
            for hole in frontier:
                for direction in self.directions:
                    there = self.along(hole, direction, 1)
                    if there is not None and there not in steps:
                        steps[there] = steps[hole] + 1
                        further.append(there)
            frontier = further
        return steps


@cache
def naive_board(variant: str) -> NaiveBoard:
    return NaiveBoard(variant)
