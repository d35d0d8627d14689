"""One server under load: started as a host starts it, and what it cost.

The server is `sternhalma run` itself with its store, in a process of its own, on an event file made
for the purpose; the bots are `load.c`. Both are bounded: by moves, and by a time after which they
are ended.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

CYCLES: Final = 100  # rounds enough even for two bots
SAID: Final = "said.txt"  # what the server printed
START: Final = 30.0  # seconds to listen
PATIENCE: Final = 240.0  # seconds for one load, whatever happens
_LISTENING: Final = re.compile(r"listening on \S+ port (\d+)")


class BenchError(Exception):
    """A server or a load that did not do what it should; says what it said."""


@dataclass(frozen=True, slots=True)
class Think:
    """How long bots think: at least, at most, and what the clock allows, in microseconds."""

    least: int
    most: int
    limit: int


INSTANT: Final = Think(0, 0, 60_000_000)


@dataclass(frozen=True, slots=True)
class Task:
    """One load: games side by side, moves before the window and in it.

    *script* has the moves of a game one a line; without it marbles go out and back.
    """

    games: int
    moves: int
    warm_up: int
    think: Think = INSTANT
    script: Path | None = None
    turns: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    """What a load saw: `load.c`'s figures by name, and the server's memory in bytes.

    `idle` is the memory of the server that listens, `begun` with the seats in games.
    """

    figures: dict[str, int]
    idle: int
    begun: int

    @property
    def seats(self) -> int:
        """How many seats had a game when the bots began."""
        return self.figures["seats"]

    def a_move(self, name: str) -> float:
        """A figure in nanoseconds as seconds for each move of the window."""
        return self.figures[name] / self.figures["moves"] / 1e9


def event_file(task: Task) -> str:
    """An event whose first round is the games of *task*, all at once, each bot in one of them."""
    bots = "".join(
        f'\n[[bots]]\nname = "b{number}"\nremote = true\nconnections = 1\n'
        for number in range(2 * task.games)
    )
    return (
        f'name = "bench"\nrules = "duel"\nplayers = 2\nclock = "{task.think.limit // 1000}ms"\n'
        f"limit = {task.turns}\nparallel = {task.games}\ncycles = {CYCLES}\n{bots}"
    )


def serve(task: Task, load: Path, folder: Path) -> Seen:
    """What it takes to serve *task*; *load* is the compiled load, *folder* for this server's use.

    Raises `BenchError`.
    """
    event = folder / "event.toml"
    event.write_text(event_file(task))
    main = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
    run = [sys.executable, "-c", main, "run", str(event), "--port", "0"]
    # Into a file: nobody reads what the server prints, and a full pipe would stop it.
    with (
        (folder / SAID).open("w") as said,
        _started([*run, "--out", str(folder / "results")], folder, said) as server,
    ):
        port = _port(server, folder)
        idle = _memory(server.pid)
        command = [load, port, 2 * task.games, server.pid, task.warm_up, task.moves]
        command += [task.think.limit, task.think.least, task.think.most, task.script or ""]
        with _started([str(word) for word in command if word != ""], folder) as bots:
            return _driven(task, server.pid, bots, idle)


def floor(task: Task, load: Path, program: Path, folder: Path) -> Seen:
    """The same load on the least that can serve it, `floor.c`."""
    with _started([str(program), str(task.games)], folder) as server:
        port = _line(server.stdout)
        command = [load, port, 2 * task.games, server.pid, task.warm_up, task.moves]
        with _started([*map(str, command), "60000000", "0", "0"], folder) as bots:
            return _driven(task, server.pid, bots, _memory(server.pid))


def _driven(task: Task, server: int, bots: subprocess.Popen[str], idle: int) -> Seen:
    if not _line(bots.stdout).startswith("ready "):
        raise BenchError(f"expected the bots of {task.games} games to be seated")
    begun = _memory(server)
    try:
        said, _ = bots.communicate("go\n", timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise BenchError(f"expected {task.games} games to be done in {PATIENCE:g} s") from None
    if bots.returncode:
        raise BenchError(f"expected the bots of {task.games} games to end well")
    figures = {name: int(value) for name, value in (line.split() for line in said.splitlines())}
    return Seen(figures, idle, begun)


@contextmanager
def _started(
    command: Sequence[str], folder: Path, said: IO[str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process that is gone when the block is left; all it says goes into *said*, else a pipe."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=said or subprocess.PIPE,
        stderr=said,
        text=True,
        cwd=folder,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def _port(server: subprocess.Popen[str], folder: Path) -> str:
    until = time.monotonic() + START
    while time.monotonic() < until and server.poll() is None:
        found = _LISTENING.search((folder / SAID).read_text())
        if found is not None:
            return found[1]
        time.sleep(0.02)
    said = (folder / SAID).read_text()
    raise BenchError(f"expected the server to say where it listens, got {said!r}")


def _line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline().rstrip("\n")


def _memory(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
