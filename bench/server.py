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
from statistics import median
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


@dataclass(slots=True)
class Samples:
    """What the rounds with instant bots gave, by title: seconds of processor time, and the rest."""

    cpu: dict[str, list[float]]
    seen: dict[str, list[Seen]]

    def processor_time(self) -> list[Row]:
        """A move's processor time and moves a second, beside the others."""
        times = medians(self.cpu)
        chess = times["python-chess, 2 games"]
        return [
            Row(title, f"{1e6 * took:.1f} us{self._rate(title)}", f"{took / chess:.2f}")
            for title, took in times.items()
        ]

    def clock_errors(self) -> list[Row]:
        """How far the server's clocks were off."""
        return [
            row
            for title, runs in self.seen.items()
            if title.startswith(SERVER)
            for row in _errors(title.removeprefix(f"{SERVER}, "), runs)
        ]

    def memory(self) -> list[Row]:
        """What seats in a game take of the server's memory, with the most games."""
        seen = self.seen[f"{SERVER}, {_games(SIDES[-1][0])}"][-1]
        seat = (seen.begun - seen.idle) / seen.seats
        return [
            Row("the server that listens", f"{seen.idle / 2**20:.1f} MiB"),
            Row(f"with {_games(seen.seats // 2)} begun", f"{seen.begun / 2**20:.1f} MiB"),
            Row("a seat in a game", f"{seat:,.0f} bytes"),
        ]

    def _rate(self, title: str) -> str:
        if title not in self.seen:
            return f"{'':11}"
        rates = [run.figures["moves"] / run.figures["wall"] * 1e9 for run in self.seen[title]]
        return f"{median(rates):>8,.0f} /s"


def instant(bench: Bench, rounds: int, scale: int) -> Samples:
    """Instant bots, in alternating rounds with the others."""
    samples = Samples({}, {})
    for _ in range(rounds):
        for title, run in _instant_runs(bench, scale):
            result = run()
            if isinstance(result, float):
                samples.cpu.setdefault(title, []).append(result)
            else:
                samples.cpu.setdefault(title, []).append(result.a_move("cpu"))
                samples.seen.setdefault(title, []).append(result)
    return samples


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
    seen = bench.serve(replace(THINKING, moves=THINKING.moves // scale))
    figures = seen.figures
    rate = figures["moves"] / figures["wall"] * 1e9
    true = figures["forfeits"] - figures["false_forfeits"]
    return [
        Row("moves a second", f"{rate:,.0f}"),
        Row("processor time a move", f"{1e6 * seen.a_move('cpu'):.1f} us"),
        *_errors("clock error", [seen]),
        Row("forfeits on time where the load itself was late", f"{true}"),
        Row("false forfeits", f"{figures['false_forfeits']}"),
    ]


def _errors(title: str, seen: Sequence[Seen]) -> list[Row]:
    """The time charged less the bot's own: from what its kernel stamped, and from what it saw."""
    rows: list[Row] = []
    for name, words in (("net", "from the turn's arrival"), ("seen", "from the bot's read")):
        parts = [
            median(run.figures[f"{name}_{part}"] for run in seen) for part in ("p50", "p99", "max")
        ]
        figure = " / ".join(f"{part / 1000:.0f}" for part in parts)
        rows.append(Row(f"{title}, {words}", f"{figure} us"))
    return rows


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
        samples = instant(bench, rounds, scale)
        _print("processor time a move", samples.processor_time(), "to python-chess, 2 games")
        _print("clock error of instant bots, p50 / p99 / max", samples.clock_errors())
        _print("memory", samples.memory())
        _print(f"{_games(THINKING.games)} of bots that think", thinking(bench, scale))


def _print(title: str, rows: Sequence[Row], ratio: str = "") -> None:
    # Each section when it is there: what comes later may fail.
    print(format_table(f"server: {title}", ratio, rows), flush=True)


if __name__ == "__main__":
    main()
