"""Programs that come and go: ended between games they are started again, crashed they lose."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sternhalma_server import crew
from sternhalma_server.archive import PRINTED, add_printed
from sternhalma_server.cli import main
from sternhalma_server.programs import ScarcityError, start_program

SERVER = Path(sys.executable).parent / "sternhalma"

# A bot that leaves after each game, a little late, and one that ends at its first turn.
ONE_GAME = """
import os, socket, sys, time
told = {k: os.environ["STERNHALMA_" + k] for k in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
server.sendall("login {NAME} slot={SLOT} token={TOKEN} moves=yes\\n".format(**told).encode())
for line in server.makefile():
    word, *more = line.split()
    if word == "over":
        time.sleep(0.1)
        sys.exit(0)
    if word == "turn":
        if sys.argv[1:] == ["crash"]:
            sys.exit("no idea")
        moves = next(w[6:] for w in more if w.startswith("moves=")).split(",")
        server.sendall(f"move {more[0]} {more[1]} {moves[0]}\\n".encode())
"""


def _play(folder: Path, second: str) -> subprocess.CompletedProcess[str]:
    (folder / "bot.py").write_text(ONE_GAME, encoding="utf-8")
    (folder / "event.toml").write_text(
        'name = "crew"\nrules = "duel"\nplayers = 2\ncycles = 4\nclock = "5s"\nlimit = 3\n'
        f'[[bots]]\nname = "a"\ncommand = "python bot.py"\n'
        f'[[bots]]\nname = "b"\ncommand = "python bot.py {second}"\n',
        encoding="utf-8",
    )
    return subprocess.run(
        [SERVER, "run", "event.toml", "--out", "out"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_programs_that_end_after_each_game_lose_nothing_by_it(tmp_path: Path) -> None:
    done = _play(tmp_path, "")
    assert done.returncode == 0, done.stderr
    assert "4 games, results in out" in done.stdout


def test_a_program_that_ends_in_its_turn_again_and_again_loses_every_game(tmp_path: Path) -> None:
    done = _play(tmp_path, "crash")
    assert done.returncode == 1
    assert "b forfeited 4 games (disconnect)" in done.stderr
    assert "no idea" in done.stderr


PAIR = (
    'name = "crew"\nrules = "duel"\nplayers = 2\nclock = "5s"\nlimit = 2\n'
    'bots = [{ name = "a", command = "python bot.py" },'
    ' { name = "b", command = "python bot.py" }]\n'
)
Captured = pytest.CaptureFixture[str]


def _scarce(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    """Let this machine lack what it takes to start the bot *name*, so many times."""
    left = [times]

    def start(argv: Sequence[str], environment: Mapping[str, str], *rest: Any, **more: Any) -> Any:
        if environment["STERNHALMA_NAME"] == name and left[0]:
            left[0] -= 1
            raise ScarcityError(f"cannot start {argv[0]!r}: Too many open files")
        return start_program(argv, environment, *rest, **more)

    monkeypatch.setattr(crew, "start_program", start)
    monkeypatch.setattr(crew, "AGAIN", 0.01)


def _host(folder: Path, start: str, monkeypatch: pytest.MonkeyPatch, bot: str = ONE_GAME) -> int:
    """Host an event of two programs that have *start* to log in; the exit status."""
    monkeypatch.chdir(folder)
    (folder / "bot.py").write_text(bot, encoding="utf-8")
    (folder / "event.toml").write_text(f'{PAIR}budgets = {{ start = "{start}" }}\n', "utf-8")
    return main(["run", "event.toml", "--out", "out"])


def test_a_program_that_the_machine_has_no_room_for_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    _scarce(monkeypatch, "b", 3)
    assert _host(tmp_path, "20s", monkeypatch) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == ["b (slot 1): cannot start 'python': Too many open files; trying again for 20 s"]


def test_a_game_that_the_machine_never_has_room_for_is_void_and_nobodys_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    _scarce(monkeypatch, "b", 10**9)
    assert _host(tmp_path, "500ms", monkeypatch) == 1
    told = capsys.readouterr().err.splitlines()
    assert told.count("game 1: cannot start 'python': Too many open files") == 2
    assert told[-1] == (
        "the event ended with faults: 1 void game; 1 game played again after the server failed"
    )
    assert "Traceback" not in "".join(told)
    assert " server-fault - - " in (tmp_path / "out" / "results.csv").read_text().replace(",", " ")


def test_what_a_program_prints_stays_in_the_results_folder_if_it_is_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    bot = ONE_GAME + '        print("thinking", file=sys.stderr) if told["NAME"] == "b" else None\n'
    assert _host(tmp_path, "20s", monkeypatch, bot) == 0
    out = tmp_path / "out"
    assert [path.name for path in (out / "bots").iterdir()] == ["b-1.txt"]
    run, *printed = (out / "bots" / "b-1.txt").read_text(encoding="utf-8").splitlines()
    how = "ended with status 0|stopped by the server"
    assert re.fullmatch(rf"== (?:{how}) after [0-9.]+ s, started 20[-0-9]+ [:0-9]+ UTC", run)
    assert printed == ["thinking", "thinking"]
    assert main(["verify", str(out)]) == 0
    assert main(["run", "event.toml", "--out", "out", "--again"]) == 0
    assert main(["verify", str(out)]) == 0


def test_what_a_crash_printed_is_there_after_the_program_has_been_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    once = """
if told["NAME"] == "b":
    print("here I am", flush=True)
    if not os.path.exists("crashed"):
        open("crashed", "x").close()
        raise RuntimeError("no idea")
"""
    bot = ONE_GAME.replace("server = socket", f"{once}server = socket", 1)
    monkeypatch.setattr(
        sys.modules[__name__], "PAIR", PAIR.replace("limit = 2", "limit = 2\ncycles = 2")
    )
    assert _host(tmp_path, "20s", monkeypatch, bot) == 1
    text = (tmp_path / "out" / "bots" / "b-1.txt").read_text(encoding="utf-8")
    runs = [line.split(" after ")[0] for line in text.splitlines() if line.startswith("== ")]
    assert runs[0] == "== ended with status 1"
    assert runs[1:] in (["== ended with status 0"], ["== stopped by the server"])
    assert text.count("here I am\n") == 2
    assert "RuntimeError: no idea" in text.split("\n== ")[0]


def test_of_much_that_was_printed_runs_that_went_well_go_first(tmp_path: Path) -> None:
    add_printed(tmp_path, "zoe", 1, "ended with status 0, first", "a" * 9000)
    add_printed(tmp_path, "zoe", 1, "ended by SIGSEGV", "== a line that looks like a run\nno end")
    for number in range(20):
        add_printed(tmp_path, "zoe", 1, f"ended with status 0, number {number}", "b" * 9000)
    text = (tmp_path / "bots" / "zoe-1.txt").read_text(encoding="utf-8")
    assert len(text) <= PRINTED
    heads = [line for line in text.splitlines() if line.startswith("== ")]
    assert heads == [
        "== ended by SIGSEGV",
        *(f"== ended with status 0, number {number}" for number in range(13, 20)),
    ]
    assert "\n == a line that looks like a run\nno end\n== " in text
    for number in range(20):
        add_printed(tmp_path, "zoe", 1, f"ended with status 1, number {number}", "c" * 9000)
    text = (tmp_path / "bots" / "zoe-1.txt").read_text(encoding="utf-8")
    assert "SIGSEGV" not in text
    assert text.startswith("== ended with status 1, number 13\n")


def test_a_folder_that_takes_nothing_is_told_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bots").touch()
    assert _host(tmp_path, "20s", monkeypatch, f"{ONE_GAME}        print(word)\n") == 0
    told = capsys.readouterr().err
    assert "a (slot 1): cannot keep what it printed: " in told
