"""Ratings against published values; anchors, groups, seats and refusals."""

import math
from itertools import combinations, permutations

import pytest

from sternhalma_tournament.bradley_terry import ELO, normal_share
from sternhalma_tournament.plackett_luce import FinishingOrder, OrderError
from sternhalma_tournament.ratings import RatingError, Ratings, rate

TATA_STEEL_2015 = """
Carlsen        x ½ ½ ½ ½ ½ 1 1 0 1 1 ½ 1 1   142.04
Vachier-Lagrave ½ x 1 ½ 1 0 1 ½ ½ ½ 1 1 ½ ½  112.14
Giri           ½ 0 x 1 1 ½ ½ ½ ½ ½ ½ 1 1 1   112.14
So             ½ ½ 0 x ½ 1 ½ ½ ½ 1 ½ 1 1 1   112.14
Ding           ½ 0 0 ½ x ½ 0 1 1 1 1 1 1 1   112.14
Ivanchuk       ½ 1 ½ 0 ½ x ½ ½ ½ ½ ½ ½ 1 1    55.51
Caruana        0 0 ½ ½ 1 ½ x ½ 0 ½ ½ 1 1 1    28.10
Radjabov       0 ½ ½ ½ 0 ½ ½ x 1 ½ ½ 1 ½ 0   -26.29
Wojtaszek      1 ½ ½ ½ 0 ½ 1 0 x ½ ½ 0 ½ 0   -53.78
Aronian        0 ½ ½ 0 0 ½ ½ ½ ½ x ½ ½ ½ 1   -53.78
Hou            0 0 ½ ½ 0 ½ ½ ½ ½ ½ x ½ 0 1   -81.83
Saric          ½ 0 0 0 0 ½ 0 0 1 ½ ½ x ½ 1  -110.75
VanWely        0 ½ 0 0 0 0 0 ½ ½ ½ 1 ½ x ½  -140.89
Jobava         0 ½ 0 0 0 0 0 1 1 0 0 0 ½ x  -206.90
"""

PLACES = {"1": (1, 2), "½": (1, 1), "0": (2, 1)}


def tata_steel() -> tuple[list[FinishingOrder], dict[str, float]]:
    rows = [line.split() for line in TATA_STEEL_2015.split("\n") if line]
    games = [
        FinishingOrder((one[0], other[0]), PLACES[one[number + 1]])
        for (_, one), (number, other) in combinations(enumerate(rows), 2)
    ]
    return games, {row[0]: float(row[-1]) for row in rows}


def won(*names: str, times: int = 1) -> list[FinishingOrder]:
    """Games in which the names finished in this order."""
    return [FinishingOrder(names, tuple(range(1, len(names) + 1)))] * times


def drawn(*names: str, times: int = 1) -> list[FinishingOrder]:
    return [FinishingOrder(names, (1,) * len(names))] * times


def elos(ratings: Ratings) -> dict[str, float | None]:
    return {row.name: row.rating for row in ratings.rows}


def elo(ratings: Ratings, name: str) -> float:
    rating = ratings.row(name).rating
    assert rating is not None
    return rating


# Against the world outside


def test_tata_steel_2015_gets_its_published_ratings() -> None:
    games, published = tata_steel()
    assert elos(rate(games, prior=0)) == pytest.approx(published, abs=0.01)


def test_equal_scores_of_a_round_robin_share_a_rank() -> None:
    games, _ = tata_steel()
    ranks = [row.rank for row in rate(games, prior=0).rows]
    assert ranks == [1, 2, 2, 2, 2, 6, 7, 8, 9, 9, 11, 12, 13, 14]


def test_three_wins_in_four_games_are_191_elo() -> None:
    ratings = rate([*won("a", "b", times=3), *won("b", "a")], prior=0)
    assert elo(ratings, "a") - elo(ratings, "b") == pytest.approx(400 * math.log10(3))


def test_the_interval_of_two_bots_is_the_textbook_one() -> None:
    # The logarithm of the odds w / l has the variance 1 / w + 1 / l; the mean of the two ratings
    # is nailed down, so each rating has half the difference's deviation.
    row = rate([*won("a", "b", times=30), *won("b", "a", times=10)], prior=0).row("a")
    half = 1.959964 * math.sqrt(1 / 30 + 1 / 10) * ELO / 2
    assert row.low is not None
    assert row.high is not None
    assert row.rating is not None
    assert (row.rating - row.low, row.high - row.rating) == pytest.approx((half, half), rel=1e-5)


def test_the_prior_is_so_many_draws_against_a_stranger_whom_all_have_met() -> None:
    games = [*won("a", "b", times=5), *won("b", "c", times=2), *drawn("c", "a")]
    draws = [draw for name in "abc" for draw in drawn(name, "stranger", times=2)]
    by_prior, by_hand = rate(games, prior=2), rate([*games, *draws], prior=0)
    for one, other in combinations("abc", 2):
        assert elo(by_prior, one) - elo(by_prior, other) == pytest.approx(
            elo(by_hand, one) - elo(by_hand, other), abs=1e-5
        )


