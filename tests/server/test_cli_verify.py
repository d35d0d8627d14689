"""`sternhalma verify`: what it prints and how it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.kept import CUP, change, games_of, keep, keep_files, keep_store
from sternhalma_server import cli
from sternhalma_server.archive import STORE, record_name
from sternhalma_server.audit import audit
from sternhalma_server.store.chain import first_link

Captured = pytest.CaptureFixture[str]

GAMES = games_of(CUP)


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    keep(tmp_path / "cup", CUP, GAMES)
    return tmp_path / "cup"


def head(root: Path) -> str:
    return str(audit(root).head)


def test_what_holds_is_counted_below_the_head_of_the_chain(cup: Path, capsys: Captured) -> None:
    assert cli.main(["verify", str(cup)]) == 0
    assert capsys.readouterr() == (f"head {head(cup)}\nverified 6 games, 4 tables\n", "")


def test_a_folder_without_a_store_has_no_head(tmp_path: Path, capsys: Captured) -> None:
    keep_files(tmp_path, CUP, GAMES)
    assert cli.main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("verified 6 games, 4 tables\n", "")


def test_what_was_not_played_is_said(tmp_path: Path, capsys: Captured) -> None:
    keep_files(tmp_path, CUP, GAMES[:1])
    assert cli.main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "verified 1 game, 4 tables\n5 games of the event not played\n"
    )


def test_what_a_running_server_has_not_written_is_said(tmp_path: Path, capsys: Captured) -> None:
    keep_files(tmp_path, CUP, GAMES[:2])
    keep_store(tmp_path, CUP, GAMES[:3], state="running", running="4\tbegin\n5\tbegin\n")
    assert cli.main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "verified 3 games, 4 tables",
        "not written as files yet: 1 record",
        "the tables are 1 game behind the store",
        "3 games of the event not played, 2 of them begun",
    ]


def test_what_is_wrong_is_a_line_each_and_status_1(cup: Path, capsys: Captured) -> None:
    (cup / record_name(3)).unlink()
    (cup / "times.csv").unlink()
    assert cli.main(["verify", str(cup)]) == 1
    out, err = capsys.readouterr()
    assert out == f"head {head(cup)}\n"
    assert err.splitlines() == [
        "sternhalma verify: games/000003.txt: expected a file, got none",
        "sternhalma verify: times.csv: expected a file, got none",
        f"sternhalma verify: 2 problems in {cup}",
    ]


def test_no_more_than_twenty_lines_are_shown(cup: Path, capsys: Captured) -> None:
    for number in range(1000, 1025):
        (cup / record_name(number)).write_text("")
    assert cli.main(["verify", str(cup)]) == 1
    *lines, last = capsys.readouterr().err.splitlines()
    assert len(lines) == 20
    assert last == f"sternhalma verify: 25 problems in {cup}, 5 of them not shown"


def test_a_head_that_was_kept_is_proved(cup: Path) -> None:
    for kept in (head(cup), head(cup).upper(), first_link(CUP)):
        assert cli.main(["verify", str(cup), "--head", kept]) == 0


def test_a_head_that_the_chain_does_not_have_any_more_is_status_1(
    cup: Path, capsys: Captured
) -> None:
    kept = "0" * 64
    assert cli.main(["verify", "--head", kept, str(cup)]) == 1
    assert capsys.readouterr().err.startswith(
        f"sternhalma verify: store.sqlite: expected {kept} in the chain of results, got it nowhere"
    )


def test_a_store_that_cannot_be_read_is_status_1(cup: Path, capsys: Captured) -> None:
    (cup / STORE).write_bytes(b"SQLite format 3\0 but not really" * 40)
    assert cli.main(["verify", str(cup)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"sternhalma verify: {cup / STORE}: expected a store that can be used: ")


def test_findings_are_told_to_programs_in_json(cup: Path, capsys: Captured) -> None:
    assert cli.main(["verify", "--json", str(cup)]) == 0
    good = json.loads(capsys.readouterr().out)
    assert good == {
        "head": head(cup),
        "games": 6,
        "tables": 4,
        "scheduled": 6,
        "left": 0,
        "begun": 0,
        "problems": [],
        "notes": [],
    }
    change(cup, "UPDATE game SET record = '' WHERE number = 3")
    assert cli.main(["verify", "--json", str(cup)]) == 1
    bad = json.loads(capsys.readouterr().out)
    assert bad["problems"]


BAD = {
    ("none",): "expected a results folder, got '{}/none', which is none",
    ("empty",): (
        "expected a results folder, with store.sqlite or event.toml in it, got '{}/empty'"
    ),
    ("cup", "--head", "beef"): "argument --head: expected 64 hexadecimal digits, got 'beef'",
    ("files", "--head", "0" * 64): (
        "argument --head: expected a folder with store.sqlite in it, got '{}/files'"
    ),
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_verified_at_all_is_bad_input(
    cup: Path, capsys: Captured, words: tuple[str, ...]
) -> None:
    (cup.parent / "empty").mkdir()
    keep_files(cup.parent / "files", CUP, GAMES)
    folder, *options = words
    assert cli.main(["verify", str(cup.parent / folder), *options]) == 2
    assert capsys.readouterr().err == f"sternhalma verify: {BAD[words].format(cup.parent)}\n"
