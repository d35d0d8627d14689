"""Real clusters of two workers on this machine: whatever is killed, all results come, and once.

Nothing here waits for time. A bot that is to be found at play waits for a file, and a test waits
for a file that the bot has written.
"""

from __future__ import annotations

import gc
import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

import pytest
import trio

from server.far_away import act, far_event, write_event
from sternhalma_server import cli
from sternhalma_server.archive import read_records
from sternhalma_server.audit import audit
from sternhalma_server.cli.progress import LineProgress
from sternhalma_server.dask_fleet import DaskFleet, fleet_at, fleet_of
from sternhalma_server.far_hosting import WHY, host_far
from sternhalma_server.fingerprint import fingerprints
from sternhalma_server.fleet import Lost
from sternhalma_server.record import Ply

SECONDS = 600.0
HEAD = 'at_limit = "progress"\n'

# Between a bot and the worker are its supervisor, the batch, and the batch's supervisor.
WORKER = """\
import os, signal, time
worker = os.getpid()
for _ in range(4):
    worker = int(open(f"/proc/{worker}/stat").read().rpartition(")")[2].split()[1])
"""
HOLD = f"""\
{WORKER}
with open("held.new", "w") as file:
    file.write(str(worker))
os.rename("held.new", "held")
while not os.path.exists("go"):
    time.sleep(0.01)
"""
KILL = f"""\
{WORKER}
os.kill(worker, signal.SIGKILL)
"""


@pytest.fixture(scope="module", name="cluster")
def _cluster() -> Iterator[DaskFleet]:
    # So that a driver of its own can be pointed to it.
    with fleet_of(2, secret=False) as fleet:
        yield fleet