# Anchors, groups and marks


def test_an_anchor_keeps_its_rating_and_moves_all_others_with_it() -> None:
    games, _ = tata_steel()
    free, anchored = rate(games), rate(games, anchors={"Giri": 2784})
    shift = 2784 - elo(free, "Giri")
    assert elos(anchored) == pytest.approx(
        {row.name: elo(free, row.name) + shift for row in free.rows}, abs=1e-5
    )
    assert anchored.row("Giri").low == anchored.row("Giri").high == 2784
    assert anchored.row("Giri").mark == "anchor"


def test_two_anchors_hold_although_the_games_say_otherwise() -> None:
    ratings = rate([*won("a", "b", times=9), *won("b", "c", "a")], anchors={"a": 0, "b": 400})
    assert (elo(ratings, "a"), elo(ratings, "b")) == (0, 400)


def test_anchors_put_groups_that_never_met_on_one_scale() -> None:
    games = [*won("a", "b"), *drawn("c", "d")]
    ratings = rate(games, anchors={"a": 100, "c": 0})
    assert {row.group for row in ratings.rows} == {1}
    assert ratings.superiority("b", "d") is not None


def test_groups_that_never_met_are_rated_and_ranked_apart() -> None:
    ratings = rate([*won("a", "b"), *drawn("c", "d", "e")])
    rows = [(row.name, row.group, row.rank, row.mark) for row in ratings.rows]
    assert rows == [
        ("c", 1, 1, None),
        ("d", 1, 1, None),
        ("e", 1, 1, None),
        ("a", 2, 1, "apart"),
        ("b", 2, 2, "apart"),
    ]
    assert ratings.superiority("a", "c") is None
    assert elo(ratings, "a") + elo(ratings, "b") == pytest.approx(0, abs=1e-5)


def test_without_a_prior_a_bot_that_won_or_lost_everything_has_no_rating() -> None:
    games = [*won("top", "a"), *won("a", "b"), *won("b", "a"), *won("b", "low"), *won("top", "low")]
    ratings = rate(games, prior=0)
    marks = {row.name: (row.group, row.rating, row.mark) for row in ratings.rows}
    assert marks == {
        "a": (1, 0.0, None),
        "b": (1, 0.0, None),
        "top": (2, None, "won all"),
        "low": (3, None, "lost all"),
    }
    assert ratings.superiority("top", "a") is None


def test_without_a_prior_a_part_that_won_everything_against_the_rest_is_apart() -> None:
    games = [*won("a", "b"), *won("b", "a"), *won("c", "d", "e"), *won("e", "d", "c")]
    ratings = rate([*games, *won("a", "b", "c"), *won("b", "a", "d", "e")], prior=0)
    rows = {row.name: (row.group, row.mark) for row in ratings.rows}
    assert rows == {
        "c": (1, None),
        "d": (1, None),
        "e": (1, None),
        "a": (2, "apart"),
        "b": (2, "apart"),
    }
    # a and b have one win each against the other, and orders with the rest count as well.
    assert elo(ratings, "a") == pytest.approx(0, abs=1e-5)


def test_what_is_left_beside_unbeaten_bots_is_where_a_vanishing_prior_tends_to() -> None:
    games = [*won("top", "a", "b", "c"), *won("a", "c", "b"), *won("c", "b", "a"), *won("b", "a")]
    bare, weak = rate(games, prior=0), rate(games, prior=1e-6)
    for one, other in combinations("abc", 2):
        assert elo(weak, one) - elo(weak, other) == pytest.approx(
            elo(bare, one) - elo(bare, other), abs=0.01
        )


def test_with_the_prior_an_unbeaten_bot_has_a_rating_and_a_wide_interval() -> None:
    row = rate([*won("a", "b", times=20), *won("b", "c"), *won("c", "b")]).row("a")
    assert row.mark is None
    assert row.rating is not None
    assert row.low is not None
    assert row.high is not None
    assert 200 < row.rating < 800
    assert row.high - row.low > 400


def test_an_anchor_that_has_not_played_is_listed() -> None:
    row = rate(won("a", "b"), anchors={"c": 7}).row("c")
    assert (row.rating, row.games, row.mark) == (7, 0, "anchor")


def test_no_games_make_an_empty_table() -> None:
    assert rate([]).rows == ()
    assert rate([], prior=0, seat_advantage=True).rows == ()


def test_bots_ten_thousand_wins_apart_are_rated() -> None:
    games = [*won("a", "b", times=9999), *won("b", "a")]
    ratings = rate(games, prior=0)
    assert elo(ratings, "a") == pytest.approx(200 * math.log10(9999))


