"""Thousands of games at once: no false forfeits, exact clocks, and what the journal costs.

The bots are `bench/load.c`, which knows its own times: a forfeit is false if the bot's own clock
says that it was in time, and the error of a charge is what it is beyond the bot's own measure.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.peers import program
from bench.soak.hosting import Server, SoakError, figures
from bench.table import Row

PATIENCE: Final = 420.0  # seconds for one load
SHORT_TURNS: Final = 5  # each, in a short game
SHORT_AT_ONCE: Final = 250
CLOCK_US: Final = 200_000
THINKING: Final = (50_000, 150_000)  # microseconds: 1,000 games are then 10,000 moves a second
JOURNAL_GAMES: Final = (2, 100, 1000)
JOURNAL_MOVES: Final = 40_000


@dataclass(frozen=True, slots=True)
class Load:
    """Games at once, turns each has, cycles of an event that is long enough, and the bots' thoughts
    and clock in microseconds."""

    games: int
    turns: int
    cycles: int
    clock: int
    least: int = 0
    most: int = 0

    @property
    def event(self) -> str:
        """The event file."""
        bots = "".join(
            f'\n[[bots]]\nname = "b{number}"\nremote = true\nconnections = 1\n'
            for number in range(2 * self.games)
        )
        return (
            f'name = "load"\nrules = "duel"\nplayers = 2\nclock = "{self.clock // 1000}ms"\n'
            f"limit = {self.turns}\nparallel = {self.games}\ncycles = {self.cycles}\n{bots}"
        )


def driven(
    load: Load,
    moves: int,
    folder: Path,
    *,
    command: Sequence[str] = (),
    beside: Callable[[Server], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> Mapping[str, int]:
    """What the bots saw of *moves* moves under *load*; *beside* is entered while they play.

    The server is started by *command*, which is given nothing besides, or as hosts do.
    """
    folder.mkdir()
    bots = program("load", folder)
    event = folder / "event.toml"
    event.write_text(load.event)
    with Server(event, folder / "results", folder / "said.txt", command) as server, beside(server):
        words = [bots, server.port(), 2 * load.games, server.process.pid]
        words += [max(1, moves // 10), moves, load.clock, load.least, load.most]
        try:
            done = subprocess.run(
                [str(word) for word in words],
                input="go\n",
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SoakError(f"expected {moves} moves in {PATIENCE:g} s") from None
        if done.returncode:
            said = server.said.read_text()[-2000:]
            raise SoakError(f"expected bots that end well, got {done.stderr!r}; server: {said!r}")
    return figures(done.stdout)


def short(folder: Path, games: int) -> list[Row]:
    """Short games of bots that answer at once, on a tight clock."""
    # One microsecond of thought: bots that think hold no answer back until all are seated.
    load = Load(SHORT_AT_ONCE, SHORT_TURNS, 2 * games // 45 + 50, CLOCK_US, 0, 1)
    seen = driven(load, games * 2 * SHORT_TURNS, folder / "short")
    rate = seen["moves"] / seen["wall"] * 1e9
    return [
        Row(
            f"games of {2 * SHORT_TURNS} plies, 250 at a time, 200 ms a move",
            f"{seen['games_over']:,}",
        ),
        Row("moves a second", f"{rate:,.0f}"),
        Row(
            "forfeits by time in which the bot was late itself",
            f"{seen['forfeits'] - seen['false_forfeits']}",
        ),
        Row("false forfeits by time", f"{seen['false_forfeits']}", "0"),
        *_errors(seen),
    ]


def clocks(folder: Path, games: int, moves: int) -> list[Row]:
    """Many games at once of bots that think, a millisecond of clock beyond the longest thought."""
    least, most = THINKING
    load = Load(games, 1_000_000, 20, most + 1000, least, most)
    seen = driven(load, moves, folder / "clocks")
    rate = seen["moves"] / seen["wall"] * 1e9
    return [
        Row(f"{games:,} games at once, moves a second", f"{rate:,.0f}"),
        Row("referee's processor time a move", f"{_cpu(seen):.0f} us"),
        Row(
            "forfeits by time in which the bot was late itself",
            f"{seen['forfeits'] - seen['false_forfeits']}",
        ),
        Row("false forfeits by time", f"{seen['false_forfeits']}", "0"),
        *_errors(seen, "50 us"),
    ]


def journal(folder: Path, rounds: int) -> list[Row]:
    """The same moves with the store and without, by turns: the median of what a pair differs by."""
    rows: list[Row] = []
    for games in JOURNAL_GAMES:
        load = Load(games, 1_000_000, 20, 60_000_000)
        pairs: list[tuple[float, float]] = []
        for number in range(rounds):
            own = folder / f"journal-{games}-{number}"
            stored = driven(load, JOURNAL_MOVES, Path(f"{own}-stored"))
            other = Path(f"{own}-forgotten")
            words = (sys.executable, "-m", "bench.soak.unstored", str(other / "event.toml"))
            forgotten = driven(load, JOURNAL_MOVES, other, command=words)
            pairs.append((_cpu(stored), _cpu(forgotten)))
        with_, without = (statistics.median(times) for times in zip(*pairs, strict=True))
        added = statistics.median(stored / forgotten for stored, forgotten in pairs) - 1
        title = f"{games:,} games"
        rows += [
            Row(f"{title}: processor time a move with the store", f"{with_:.1f} us"),
            Row(f"{title}: without", f"{without:.1f} us"),
            Row(f"{title}: the journal adds", f"{100 * added:+.0f} %", "30 %"),
        ]
    return rows


def _cpu(seen: Mapping[str, int]) -> float:
    """Microseconds of the server's processor time for a move."""
    return seen["cpu"] / seen["moves"] / 1000


def _errors(seen: Mapping[str, int], wanted: str = "") -> Sequence[Row]:
    rows: list[Row] = []
    for name, words in (("net", "from the turn's arrival"), ("seen", "from the bot's read")):
        parts = [seen[f"{name}_{part}"] / 1000 for part in ("p50", "p99", "max")]
        figure = " / ".join(f"{part:.0f}" for part in parts) + " us"
        rows.append(
            Row(f"overcharge {words}, p50/p99/max", figure, wanted if name == "net" else "")
        )
    return rows
