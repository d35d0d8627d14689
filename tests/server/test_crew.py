"""Programs that come and go: ended between games they are started again, crashed they lose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
