"""The fit against its likelihood written down game by game, and by its laws."""

import math
from collections.abc import Iterable
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.bradley_terry import ELO, Duel
from sternhalma_tournament.plackett_luce import FinishingOrder, compare
from sternhalma_tournament.ratings import Ratings, rate


def won(*names: str, times: int = 1) -> list[FinishingOrder]:
    """Games in which the names finished in this order."""
    return [FinishingOrder(names, tuple(range(1, len(names) + 1)))] * times


def drawn(*names: str, times: int = 1) -> list[FinishingOrder]:
    return [FinishingOrder(names, (1,) * len(names))] * times


def elo(ratings: Ratings, name: str) -> float:
    rating = ratings.row(name).rating
    assert rating is not None
    return rating


def log_likelihood(orders: Iterable[FinishingOrder], strengths: dict[str, float]) -> float:
    """Written down game by game, as the model is explained."""
    total = 0.0
    for order in orders:
        place = dict(zip(order.entries, order.places, strict=True))
        for entry in order.entries:
            behind = [other for other in order.entries if place[other] > place[entry]]
            if behind:
                powers = [math.exp(strengths[name]) for name in [entry, *behind]]
                total += math.log(powers[0] / sum(powers))
        for one, other in permutations(order.entries, 2):
            if place[one] == place[other]:
                power, against = math.exp(strengths[one]), math.exp(strengths[other])
                total += math.log(power / (power + against)) / 2
    return total


MIXED = [
    *won("a", "b", "c", "d", times=3),
    *won("d", "c", "b", "a"),
    *won("b", "d", "a", times=2),
    FinishingOrder(("a", "b", "c", "d"), (1, 2, 2, 4)),
    FinishingOrder(("d", "a", "c", "b"), (1, 1, 1, 4)),
    FinishingOrder(("c", "a", "b"), (1, 2, 2)),
    *drawn("a", "c"),
    *drawn("b", "c", "d"),
    *won("c", "a"),
]


def test_no_step_from_the_fit_makes_orders_with_ties_more_likely() -> None:
    ratings = rate(MIXED, prior=0)
    best = {row.name: elo(ratings, row.name) / ELO for row in ratings.rows}
    top = log_likelihood(MIXED, best)
    for name, step in product(best, (-0.001, 0.001)):
        assert log_likelihood(MIXED, {**best, name: best[name] + step}) < top


def test_the_deviation_of_a_difference_is_the_curvature_of_the_likelihood() -> None:
    # Against an anchor there is one free number in two bots, and its variance is minus one over
    # the second derivative.
    orders = [order for order in MIXED if set(order.entries) <= {"b", "c", "d", "a"}]
    anchors = {"a": 0.0, "b": 50.0, "c": -30.0}
    ratings = rate(orders, prior=0, anchors=anchors)
    row = ratings.row("d")
    assert row.high is not None
    assert row.rating is not None
    at = {name: value / ELO for name, value in {**anchors, "d": row.rating}.items()}
    step = 1e-3
    bend = sum(
        sign * log_likelihood(orders, {**at, "d": at["d"] + shift})
        for sign, shift in ((1, -step), (-2, 0.0), (1, step))
    )
    deviation = ELO * math.sqrt(-(step**2) / bend)
    assert row.high - row.rating == pytest.approx(1.959964 * deviation, rel=1e-4)


NAMES = "abcdef"


@st.composite
def finishing_orders(draw: st.DrawFn) -> FinishingOrder:
    entries = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    places = draw(st.lists(st.integers(1, 3), min_size=len(entries), max_size=len(entries)))
    return FinishingOrder(tuple(entries), tuple(places))


leagues = st.lists(finishing_orders(), min_size=1, max_size=25)
priors = st.sampled_from([0.0, 0.5, 1.0])


@settings(max_examples=50, deadline=None)
@given(leagues, priors, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_games_leaves_no_trace(
    games: list[FinishingOrder],
    prior: float,
    seat: bool,
    chance: Random,
) -> None:
    mixed = list(games)
    chance.shuffle(mixed)
    assert rate(mixed, prior=prior, seat_advantage=seat) == rate(
        games, prior=prior, seat_advantage=seat
    )


@settings(max_examples=50, deadline=None)
@given(leagues, priors)
def test_other_names_change_no_rating(games: list[FinishingOrder], prior: float) -> None:
    other = dict(zip(NAMES, "zwyxvu", strict=True))
    renamed = [FinishingOrder(tuple(other[e] for e in g.entries), g.places) for g in games]
    before, after = rate(games, prior=prior), rate(renamed, prior=prior)
    for row in before.rows:
        again = after.row(other[row.name])
        assert again.rank == row.rank
        if row.rating is None or row.high is None:
            assert again.rating is again.high is None
        else:
            assert again.rating == pytest.approx(row.rating, abs=1e-4)
            assert again.high == pytest.approx(row.high, rel=1e-4, abs=1e-3)


@settings(max_examples=50, deadline=None)
@given(leagues, priors)
def test_every_group_without_anchors_has_the_mean_zero(
    games: list[FinishingOrder], prior: float
) -> None:
    rows = rate(games, prior=prior).rows
    for group in {row.group for row in rows}:
        ratings = [row.rating for row in rows if row.group == group and row.rating is not None]
        assert sum(ratings) == pytest.approx(0, abs=1e-4)


@settings(max_examples=50, deadline=None)
@given(leagues)
def test_without_a_prior_no_step_from_the_fit_is_better(games: list[FinishingOrder]) -> None:
    ratings = rate(games, prior=0)
    members = [row.name for row in ratings.rows if row.group == 1]
    # What the rest of the games says about the group: the orders with all others left out.
    inner = [
        FinishingOrder(tuple(e for e, _ in kept), tuple(p for _, p in kept))
        for game in games
        if len(kept := [x for x in zip(game.entries, game.places, strict=True) if x[0] in members])
        > 1
    ]
    best = {row.name: (row.rating or 0.0) / ELO for row in ratings.rows if row.group == 1}
    top = log_likelihood(inner, best)
    for name, step in product(best, (-0.01, 0.01)):
        assert log_likelihood(inner, {**best, name: best[name] + step}) <= top + 1e-9


def test_games_are_added_up_before_the_fit() -> None:
    sums = compare([*won("a", "b", times=70), *drawn("b", "a", times=30), *won("a", "b", "c")] * 3)
    assert sums.duels == (Duel(0, 1, 210, 210), Duel(1, 0, 90, 45))
    assert [tuple(choice) for choice in sums.choices] == [(0, (1, 2), 3), (1, (2,), 3)]
    assert sums.games == (303, 303, 3)
