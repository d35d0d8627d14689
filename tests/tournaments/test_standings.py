import re
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.standings import Row, Standings, standings
from sternhalma_tournament.tiebreaks import TIE_BREAKS, TieBreak
from tournaments.results import game, leagues

TATA_STEEL_2015 = """
Carlsen x ½ ½ ½ ½ ½ 1 1 0 1 1 ½ 1 1; Vachier-Lagrave ½ x 1 ½ 1 0 1 ½ ½ ½ 1 1 ½ ½;
Giri ½ 0 x 1 1 ½ ½ ½ ½ ½ ½ 1 1 1; So ½ ½ 0 x ½ 1 ½ ½ ½ 1 ½ 1 1 1;
Ding ½ 0 0 ½ x ½ 0 1 1 1 1 1 1 1; Ivanchuk ½ 1 ½ 0 ½ x ½ ½ ½ ½ ½ ½ 1 1;
Caruana 0 0 ½ ½ 1 ½ x ½ 0 ½ ½ 1 1 1; Radjabov 0 ½ ½ ½ 0 ½ ½ x 1 ½ ½ 1 ½ 0;
Wojtaszek 1 ½ ½ ½ 0 ½ 1 0 x ½ ½ 0 ½ 0; Aronian 0 ½ ½ 0 0 ½ ½ ½ ½ x ½ ½ ½ 1;
Hou 0 0 ½ ½ 0 ½ ½ ½ ½ ½ x ½ 0 1; Saric ½ 0 0 0 0 ½ 0 0 1 ½ ½ x ½ 1;
Van-Wely 0 ½ 0 0 0 0 0 ½ ½ ½ 1 ½ x ½; Jobava 0 ½ 0 0 0 0 0 1 1 0 0 0 ½ x
"""
# points, Sonneborn-Berger, Koya, wins
PUBLISHED = {
    "Carlsen": ("9", "53.50", "3.5", 6),
    "Vachier-Lagrave": ("8.5", "54.25", "4", 5),
    "Giri": ("8.5", "51.25", "3.5", 5),
    "So": ("8.5", "49.25", "3", 5),
    "Ding": ("8.5", "46.00", "1.5", 7),
    "Ivanchuk": ("7.5", "45.25", "3", 3),
    "Caruana": ("7", "40.50", "2.5", 4),
    "Radjabov": ("6", "37.25", "2.5", 2),
    "Wojtaszek": ("5.5", "39.75", "4", 2),
    "Aronian": ("5.5", "31.25", "2", 1),
    "Hou": ("5", "29.50", "2", 1),
    "Saric": ("4.5", "24.00", "1", 2),
    "Van-Wely": ("4", "21.50", "0.5", 1),
    "Jobava": ("3", "17.75", "0.5", 2),
}


def tata_steel() -> tuple[list[str], list[GameResult]]:
    rows = [row.split() for row in re.sub(r"\s+", " ", TATA_STEEL_2015).split(";")]
    names = [row[0] for row in rows]
    places = {"1": (1, 2), "½": (1, 1), "0": (2, 1)}
    results = [
        game(len(names) * i + j + 1, (names[i], names[j]), places[rows[i][j + 1]])
        for i in range(len(names))
        for j in range(i)
    ]
    return names, results


def table(names: list[str], results: list[GameResult], *tie_breaks: TieBreak) -> Standings:
    return standings(results, [Entry(name, (name,)) for name in names], tie_breaks)


def order(found: Standings) -> list[tuple[int | None, str, str | None]]:
    return [(row.rank, row.entry, row.decided_by) for row in found.rows]


def test_tata_steel_2015_value_by_value() -> None:
    found = table(*tata_steel(), "sonneborn-berger", "koya", "wins")
    assert [row.entry for row in found.rows] == list(PUBLISHED)
    for row in found.rows:
        points, berger, koya, wins = PUBLISHED[row.entry]
        assert row.points == Fraction(points)
        assert row.tie_breaks == (Fraction(berger), Fraction(koya), Fraction(wins))
        assert row.wins == wins


