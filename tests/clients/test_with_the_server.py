"""All clients at one table, at the real server."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clients.toolchains import LANGUAGES, available, built

COMMANDS = Path(sys.executable).parent
STDIO = """
import sys
for line in sys.stdin:
    message, *words = line.split()
    if message == "turn":
        moves = next(word[6:] for word in words if word.startswith("moves="))
        print("move", *words[:2], moves.split(",")[0], flush=True)
"""


def bots(folder: Path) -> dict[str, list[str]]:
    found = {
        sample: [str(COMMANDS / "sternhalma-bot"), sample]
        for sample in ["random", "greedy", "lookahead"]
    }
    bridge = [str(COMMANDS / "sternhalma-bot"), "bridge", "--"]
    found["bridge"] = [*bridge, sys.executable, "-c", STDIO]
    # Those that a machine lacks are skipped by name in `test_one_file_clients`.
    here = filter(available, LANGUAGES)
    return found | {language: built(language, folder) for language in here}


def event(folder: Path, rules: str, players: int) -> Path:
    path = folder / "event.toml"
    lines = [
        'name = "clients"',
        f'rules = "{rules}"',
        f"players = {players}",
        'clock = "20s"',
        "limit = 4",
        "opening = 4",
        "seed = 11",
        "parallel = 2",
    ]
    if players == 2:
        # Everybody plays, and not everybody against everybody, which takes its time.
        lines += ['format = "gauntlet"', 'challengers = ["random"]']
    for name, command in bots(folder).items():
        lines += ["[[bots]]", f'name = "{name}"', f"command = {json.dumps(command)}"]
    path.write_text("\n".join(lines) + "\n")
    return path


def moves(results: Path) -> dict[str, list[str]]:
    """The moves of every game, without the times."""
    return {
        record.name: re.findall(r"^\d+ \S+ [a-z0-9-]+", record.read_text(), re.MULTILINE)
        for record in (results / "games").iterdir()
    }


@pytest.mark.parametrize(
    ("rules", "players"),
    [("tara", 2), pytest.param("corner+pairs", 4, marks=pytest.mark.slow)],
)
def test_every_client_plays_an_event_without_fault_and_again_the_same(
    rules: str, players: int, tmp_path: Path
) -> None:
    event_file = event(tmp_path, rules, players)
    played: list[dict[str, list[str]]] = []
    for name in ["first", "second"]:
        out = tmp_path / name
        done = subprocess.run(
            [COMMANDS / "sternhalma", "run", event_file, "--out", out],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        with (out / "results.csv").open(newline="") as file:
            assert {row["reason"] for row in csv.DictReader(file)} <= {"progress", "share"}
        played.append(moves(out))
    assert played[0] == played[1]
    assert all(len(game) == 4 * players for game in played[0].values())
