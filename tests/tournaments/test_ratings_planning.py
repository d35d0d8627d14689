"""How many games tell two bots apart."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.bradley_terry import (
    expected_score,
    games_needed,
    normal_quantile,
    normal_share,
)


def test_games_needed_for_even_odds_are_those_of_the_textbook() -> None:
    score = expected_score(100)
    by_hand = 1.959964**2 * score * (1 - score) / (score - 0.5) ** 2
    assert games_needed(100) == math.ceil(by_hand)


def test_draws_power_and_confidence_change_the_games_needed() -> None:
    assert games_needed(20, draw_rate=0.5) < games_needed(20) < games_needed(20, power=0.9)
    assert games_needed(20, confidence=0.8) < games_needed(20) == games_needed(-20)


def test_the_games_needed_separate_two_bots_as_often_as_promised() -> None:
    # Exactly, by summing the binomial distribution: no draws, 40 Elo, power 0.8.
    score = expected_score(40)
    games = games_needed(40, power=0.8)
    separated = 0.0
    for wins in range(games + 1):
        mean = wins / games
        if mean - 1.959964 * math.sqrt(mean * (1 - mean) / games) > 0.5:
            separated += math.exp(
                math.lgamma(games + 1)
                - math.lgamma(wins + 1)
                - math.lgamma(games - wins + 1)
                + wins * math.log(score)
                + (games - wins) * math.log(1 - score)
            )
    assert separated == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(
    ("elo_difference", "draw_rate", "confidence"),
    [(0, 0, 0.95), (math.inf, 0, 0.95), (400, 0.5, 0.95), (10, -0.1, 0.95), (10, 0, 1)],
)
def test_a_question_without_an_answer_is_refused(
    elo_difference: float, draw_rate: float, confidence: float
) -> None:
    with pytest.raises(ValueError, match="expected"):
        games_needed(elo_difference, draw_rate, confidence)


@given(st.floats(-6, 6))
def test_quantiles_and_shares_of_the_normal_curve_are_inverse(deviations: float) -> None:
    assert normal_quantile(normal_share(deviations)) == pytest.approx(deviations, abs=1e-6)
