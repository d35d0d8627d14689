"""The same event played by one process and by workers: seconds, processor time, and the same table.

    python -m bench.scale [--games N] [--workers N] [--bot SAMPLE | --think MS]

Both are the command `sternhalma run` with its store, one after the other, with sample bots that
hang on nothing but the position; or with bots that sleep for each move, which shows what workers
bring where cores are taken by others. Processor time is that of all processes together, bots,
workers and engine included. Then the results are read as a driver reads them, to say how many
cores one driver can keep busy, and merged from four shards.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.table import Row, format_table

from sternhalma_server.archive import STORE
from sternhalma_server.audit import audit
from sternhalma_server.layout import Layout
from sternhalma_server.merging import merge
from sternhalma_server.proof import proved
from sternhalma_server.record import parse_record
from sternhalma_server.recording import signed
from sternhalma_server.settings import load_settings
from sternhalma_server.store import FinishedGame, Store, StoredGame
from sternhalma_tournament.roundrobin import schedule_of

GAMES: Final = 2_000
SHARDS: Final = 4
HEAD: Final = """\
name = "scale"
rules = "tara"
players = 2
clock = "5s"
opening = 4
seed = 2026
"""


# Sleeps for each move, and plays the first of the list.
SLEEPER: Final = """\
import os, socket, sys, time

told = {key: os.environ[f"STERNHALMA_{key}"] for key in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
server.sendall("login {NAME} slot={SLOT} token={TOKEN} moves=yes\\n".format(**told).encode())
for line in server.makefile():
    words = line.split()
    if words[0] == "turn":
        time.sleep(int(sys.argv[1]) / 1000)
        moves = next(word[6:] for word in words if word.startswith("moves="))
        server.sendall(f"move {words[1]} {words[2]} {moves.split(',')[0]}\\n".encode())
"""


class BenchError(Exception):
    """A run that has not come to what it should."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took, in seconds; `busy` is processor time of all its processes."""

    seconds: float
    busy: float
    table: str


def write_event(folder: Path, games: int, command: str) -> Path:
    """An event of at least so many games between four bots with one *command*."""
    (folder / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
    limit = "limit = 50\n" if "sleeper" in command else ""
    bots = "".join(f'[[bots]]\nname = "{name}"\ncommand = "{command}"\n' for name in "abcd")
    path = folder / "scale.toml"
    path.write_text(f"{HEAD}cycles = {-(-games // 6)}\n{limit}{bots}", encoding="utf-8")
    return path


def play(event: Path, out: Path, *words: str) -> Run:
    """Play the event as a host does."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [str(Path(sys.executable).with_name("sternhalma")), "run", str(event)]
    done = subprocess.run(
        [*command, "--out", str(out), *words], capture_output=True, text=True, check=False
    )
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise BenchError(f"expected status 0, got {done.returncode}: {done.stderr[-500:]}")
    if problems := audit(out).problems:
        raise BenchError(problems[0])
    busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(seconds, busy, (out / "standings.md").read_text(encoding="utf-8"))


def stored(root: Path) -> list[StoredGame]:
    """The games of the results folder."""
    with Store.read(root / STORE) as store:
        return list(store.finished_games(store.events()[0].id))


def prove(event: Path, games: list[StoredGame]) -> None:
    """Read records and prove them, as a driver does with what comes back."""
    settings = load_settings(event)
    layout, schedule = Layout(settings), schedule_of(settings.event)
    for game in games:
        record = signed(parse_record(game.record), {})
        bots = tuple(player.bot for player in record.players)
        versions = [player.version for player in record.players]
        proved(record, layout.table(schedule.pairing(game.game), bots, versions))


def keep(folder: Path, games: list[StoredGame], source: bytes) -> None:
    """Store games, a batch of sixteen in each transaction."""
    folder.mkdir()
    with Store.open(folder / STORE) as store:
        event = store.add_event("scale", source)
        for at in range(0, len(games), 16):
            some = [FinishedGame(g.game, g.record, g.said, g.outcome) for g in games[at : at + 16]]
            store.write(event, "", some)


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time that *work* takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def split(folder: Path, games: list[StoredGame], source: bytes) -> list[Path]:
    """The games in so many stores as there are shards."""
    paths = [folder / f"shard-{index}" for index in range(SHARDS)]
    for index, path in enumerate(paths):
        keep(path, games[index::SHARDS], source)
    return paths


def run(games: int, workers: int, command: str) -> list[Row]:
    """All measurements."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as name:
        folder = Path(name)
        event = write_event(folder, games, command)
        near = play(event, folder / "near")
        far = play(event, folder / "far", "--workers", str(workers))
        if near.table != far.table:
            raise BenchError("expected the same table from workers, got another one")
        results = stored(folder / "far")
        count, source = len(results), event.read_bytes()
        proved = timed(lambda: prove(event, results))
        kept = timed(lambda: keep(folder / "kept", results, source))
        shards = split(folder, results, source)
        merged = timed(lambda: merge(folder / "merged", shards))
        size = (folder / "kept" / STORE).stat().st_size
    many = f"{workers} workers"
    return [
        Row(f"{count} games, one process", f"{near.seconds:.0f} s"),
        Row(f"{count} games, {many}", f"{far.seconds:.0f} s", ratio(far.seconds, near.seconds)),
        Row("processor time a game, one process", ms(near.busy, count)),
        Row(f"processor time a game, {many}", ms(far.busy, count), ratio(far.busy, near.busy)),
        Row("a result read and proved by the driver", ms(proved, count)),
        Row("a result stored, 16 at once", ms(kept, count)),
        Row(f"a result merged from {SHARDS} stores", ms(merged, count)),
        Row("a result in the store", f"{size / count / 1e3:.1f} kB"),
    ]


def ms(seconds: float, games: int) -> str:
    """Milliseconds a game, as text."""
    return f"{1e3 * seconds / games:.2f} ms"


def ratio(far: float, near: float) -> str:
    """The one in terms of the other, as text."""
    return f"{far / near:.2f}"


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--bot", default="greedy", help="the sample bot (default: %(default)s)")
    parser.add_argument("--think", type=int, help="milliseconds that a bot sleeps for each move")
    options = parser.parse_args()
    command = f"sternhalma-bot {options.bot}"
    if options.think is not None:
        command = f"python sleeper.py {options.think}"
    try:
        rows = run(options.games, options.workers, command)
    except BenchError as error:
        print(f"bench.scale: {error}", file=sys.stderr)
        return 1
    print(format_table("an event on workers", "to one process", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
