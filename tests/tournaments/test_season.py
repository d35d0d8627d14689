import csv
import io
import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.amendments import Disqualification
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.reading import EventFileError, read_struct
from sternhalma_tournament.season import SeasonEvent, SeasonRules, check_season, season_of
from sternhalma_tournament.season_tables import season_csv, season_json, season_markdown
from sternhalma_tournament.standings import standings
from tournaments.results import game


def event(name: str, *tiers: str, closed: bool = True, out: Sequence[str] = ()) -> SeasonEvent:
    """An event that ranked the letters of each tier below those of the one before."""
    order = "".join(tiers)
    place = {
        entry: sum(map(len, tiers[:at])) + 1 for at, tier in enumerate(tiers) for entry in tier
    }
    results = [
        game(
            number,
            (one, other),
            (1, 1) if place[one] == place[other] else (1, 2),
        )
        for number, (one, other) in enumerate(
            ((one, other) for at, one in enumerate(order) for other in order[at + 1 :]), start=1
        )
    ]
    rulings = [Disqualification(entry=entry, reason="two bots of one author") for entry in out]
    entries = [Entry(entry, (entry,)) for entry in order]
    return SeasonEvent(name, closed, standings(results, entries, (), amendments=rulings))


def ranks(*events: SeasonEvent, **rules: object) -> list[tuple[int | None, str, str, str | None]]:
    season = season_of(events, SeasonRules(**rules))  # type: ignore[arg-type]
    return [(row.rank, row.entry, str(row.points), row.decided_by) for row in season.rows]


def test_points_of_all_events_are_added_up() -> None:
    assert ranks(event("one", "a", "b", "c"), event("two", "b", "c", "a"), points=(10, 6, 1)) == [
        (1, "b", "16", None),
        (2, "a", "11", "points"),
        (3, "c", "7", "points"),
    ]


def test_a_shared_rank_shares_the_points_of_its_places_exactly() -> None:
    assert ranks(event("one", "a", "bcd", "e"), points=(10, 6, 4, 3, 2)) == [
        (1, "a", "10", None),
        (2, "b", "13/3", "points"),
        (2, "c", "13/3", None),
        (2, "d", "13/3", None),
        (5, "e", "2", "points"),
    ]


def test_places_beyond_the_list_are_worth_nothing() -> None:
    assert [row[2] for row in ranks(event("one", "a", "bc", "d"), points=(3, 1))] == [
        "3",
        "1/2",
        "1/2",
        "0",
    ]


def test_only_the_best_events_of_each_count() -> None:
    events = event("one", "a", "b"), event("two", "b", "a"), event("three", "a", "b")
    season = season_of(events, SeasonRules(points=(10, 6), best=2))
    assert [(row.entry, str(row.points)) for row in season.rows] == [("a", "20"), ("b", "16")]
    counted = [[one is not None and one.counted for one in row.placings] for row in season.rows]
    assert counted == [[True, False, True], [True, True, False]]


def test_of_equal_points_the_better_place_counts() -> None:
    events = event("one", "x", "y", "a"), event("two", "y", "a", "x")
    season = season_of(events, SeasonRules(points=(5,), best=1))
    row = next(row for row in season.rows if row.entry == "a")
    assert list(map(str, row.places)) == ["0", "1", "0"]


def test_who_was_disqualified_gets_nothing_and_those_below_move_up() -> None:
    assert ranks(
        event("one", "a", "b", "c", out="a"), event("two", "c", "a", "b"), points=(10, 6, 1)
    ) == [
        (1, "c", "16", None),
        (2, "b", "11", "points"),
        (3, "a", "6", "points"),
    ]
    assert ranks(event("one", "a", "b", out="a"))[1] == (None, "a", "0", None)


def test_events_won_come_before_any_number_of_second_places() -> None:
    assert ranks(event("one", "a", "b", "c"), event("two", "c", "b", "a"), points=(3, 2, 1)) == [
        (1, "a", "4", None),
        (1, "c", "4", None),
        (3, "b", "4", "events won"),
    ]


def test_second_places_come_before_third_ones() -> None:
    found = ranks(
        event("one", "x", "p", "q", "y"), event("two", "x", "y", "q", "p"), points=(3, 2, 1, 0)
    )
    assert found == [
        (1, "x", "6", None),
        (2, "p", "2", "points"),
        (2, "y", "2", None),
        (4, "q", "2", "2nd places"),
    ]