def test_tata_steel_2015_by_direct_encounter_first() -> None:
    found = table(*tata_steel(), "direct-encounter", "sonneborn-berger")
    assert order(found)[:6] == [
        (1, "Carlsen", None),
        (2, "Vachier-Lagrave", "points"),  # 2½ of 3 against the three level with him
        (3, "Giri", "direct-encounter"),  # 2
        (4, "So", "direct-encounter"),  # 1
        (5, "Ding", "direct-encounter"),  # ½
        (6, "Ivanchuk", "points"),
    ]


def test_the_direct_encounter_is_asked_only_if_all_the_tied_have_met() -> None:
    # a, b and c have a point each; b and c have not met, so a's win over b counts for nothing.
    results = [game(1, "ab", (1, 2)), game(2, "bd", (1, 2)), game(3, "ce", (1, 2))]
    found = table(list("abcde"), results, "direct-encounter")
    assert [(row.rank, row.entry) for row in found.rows[:3]] == [(1, "a"), (1, "b"), (1, "c")]
    assert [row.tie_breaks for row in found.rows[:3]] == [(None,)] * 3


def test_the_direct_encounter_starts_again_within_those_it_leaves_tied() -> None:
    # a, b, c and d all have 3 points; against each other a and b made 2, c and d 1;
    # then a beat b, and c beat d.
    results = [
        game(1, "ab", (1, 2)),
        game(2, "ac", (1, 2)),
        game(3, "ad", (2, 1)),
        game(4, "bc", (1, 2)),
        game(5, "bd", (1, 2)),
        game(6, "cd", (1, 2)),
        game(7, "ax", (1, 2)),
        game(8, "bx", (1, 2)),
        game(9, "cx", (1, 2)),
        game(10, "cx", (1, 2)),
        game(11, "dx", (1, 2)),
        game(12, "dx", (1, 2)),
    ]
    found = table(list("abcdx"), results, "direct-encounter")
    assert [row.half_points for row in found.rows[:4]] == [6, 6, 6, 6]
    assert order(found)[:4] == [
        (1, "a", None),
        (2, "b", "direct-encounter"),
        (3, "c", "direct-encounter"),
        (4, "d", "direct-encounter"),
    ]


def test_uneven_numbers_of_meetings_are_compared_by_points_a_meeting() -> None:
    # a and b have met three times, b and c, a and c once; everybody has 2 points.
    results = [
        game(1, "ab", (1, 2)),
        game(2, "ab", (2, 1)),
        game(3, "ab", (1, 1)),
        game(4, "bc", (1, 1)),
        game(5, "ac", (1, 1)),
        game(6, "cd", (1, 2)),
    ]
    found = table(list("abcd"), results, "direct-encounter")
    assert order(found)[:3] == [(1, "a", None), (1, "b", None), (1, "c", None)]


def test_what_nothing_separates_shares_the_rank() -> None:
    results = [game(1, "ab", (1, 1)), game(2, "cd", (1, 1))]
    found = table(list("abcd"), results, *TIE_BREAKS)
    assert {row.rank for row in found.rows} == {1}
    assert {row.decided_by for row in found.rows} == {None}


def test_a_win_needs_the_first_place_alone() -> None:
    results = [game(1, "abc", (1, 1, 3)), game(2, "abc", (2, 1, 3))]
    wins = {row.entry: row.wins for row in table(list("abc"), results).rows}
    assert wins == {"a": 0, "b": 1, "c": 0}


def test_crashes_first_puts_the_absent_below_the_present() -> None:
    results = [
        game(1, "ab", (1, 2)),
        game(2, "ac", (2, 1), ("disconnect", None)),
        game(3, "bc", (1, 2)),
    ]
    found = table(list("abc"), results, "fewest-crashes")
    assert order(found) == [(1, "b", None), (1, "c", None), (3, "a", "fewest-crashes")]


def test_a_fall_of_the_clock_is_a_forfeit_but_no_crash() -> None:
    results = [
        game(1, "ab", (1, 2)),
        game(2, "ac", (2, 1), ("time", None)),
        game(3, "bc", (1, 2)),
    ]
    names = list("abc")
    assert {row.rank for row in table(names, results, "fewest-crashes").rows} == {1}
    assert order(table(names, results, "fewest-forfeits"))[2] == (3, "a", "fewest-forfeits")


