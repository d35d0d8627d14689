"""What the tests of single rules share: the points by name, puzzles, a look at the end."""

import pytest

from engine.both import BOTH, TextGame, position
from engine.naive import Result
from engine.naive_board import naive_board

SOUTH = "n10 n11 n12 n13 o11 o12 o13 p12 p13 q13"  # the target of A
NORTH = "a5 b5 b6 c5 c6 c7 d5 d6 d7 d8"  # the target of D
SOUTH_WEST = "j5 k5 k6 l5 l6 l7 m5 m6 m7 m8"  # the target of B
NORTH_WEST = "e1 e2 e3 e4 f2 f3 f4 g3 g4 h4"  # the target of C
NORTH_EAST = "e10 e11 e12 e13 f11 f12 f13 g12 g13 h13"  # the target of E
POINTS = {"A": NORTH, "B": NORTH_EAST, "D": SOUTH, "E": SOUTH_WEST, "F": NORTH_WEST}
SOUTH_NINE = SOUTH.removesuffix(" q13")
SOUTH_BUT_DOOR = SOUTH.removeprefix("n10 ")

both = pytest.mark.parametrize("implementation", BOTH)


def puzzle(implementation: type[TextGame], text: str, limit: int | None = None) -> TextGame:
    return implementation.load(text, puzzle=True, limit=limit)


def ended(game: TextGame) -> Result:
    result = game.result()
    assert result is not None, "the game goes on"
    return result


def tail(game: TextGame) -> str:
    """The turn, the counts and the done field."""
    return " ".join(game.position_text().split(" ")[3:])


def full_board(points: str) -> str:
    """A board without an empty hole: the marbles in the points A to F, those of C in the middle."""
    owners = dict(zip("ABCDEF", points.split(), strict=True))
    held = dict.fromkeys(naive_board("tara").by_name, owners["C"])
    for point, names in POINTS.items():
        held |= dict.fromkeys(names.split(), owners[point])
    colours = sorted(set(held.values()))
    marbles = [f"{c} {' '.join(name for name in held if held[name] == c)}" for c in colours]
    return position("tara", "; ".join(marbles)).split(" ")[1]
