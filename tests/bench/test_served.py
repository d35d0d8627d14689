"""The load and what it is put on: counted, never timed."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from bench.positions import random_game
from bench.served import BenchError, Task, Think, event_file, floor, serve

from bench import peers
from sternhalma_server.settings import settings_of

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

SMALL = Task(games=2, moves=200, warm_up=20)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    for name in ("load", "floor", "uci"):
        peers.program(name, folder)
    return folder


def test_the_server_plays_every_move_of_the_load(programs: Path, tmp_path: Path) -> None:
    seen = serve(SMALL, programs / "load", tmp_path)
    assert seen.figures["moves"] == 200
    assert seen.seats == 4
    assert seen.figures["forfeits"] == seen.figures["notes"] == seen.figures["games_over"] == 0
    assert seen.begun >= seen.idle > 0
    assert seen.a_move("cpu") > 0


def test_games_of_random_moves_begin_again_when_they_are_over(
    programs: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.txt"
    script.write_text("".join(f"{path}\n" for path in random_game("duel", 40)))
    seen = serve(replace(SMALL, script=script, turns=20), programs / "load", tmp_path)
    assert seen.figures["games_over"] > 2
    assert seen.figures["forfeits"] == 0


def test_bots_that_think_within_their_time_forfeit_nothing(programs: Path, tmp_path: Path) -> None:
    task = Task(games=3, moves=60, warm_up=6, think=Think(1_000, 5_000, 60_000_000))
    seen = serve(task, programs / "load", tmp_path)
    assert seen.figures["forfeits"] == seen.figures["false_forfeits"] == 0


def test_the_least_serves_the_same_load(programs: Path, tmp_path: Path) -> None:
    seen = floor(SMALL, programs / "load", programs / "floor", tmp_path)
    assert seen.figures["moves"] == 200


def test_a_move_that_is_illegal_ends_the_load(
    programs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.txt"
    script.write_text("a5-q13\n")
    with pytest.raises(BenchError, match="2 games"):
        serve(replace(SMALL, script=script), programs / "load", tmp_path)
    assert "error illegal" in capfd.readouterr().err


def test_the_event_seats_everybody_at_once() -> None:
    settings = settings_of(event_file(Task(games=10, moves=1, warm_up=1)).encode(), "here")
    assert len(settings.entries) == 20
    assert settings.parallel == 10


def test_the_chess_program_answers_by_the_length_of_the_game(programs: Path) -> None:
    asked = "uci\nposition startpos moves g1f3\ngo\nposition startpos\ngo\nquit\n"
    done = subprocess.run(
        [programs / "uci"], input=asked, capture_output=True, text=True, timeout=10, check=True
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("bestmove")] == [
        "bestmove g8f6",
        "bestmove g1f3",
    ]
