"""What a move costs the server, how exact its clocks are, and what a seat takes of its memory.

    python -m bench.server [--rounds N] [--quick]

The server is the one that `sternhalma run` starts, with its store; the bots answer at once, or
think for a while. Beside it in the same rounds: python-chess's engine module with programs that
answer at once, and the least that the same traffic can cost, in C. Processor time is that of the
serving process alone.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from bench.positions import random_game
from bench.served import Seen, Task, Think, floor, serve
from bench.table import Row, format_table
from bench.timing import medians

from bench import peers

SERVER: Final = "server"
SIDES: Final = ((1, 10_000), (2, 20_000), (100, 40_000), (1_000, 40_000))  # games, moves
ROUNDS: Final = 3
SCRIPT: Final = 4_000  # plies of the game of random moves
# With a thousand games that think a tenth of a second on average come ten thousand moves a second.
THINKING: Final = Task(1_000, 40_000, 10_000, Think(50_000, 150_000, 151_000))
MEMORY: Final = Task(3_000, 1, 1)
CHESS_MOVES: Final = 4_000


@dataclass(slots=True)
class Bench:
    """The programs, and a folder for what servers write."""

    folder: Path
    load: Path
    floor: Path
    uci: Path
    chess: Path
    servers: int = 0

    def serve(self, task: Task) -> Seen:
        """One run of the server."""
        return serve(task, self.load, self._own())

    def least(self, task: Task) -> Seen:
        """One run of the least that can serve the same load."""
        return floor(task, self.load, self.floor, self._own())

    def ask_chess(self, games: int) -> float:
        """Seconds of processor time for a move of python-chess's engine module."""
        host = peers.HERE / "chess_host.py"
        command = [self.chess, host, games, CHESS_MOVES, self.uci]
        done = subprocess.run([*map(str, command)], check=True, capture_output=True, text=True)
        return float(done.stdout) / 1e6

    def _own(self) -> Path:
        self.servers += 1
        own = self.folder / f"server-{self.servers}"
        own.mkdir()
        return own


def instant(bench: Bench, rounds: int, scale: int) -> list[Row]:
    """Instant bots: processor time a move, moves a second and clock errors, beside the others."""
    cpu: dict[str, list[float]] = {}
    seen: dict[str, list[Seen]] = {}
    for _ in range(rounds):
        for title, run in _instant_runs(bench, scale):
            result = run()
            if isinstance(result, float):
                cpu.setdefault(title, []).append(result)
            else:
                cpu.setdefault(title, []).append(result.a_move("cpu"))
                seen.setdefault(title, []).append(result)
    times = medians(cpu)
    chess = times["python-chess, 2 games"]
    rows = [
        Row(title, f"{1e6 * took:.1f} us{_rate(seen.get(title))}", f"{took / chess:.2f}")
        for title, took in times.items()
    ]
    for title, runs in seen.items():
        if title.startswith(SERVER):
            rows += _errors(title, runs)
    return rows


def _instant_runs(bench: Bench, scale: int) -> list[tuple[str, Callable[[], Seen | float]]]:
    runs: list[tuple[str, Callable[[], Seen | float]]] = []
    script = bench.folder / "script.txt"
    if not script.exists():
        script.write_text("".join(f"{path}\n" for path in random_game("duel", SCRIPT)))
    for games, moves in SIDES:
        task = Task(games, moves // scale, max(games, moves // scale // 10))
        runs.append((f"{SERVER}, {_games(games)}", partial(bench.serve, task)))
        runs.append((f"the least in C, {_games(games)}", partial(bench.least, task)))
        if games == 2:
            random = replace(task, script=script, turns=SCRIPT // 2)
            runs.append((f"{SERVER}, 2 games of random moves", partial(bench.serve, random)))
        if games <= 2:
            runs.append((f"python-chess, {_games(games)}", partial(bench.ask_chess, games)))
    return runs


def thinking(bench: Bench, scale: int) -> list[Row]:
    """Bots that think, under a limit one millisecond above the longest thought."""
    task = replace(THINKING, moves=THINKING.moves // scale)
    seen = bench.serve(task)
    figures = seen.figures
    rate = figures["moves"] / figures["wall"] * 1e9
    title = f"thinking, {_games(task.games)}"
    return [
        Row(f"{title} ({seen.seats // 2:,} at once): moves a second", f"{rate:,.0f}"),
        Row(f"{title}: processor time a move", f"{1e6 * seen.a_move('cpu'):.1f} us"),
        *_errors(title, [seen]),
        Row(f"{title}: forfeits on time", f"{figures['forfeits']}"),
        Row(
            f"{title}: false ones, the bot's own time within the limit",
            f"{figures['false_forfeits']}",
        ),
    ]


def memory(bench: Bench) -> list[Row]:
    """What seats in a game take of the server's memory."""
    seen = bench.serve(MEMORY)
    return [
        Row(f"memory with {_games(seen.seats // 2)} begun", f"{seen.begun / 2**20:.1f} MiB"),
        Row("memory of the server that listens", f"{seen.idle / 2**20:.1f} MiB"),
        Row("memory a seat", f"{(seen.begun - seen.idle) / seen.seats:,.0f} bytes"),
    ]


def _errors(title: str, seen: Sequence[Seen]) -> list[Row]:
    """Overcharges, of the median round: by the bot's own kernel, and as the bot saw it."""
    rows: list[Row] = []
    for name, words in (("net", "from the turn's arrival"), ("seen", "from the bot's read")):
        parts = [_median(seen, f"{name}_{part}") for part in ("p50", "p99", "max")]
        figure = " / ".join(f"{part / 1000:.0f}" for part in parts)
        rows.append(Row(f"{title}: overcharge {words}, p50/p99/max", f"{figure} us"))
    return rows


def _median(seen: Sequence[Seen], name: str) -> int:
    return sorted(run.figures[name] for run in seen)[len(seen) // 2]


def _rate(seen: Sequence[Seen] | None) -> str:
    if seen is None:
        return f"{'':11}"
    rates = sorted(run.figures["moves"] / run.figures["wall"] * 1e9 for run in seen)
    return f"{rates[len(rates) // 2]:>8,.0f} /s"


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count:,} games"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the server under load.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="a tenth of the moves, one round")
    options = parser.parse_args()
    run(options.rounds, quick=options.quick)


def run(rounds: int, *, quick: bool) -> None:
    """Measure and print; *quick* means one round with a tenth of the moves."""
    rounds, scale = (1, 10) if quick else (rounds, 1)
    with tempfile.TemporaryDirectory(prefix="sternhalma-bench-") as name:
        folder = Path(name)
        bench = Bench(
            folder,
            load=peers.program("load", folder),
            floor=peers.program("floor", folder),
            uci=peers.program("uci", folder),
            chess=peers.python(),
        )
        # Each is printed when it is there: what comes later may fail.
        for title, ratio, rows in (
            (
                "server: processor time a move",
                "to python-chess, 2 games",
                partial(instant, bench, rounds, scale),
            ),
            ("server: bots that think", "", partial(thinking, bench, scale)),
            ("server: memory", "", partial(memory, bench)),
        ):
            print(format_table(title, ratio, rows()), flush=True)


if __name__ == "__main__":
    main()
