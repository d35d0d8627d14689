"""The sequential test against published ratios, and by its laws."""

import math
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.bradley_terry import expected_score
from sternhalma_tournament.sprt import (
    BOLDEST,
    DEVIATIONS,
    Model,
    Sprt,
    SprtError,
    fit_deviations,
    fit_mean,
)

PUBLISHED: list[tuple[Sequence[int], float, float, Model, float]] = [
    ((36027, 68692, 36433), 0, 2, "normalized", 0.92),
    ((10650, 20431, 10871), -1.75, 0.25, "normalized", 2.30),
    ((0, 0, 4250), 0, 10, "normalized", 120.56),
    ((21184, 40708, 21404), 0.5, 2.5, "logistic", -1.57),
    ((57030, 106593, 57433), 0, 2, "logistic", -2.59),
    ((365, 16618, 36229, 16974, 390), 0, 2, "normalized", 2.25),
    ((127, 4883, 10712, 5150, 104), -1.75, 0.25, "normalized", 3.01),
    ((0, 0, 0, 0, 5550), 0, 5, "normalized", 111.82),
    ((223, 9863, 21279, 10037, 246), 0.5, 2.5, "logistic", -3.07),
    ((871, 26175, 55983, 26678, 821), 0, 2, "logistic", -4.98),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "model", "llr"), PUBLISHED)
def test_the_ratio_is_the_published_one(
    counts: Sequence[int], elo0: float, elo1: float, model: Model, llr: float
) -> None:
    assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(llr, rel=0.01)


def test_bounds_follow_from_the_error_rates() -> None:
    assert Sprt(0, 2, alpha=0.05, beta=0.05).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 2, alpha=0.01, beta=0.2).bounds == pytest.approx(
        (math.log(0.2 / 0.99), math.log(80))
    )


def test_a_bound_that_is_reached_accepts_its_claim() -> None:
    test = Sprt(0, 50)
    assert test.decide((60, 0, 240)) == "H1"
    assert test.decide((240, 0, 60)) == "H0"
    assert test.decide((10, 0, 12)) is None


def test_before_the_first_game_nothing_is_known() -> None:
    assert Sprt(0, 5).llr((0, 0, 0)) == 0
    assert Sprt(0, 5).llr((0, 0, 0, 0, 0)) == 0
    assert Sprt(0, 5).decide((0, 0, 0)) is None


def test_pairs_of_independent_games_say_the_same_as_the_games() -> None:
    # 100,000 pairs as chance would have them, at 30, 40 and 30 % losses, draws and wins.
    shares = (0.28, 0.4, 0.32)
    pairs = [0.0] * 5
    for one, share in enumerate(shares):
        for other, again in enumerate(shares):
            pairs[one + other] += share * again * 100_000
    games = [round(share * 200_000) for share in shares]
    for model in get_args(Model):
        test = Sprt(0, 10, model=model)
        paired = test.llr([round(count) for count in pairs])
        assert paired == pytest.approx(test.llr(games), rel=0.01)


def test_openings_that_decide_the_game_speak_through_pairs_only() -> None:
    # The first seat wins nearly always: single games look like noise, pairs tell who is better.
    test = Sprt(0, 20, model="logistic")
    assert test.llr((0, 20, 900, 80, 0)) > 3 * test.llr((940, 60, 1000))


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta", "model"),
    [
        (5, 5, 0.05, 0.05, "normalized"),
        (5, 0, 0.05, 0.05, "normalized"),
        (math.nan, 0, 0.05, 0.05, "normalized"),
        (0, 201, 0.05, 0.05, "normalized"),
        (-1001, 0, 0.05, 0.05, "logistic"),
        (0, 5, 0, 0.05, "normalized"),
        (0, 5, 0.5, 0.5, "normalized"),
        (0, 5, 0.05, 0.05, "bayesian"),
    ],
)
def test_a_test_that_makes_no_sense_is_refused(
    elo0: float, elo1: float, alpha: float, beta: float, model: Model
) -> None:
    with pytest.raises(SprtError, match="expected"):
        Sprt(elo0, elo1, alpha, beta, model)


@pytest.mark.parametrize("counts", [(1, 2), (1, 2, 3, 4), (1, -1, 1), ()])
def test_counts_that_make_no_sense_are_refused(counts: Sequence[int]) -> None:
    with pytest.raises(SprtError, match="3 or 5 counts"):
        Sprt(0, 5).llr(counts)


cells = st.integers(0, 100_000)
tables = st.one_of(st.tuples(cells, cells, cells), st.tuples(cells, cells, cells, cells, cells))


@given(tables, st.sampled_from(get_args(Model)), st.floats(-90, 90), st.floats(1, 100))
def test_a_test_seen_by_the_other_bot_says_the_opposite(
    counts: Sequence[int], model: Model, elo0: float, width: float
) -> None:
    ours = Sprt(elo0, elo0 + width, model=model)
    theirs = Sprt(-elo0 - width, -elo0, model=model)
    assert ours.llr(counts) == pytest.approx(-theirs.llr(counts[::-1]), rel=1e-4, abs=1e-3)


@given(tables, st.sampled_from(get_args(Model)))
def test_a_win_more_never_speaks_for_the_weaker_claim(counts: Sequence[int], model: Model) -> None:
    test = Sprt(0, 10, model=model)
    better = (*counts[:-1], counts[-1] + 1)
    worse = (counts[0] + 1, *counts[1:])
    assert test.llr(worse) < test.llr(better)


@given(st.lists(st.integers(1, 100_000), min_size=3, max_size=5), st.data())
def test_fits_meet_their_condition_and_are_distributions(
    counts: Sequence[int], data: st.DataObject
) -> None:
    scores = [cell / (len(counts) - 1) for cell in range(len(counts))]
    seen = [count / sum(counts) for count in counts]
    logistic = data.draw(st.floats(-BOLDEST["logistic"], BOLDEST["logistic"]))
    normalized = data.draw(st.floats(-BOLDEST["normalized"], BOLDEST["normalized"]))

    fit = fit_mean(scores, seen, expected_score(logistic))
    assert sum(fit) == pytest.approx(1)
    assert sum(map(math.prod, zip(fit, scores, strict=True))) == pytest.approx(
        expected_score(logistic)
    )

    deviations = normalized * DEVIATIONS * math.sqrt(2)
    fit = fit_deviations(scores, seen, deviations)
    mean = sum(map(math.prod, zip(fit, scores, strict=True)))
    variance = sum(share * (score - mean) ** 2 for share, score in zip(fit, scores, strict=True))
    assert sum(fit) == pytest.approx(1)
    assert mean - 0.5 == pytest.approx(deviations * math.sqrt(variance), abs=1e-7)


@given(st.lists(st.integers(1, 1000), min_size=3, max_size=5), st.integers(0, 2), st.data())
def test_no_distribution_with_the_mean_is_likelier_than_the_fit(
    counts: Sequence[int], start: int, data: st.DataObject
) -> None:
    scores = [cell / (len(counts) - 1) for cell in range(len(counts))]
    seen = [count / sum(counts) for count in counts]
    fit = fit_mean(scores, seen, data.draw(st.floats(0.1, 0.9)))
    # Half of what lies at both neighbours, moved to or from the middle, keeps the mean.
    start = min(start, len(scores) - 3)
    room = min(fit[start], fit[start + 1] / 2, fit[start + 2]) / 2
    for step in (-room, room):
        other = list(fit)
        for cell, part in zip(range(start, start + 3), (1, -2, 1), strict=True):
            other[cell] += step * part
        assert sum(s * math.log(f / o) for s, f, o in zip(seen, fit, other, strict=True)) > 0
