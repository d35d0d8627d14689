import json

import pytest

from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Withdrawal,
    format_amendment,
    parse_amendment,
)
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.standings import Standings, standings
from sternhalma_tournament.tables import standings_csv, standings_json, standings_markdown
from tournaments.results import game

RESULTS = [game(1, "ab", (1, 2)), game(2, "bc", (1, 2)), game(3, "ca", (2, 1))]
ALL: list[Amendment] = [
    Withdrawal(reason="r", entry="a", forfeit=True),
    Disqualification(reason="r", entry="a"),
    Expunging(reason="r", entry="a"),
    Reinstatement(reason="r", entry="a"),
    LateEntry(reason="r", entry="d", bots=("d",)),
    Correction(reason="r", number=1, places=(2, 1), forfeits=(None, "time")),
    Annulment(reason="r", number=1),
    Annulment(reason="r", number=1, at="2026-11-29T20:30:00Z"),
]


def after(*amendments: Amendment) -> Standings:
    entries = [Entry(name, (name,)) for name in "abc"]
    return standings(RESULTS, entries, amendments=amendments)


def rows(found: Standings) -> list[tuple[int | None, str, int, str]]:
    return [(row.rank, row.entry, row.half_points, row.status) for row in found.rows]


@pytest.mark.parametrize("amendment", ALL)
def test_an_amendment_survives_the_round_trip_through_text(amendment: Amendment) -> None:
    text = format_amendment(amendment)
    assert "\n" not in text
    assert parse_amendment(text) == amendment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"kind":"exile","reason":"r"}',
        '{"kind":"annulment","number":1}',
        '{"kind":"annulment","number":1,"reason":"r","at":"yesterday"}',
    ],
)
def test_what_is_no_amendment_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected an amendment, got"):
        parse_amendment(text)


def test_a_ruling_of_a_store_that_noted_no_times_is_read_and_told_without_one() -> None:
    text = '{"kind":"withdrawal","reason":"r","entry":"a","forfeit":false}'
    assert parse_amendment(text) == Withdrawal(reason="r", entry="a")
    assert after(parse_amendment(text)).notes == ("a: withdrawn (r)",)


def test_a_table_says_when_a_ruling_was_made() -> None:
    ruling = Withdrawal(reason="r", entry="a", at="2026-11-29T20:30:00Z")
    assert after(ruling).notes == ("a: withdrawn (r), 2026-11-29 20:30:00 UTC",)


def test_a_ruling_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="expected an amendment"):
        parse_amendment('{"kind":"annulment","number":1,"reason":""}')


def test_a_withdrawn_entry_keeps_its_games_and_rank() -> None:
    found = after(Withdrawal(reason="broken fan", entry="a"))
    assert rows(found)[0] == (1, "a", 4, "withdrawn")
    assert found.notes == ("a: withdrawn (broken fan)",)


def test_a_disqualified_entry_is_listed_last_and_its_games_count_for_the_others() -> None:
    found = after(Disqualification(reason="two programs", entry="a"))
    assert rows(found) == [
        (1, "b", 2, ""),
        (2, "c", 0, ""),
        (None, "a", 4, "disqualified"),
    ]


def test_the_games_of_an_expunged_entry_count_for_nobody() -> None:
    found = after(Expunging(reason="never was", entry="b"))
    assert rows(found) == [(1, "a", 2, ""), (2, "c", 0, ""), (None, "b", 0, "expunged")]
    assert found.games == 1


def test_a_reinstated_entry_is_ranked_again() -> None:
    found = after(
        Disqualification(reason="two programs", entry="a"),
        Reinstatement(reason="it was one", entry="a"),
    )
    assert rows(found) == rows(after())
    assert found.notes == ()


def test_a_correction_changes_the_table_and_says_so() -> None:
    found = after(Correction(reason="misread", number=1, places=(2, 1)))
    assert [row[:3] for row in rows(found)] == [(1, "b", 4), (2, "a", 2), (3, "c", 0)]
    assert found.notes == ("game 1: corrected to 2-1 (misread)",)


def test_of_two_rulings_on_a_game_the_later_counts() -> None:
    first = Correction(reason="misread", number=1, places=(2, 1))
    assert rows(after(first, Correction(reason="read well", number=1, places=(1, 2)))) == rows(
        after()
    )
    annulled = after(first, Annulment(reason="power cut", number=1))
    assert (annulled.games, annulled.void) == (2, 1)


def test_a_correction_that_does_not_fit_the_game_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 places in the correction of game 1, got"):
        after(Correction(reason="misread", number=1, places=(1, 2, 3)))


def test_a_late_entry_is_in_the_table_before_its_first_game() -> None:
    found = after(LateEntry(reason="train", entry="late", bots=("late",)))
    assert rows(found)[-1] == (3, "late", 0, "late entry")


def test_an_entry_that_left_does_not_widen_the_spread_of_games() -> None:
    entries = [Entry(name, (name,)) for name in "abcd"]
    gone = Withdrawal(reason="r", entry="d")
    assert standings(RESULTS, entries).spread == (0, 2)
    assert standings(RESULTS, entries, amendments=[gone]).spread == (2, 2)


def test_tables_show_status_and_reason() -> None:
    found = after(Disqualification(reason="two | programs", entry="a"))
    text = standings_markdown(found)
    assert "| decided by | status       |" in text
    assert "|      | a     |      2 |" in text
    assert "\n- a: disqualified (two \\| programs)\n" in text
    assert standings_csv(found).splitlines()[-1].endswith(",disqualified")
    value = json.loads(standings_json(found))
    assert value["rows"][-1]["rank"] is None
    assert value["notes"] == ["a: disqualified (two | programs)"]


def test_an_interim_table_says_how_far_the_event_is() -> None:
    entries = [Entry(name, (name,)) for name in "abc"]
    interim = standings(RESULTS[:2], entries, planned=6)
    assert "Interim table: 2 of 6 games; each entry has played 1 to 2." in standings_markdown(
        interim
    )
    final = standings(RESULTS, entries, planned=3)
    assert "\n3 games; each entry has played 2.\n" in standings_markdown(final)


def test_a_bye_is_a_win_in_points_and_no_game() -> None:
    results = [*RESULTS, game(4, "c", (1,), reason="bye")]
    found = standings(results, [Entry(name, (name,)) for name in "abc"])
    row = next(row for row in found.rows if row.entry == "c")
    assert (row.half_points, row.games, row.byes, row.wins) == (2, 2, 1, 0)
    assert "| byes |" in standings_markdown(found)
