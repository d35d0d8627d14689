"""Checking a league's folder: a whole one passes, and what was altered is found by its event."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from server.kept import change, forge
from server.kept_league import LADDER, cup_games, keep_league, ladder_games
from sternhalma_server.archive import STORE, record_name
from sternhalma_server.cli import main
from sternhalma_server.league_audit import LeagueFindings, audit_league
from sternhalma_server.record import format_record
from sternhalma_server.store import Store

LADDER_GAMES = ladder_games()
CUP_GAMES = cup_games()


@pytest.fixture
def club(tmp_path: Path) -> Path:
    keep_league(tmp_path, LADDER_GAMES, CUP_GAMES)
    return tmp_path


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sternhalma_server.audit.PAUSE", 0.0)


def audited(root: Path, kept: str | None = None) -> LeagueFindings:
    with Store.read(root / STORE) as store:
        return audit_league(root, store, kept)


def heads(root: Path) -> dict[str, str]:
    with Store.read(root / STORE) as store:
        return {event.name: store.head(event.id) for event in store.events()}


def test_a_league_as_its_server_left_it_is_whole(club: Path) -> None:
    found = audited(club)
    assert found.whole
    assert {name: one.games for name, one in found.events.items()} == {"ladder": 12, "cup": 12}
    assert {name: one.head for name, one in found.events.items()} == heads(club)


def test_a_changed_game_of_the_ladder_is_found(club: Path) -> None:
    record = LADDER_GAMES[3]
    text = format_record(replace(record, limit=record.limit + 1))
    change(club, "UPDATE game SET record = ? WHERE event = 1 AND number = ?", text, record.game)
    found = audited(club)
    assert not found.whole
    assert any(f"game {record.game}" in problem for problem in found.events["ladder"].problems)
    assert not found.events["cup"].problems


def test_a_game_that_was_taken_out_of_the_ladder_is_found(club: Path) -> None:
    change(club, "DELETE FROM game WHERE event = 1 AND number = ?", LADDER_GAMES[3].game)
    assert audited(club).events["ladder"].problems


def test_an_outcome_that_differs_from_its_record_is_found(club: Path) -> None:
    other = '[["zoe","max"],["zoe","max"],[null,null],[1,2],[null,null],"goal",3]'
    change(club, "UPDATE game SET outcome = ? WHERE event = 1 AND number = 2", other)
    assert any(
        "game 2: expected the outcome" in problem
        for problem in audited(club).events["ladder"].problems
    )


def test_a_changed_table_of_an_event_is_found_with_its_event(club: Path) -> None:
    path = club / "events" / "cup" / "standings.md"
    path.write_text(path.read_text().replace("zoe", "eoz"))
    found = audited(club)
    assert any(one.startswith("standings.md: ") for one in found.events["cup"].problems)
    assert not found.events["ladder"].problems


def test_a_game_of_a_paused_event_that_is_not_written_yet_is_no_problem_while_others_run(
    club: Path,
) -> None:
    with Store.open(club / STORE) as store:
        cup = store.events()[1].id
        store.set_state(cup, "paused")
        store.write(cup, "99\tbegin\n", [])
    (club / "events" / "cup" / record_name(CUP_GAMES[-1].game)).unlink()
    found = audited(club).events["cup"]
    assert found.problems == []
    assert found.notes == ["not written as files yet: 1 record"]


def test_what_a_server_writes_after_the_last_game_is_waited_for(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = club / "events" / "cup" / "standings.md"
    good = path.read_bytes()
    path.write_text("behind")
    monkeypatch.setattr("time.sleep", lambda _: path.write_bytes(good))
    assert audited(club).whole


def test_a_head_of_any_event_can_be_kept_and_no_other(club: Path) -> None:
    for head in heads(club).values():
        assert audited(club, head).whole
    lost = audited(club, "0" * 64)
    assert not lost.whole
    assert "expected 0000" in lost.problems[0]


def test_an_event_that_has_not_begun_needs_no_folder(club: Path) -> None:
    with Store.open(club / STORE) as store:
        store.add_event("later", LADDER.replace(b'"ladder"\nf', b'"later"\nf'))
    assert audited(club).whole


def test_an_event_whose_file_was_changed_in_the_store_is_found(club: Path) -> None:
    change(club, "UPDATE event SET source = ? WHERE name = 'ladder'", LADDER + b"# more\n")
    assert audited(club).events["ladder"].problems


def test_an_event_whose_file_is_none_any_more_is_found_and_the_others_are_checked(
    club: Path,
) -> None:
    change(club, "UPDATE event SET source = ? WHERE name = 'ladder'", b"name =")
    found = audited(club)
    assert found.events["ladder"].problems
    assert found.events["cup"].games == 12


def test_the_command_says_it_event_by_event(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(club)]) == 0
    head = heads(club)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "ladder:",
        f"head {head['ladder']}",
        "verified 12 games, 0 tables",
        "cup:",
        f"head {head['cup']}",
    ]
    forge(club, LADDER_GAMES[0].game, "no record")
    assert main(["verify", str(club)]) == 1
    assert "ladder:\nhead" in (told := capsys.readouterr()).out
    assert f"game {LADDER_GAMES[0].game}" in told.err
    assert main(["verify", str(club), "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["events"]["ladder"]["problems"]