# Superiority


def test_superiority_is_one_half_between_equals_and_certain_between_anchors() -> None:
    ratings = rate(drawn("a", "b", "c"))
    assert ratings.superiority("a", "b") == pytest.approx(0.5)
    anchored = rate(drawn("a", "b", "c"), anchors={"a": 1, "b": 0})
    assert anchored.superiority("a", "b") == 1
    assert anchored.superiority("b", "a") == 0


def test_superiority_of_two_bots_is_the_share_of_the_normal_curve() -> None:
    ratings = rate([*won("a", "b", times=15), *won("b", "a", times=10)], prior=0)
    z = math.log(1.5) / math.sqrt(1 / 15 + 1 / 10)
    assert ratings.superiority("a", "b") == pytest.approx(normal_share(z))
    assert ratings.superiority("b", "a") == pytest.approx(1 - normal_share(z))


def test_superiority_over_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        rate(won("a", "b")).superiority("a", "c")


# The seat


def test_the_seat_advantage_of_equals_is_the_first_seats_score() -> None:
    games = [
        order
        for one, other in permutations("abc", 2)
        for order in [*won(one, other, times=2), FinishingOrder((one, other), (2, 1))]
    ]
    seat = rate(games, prior=0, seat_advantage=True).seat
    assert seat is not None
    assert seat.games == 18
    assert seat.elo == pytest.approx(400 * math.log10(2))
    assert seat.low is not None
    assert seat.high is not None
    assert seat.high - seat.low == pytest.approx(2 * 1.959964 * ELO / math.sqrt(18 * 2 / 9))


def test_the_seat_advantage_is_taken_out_of_the_ratings() -> None:
    # a always moved first and won three in four, as first movers do here: no better than b.
    games = [*won("a", "b", times=3), FinishingOrder(("a", "b"), (2, 1))]
    games += [
        order
        for one, other in permutations("cde", 2)
        for order in [*won(one, other, times=300), *[FinishingOrder((one, other), (2, 1))] * 100]
    ]
    games += drawn("a", "c") + drawn("c", "a")
    ratings = rate(games, prior=0, seat_advantage=True)
    assert elo(ratings, "a") == pytest.approx(elo(ratings, "b"), abs=2)
    assert elo(rate(games, prior=0), "a") - elo(rate(games, prior=0), "b") > 150


def test_without_a_prior_a_seat_that_won_every_game_has_no_number() -> None:
    games = [*won("a", "b"), *won("b", "a")]
    ratings = rate(games, prior=0, seat_advantage=True)
    assert ratings.seat is not None
    assert (ratings.seat.games, ratings.seat.elo) == (2, None)
    assert elos(ratings) == {"a": 0, "b": 0}


def test_with_the_prior_a_seat_that_won_every_game_has_a_number() -> None:
    seat = rate([*won("a", "b"), *won("b", "a")], seat_advantage=True).seat
    assert seat is not None
    assert seat.elo is not None
    assert 0 < seat.elo < 400


def test_games_of_more_than_two_have_no_seat_advantage() -> None:
    seat = rate(won("a", "b", "c"), seat_advantage=True).seat
    assert seat is not None
    assert (seat.games, seat.elo, seat.low, seat.high) == (0, None, None, None)


def test_no_seat_advantage_is_told_unasked() -> None:
    assert rate(won("a", "b")).seat is None


# Refusals


@pytest.mark.parametrize(
    ("entries", "places"),
    [(("a",), (1,)), (("a", "a"), (1, 2)), (("a", "b"), (1,)), (("a", "b"), (1, 2, 3))],
)
def test_an_order_that_is_none_is_refused(
    entries: tuple[str, ...], places: tuple[int, ...]
) -> None:
    with pytest.raises(OrderError, match="expected"):
        FinishingOrder(entries, places)


@pytest.mark.parametrize("prior", [-1, 1e-9, math.nan, math.inf])
def test_a_prior_out_of_range_is_refused(prior: float) -> None:
    with pytest.raises(RatingError, match="prior"):
        rate(won("a", "b"), prior=prior)


@pytest.mark.parametrize("anchor", [math.nan, -math.inf])
def test_an_anchor_without_a_number_is_refused_by_name(anchor: float) -> None:
    with pytest.raises(RatingError, match="'a'"):
        rate(won("a", "b"), anchors={"a": anchor})


def test_anchors_that_no_game_can_bridge_are_refused() -> None:
    with pytest.raises(RatingError, match="within 4000 Elo"):
        rate(won("a", "b"), anchors={"a": 0, "b": 4001})


def test_anchors_may_lie_anywhere_if_together() -> None:
    ratings = rate([*won("a", "c"), *won("c", "b")], anchors={"a": 54_000, "b": 50_000}, prior=0)
    assert elo(ratings, "c") == pytest.approx(52_000, abs=1e-3)
