from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.chance import Chance
from sternhalma_tournament.matching import Game, Wishes, divide


def no_seats(game: Game) -> int:
    del game
    return 0


def wishes(points: dict[str, int], met: list[tuple[str, str]]) -> Wishes:
    return Wishes(points, {frozenset(pair): 1 for pair in met}, no_seats)


def least_again(names: list[str], met: set[frozenset[str]]) -> int:
    """The fewest second meetings of any division into pairs, by trying all."""
    if not names:
        return 0
    first, rest = names[0], names[1:]
    return min(
        (frozenset((first, other)) in met)
        + least_again([name for name in rest if name != other], met)
        for other in rest
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, int], list[tuple[str, str]]]:
    size = draw(st.sampled_from([2, 4, 6, 8]))
    names = [f"n{n}" for n in range(size)]
    points = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    met = draw(st.lists(st.sampled_from(list(combinations(names, 2))), unique=True))
    return dict(zip(names, points, strict=True)), met


@settings(deadline=None, max_examples=200)
@given(histories())
def test_nobody_meets_again_if_that_can_be_avoided(
    history: tuple[dict[str, int], list[tuple[str, str]]],
) -> None:
    points, met = history
    order = sorted(points, key=lambda name: -points[name])
    wish = wishes(points, met)
    games = divide(order, 2, wish, Chance("x"))
    assert sorted(name for game in games for name in game) == sorted(points)
    if least_again(order, set(wish.met)) == 0:
        assert wish.again(games) == 0


def test_equals_meet() -> None:
    points = {"a": 4, "b": 2, "c": 4, "d": 2, "e": 0, "f": 0}
    order = sorted(points, key=lambda name: -points[name])
    games = divide(order, 2, wishes(points, []), Chance("x"))
    assert [frozenset(game) for game in games] == [
        frozenset("ac"),
        frozenset("bd"),
        frozenset("ef"),
    ]


def test_of_those_who_have_met_the_next_in_points_is_taken() -> None:
    points = {"a": 4, "b": 4, "c": 3, "d": 3}
    games = divide(["a", "b", "c", "d"], 2, wishes(points, [("a", "b"), ("c", "d")]), Chance("x"))
    assert all({"a", "b"} != set(game) for game in games)


@pytest.mark.parametrize("sides", [3, 4, 6])
def test_larger_games_avoid_second_meetings_too(sides: int) -> None:
    names = [f"n{n}" for n in range(sides * sides)]
    rows = [names[at : at + sides] for at in range(0, len(names), sides)]
    met = [pair for row in rows for pair in combinations(row, 2)]
    wish = wishes(dict.fromkeys(names, 0), met)
    assert wish.again(divide(names, sides, wish, Chance("x"))) == 0
