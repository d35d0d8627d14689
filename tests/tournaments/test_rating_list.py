"""What a rating list shows: the latest versions, ranks among them, scores, groups and seats."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from fractions import Fraction

import pytest

from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.rating_list import RatingList, find_version, rating_list
from sternhalma_tournament.rating_tables import (
    Basis,
    ratings_csv,
    ratings_json,
    ratings_markdown,
    superiority_csv,
)
from sternhalma_tournament.ratings import rate

Orders = Counter[FinishingOrder]

BASIS = Basis(6, 1, [("tara", 2, 6)], [("void", 1)], 0, 1.0)


def won(winner: str, *others: str, times: int = 1) -> Orders:
    names = (winner, *others)
    return Orders({FinishingOrder(names, tuple(range(1, len(names) + 1))): times})


def listed(
    orders: Orders, *, all_versions: bool = False, superiority: bool = False, prior: float = 1
) -> RatingList:
    ratings = rate(orders, prior=prior, seat_advantage=True)
    return rating_list(ratings, orders, all_versions=all_versions, superiority=superiority)


FAMILY = won("zoe@2", "max", times=3) + won("max", "zoe@1", times=2) + won("zoe@2", "zoe@1")


def test_a_bot_is_shown_in_its_latest_version() -> None:
    assert [row.name for row in listed(FAMILY).rows] == ["zoe 2", "max"]


def test_all_versions_are_shown_where_they_are_wanted() -> None:
    rows = listed(FAMILY, all_versions=True).rows
    assert [(row.rank, row.name) for row in rows] == [(1, "zoe 2"), (2, "max"), (3, "zoe 1")]


def test_versions_that_are_not_shown_are_rated_all_the_same() -> None:
    few, all_ = listed(FAMILY), listed(FAMILY, all_versions=True)
    assert [row.rating for row in few.rows] == [row.rating for row in all_.rows[:2]]


def test_ranks_count_what_is_shown() -> None:
    orders = won("zoe@1", "max", times=3) + won("max", "zoe@2", times=2)
    assert listed(orders, all_versions=True).rows[0].name == "zoe 1"
    assert [(row.rank, row.name) for row in listed(orders).rows] == [(1, "max"), (2, "zoe 2")]


def test_equal_ratings_share_a_rank() -> None:
    orders = won("a", "c") + won("b", "c")
    assert [(row.rank, row.bot) for row in listed(orders).rows] == [(1, "a"), (1, "b"), (3, "c")]


def test_the_score_is_the_share_of_the_points() -> None:
    orders = won("a", "b", "c") + won("a", "b", times=2)
    scores = {row.bot: row.score for row in listed(orders).rows}
    # b has half of the points of the game of three, and none of two others.
    assert scores == {"a": 1, "b": Fraction(1, 6), "c": 0}


def test_a_shared_place_is_half_a_point() -> None:
    orders = Orders({FinishingOrder(("a", "b"), (1, 1)): 3})
    assert [row.score for row in listed(orders).rows] == [Fraction(1, 2)] * 2


def test_the_last_row_of_a_group_is_compared_with_nobody() -> None:
    orders = won("a", "b", times=2) + won("c", "d")
    rows = listed(orders).rows
    assert [row.above_next is None for row in rows] == [False, True, False, True]


def test_the_likelihood_of_superiority_is_that_of_the_ratings() -> None:
    orders = won("a", "b", times=5) + won("b", "a")
    orders[FinishingOrder(("b", "a"), (2, 1))] = 5  # a wins from the other seat as well
    first = listed(orders).rows[0]
    assert first.above_next == rate(orders, seat_advantage=True).superiority("a", "b")
    assert first.above_next is not None
    assert 0.95 < first.above_next < 0.999


def test_groups_without_games_between_them_are_marked_and_said_in_words() -> None:
    table = listed(won("a", "b", times=3) + won("x", "y") + won("a", "c"))
    assert [(row.group, row.mark) for row in table.rows] == [
        (1, None),
        (1, None),
        (1, None),
        (2, "apart"),
        (2, "apart"),
    ]
    text = ratings_markdown(table, BASIS)
    assert text.count("| no games connect it with group 1 |") == 2
    assert "No games connect the groups" in text


def test_a_list_of_one_group_has_no_column_for_it() -> None:
    text = ratings_markdown(listed(won("a", "b")), BASIS)
    assert text.splitlines()[0].split(" | ")[0] == "| rank"
    assert "groups" not in text
    assert "mark" not in text


def test_groups_that_are_not_shown_are_not_counted() -> None:
    orders = won("zoe@1", "max@1", times=3) + won("zoe@1", "ann@1") + won("zoe@2", "max@2")
    orders += won("ann@2", "zoe@2")
    rows = listed(orders).rows
    assert {row.name for row in rows} == {"zoe 2", "max 2", "ann 2"}
    assert {(row.group, row.mark) for row in rows} == {(1, None)}


def test_without_a_prior_who_won_everything_has_no_rating() -> None:
    table = listed(won("a", "b") + won("b", "c") + won("c", "b"), prior=0)
    top = next(row for row in table.rows if row.bot == "a")
    assert (top.rating, top.mark) == (None, "won all")
    assert "won everything, how much stronger is unknown" in ratings_markdown(table, BASIS)


def test_seats_are_told_for_each_number_of_sides() -> None:
    table = listed(won("a", "b", times=4) + won("b", "a") + won("a", "b", "c", times=2))
    assert [(sides, len(scores)) for sides, scores in table.scores] == [(2, 2), (3, 3)]
    ((_, two), _) = table.scores
    assert [(seat.games, seat.mean) for seat in two] == [(5, 1.0), (5, 0.0)]
    assert table.seat is not None
    assert "Moving first is worth" in ratings_markdown(table, BASIS)


def test_games_of_three_say_nothing_of_moving_first() -> None:
    table = listed(won("a", "b", "c", times=2))
    assert table.seat is None
    assert "Moving first" not in ratings_markdown(table, BASIS)


def test_what_was_left_out_is_said() -> None:
    basis = Basis(3, 2, [("corner", 2, 1), ("tara", 2, 2)], [("annulled", 1), ("void", 2)], 1, 1.0)
    text = ratings_markdown(listed(won("a", "b")), basis)
    assert (
        "3 games of 2 events: corner with 2 players (1), tara with 2 players (2).\n"
        "Forfeits count as lost, in 1 game.\n"
        "Left out: annulled 1, void 2.\n"
    ) in text


@pytest.mark.parametrize("all_versions", [False, True])
def test_every_format_has_the_same_rows(all_versions: bool) -> None:
    table = listed(FAMILY, all_versions=all_versions)
    rows = json.loads(ratings_json(table, BASIS))["rows"]
    lines = list(csv.DictReader(io.StringIO(ratings_csv(table))))
    markdown = ratings_markdown(table, BASIS).splitlines()[2 : 2 + len(rows)]
    for row, line, drawn in zip(rows, lines, markdown, strict=True):
        assert line["bot"] == row["bot"] == drawn.split("|")[2].strip()
        assert line["rating"] == row["rating"]
        assert (line["above next"] or None) == row["above_next"]
        assert f"{float(row['rating']):.0f}" == drawn.split("|")[4].strip()


def test_the_matrix_of_superiority_adds_up_to_one_across_the_diagonal() -> None:
    table = listed(FAMILY, all_versions=True, superiority=True)
    for one in range(3):
        assert table.superiority[one][one] is None
        for other in range(one):
            shares = table.superiority[one][other], table.superiority[other][one]
            assert sum(share or 0 for share in shares) == pytest.approx(1)
    assert "stronger than" in ratings_markdown(table, BASIS)
    assert len(superiority_csv(table).splitlines()) == 1 + 3 * 2
    assert len(json.loads(ratings_json(table, BASIS))["superiority"]) == 3


def test_the_same_games_in_another_order_give_the_same_bytes() -> None:
    backward = Orders(dict(reversed(FAMILY.items())))
    texts = [
        (ratings_markdown(table, BASIS), ratings_csv(table), ratings_json(table, BASIS))
        for table in (listed(FAMILY), listed(backward))
    ]
    assert texts[0] == texts[1]


def test_a_zero_has_no_sign() -> None:
    orders = won("a", "b") + won("b", "a")
    assert "-0" not in ratings_csv(listed(orders)).replace("-0.", "")
    assert "| -0 " not in ratings_markdown(listed(orders), BASIS)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("zoe", "zoe@1.10"),
        ("zoe 1.9", "zoe@1.9"),
        ("zoe@1.9", "zoe@1.9"),
        ("max", "max"),
        ("zoe 2", None),
        ("ann", None),
    ],
)
def test_a_bot_is_named_with_its_version_or_means_its_latest(
    wanted: str, found: str | None
) -> None:
    assert find_version(wanted, ["max", "zoe@1.9", "zoe@1.10"]) == found


def test_what_is_nearly_sure_is_not_called_certain() -> None:
    table = listed(won("a", "b", "c", times=300), superiority=True)
    text = ratings_markdown(table, BASIS)
    assert "> 99.9 %" in text
    assert "< 0.1 %" in text
    assert "| 100.0 % |" in text, "a score that is whole is whole"
