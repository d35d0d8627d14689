"""Tables from a results folder: from its store, at any time, and the same bytes each time."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from server.kept import CUP, TRIO, event_text, keep, keep_store, played
from sternhalma_server.cli import main
from sternhalma_server.record import Record
from sternhalma_server.store import Decision
from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    LateEntry,
    Withdrawal,
    format_amendment,
)

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep(tmp_path, CUP, played(CUP))
    return tmp_path


def printed(capsys: Captured, *words: str | Path) -> str:
    assert main([str(word) for word in words]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


@pytest.mark.parametrize("kind", ["md", "csv", "json"])
def test_the_standings_are_the_bytes_of_the_file_in_the_folder(
    folder: Path, capsys: Captured, kind: str
) -> None:
    file = folder / f"standings.{kind}"
    assert printed(capsys, "standings", folder, "--format", kind) == file.read_text("utf-8")


def test_outside_a_terminal_the_standings_are_markdown(folder: Path, capsys: Captured) -> None:
    assert printed(capsys, "standings", folder) == (folder / "standings.md").read_text("utf-8")
    json.loads(printed(capsys, "standings", folder, "--json"))


def test_a_drawn_table_says_what_the_markdown_says(folder: Path, capsys: Captured) -> None:
    drawn = printed(capsys, "standings", folder, "--format", "table")
    cells = [line.split("│")[1:-1] for line in drawn.splitlines() if line.startswith("│")]
    markdown = [
        line.split("|")[1:-1]
        for line in (folder / "standings.md").read_text("utf-8").splitlines()
        if line.startswith("|") and "---" not in line
    ]
    assert [[cell.strip() for cell in row] for row in cells] == [
        [cell.strip() for cell in row] for row in markdown
    ]


def test_a_bar_in_a_reason_is_no_cell_of_a_drawn_table(tmp_path: Path, capsys: Captured) -> None:
    ruling = Withdrawal(reason="a | b \\ c", entry="max")
    keep(tmp_path, CUP, played(CUP, rulings=[(2, ruling)]))
    drawn = printed(capsys, "standings", tmp_path, "--format", "table")
    assert "- max: withdrawn (a | b \\ c)\n" in drawn


def test_tables_do_not_need_the_files_that_are_derived(tmp_path: Path, capsys: Captured) -> None:
    keep_store(tmp_path / "bare", CUP, played(CUP))
    keep(tmp_path / "whole", CUP, played(CUP))
    bare = printed(capsys, "standings", tmp_path / "bare")
    assert bare == (tmp_path / "whole" / "standings.md").read_text("utf-8")


def test_an_event_in_the_middle_has_an_interim_table(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path, CUP, played(CUP, most=3), state="running")
    assert "Interim table: 3 of 6 games" in printed(capsys, "standings", tmp_path)


def test_rulings_are_in_the_tables_with_their_reasons(tmp_path: Path, capsys: Captured) -> None:
    rulings: list[Amendment] = [
        LateEntry(reason="by train", entry="late", bots=("late",)),
        Disqualification(reason="two programs", entry="max"),
    ]
    made = [Decision("ruling", format_amendment(ruling)) for ruling in rulings]
    keep(tmp_path, CUP, [*played(CUP), *made])
    text = printed(capsys, "standings", tmp_path)
    assert text == (tmp_path / "standings.md").read_text("utf-8")
    assert "- late: late entry (by train)\n- max: disqualified (two programs)\n" in text
    rows = [line.split("|") for line in text.splitlines() if line.startswith("|")]
    assert {row[2].strip(): row[-2].strip() for row in rows[2:6]} == {
        "zoe": "",
        "Ida": "",
        "late": "late entry",
        "max": "disqualified",
    }


@pytest.mark.parametrize("format_", ["swiss", "knockout", "gauntlet"])
def test_every_format_has_its_tables(tmp_path: Path, capsys: Captured, format_: str) -> None:
    more = {"swiss": "rounds = 3", "knockout": "", "gauntlet": 'challengers = ["b1"]'}[format_]
    source = event_text(format_, 5, more)
    keep(tmp_path, source, played(source))
    text = printed(capsys, "standings", tmp_path)
    assert text == (tmp_path / "standings.md").read_text("utf-8")
    assert ("| final " in text) == (format_ == "knockout")
    facts = json.loads(printed(capsys, "standings", tmp_path, "--json"))
    assert ("matches" in facts) == (format_ == "knockout")
    assert printed(capsys, "crosstable", tmp_path)


def test_a_folder_without_a_store_is_bad_input(tmp_path: Path, capsys: Captured) -> None:
    for command in (["standings"], ["crosstable"], ["bot"]):
        words = [*command, str(tmp_path), *(["zoe"] if command == ["bot"] else [])]
        assert main(words) == 2
        assert capsys.readouterr().err == (
            f"sternhalma {command[0]}: expected a results folder, with store.sqlite in it,"
            f" got {str(tmp_path)!r}\n"
        )


def test_a_file_that_is_no_store_is_bad_input(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"no store" * 500)
    assert main(["standings", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"sternhalma standings: {tmp_path}")


def test_an_unknown_format_is_bad_input(folder: Path, capsys: Captured) -> None:
    assert main(["standings", str(folder), "--format", "xml"]) == 2
    assert "invalid choice: 'xml'" in capsys.readouterr().err


# Who scored against whom.


def test_the_crosstable_adds_up_to_the_points(folder: Path, capsys: Captured) -> None:
    standings = {
        row["entry"]: float(row["points"])
        for row in json.loads(printed(capsys, "standings", folder, "--json"))["rows"]
    }
    lines = csv.DictReader(io.StringIO(printed(capsys, "crosstable", folder, "--format", "csv")))
    sums = dict.fromkeys(standings, 0.0)
    for line in lines:
        sums[line["entry"]] += float(line["points"])
        assert line["games"] == "2"
    assert sums == standings
    table = printed(capsys, "crosstable", folder)
    assert table.splitlines()[0].startswith("|     | entry |   1 |   2 |   3 | points |")
    assert json.loads(printed(capsys, "crosstable", folder, "--json"))["cells"][0][0] is None


# One bot's page.


def test_a_page_says_how_a_bot_has_done(folder: Path, capsys: Captured) -> None:
    records = [link for link in played(CUP) if isinstance(link, Record)]
    facts = json.loads(printed(capsys, "bot", folder, "zoe", "--json"))
    assert facts["games"] == 4
    assert sum(row["games"] for row in facts["opponents"]) == 4
    assert sum(row["games"] for row in facts["seats"]) == 4
    moves = sum(
        getattr(ply, "source", "") is None
        for record in records
        for ply in record.happened
        if {p.seat: p.bot for p in record.players}.get(getattr(ply, "seat", "")) == "zoe"
    )
    assert facts["bots"]["zoe"]["moves"] == moves
    text = printed(capsys, "bot", folder, "zoe")
    assert text.startswith("# zoe\n\n- rank ")
    assert "- mean length of a game: " in text
    assert "| longest chain |" in text


def test_a_page_of_three_seats_counts_everybody_met(tmp_path: Path, capsys: Captured) -> None:
    keep(tmp_path, TRIO, played(TRIO))
    facts = json.loads(printed(capsys, "bot", tmp_path, "a", "--json"))
    assert sum(row["games"] for row in facts["opponents"]) == 2 * facts["games"]
    assert [row["seat"] for row in facts["seats"]] == [1, 2, 3]


def test_a_partner_is_found_by_the_name_of_the_bot(tmp_path: Path, capsys: Captured) -> None:
    bots = ", ".join(f'{{ name = "{name}", remote = true }}' for name in "abcd")
    pairs = '{ name = "x", bots = ["a", "b"] }, { name = "y", bots = ["c", "d"] }'
    source = (
        'name = "duos"\nrules = "corner+pairs"\nplayers = 4\nclock = "2s"\nlimit = 2\n'
        f"bots = [{bots}]\npairs = [{pairs}]\n"
    ).encode()
    keep(tmp_path, source, [])
    facts = json.loads(printed(capsys, "bot", tmp_path, "d", "--json"))
    assert facts["entry"] == "y"
    assert list(facts["bots"]) == ["c", "d"]


def test_a_bot_that_nobody_knows_is_bad_input(folder: Path, capsys: Captured) -> None:
    assert main(["bot", str(folder), "zo"]) == 2
    assert capsys.readouterr().err == "sternhalma bot: unknown bot 'zo', did you mean zoe?\n"
