import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.strength import Strength, foreseen, learned, lesson
from tournaments.results import shared_places

STRENGTHS = st.builds(Strength, st.floats(-3000, 3000), st.floats(20.0**2, 350.0**2))


@given(STRENGTHS, STRENGTHS)
def test_what_is_foreseen_for_one_is_what_is_left_for_the_other(
    one: Strength, other: Strength
) -> None:
    score, slope = foreseen(one, other)
    its, its_slope = foreseen(other, one)
    assert score + its == pytest.approx(1)
    assert slope == pytest.approx(its_slope)
    assert (score > 0.5) == (its < 0.5)


def test_between_two_who_are_known_the_elo_scale_holds() -> None:
    score, _ = foreseen(Strength(400, 0), Strength(0, 0))
    assert score == pytest.approx(10 / 11)


@given(STRENGTHS, STRENGTHS)
def test_the_lesson_is_what_is_unknown_of_both_where_the_outcome_is_open(
    one: Strength, other: Strength
) -> None:
    score, _ = foreseen(one, other)
    promised = score * (1 - score) * (one.variance + other.variance)
    assert lesson(one, other) == pytest.approx(promised, rel=1e-6, abs=1e-3)


@given(
    st.lists(STRENGTHS, min_size=2, max_size=6).flatmap(
        lambda strengths: st.tuples(
            st.just(strengths),
            st.lists(st.integers(0, 3), min_size=len(strengths), max_size=len(strengths)),
        )
    )
)
def test_a_game_makes_nobody_less_sure_and_first_and_last_move_apart(
    game: tuple[list[Strength], list[int]],
) -> None:
    before, keys = game
    places = shared_places(keys)
    after = learned(before, places)
    for strength, was in zip(after, before, strict=True):
        assert 20.0**2 <= strength.variance <= was.variance
        assert math.isfinite(strength.mean)
    alone = [places.count(place) == 1 for place in places]
    for strength, was, place, single in zip(after, before, places, alone, strict=True):
        if place == 1 and single:
            assert strength.mean >= was.mean
        if place == len(places):
            assert strength.mean <= was.mean


def test_equals_who_draw_stay_equal_and_are_known_better() -> None:
    one, other = learned([Strength(), Strength()], (1, 1))
    assert one == other
    assert one.mean == 0
    assert one.deviation < Strength().deviation


def test_whoever_is_known_less_is_moved_more() -> None:
    known, unknown = learned([Strength(0, 50.0**2), Strength(0, 300.0**2)], (2, 1))
    assert unknown.mean > -5 * known.mean > 0


def test_a_game_of_two_counts_for_less_than_it_tells() -> None:
    one, other = Strength(100, 90.0**2), Strength(0, 200.0**2)
    score, slope = foreseen(one, other)
    after, _ = learned([one, other], (1, 2))
    told = 1 / after.variance - 1 / one.variance
    assert told == pytest.approx(0.7 * slope**2 / (score * (1 - score)))
    assert after.mean == pytest.approx(100 + 0.7 * 90.0**2 * slope / score)


def test_six_places_tell_more_than_one_game_and_less_than_five() -> None:
    def told(sides: int) -> float:
        before = [Strength()] * sides
        after = learned(before, range(1, sides + 1))
        return 1 / after[0].variance - 1 / before[0].variance

    assert told(2) < told(3) < told(4) < told(6) < 3 * told(2)


def test_a_successor_is_unsure_but_no_more_than_a_stranger() -> None:
    assert Strength(120, 50.0**2).of_successor().mean == 120
    assert Strength(120, 50.0**2).of_successor().deviation > 200
    assert Strength().of_successor() == Strength()