def test_half_a_win_is_less_than_a_win_and_more_than_none() -> None:
    found = ranks(
        event("one", "ab", "c", "d"), event("two", "c", "d", "b", "a"), points=(1, 1, 1, 1)
    )
    assert [(entry, decided_by) for _, entry, _, decided_by in found] == [
        ("c", None),
        ("b", "events won"),
        ("a", "3rd places"),
        ("d", "events won"),
    ]


def test_direct_comparison_asks_the_dropped_events_too() -> None:
    events = event("one", "a", "b"), event("two", "b", "a"), event("three", "b", "a")
    season = season_of(events, SeasonRules(points=(3, 2), best=1))
    assert [(row.entry, row.direct, row.decided_by) for row in season.rows] == [
        ("b", Fraction(2, 3), None),
        ("a", Fraction(1, 3), "direct comparison"),
    ]


def test_direct_comparison_starts_again_among_those_it_leaves_level() -> None:
    # Of all comparisons a wins 3 of 4, b and c 2 of 5; against each other b wins 2 of 3.
    met = ("bc", "bc", "cb", "ab", "ab", "ac", "ca")
    events = [event(f"{at}", *order) for at, order in enumerate(met)]
    season = season_of(events, SeasonRules(points=(1,), best=1))
    assert [(row.rank, row.entry, row.direct, row.decided_by) for row in season.rows] == [
        (1, "a", Fraction(3, 4), None),
        (2, "b", Fraction(2, 3), "direct comparison"),
        (3, "c", Fraction(1, 3), "direct comparison"),
    ]


def test_who_never_played_in_one_event_is_not_compared_but_shares_a_rank() -> None:
    events = event("one", "a", "x"), event("two", "b", "x")
    season = season_of(events, SeasonRules(points=(3, 2), best=1))
    assert [(row.rank, row.entry, row.direct) for row in season.rows] == [
        (1, "a", None),
        (1, "b", None),
        (3, "x", None),
    ]


def test_an_open_event_counts_only_if_asked_and_is_marked() -> None:
    events = event("one", "a", "b"), event("two", "b", "a", closed=False)
    closed, all_ = season_of(events), season_of(events, interim=True)
    assert (closed.left_out, closed.interim) == (("two",), ())
    assert (all_.left_out, all_.interim) == ((), ("two",))
    assert [row.points for row in closed.rows] == [10, 6]
    assert [row.points for row in all_.rows] == [16, 16]
    assert "Left out: two is not closed." in season_markdown(closed)
    assert "Interim table: two is not closed." in season_markdown(all_)


def test_a_season_without_events_is_an_empty_table() -> None:
    assert season_of([]).rows == ()
    assert season_csv(season_of([])) == "rank,entry,points,direct comparison,decided by\n"
    assert season_markdown(season_of([])).startswith("| rank | entry | points | decided by |\n")


def test_two_events_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="expected events of different names, got 'one' twice"):
        season_of([event("one", "a", "b"), event("one", "b", "a")])


@st.composite
def seasons(draw: st.DrawFn) -> list[SeasonEvent]:
    """Up to five events of some of six entries, with shared ranks."""
    events: list[SeasonEvent] = []
    for number in range(draw(st.integers(1, 5))):
        names = draw(st.permutations("abcdef"))[: draw(st.integers(2, 6))]
        cuts = draw(st.sets(st.integers(1, len(names) - 1)))
        ends = [0, *sorted(cuts), len(names)]
        tiers = ["".join(names[one:other]) for one, other in pairwise(ends)]
        events.append(event(f"event{number}", *tiers))
    return events


RULES = st.builds(
    SeasonRules,
    points=st.lists(st.integers(0, 12), min_size=1, max_size=6).map(
        lambda points: tuple(sorted(points, reverse=True))
    ),
    best=st.none() | st.integers(1, 4),
)


@given(seasons(), RULES, st.randoms(use_true_random=False))
def test_the_order_of_events_moves_nobody(
    events: list[SeasonEvent], rules: SeasonRules, shuffled: Random
) -> None:
    def table(events: Sequence[SeasonEvent]) -> list[tuple[object, ...]]:
        return [
            (row.rank, row.entry, row.points, row.places, row.decided_by)
            for row in season_of(events, rules).rows
        ]

    as_listed = table(events)
    shuffled.shuffle(events)
    assert table(events) == as_listed


