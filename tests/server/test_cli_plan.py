"""What an event will be: games, seats, balance, and how long it may take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.pages import ROOT
from server.kept import CUP, keep, played
from sternhalma_server.cli import main
from sternhalma_server.clock import SECOND, parse_clock
from sternhalma_server.forecast import longest, time_text

Captured = pytest.CaptureFixture[str]


def write(path: Path, bots: int = 4, more: str = "", clock: str = "2s", players: int = 2) -> Path:
    head = f'name = "cup"\nrules = "tara"\nplayers = {players}\nclock = "{clock}"\nparallel = 2\n'
    tables = "".join(f'[[bots]]\nname = "b{n}"\ncommand = "b{n}"\n' for n in range(bots))
    path.write_text(f"{head}limit = 10\n{more}\n{tables}", encoding="utf-8")
    return path


def plan(capsys: Captured, path: Path, *words: str) -> dict[str, Any]:
    assert main(["plan", str(path), "--json", *words]) == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    return facts


@pytest.fixture
def event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cup.toml"


def test_a_plan_counts_games_and_seats_of_everybody(event: Path, capsys: Captured) -> None:
    facts = plan(capsys, write(event, more="cycles = 3"))
    assert (facts["games"], facts["games_each"], facts["spread"]) == (18, [9, 9], 2)
    assert facts["seats"] == {"b0": [5, 4], "b1": [5, 4], "b2": [4, 5], "b3": [4, 5]}
    (group,) = facts["groups"]
    assert group["meetings"] == [3, 3]
    assert group["seats"] == [4, 5]


def test_the_worst_follows_from_clock_limit_and_parallel_games(
    event: Path, capsys: Captured
) -> None:
    facts = plan(capsys, write(event))
    # 2 players, 10 turns each of 2 s; 6 games, 2 at once.
    assert facts["worst_game_seconds"] == 40
    assert (facts["at_once"], facts["worst_seconds"]) == (2, 3 * 40)
    assert facts["expected_seconds"] == 3 * 10
    assert facts["history"] is None


def test_a_bot_with_one_connection_plays_its_games_one_after_the_other(
    event: Path, capsys: Captured
) -> None:
    write(event, bots=3, more="cycles = 2")
    text = event.read_text(encoding="utf-8").replace('name = "b0"', 'name = "b0"\nconnections = 1')
    event.write_text(text, encoding="utf-8")
    facts = plan(capsys, event)
    assert facts["games"] == 6
    assert facts["worst_seconds"] == 4 * 40, "b0 has four games"


def test_the_rounds_of_a_swiss_come_one_after_the_other(event: Path, capsys: Captured) -> None:
    facts = plan(capsys, write(event, bots=6, more='format = "swiss"\nrounds = 3'))
    assert (facts["games"], facts["games_each"]) == (9, [3, 3])
    assert facts["worst_seconds"] == 3 * 2 * 40
    assert facts["groups"] == []


def test_the_rounds_of_a_knockout_come_one_after_the_other(event: Path, capsys: Captured) -> None:
    facts = plan(capsys, write(event, bots=8, more='format = "knockout"\ngames = 2'))
    assert (facts["games"], facts["games_each"]) == (16, [2, 6])
    # Quarter-finals of 8 games, semi-finals of 4, the final and the third place of 4; two at once.
    assert facts["worst_seconds"] == (4 + 2 + 2) * 40


def test_without_a_clock_there_is_no_bound(event: Path, capsys: Captured) -> None:
    write(event, clock="none")
    facts = plan(capsys, event)
    assert (facts["worst_seconds"], facts["expected_seconds"]) == (None, None)
    assert main(["plan", str(event)]) == 0
    out = capsys.readouterr().out
    assert "at worst no bound, a game no bound" in out
    assert "expected to take" not in out


def test_games_before_say_what_is_to_be_expected(event: Path, capsys: Captured) -> None:
    keep(event.parent / "past", CUP, played(CUP))
    facts = plan(capsys, write(event), "--from", "past")
    assert facts["history"]["games"] == 6
    charged = float(facts["history"]["charged_ms"])
    assert facts["expected_seconds"] == pytest.approx(3 * charged / 1000, abs=1)
    assert main(["plan", str(event), "--from", "past"]) == 0
    assert ", from 6 games in past, of 6 plies and " in capsys.readouterr().out


def test_the_results_of_the_event_itself_are_looked_at_first(event: Path, capsys: Captured) -> None:
    write(event)
    assert plan(capsys, event)["history"] is None
    keep(event.parent / "results" / "cup", CUP, played(CUP))
    assert plan(capsys, event)["history"]["games"] == 6


def test_a_folder_without_games_says_nothing(event: Path, capsys: Captured) -> None:
    keep(event.parent / "past", CUP, [])
    assert main(["plan", str(write(event)), "--from", "past"]) == 2
    assert capsys.readouterr().err == (
        "sternhalma plan: expected games that are over, past has none\n"
    )


def test_a_plan_of_four_seats_prints_what_is_uneven(event: Path, capsys: Captured) -> None:
    write(event, bots=8, players=4, more="cycles = 2")
    assert main(["plan", str(event)]) == 0
    out = capsys.readouterr().out
    assert "- 16 games, 8 for each entry\n" in out
    (group,) = [line for line in out.splitlines() if line.startswith("| all ")]
    assert [cell.strip() for cell in group.split("|")[2:5]] == ["8", "8", "3 to 4"]
    assert "| b7    |      2 |      2 |      2 |      2 |     8 |" in out


@pytest.mark.parametrize(
    "name", ["quickstart", "four", "six", "swiss", "knockout", "pairs", "sprt"]
)
def test_every_event_that_ships_has_a_plan(name: str, event: Path, capsys: Captured) -> None:
    assert main(["plan", str(ROOT / "tournaments" / "events" / f"{name}.toml")]) == 0
    assert capsys.readouterr().out.startswith(f"# {name}\n")


def test_a_wrong_event_file_is_bad_input(event: Path, capsys: Captured) -> None:
    event.write_text('name = "cup"\n', encoding="utf-8")
    assert main(["plan", str(event)]) == 2
    assert "rules: expected a rules id" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("clock", "turns", "seconds"),
    [
        ("2s", 10, 20),
        ("60s+0.5s", 1, 60),
        ("60s+0.5s", 11, 65),
        ("60s+5x2s", 10, 60 + 4 * 2 + 10 * 2),
    ],
)
def test_the_most_a_player_can_be_charged_follows_from_the_clock(
    clock: str, turns: int, seconds: float
) -> None:
    assert longest(parse_clock(clock), turns) == seconds * SECOND


def test_no_game_of_a_clock_takes_longer_than_the_most() -> None:
    control = parse_clock("6s+3x2s")
    for pattern in ([10, 4, 2, 2, 2, 2], [6, 6, 2, 2, 2, 2], [12, 2, 2, 2, 2, 2]):
        budget, total = control.start(), 0
        for wanted in pattern:
            most = control.limit(budget)
            assert most is not None
            charged = min(wanted * SECOND, most)
            budget, total = control.spend(budget, charged), total + charged
        most = longest(control, len(pattern))
        assert most is not None
        assert total <= most


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (90_000, "1 d 1 h")],
)
def test_times_are_told_in_their_two_largest_units(seconds: float, text: str) -> None:
    assert time_text(round(seconds * SECOND)) == text


# How many games tell two bots apart.


def test_a_plan_says_how_many_games_tell_two_bots_apart(event: Path, capsys: Captured) -> None:
    facts = plan(capsys, write(event))
    assert facts["told_apart"] == {
        "level": "0.0000",
        "games": {"20": 1158, "50": 185, "100": 46},
    }
    assert main(["plan", str(event)]) == 0
    assert (
        "- two bots 20, 50 and 100 points apart can be told apart, at 95 %, after 1158, 185 and 46"
        " games between them, if none is level\n"
    ) in capsys.readouterr().out


def test_level_games_are_expected_as_they_were_before(event: Path, capsys: Captured) -> None:
    # All of the cup's short games are level: more than a difference of 100 points leaves room for.
    keep(event.parent / "past", CUP, played(CUP))
    facts = plan(capsys, write(event), "--from", "past")
    assert facts["told_apart"]["level"] == "0.7199"
    assert main(["plan", str(event), "--from", "past"]) == 0
    assert ", if 72 % are level\n" in capsys.readouterr().out


def test_a_match_with_a_test_is_planned_as_what_it_is_at_most(
    event: Path, capsys: Captured
) -> None:
    more = 'format = "match"\ncycles = 40\nsprt = { elo0 = 0, elo1 = 50 }'
    assert main(["plan", str(write(event, bots=2, more=more))]) == 0
    assert (
        "- 40 games, 40 for each entry\n- fewer if its test is decided before: about 256 on average"
        " if H0 holds, 256 if H1 does\n"
    ) in capsys.readouterr().out
    assert plan(capsys, event)["test_expected"] == {"H0": 256, "H1": 256}
    assert plan(capsys, write(event))["test_expected"] is None