def test_buchholz_adds_the_points_of_every_opponent_once_a_meeting() -> None:
    results = [game(1, "ab", (1, 2)), game(2, "ab", (1, 2)), game(3, "bc", (1, 2))]
    values = {row.entry: row.tie_breaks for row in table(list("abc"), results, "buchholz").rows}
    assert values == {"a": (Fraction(2),), "b": (Fraction(4),), "c": (Fraction(1),)}


def test_a_row_counts_places_and_forfeits_by_reason() -> None:
    results = [
        game(1, "abc", (1, 2, 2)),
        game(2, "abc", (3, 1, 2), ("time", None, None)),
        game(3, "abc", (3, 1, 1), ("illegal", None, None)),
    ]
    row = next(row for row in table(list("abc"), results).rows if row.entry == "a")
    assert row.places == ((1, 1), (3, 2))
    assert row.forfeits == (("illegal", 1), ("time", 1))
    assert row.games == 3


def test_two_partners_at_fault_forfeit_one_game() -> None:
    pairs = game(1, ("x", "y", "x", "y"), (2, 1, 2, 1), ("time", None, "illegal", None))
    row = next(row for row in table(["x", "y"], [pairs]).rows if row.entry == "x")
    assert row.forfeits == (("illegal", 1),)


def test_void_games_are_listed_and_not_scored() -> None:
    found = table(["a", "b"], [game(1, "ab", (1, 2), reason="aborted")])
    assert (found.games, found.void) == (0, 1)
    assert [row.games for row in found.rows] == [0, 0]


def test_a_stranger_in_a_result_is_refused() -> None:
    with pytest.raises(ValueError, match="expected entries of the event in game 4, got 'z'"):
        table(["a", "b"], [game(4, "az", (1, 2))])


def test_seat_advantage_shows_who_profits_and_how_sure_that_is() -> None:
    results = [game(n, "ab" if n % 2 else "ba", (1, 2) if n % 4 else (2, 1)) for n in range(400)]
    first, second = table(["a", "b"], results).seats
    assert (first.mean, second.mean) == (0.75, 0.25)
    assert 0.70 < first.low < 0.75 < first.high < 0.80
    assert first.games == second.games == 400


def test_equal_results_still_leave_doubt_about_the_seats() -> None:
    first, _ = table(["a", "b"], [game(1, "ab", (1, 2)), game(2, "ba", (1, 2))]).seats
    assert first.mean == 1
    assert first.low < 0.6


@given(leagues(), st.randoms(use_true_random=False), st.permutations(TIE_BREAKS))
def test_the_order_of_games_and_of_entries_does_not_matter(
    league: tuple[list[str], list[GameResult]], random: object, tie_breaks: list[TieBreak]
) -> None:
    names, results = league
    shuffled_names, shuffled = names.copy(), results.copy()
    random.shuffle(shuffled_names)  # type: ignore[attr-defined]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert table(names, results, *tie_breaks) == table(shuffled_names, shuffled, *tie_breaks)


@given(leagues(), st.permutations(TIE_BREAKS))
def test_other_names_change_no_rank(
    league: tuple[list[str], list[GameResult]], tie_breaks: list[TieBreak]
) -> None:
    names, results = league
    renamed = {name: f"x{len(names) - n}" for n, name in enumerate(names)}

    def rename(result: GameResult) -> GameResult:
        entries = [renamed[name] for name in result.entries]
        return game(result.number, entries, result.places, result.forfeits, result.reason)

    before = {renamed[row.entry]: row for row in table(names, results, *tie_breaks).rows}
    after = table(list(renamed.values()), list(map(rename, results)), *tie_breaks)
    for row in after.rows:
        old: Row = before[row.entry]
        assert (row.rank, row.half_points, row.tie_breaks) == (
            old.rank,
            old.half_points,
            old.tie_breaks,
        )


@given(leagues(), st.permutations(TIE_BREAKS))
def test_ranks_follow_the_points_and_each_boundary_names_what_decided(
    league: tuple[list[str], list[GameResult]], tie_breaks: list[TieBreak]
) -> None:
    rows = table(*league, *tie_breaks).rows
    for above, below in pairwise(rows):
        assert above.half_points >= below.half_points
        assert (above.rank == below.rank) == (below.decided_by is None)
        assert (below.decided_by == "points") == (above.half_points > below.half_points)
