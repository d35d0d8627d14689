"""What two hundred viewers of an event cost those who play in it: nothing, is what is wanted.

The same load in pairs, with a site and its viewers and without: the clock's error, the referee's
processor time for a move, and what the site itself takes.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.peers import ROOT
from bench.soak.hosting import RUN, Server, SoakError, figures
from bench.soak.loads import Load, driven
from bench.table import Row

LOAD: Final = Load(50, 1_000_000, 20, 151_000, 50_000, 150_000)
MEMORY: Final = 100.0  # megabytes that the site may take
_PAGES: Final = re.compile(r"pages at http://\S+?:(\d+)/")
_PATIENCE: Final = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Seen:
    """What the bots saw of a load, and of the site its memory in bytes and processor time in
    seconds, and what its viewers heard."""

    bots: Mapping[str, int]
    memory: int = 0
    seconds: float = 0.0
    viewers: Mapping[str, int] | None = None


def pages(folder: Path, moves: int, rounds: int, viewers: int) -> list[Row]:
    """The load with *viewers* and without, *rounds* times by turns."""
    pairs: list[tuple[Seen, Seen]] = []
    for number in range(rounds):
        watched = _watched(folder / f"watched-{number}", moves, viewers)
        alone = Seen(driven(LOAD, moves, folder / f"alone-{number}"))
        pairs.append((watched, alone))
    sites = [watched for watched, _ in pairs]
    ratio = statistics.median(_cpu(one.bots) / _cpu(other.bots) for one, other in pairs)
    heard = [one.viewers or {} for one in sites]
    rows = [
        Row(f"referee's processor time a move, {viewers} viewers", _median(sites, _cpu)),
        Row("the same without", _median([alone for _, alone in pairs], _cpu)),
        Row("the viewers add", f"{100 * (ratio - 1):+.0f} %"),
    ]
    for part in ("p50", "p99"):
        for title, seen in (("with viewers", sites), ("without", [alone for _, alone in pairs])):
            error = statistics.median(one.bots[f"net_{part}"] / 1000 for one in seen)
            rows.append(
                Row(f"overcharge from the turn's arrival, {part}, {title}", f"{error:.0f} us")
            )
    rows += [
        Row("false forfeits by time", f"{sum(one.bots['false_forfeits'] for one in sites)}", "0"),
        Row(
            "memory of the site, the most",
            f"{max(one.memory for one in sites) / 1e6:.0f} MB",
            f"{MEMORY:.0f} MB",
        ),
        Row("its share of a processor", f"{100 * max(one.seconds for one in sites):.0f} %"),
        Row("messages to a viewer and second", f"{_rate(heard, 'messages', viewers):.1f}"),
        Row("kilobytes to a viewer and second", f"{_rate(heard, 'bytes', viewers) / 1000:.1f}"),
        Row("viewers that were dropped", f"{sum(viewers - one['told'] for one in heard)}", "0"),
    ]
    return rows


def _watched(folder: Path, moves: int, viewers: int) -> Seen:
    found: dict[str, Seen] = {}

    @contextmanager
    def looking_on(server: Server) -> Generator[None]:
        port = _site_port(server)
        site = _site_process(server)
        with subprocess.Popen(
            [sys.executable, "-m", "bench.soak.viewers", str(port), str(viewers)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as lookers:
            assert lookers.stdout is not None
            if lookers.stdout.readline() != "looking on\n":
                raise SoakError("expected viewers that look on")
            began, before = time.monotonic(), _processor_time(site)
            yield
            took = time.monotonic() - began
            share = (_processor_time(site) - before) / took
            memory = int(Path(f"/proc/{site}/statm").read_text().split()[1]) * 4096
            printed, _ = lookers.communicate(timeout=_PATIENCE)
        heard = dict(figures(printed)) | {"milliseconds": round(1000 * took)}
        found["seen"] = Seen({}, memory, share, heard)

    event = folder / "event.toml"
    words = ["run", str(event), "--port", "0", "--web", "0", "--out", str(folder / "results")]
    command = (sys.executable, "-c", RUN, *words)
    bots = driven(LOAD, moves, folder, command=command, beside=looking_on)
    seen = found["seen"]
    return Seen(bots, seen.memory, seen.seconds, seen.viewers)


def _site_port(server: Server) -> int:
    server.port()
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        said = _PAGES.search(server.said.read_text())
        if said is not None:
            return int(said[1])
        time.sleep(0.02)
    raise SoakError(f"expected a site, the server said {server.said.read_text()!r}")


def _site_process(server: Server) -> int:
    """The process of the site that *server* has started, behind its supervisor."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        for process in server.started():
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if words[1:3] == [b"-m", b"sternhalma_server.web"]:
                return process
        time.sleep(0.02)
    raise SoakError("expected the process of a site")


def _processor_time(process: int) -> float:
    """Seconds of processor time that a process has taken."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / 100


def _cpu(bots: Mapping[str, int]) -> float:
    return bots["cpu"] / bots["moves"] / 1000


def _median(seen: list[Seen], figure: object) -> str:
    assert callable(figure)
    return f"{statistics.median(figure(one.bots) for one in seen):.0f} us"


def _rate(heard: list[Mapping[str, int]], what: str, viewers: int) -> float:
    return statistics.median(one[what] / viewers / (one["milliseconds"] / 1000) for one in heard)