def sternhalma(*words: str | Path) -> subprocess.Popen[str]:
    """The command as a host starts it."""
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from sternhalma_server.cli import main; sys.exit(main())",
        ]
        + [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def end(driver: subprocess.Popen[str], status: int = 0) -> str:
    """What it printed, when it has ended by itself."""
    printed, _ = driver.communicate(timeout=SECONDS)
    assert driver.returncode == status, printed
    return printed


def held(folder: Path, driver: subprocess.Popen[str]) -> int:
    """The worker in whose game the bot that holds is waiting."""
    give_up = time.monotonic() + SECONDS
    while not (folder / "held").exists():
        assert driver.poll() is None, driver.communicate()
        assert time.monotonic() < give_up
        time.sleep(0.01)
    return int((folder / "held").read_text())


def go(folder: Path) -> None:
    (folder / "go").touch()


def near(event: Path, out: Path) -> str:
    """The table of the event when one machine plays it."""
    assert cli.main(["run", str(event), "--out", str(out)]) == 0
    return (out / "standings.md").read_text()


def check(out: Path, *, games: int) -> None:
    """All games are there, once, and hold."""
    found = audit(out)
    assert (found.problems, found.notes, found.left, found.games) == ([], [], 0, games)


def moves(out: Path) -> dict[int, list[str]]:
    return {
        record.game: [ply.path for ply in record.happened if isinstance(ply, Ply)]
        for record in read_records(out)
    }


def test_an_event_whose_worker_is_killed_comes_to_the_table_of_one_machine(tmp_path: Path) -> None:
    event = write_event(tmp_path, "a", "b", "c", "d", head=f"{HEAD}cycles = 2\n")
    table = near(event, tmp_path / "near")
    act(tmp_path, "a", HOLD)
    driver = sternhalma("run", event, "--out", tmp_path / "far", "--workers", "2")
    os.kill(held(tmp_path, driver), signal.SIGKILL)
    go(tmp_path)
    assert "lost, and played again: " in end(driver)
    assert (tmp_path / "far" / "standings.md").read_text() == table
    assert moves(tmp_path / "far") == moves(tmp_path / "near")
    check(tmp_path / "far", games=12)


def test_a_driver_that_is_killed_and_started_again_plays_no_result_twice(
    tmp_path: Path, cluster: DaskFleet
) -> None:
    event = write_event(tmp_path, "a", "b", "c", "d", head=f"{HEAD}cycles = 2\n")
    table = near(event, tmp_path / "near")
    words = ("run", event, "--out", tmp_path / "far", "--cluster", cluster.address)
    act(tmp_path, "a", f"if game == '7':\n    {HOLD.replace(chr(10), chr(10) + '    ')}")
    driver = sternhalma(*words)
    held(tmp_path, driver)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    before = audit(tmp_path / "far")
    assert before.problems == []
    go(tmp_path)
    printed = end(sternhalma(*words))
    assert f"going on: {before.games} game" in printed
    assert (tmp_path / "far" / "standings.md").read_text() == table
    check(tmp_path / "far", games=12)
    assert audit(tmp_path / "far", before.head).problems == []


def test_a_program_that_kills_its_worker_every_time_is_named_and_the_rest_goes_on(
    tmp_path: Path, cluster: DaskFleet
) -> None:
    event = write_event(tmp_path, "a", "b", "c", head=HEAD)
    near(event, tmp_path / "near")
    act(tmp_path, "b", KILL)
    far = tmp_path / "far"
    printed = end(sternhalma("run", event, "--out", far, "--cluster", cluster.address), 1)
    assert f"b: withdrawn ({WHY})" in printed
    assert "the event ended with faults: b forfeited 2 games (no-start); b was withdrawn" in printed
    check(far, games=3)
    (left,) = [r.game for r in read_records(far) if "b" not in [p.bot for p in r.players]]
    assert moves(far)[left] == moves(tmp_path / "near")[left]


def test_workers_that_have_another_program_are_refused_with_both_digests(
    tmp_path: Path, cluster: DaskFleet
) -> None:
    settings = far_event(tmp_path, "a", "b", head=HEAD)
    right = fingerprints(settings.event.bots, tmp_path)
    other = dict.fromkeys(right, "0" * 64)
    told = io.StringIO()
    gc.collect()  # here, and not in the thread of the client that is made now
    with fleet_at(cluster.address) as fleet, redirect_stderr(told):
        progress = LineProgress("far", told)
        summary = trio.run(host_far, settings, fleet, tmp_path / "far", progress, other)
    assert (summary.complete, summary.games) == (False, 0)
    *refused, last = told.getvalue().splitlines()
    told_of = [line for line in refused if line != "no worker is there yet, games wait for one"]
    assert told_of
    for line in told_of:
        assert re.fullmatch(
            r"tcp://127\.0\.0\.1:\d+ plays no games: expected the program of 'a' that the driver"
            rf" has, {'0' * 64}, got {right['a']}",
            line,
        )
    assert last == "no worker is left that may play this event"


class Junk:
    """A client whose only worker answers with junk, as a future of it would tell."""

    def submit(self, *_: object, **__: object) -> Junk:
        return self

    def add_done_callback(self, tell: Callable[[Junk], None]) -> None:
        tell(self)

    def result(self) -> tuple[str, bytes]:
        return "w", b"junk"

    def release(self) -> None:
        """Nothing is held."""


def test_an_answer_that_cannot_be_read_is_a_loss_and_no_end_of_the_event() -> None:
    lost = trio.run(DaskFleet(Junk(), "far").play, b"")
    assert isinstance(lost, Lost)
    assert lost.how.startswith("expected an answer of w, got something else: ")


def test_without_a_scheduler_nothing_is_played(tmp_path: Path) -> None:
    event = write_event(tmp_path, "a", "b")
    # In a process of its own: what is left of earlier clients of Dask is finalized whenever Python
    # sees fit, in the thread of a new one too, which then does not begin in time.
    far = tmp_path / "far"
    printed = end(sternhalma("run", event, "--out", far, "--cluster", "nonsense"), 2)
    assert "expected the scheduler of a Dask cluster at nonsense" in printed
    assert not far.exists()
