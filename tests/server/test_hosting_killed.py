"""kill -9 of a real server at any moment: the event goes on as if nothing had been."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from sternhalma import Game
from sternhalma_server.archive import STORE, read_records
from sternhalma_server.audit import audit
from sternhalma_server.opening import opening_of
from sternhalma_server.record import Ply, Record
from sternhalma_server.settings import Settings, load_settings
from sternhalma_server.store import EventId, Store, StoreError
from sternhalma_tournament.roundrobin import schedule_of

EVENT = EventId(1)
SECONDS = 60.0

# A whole bot, quick to start, whose answer hangs on nothing but the position.
BOT = """\
import hashlib, os, socket

told = {key: os.environ[f"STERNHALMA_{key}"] for key in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
server.sendall("login {NAME} slot={SLOT} token={TOKEN} moves=yes\\n".format(**told).encode())
for line in server.makefile():
    words = line.split()
    if words[0] == "turn":
        moves = next(word[6:] for word in words if word.startswith("moves=")).split(",")
        drawn = hashlib.sha256(" ".join(words[4:10]).encode()).digest()
        move = moves[int.from_bytes(drawn[:8]) % len(moves)]
        server.sendall(f"move {words[1]} {words[2]} {move}\\n".encode())
"""


def write_event(folder: Path, *, cycles: int, limit: int) -> Path:
    """The event file of four bots that play four games at once."""
    (folder / "bot.py").write_text(BOT)
    bots = "".join(
        f'[[bots]]\nname = "{name}"\ncommand = "python bot.py"\n' for name in ("a", "b", "c", "d")
    )
    path = folder / "event.toml"
    path.write_text(
        f'name = "killed"\nrules = "corner"\nplayers = 2\nclock = "60s+0.5s"\nlimit = {limit}\n'
        f"cycles = {cycles}\nopening = 2\nparallel = 4\n{bots}"
    )
    return path


def expected(settings: Settings) -> dict[int, list[str]]:
    """The moves of every game, played here."""
    games: dict[int, list[str]] = {}
    event = settings.event
    for pairing in schedule_of(event):
        game = Game.new(event.rules, event.players, limit=event.limit)
        paths = list(opening_of(game, event.opening, event.seed, pairing.opening))
        for path in paths:
            game = game.play(path)
        while not game.is_over:
            moves = game.legal_moves()
            drawn = hashlib.sha256(str(game).encode()).digest()
            choice = int.from_bytes(drawn[:8]) % max(1, len(moves))
            game = game.play(moves[choice] if moves else "pass")
            assert game.last is not None
            paths.append(game.format_move(game.last))
        games[pairing.number] = paths
    return games


def moves_of(record: Record) -> list[str]:
    return [ply.path for ply in record.happened if isinstance(ply, Ply)]


class Server:
    """`sternhalma run` as a host starts it."""

    def __init__(self, event: Path, out: Path) -> None:
        start = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", start, "run", str(event), "--out", str(out)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def kill(self) -> None:
        """End the server as the kernel ends one that takes too much memory."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def end(self) -> str:
        """What it printed, when it has ended by itself."""
        printed, _ = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode == 0, printed
        return printed


def is_playing(out: Path) -> bool:
    """Whether games are under way, as far as the store knows."""
    if not (out / STORE).exists():
        return False
    try:
        with Store.read(out / STORE) as store:
            lines = store.running_lines(EVENT) if store.events() else {}
    except StoreError:
        return False  # it is being made
    return any(len(its) > 4 for its in lines.values())


def finished(out: Path) -> dict[int, str]:
    with Store.read(out / STORE) as store:
        return {game.game: game.record for game in store.finished_games(EVENT)}


def kill_and_go_on(folder: Path, *, kills: int, cycles: int, limit: int, seed: int) -> None:
    """Kill the server so often, at random moments of its play; then let it come to the end."""
    chance = Random(seed)
    event, out = write_event(folder, cycles=cycles, limit=limit), folder / "out"
    before: dict[int, str] = {}
    heads: list[str] = []
    for _ in range(kills):
        server = Server(event, out)
        patience = time.monotonic() + SECONDS
        while not is_playing(out) and time.monotonic() < patience:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.3))
        assert server.process.poll() is None, "expected an event that is still played"
        server.kill()
        found = audit(out)
        assert found.problems == []
        heads.append(str(found.head))
        now = finished(out)
        assert now.items() >= before.items(), "what was over is over"
        before = now
    printed = Server(event, out).end()
    assert "going on: " in printed
    settings = load_settings(event)
    records = {record.game: record for record in read_records(out)}
    assert {game: moves_of(record) for game, record in records.items()} == expected(settings)
    found = audit(out)
    assert (found.problems, found.notes, found.left, found.begun) == ([], [], 0, 0)
    assert finished(out).items() >= before.items()
    for head in heads:
        assert audit(out, head).problems == []


def test_an_event_whose_server_was_killed_comes_to_the_same_end(tmp_path: Path) -> None:
    kill_and_go_on(tmp_path, kills=2, cycles=1, limit=60, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_an_event_whose_server_was_killed_five_times_comes_to_the_same_end(
    tmp_path: Path, seed: int
) -> None:
    kill_and_go_on(tmp_path, kills=5, cycles=4, limit=100, seed=seed)
