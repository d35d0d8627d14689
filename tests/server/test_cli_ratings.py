"""`sternhalma ratings`: a list from results folders, in every format, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.kept import CUP, TRIO, games_of, keep_store, played
from sternhalma_server.archive import STORE
from sternhalma_server.cli import main
from sternhalma_server.record import Out, Record, format_record
from sternhalma_server.store import Decision, FinishedGame, Store
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Annulment, format_amendment

Captured = pytest.CaptureFixture[str]


def won(game: Record) -> Record:
    """*game*, won by whoever comes last in the alphabet, but for the first game."""
    first, second = (player.bot for player in game.players)
    return replace(game, places=(1, 2) if (first > second) != (game.game == 1) else (2, 1))


GAMES = [won(game) for game in games_of(CUP)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep_store(tmp_path / "cup", CUP, GAMES)
    return tmp_path / "cup"


def printed(capsys: Captured, *words: str | Path) -> str:
    assert main(["ratings", *map(str, words)]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def facts(capsys: Captured, *words: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *words, "--json"))
    return found


def refused(capsys: Captured, *words: str | Path) -> str:
    assert main(["ratings", *map(str, words)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err.removesuffix("\n").removeprefix("sternhalma ratings: ")


def late(version: str) -> list[Record]:
    """The cup once more: zoe in another *version*, and nobody takes the same time."""
    return [
        replace(
            game,
            players=tuple(
                replace(p, version=version) if p.bot == "zoe" else p for p in game.players
            ),
        )
        for game in GAMES
    ]


def test_a_list_has_a_row_for_each_bot_in_order_of_its_rating(
    folder: Path, capsys: Captured
) -> None:
    found = facts(capsys, folder)
    assert {row["bot"] for row in found["rows"]} == {"zoe", "max", "Ida"}
    ratings = [float(row["rating"]) for row in found["rows"]]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) == pytest.approx(0, abs=0.2)
    for row in found["rows"]:
        assert float(row["low"]) < float(row["rating"]) < float(row["high"])
        assert (row["version"], row["games"], row["mark"]) == ("3.0", 4, None)
    assert (found["games"], found["events"], found["left_out"]) == (6, 1, {})


def test_outside_a_terminal_the_list_is_markdown(folder: Path, capsys: Captured) -> None:
    text = printed(capsys, folder)
    assert text.startswith("| rank | bot | version | rating | 95 % interval ")
    assert "\n6 games of 1 event: corner with 2 players.\n" in text
    assert "Moving first is worth" in text
    drawn = printed(capsys, folder, "--format", "table")
    assert "│ zoe " in drawn
    rows = csv.DictReader(io.StringIO(printed(capsys, folder, "--format", "csv")))
    assert {row["bot"] for row in rows} == {"zoe", "max", "Ida"}


def test_several_folders_are_rated_together(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    again = CUP.replace(b'"cup"', b'"again"')
    keep_store(tmp_path / "again", again, late("4.0"))
    found = facts(capsys, folder, tmp_path / "again", "--all-versions")
    assert (found["games"], found["events"]) == (12, 2)
    versions = sorted((row["bot"], row["version"], row["games"]) for row in found["rows"])
    assert versions == [("Ida", "3.0", 8), ("max", "3.0", 8), ("zoe", "3.0", 4), ("zoe", "4.0", 4)]
    shown = {
        row["bot"]: row["version"] for row in facts(capsys, folder, tmp_path / "again")["rows"]
    }
    assert shown == {"Ida": "3.0", "max": "3.0", "zoe": "4.0"}


def test_a_copy_of_a_folder_is_refused(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    for other in (folder, tmp_path / "copy"):
        assert refused(capsys, folder, other) == (
            f"expected each event once, got 'cup' in {str(folder)!r} and in {str(other)!r}"
        )


def test_games_of_other_rules_or_players_can_be_left_out(
    folder: Path, tmp_path: Path, capsys: Captured
) -> None:
    keep_store(tmp_path / "trio", TRIO, played(TRIO))
    both = facts(capsys, folder, tmp_path / "trio")
    assert [(kind["players"], kind["games"] > 0) for kind in both["rules"]] == [
        (2, True),
        (3, True),
    ]
    two = facts(capsys, folder, tmp_path / "trio", "--players", "2")
    three = sum(kind["games"] for kind in both["rules"] if kind["players"] == 3)
    assert two["games"] == 6
    assert two["left_out"] == {"of other players a game": three}
    assert refused(capsys, folder, "--rules", "tara") == (
        "expected games to rate, got none but 6 of other rules"
    )
    assert facts(capsys, folder, "--rules", "corner")["games"] == 6


def test_an_anchor_keeps_its_rating(folder: Path, capsys: Captured) -> None:
    rows = {row["bot"]: row for row in facts(capsys, folder, "--anchor", "max=1500")["rows"]}
    assert (rows["max"]["rating"], rows["max"]["mark"]) == ("1500.0", "anchor")
    free = {row["bot"]: float(row["rating"]) for row in facts(capsys, folder)["rows"]}
    assert float(rows["zoe"]["rating"]) - 1500 == pytest.approx(free["zoe"] - free["max"], abs=0.2)
    two = facts(capsys, folder, "--anchor", "max 3.0=1500", "--anchor", "zoe=1400")
    assert [row["rating"] for row in two["rows"] if row["mark"] == "anchor"].count("1500.0") == 1


def test_a_prior_pulls_together(folder: Path, capsys: Captured) -> None:
    def width(*words: str) -> float:
        ratings = [float(row["rating"]) for row in facts(capsys, folder, *words)["rows"]]
        return max(ratings) - min(ratings)

    assert width("--prior", "20") < width("--prior", "1") < width("--prior", "0.1")


def test_forfeits_count_as_lost_or_are_left_out(tmp_path: Path, capsys: Captured) -> None:
    seat = GAMES[0].players[1].seat
    forfeit = replace(
        GAMES[0], happened=(Out(seat, Reason.TIME, 2),), reason=Reason.TIME, places=(1, 2)
    )
    keep_store(tmp_path / "cup", CUP, [forfeit, *GAMES[1:]])
    found = facts(capsys, tmp_path / "cup")
    assert (found["games"], found["forfeited"], found["left_out"]) == (6, 1, {})
    assert "Forfeits count as lost, in 1 game." in printed(capsys, tmp_path / "cup")
    found = facts(capsys, tmp_path / "cup", "--without-forfeits")
    assert (found["games"], found["forfeited"], found["left_out"]) == (5, 0, {"forfeited": 1})


def test_what_was_annulled_is_left_out_and_said(tmp_path: Path, capsys: Captured) -> None:
    ruling = Decision("ruling", format_amendment(Annulment(reason="power cut", number=2)))
    keep_store(tmp_path / "cup", CUP, [*GAMES, ruling])
    text = printed(capsys, tmp_path / "cup")
    assert text.count("5 games of 1 event") == text.count("Left out: annulled 1.") == 1


def test_the_matrix_of_superiority_is_printed_where_it_is_asked_for(
    folder: Path, capsys: Captured
) -> None:
    assert "stronger than" not in printed(capsys, folder)
    assert "| stronger than |" in printed(capsys, folder, "--superiority")
    lines = printed(capsys, folder, "--superiority", "--format", "csv").splitlines()
    assert len(lines) == 1 + 3 * 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--prior", "-1"], "argument --prior: expected a number from 0, got '-1'"),
        (["--prior", "1e-9"], "expected a prior of 0, or from 1e-06, got 1e-09"),
        (["--anchor", "zoe"], "argument --anchor: expected NAME=RATING, got 'zoe'"),
        (["--anchor", "zoe=inf"], "argument --anchor: expected NAME=RATING, got 'zoe=inf'"),
        (["--anchor", "zo=1"], "unknown anchor 'zo', did you mean zoe?"),
        (["--anchor", "zoe 3.1=1"], "unknown anchor 'zoe 3.1', did you mean zoe 3.0?"),
        (
            ["--anchor", "zoe=1", "--anchor", "zoe 3.0=2"],
            "expected one rating for an anchor, got two for 'zoe 3.0'",
        ),
        (["--player", "2"], "unknown option '--player', did you mean --players?"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path, capsys: Captured, words: list[str], sentence: str
) -> None:
    assert refused(capsys, folder, *words) == sentence


def test_a_folder_without_results_is_bad_input(
    folder: Path, tmp_path: Path, capsys: Captured
) -> None:
    assert refused(capsys, folder, tmp_path) == (
        f"expected a results folder, with store.sqlite in it, got {str(tmp_path)!r}"
    )
    keep_store(tmp_path / "empty", CUP, [])
    assert refused(capsys, tmp_path / "empty") == "expected games to rate, got none"
    assert "arguments are required: DIR" in refused(capsys)


def test_anchors_too_far_apart_are_refused(folder: Path, capsys: Captured) -> None:
    told = refused(capsys, folder, "--anchor", "zoe=0", "--anchor", "max=5000")
    assert told.startswith("expected anchors within 4000 Elo of each other")


def test_one_event_of_a_league_can_be_rated_by_itself(tmp_path: Path, capsys: Captured) -> None:
    league = tmp_path / "open"
    league.mkdir()
    with Store.open(league / STORE) as store:
        store.found_league("open")
        for name in ("cup", "again"):
            source = (
                f'name = "{name}"\nrules = "corner"\nplayers = 2\nclock = "2s"\nlimit = 3\n'
                'bots = [{ name = "zoe" }, { name = "max" }, { name = "Ida" }]\n'
            ).encode()
            event = store.add_event(name, source)
            games = GAMES if name == "cup" else GAMES[:2]
            store.write(
                event, "", [FinishedGame(game.game, format_record(game), "") for game in games]
            )
    assert facts(capsys, league)["games"] == 8
    assert facts(capsys, league / "events" / "again")["games"] == 2
    assert "expected each event once" in refused(capsys, league, league / "events" / "cup")
