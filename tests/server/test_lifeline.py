"""The supervisor: nothing a bot has started outlives the server, and what it prints is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server import lifeline
from sternhalma_server.lifeline import KEPT, Kept

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

# A server that starts the bots it is told of, and ends when it is told how.
SERVER = """
import json, os, sys
from pathlib import Path
from sternhalma_server.programs import start_program
running = [
    start_program(argv, {"BOT": name}, Path.cwd(), stdio=stdio)
    for name, argv, stdio in json.loads(sys.argv[1])
]
exec(sys.stdin.readline())
"""

# Each tells the pids of its supervisor, of itself and of what it has started.
PLAIN = "echo $PPID $$ > $BOT.tmp; mv $BOT.tmp $BOT.pid; exec sleep 600"
FAMILY = "sleep 600 & echo $PPID $$ $! > $BOT.tmp; mv $BOT.tmp $BOT.pid; wait"
STUBBORN = "trap '' TERM INT HUP; " + FAMILY
# Its child leaves the process group and the session, and its parent ends before the server does.
ESCAPED = """
import os, time
family = [os.getppid(), os.getpid()]
child = os.fork()
if child:
    os.waitpid(child, 0)
    os.rename(os.environ["BOT"] + ".tmp", os.environ["BOT"] + ".pid")
else:
    os.setsid()
    grandchild = os.fork()
    if grandchild:
        with open(os.environ["BOT"] + ".tmp", "w") as file:
            print(*family, grandchild, file=file)
        os._exit(0)
time.sleep(600)
"""
BOTS = [
    ("plain", ["sh", "-c", PLAIN], False),
    ("family", ["sh", "-c", FAMILY], False),
    ("stubborn", ["sh", "-c", STUBBORN], False),
    ("escaped", ["python", "-S", "-c", ESCAPED], False),
    ("speaking", ["sh", "-c", FAMILY], True),
]


def until(happened: Callable[[], bool], seconds: float) -> None:
    """Return when *happened*, which nothing announces, or when time is up."""
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.005)


def runs(pid: int) -> bool:
    """Whether there is such a process, and not only what its parent has yet to take note of."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@ON_LINUX
@pytest.mark.parametrize(
    "end",
    [
        pytest.param("os.kill(os.getpid(), 9)", id="kill -9"),
        pytest.param("os._exit(1)", id="exit without a word"),
        pytest.param("raise RuntimeError", id="exception"),
        pytest.param("os.kill(os.getpid(), 15)", id="SIGTERM"),
    ],
)
def test_nothing_that_a_bot_started_outlives_the_server(tmp_path: Path, end: str) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, json.dumps(BOTS)],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert server.stdin is not None
    places = [tmp_path / f"{name}.pid" for name, _, _ in BOTS]
    with server.stdin:
        until(lambda: all(place.exists() for place in places), 10)
        started = {int(pid) for place in places for pid in place.read_text().split()}
        assert len(started) == 5 * 2 + 4
        assert all(map(runs, started))
        server.stdin.write(f"{end}\n".encode())
    server.wait(10)
    until(lambda: not any(map(runs, started)), 2)
    assert [pid for pid in started if runs(pid)] == []


@pytest.fixture
def supervised(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Starts the supervisor alone; its lifeline is a pipe from the test."""

    def start(script: str) -> subprocess.Popen[bytes]:
        with (tmp_path / "kept").open("w+b") as kept:
            Kept.create(kept.fileno())
            return subprocess.Popen(
                [sys.executable, "-I", "-S", lifeline.__file__, "--", "/bin/sh", "-c", script],
                cwd=tmp_path,
                stdin=subprocess.PIPE,
                stdout=kept,
                start_new_session=True,
            )

    return start


Supervised = Callable[..., subprocess.Popen[bytes]]


@ON_LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_supervisor_that_is_told_to_end_ends_its_bot_first(
    tmp_path: Path, supervised: Supervised, number: signal.Signals
) -> None:
    with supervised("BOT=bot; " + FAMILY) as supervisor:
        until((tmp_path / "bot.pid").exists, 5)
        pids = [int(pid) for pid in (tmp_path / "bot.pid").read_text().split()]
        supervisor.send_signal(number)
        assert supervisor.wait(5) == 128 + signal.SIGKILL
    assert not any(map(runs, pids))


@pytest.mark.parametrize(
    ("script", "status"), [("exit 0", 0), ("exit 77", 77), ("kill -USR1 $$", 128 + signal.SIGUSR1)]
)
def test_a_supervisor_ends_with_the_status_of_its_bot(
    supervised: Supervised, script: str, status: int
) -> None:
    with supervised(script) as supervisor:
        assert supervisor.wait(5) == status


def test_a_file_of_what_is_kept_does_not_grow(tmp_path: Path) -> None:
    with (tmp_path / "kept").open("w+b") as file:
        Kept.create(file.fileno())
        size = os.fstat(file.fileno()).st_size
        kept = Kept(file.fileno())
        for _ in range(50):
            kept.add(bytes(10_000))
        assert os.fstat(file.fileno()).st_size == size


@given(st.lists(st.integers(0, 3 * KEPT), max_size=12), st.integers(0, 255))
def test_the_head_and_the_tail_are_kept_however_they_come(sizes: list[int], first: int) -> None:
    stream = bytes((first + i * i // 7) % 256 for i in range(sum(sizes)))
    with tempfile.TemporaryFile() as file:
        Kept.create(file.fileno())
        kept, at = Kept(file.fileno()), 0
        for size in sizes:
            kept.add(stream[at : at + size])
            at += size
        head, dropped, tail = kept.read()
    assert head == stream[:KEPT]
    assert tail == stream[KEPT:][-KEPT:]
    assert len(head) + dropped + len(tail) == len(stream)
