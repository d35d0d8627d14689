import csv
import io
import json
from fractions import Fraction

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.standings import Standings, standings
from sternhalma_tournament.tables import standings_csv, standings_json, standings_markdown
from sternhalma_tournament.text import cell_text, decimal_text, markdown_table, points_text
from sternhalma_tournament.tiebreaks import TieBreak
from tournaments.results import game

RESULTS = [
    game(1, "ab", (1, 2)),
    game(2, "bc", (1, 1)),
    game(3, "ca", (1, 2), (None, "time")),
]


def found() -> Standings:
    return standings(RESULTS, [Entry(name, (name,)) for name in "abc"])


def test_the_markdown_table_reads_well_as_it_is() -> None:
    assert standings_markdown(found()) == (
        "| rank | entry | points | games | direct |   SB | wins | places | faults | decided by |\n"
        "| ---: | ----- | -----: | ----: | -----: | ---: | ---: | ------ | ------ | ---------- |\n"
        "|    1 | c     |     1½ |     2 |        | 1.25 |    1 | 2-0    |        |            |\n"
        "|    2 | a     |      1 |     2 |        |  0.5 |    1 | 1-1    | time 1 | points     |\n"
        "|    3 | b     |      ½ |     2 |        | 0.75 |    0 | 1-1    |        | points     |\n"
        "\n"
        "3 games; each entry has played 2.\n"
        "\n"
        "| seat | games | points a game | 95 % interval  |\n"
        "| ---: | ----: | ------------: | -------------- |\n"
        "|    1 |     3 |         0.833 | 0.317 to 0.969 |\n"
        "|    2 |     3 |         0.167 | 0.031 to 0.683 |\n"
    )


def test_the_csv_reads_back_as_the_same_rows() -> None:
    text = standings_csv(found())
    assert "\r" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["entry"] for row in rows] == ["c", "a", "b"]
    assert rows[0]["points"] == "1.5"
    assert rows[1]["faults"] == "time 1"
    assert rows[1]["decided by"] == "points"


def test_no_column_of_the_csv_comes_twice() -> None:
    choices: tuple[tuple[TieBreak, ...], ...] = ((), ("wins",))
    for tie_breaks in choices:
        entries = [Entry(name, (name,)) for name in "abc"]
        head = standings_csv(standings(RESULTS, entries, tie_breaks)).splitlines()[0].split(",")
        assert len(set(head)) == len(head)
        assert "wins" in head


def test_the_json_holds_every_row_and_seat() -> None:
    value = json.loads(standings_json(found()))
    assert [row["rank"] for row in value["rows"]] == [1, 2, 3]
    assert value["rows"][0]["tie_breaks"]["sonneborn-berger"] == "1.25"
    assert value["rows"][1]["forfeits"] == {"time": 1}
    assert [seat["points_a_game"] for seat in value["seats"]] == ["0.833", "0.167"]


def test_an_event_without_games_has_a_table_too() -> None:
    empty = standings([], [Entry("a", ("a",)), Entry("b", ("b",))])
    assert "0 games; each entry has played 0." in standings_markdown(empty)
    assert json.loads(standings_json(empty))["seats"] == []
    assert len(standings_csv(empty).splitlines()) == 3


def test_one_game_is_no_games() -> None:
    entries = [Entry(name, (name,)) for name in "ab"]
    assert "\n1 game; each entry has played 1.\n" in standings_markdown(
        standings(RESULTS[:1], entries)
    )
    interim = standings([], entries, planned=1)
    assert "\nInterim table: 0 of 1 game; each entry" in standings_markdown(interim)


def test_an_uneven_number_of_games_is_said_below_the_table() -> None:
    uneven = standings(RESULTS[:2], [Entry(name, (name,)) for name in "abc"])
    assert "2 games; each entry has played 1 to 2." in standings_markdown(uneven)


def test_a_cell_stays_one_cell() -> None:
    assert cell_text("a|b\nc\\") == "a\\|b c\\\\"


def test_columns_line_up_with_wide_letters() -> None:
    lines = markdown_table(["name"], [["多多"], ["abcd"]], "l").splitlines()
    assert lines[2:] == ["| 多多 |", "| abcd |"]


def test_decimals_are_exact_for_halves_and_quarters() -> None:
    assert [decimal_text(Fraction(n, 4)) for n in (0, 1, 2, 3, 4, -1)] == [
        "0",
        "0.25",
        "0.5",
        "0.75",
        "1",
        "-0.25",
    ]


def test_points_are_written_with_the_half_sign() -> None:
    assert [points_text(Fraction(n, 2)) for n in range(4)] == ["0", "½", "1", "1½"]
