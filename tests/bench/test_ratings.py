"""What the simulations of ratings and tests are drawn from is what they say."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from bench.ratings import (
    DRAWN,
    League,
    Match,
    a_game,
    a_score,
    a_truth,
    duels,
    fixed,
    league_row,
    match_row,
    races,
)

from sternhalma_tournament.bradley_terry import expected_score
from sternhalma_tournament.scores import game_half_points


def test_strengths_of_a_league_have_the_mean_zero() -> None:
    assert sum(a_truth(Random(1)).values()) == pytest.approx(0)


def test_games_of_two_seat_everybody_equally_often() -> None:
    truth = a_truth(Random(1))
    first = Counter(order.entries[0] for order in duels(Random(2), truth, 180))
    assert set(first.values()) == {18}


def test_of_two_in_a_race_the_stronger_is_ahead_as_often_as_its_strength_says() -> None:
    truth = {"a": 100.0, "b": 0.0, "c": -50.0, "d": -50.0}
    orders = [dict(zip(o.entries, o.places, strict=True)) for o in races(Random(1), truth, 4000)]
    ahead = sum(order["a"] < order["b"] for order in orders) / len(orders)
    assert ahead == pytest.approx(expected_score(100), abs=0.025)


def test_a_game_of_a_match_is_worth_what_was_expected_from_both_seats() -> None:
    chance = Random(1)
    for seat in (1, 2):
        won = [game_half_points(a_game(chance, seat, 0.6))["zoe"] for _ in range(4000)]
        assert sum(won) / len(won) / 2 == pytest.approx(0.6, abs=0.025)
        assert won.count(1) / len(won) == pytest.approx(DRAWN, abs=0.02)


def test_both_scales_agree_nearly_for_small_differences_without_many_draws() -> None:
    assert a_score("normalized", 20) == pytest.approx(a_score("logistic", 20), abs=0.002)


def test_rows_are_the_same_from_run_to_run() -> None:
    match = Match("logistic", 200, 0.1, 20)
    assert match_row(match, "H1", 20) == match_row(match, "H1", 20)
    assert match_row(match, "H1", 20).endswith(f"{fixed(match):15,}")
    assert league_row(League(4, 20), 2) == league_row(League(4, 20), 2)