@given(seasons(), RULES)
def test_points_given_are_the_points_of_the_places_taken(
    events: list[SeasonEvent], rules: SeasonRules
) -> None:
    season = season_of(events, SeasonRules(points=rules.points))
    given_out = sum(sum(rules.points[: len(event.standings.rows)]) for event in events)
    assert sum(row.points for row in season.rows) == given_out
    taken = sum(len(event.standings.rows) for event in events)
    assert sum(share for row in season.rows for share in row.places) == taken


@given(seasons(), RULES)
def test_who_is_below_has_no_more_points_and_a_reason(
    events: list[SeasonEvent], rules: SeasonRules
) -> None:
    rows = season_of(events, rules).rows
    for above, below in pairwise(rows):
        assert above.points >= below.points
        assert (below.decided_by == "points") == (above.points > below.points)
        assert (below.decided_by is None) == (above.rank == below.rank)


def test_the_markdown_names_points_by_event_and_what_decided() -> None:
    events = (
        event("one", "a", "bcd", "e"),
        event("two", "c", "a", "b", out="b"),
        event("three", "b", "c", "a"),
    )
    season = season_of(events, SeasonRules(points=(10, 6, 4, 3), best=2))
    assert season_markdown(season) == (
        "| rank | entry | points |     one |          two | three | direct | decided by        |\n"
        "| ---: | ----- | -----: | ------: | -----------: | ----: | -----: | ----------------- |\n"
        "|    1 | c     |     16 | (4 1/3) |           10 |     6 |    2/3 |                   |\n"
        "|    2 | a     |     16 |      10 |            6 |   (4) |    1/3 | direct comparison |\n"
        "|    3 | b     | 14 1/3 |   4 1/3 | disqualified |    10 |        | points            |\n"
        "|    4 | d     |  4 1/3 |   4 1/3 |              |       |        | points            |\n"
        "|    5 | e     |      0 |       0 |              |       |        | points            |\n"
        "\n"
        "Points for places: 10, 6, 4, 3. The best 2 events of each entry count.\n"
    )


def test_places_have_columns_as_far_as_they_decide() -> None:
    season = season_of(
        [event("one", "x", "p", "q", "y"), event("two", "x", "y", "q", "p")],
        SeasonRules(points=(3, 2, 1, 0), best=1),
    )
    assert "| events won |" not in season_markdown(season)
    season = season_of(season.events, SeasonRules(points=(3, 2, 1, 0)))
    assert "| events won | 2nd places |" in season_markdown(season)


def test_the_csv_reads_back_as_the_same_rows() -> None:
    events = event("one", "ab", "c"), event("two", "a", "c", "b", out="c")
    text = season_csv(season_of(events, SeasonRules(points=(3, 2, 1))))
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["entry"], row["points"]) for row in rows] == [
        ("a", "5.5"),
        ("b", "4.5"),
        ("c", "1"),
    ]
    assert rows[2]["two rank"] == "disqualified"
    assert rows[0]["place 1"] == "1.5"
    assert rows[1]["decided by"] == "points"
    head = text.splitlines()[0].split(",")
    assert len(set(head)) == len(head)


def test_the_json_keeps_thirds() -> None:
    season = season_of([event("one", "a", "bcd")], SeasonRules(points=(10, 6, 4, 3)))
    value = json.loads(season_json(season))
    assert value["rows"][1]["points"] == "13/3"
    assert value["rows"][1]["places"] == ["0", "1/3", "1/3", "1/3"]
    assert value["rows"][1]["events"]["one"] == {
        "rank": 2,
        "points": "13/3",
        "counted": True,
        "status": "",
    }
    assert value["events"] == [{"name": "one", "closed": True}]


def test_rules_are_read_and_a_worse_place_is_not_worth_more() -> None:
    rules = read_struct(SeasonRules, {"points": [3, 1], "best": 2}, "league.toml", "season")
    assert (rules.points, rules.best) == ((3, 1), 2)
    check_season(rules, "league.toml")
    with pytest.raises(EventFileError, match=r"season\.best: expected events that count, from 1"):
        read_struct(SeasonRules, {"best": 0}, "league.toml", "season")
    with pytest.raises(
        EventFileError,
        match=r"league\.toml: season\.points: expected a list of whole numbers .*, got \[1, 2\]",
    ):
        check_season(SeasonRules(points=(1, 2)), "league.toml")


def test_to_have_come_last_once_more_is_worth_nothing() -> None:
    assert ranks(event("one", "w", "a", "b"), event("two", "w", "b"), points=(3, 1)) == [
        (1, "w", "6", None),
        (2, "a", "1", "points"),
        (3, "b", "1", "direct comparison"),
    ]
