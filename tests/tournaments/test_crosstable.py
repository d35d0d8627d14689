import csv
import io
import json
from fractions import Fraction

import pytest

from sternhalma_tournament.crosstable import (
    crosstable,
    crosstable_csv,
    crosstable_json,
    crosstable_markdown,
)
from sternhalma_tournament.pages import OpponentRow, entry_page, page_json, page_markdown
from sternhalma_tournament.standings import Standings, standings_of
from sternhalma_tournament.tally import Tally
from tournaments.results import game

RESULTS = [
    game(1, "ab", (1, 2)),
    game(2, "ba", (1, 1)),
    game(3, "bc", (2, 1), ("time", None), reason="time"),
]


def tables() -> tuple[Standings, Tally]:
    tally = Tally("abcd", RESULTS)
    return standings_of(tally), tally


def test_the_crosstable_follows_the_standings() -> None:
    assert crosstable_markdown(crosstable(*tables())) == (
        "|     | entry |   1 |   2 |    3 |   4 | points |\n"
        "| --: | ----- | --: | --: | ---: | --: | -----: |\n"
        "|   1 | a     |   x |     | 1½/2 |     |     1½ |\n"
        "|   2 | c     |     |   x |    1 |     |      1 |\n"
        "|   3 | b     | ½/2 |   0 |    x |     |      ½ |\n"
        "|   4 | d     |     |     |      |   x |      0 |\n"
    )


def test_the_csv_has_a_line_for_every_two() -> None:
    rows = list(csv.DictReader(io.StringIO(crosstable_csv(crosstable(*tables())))))
    assert len(rows) == 12
    assert {"entry": "a", "opponent": "b", "points": "1.5", "games": "2"} in rows


def test_the_json_is_a_matrix() -> None:
    value = json.loads(crosstable_json(crosstable(*tables())))
    assert value["entries"] == ["a", "c", "b", "d"]
    assert value["cells"][0][0] is None
    assert value["cells"][0][2] == {"points": "1.5", "games": 2}


def test_a_page_has_opponents_seats_and_the_length_of_games() -> None:
    page = entry_page("b", *tables())
    assert page.opponents == (
        OpponentRow("a", 2, won=0, level=1, lost=1, half_points=1),
        OpponentRow("c", 1, won=0, level=0, lost=1, half_points=0),
    )
    assert [(seat.side, seat.games, seat.mean) for seat in page.seats] == [(0, 2, 0.25), (1, 1, 0)]
    assert page.mean_plies == Fraction(40)
    assert page.row.forfeits == (("time", 1),)


def test_a_page_reads_well() -> None:
    text = page_markdown(entry_page("b", *tables()))
    assert text.startswith(
        "# b\n\n- rank 3, ½ points from 3 games\n- forfeits: time 1\n"
        "- mean length of a game: 40 plies\n"
    )
    assert "| a        |     2 |   0 |     1 |    1 |      ½ |" in text
    assert json.loads(page_json(entry_page("b", *tables())))["opponents"][0]["level"] == 1


def test_an_entry_without_games_has_a_page() -> None:
    page = entry_page("d", *tables())
    assert page.mean_plies is None
    assert "- forfeits: none\n" in page_markdown(page)


def test_a_stranger_has_no_page() -> None:
    with pytest.raises(ValueError, match="expected an entry of the event, got 'z'"):
        entry_page("z", *tables())
