"""How many games and connections the machine bears: processors, descriptors, memory."""

from __future__ import annotations

import math
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sternhalma_server.descriptors import SPARE
from sternhalma_server.doctor.demand import Demand
from sternhalma_server.doctor.finding import Finding, bad, good, note
from sternhalma_tournament.text import counted

ENOUGH: Final = 1024  # descriptors: a league open to strangers needs some hundred
CGROUP: Final = Path("/sys/fs/cgroup")


def examine(demand: Demand, cgroup: Path = CGROUP) -> Iterator[Finding]:
    """Find out what the machine bears, and hold it against *demand*."""
    cores = usable_cores(cgroup)
    yield _cores(cores, demand)
    yield _descriptors(demand, max(1, math.ceil(cores) - 1))


def usable_cores(cgroup: Path = CGROUP) -> float:
    """How many processors this process may use: a container may have a part of one."""
    cores = float(len(os.sched_getaffinity(0))) if _has_affinity() else float(os.cpu_count() or 1)
    return min(cores, _quota(cgroup))


def _has_affinity() -> bool:
    return hasattr(os, "sched_getaffinity")


def _quota(cgroup: Path) -> float:
    """The processors that the control group *cgroup* allows, in either version's files."""
    try:
        quota, period = (cgroup / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        try:
            quota = (cgroup / "cpu" / "cpu.cfs_quota_us").read_text(encoding="ascii").strip()
            period = (cgroup / "cpu" / "cpu.cfs_period_us").read_text(encoding="ascii").strip()
        except OSError:
            return math.inf
    if not quota.isdecimal() or not period.isdecimal():  # "max", and -1: no limit
        return math.inf
    return int(quota) / int(period)


def _cores(cores: float, demand: Demand) -> Finding:
    found = f"{cores:g} processors for this process"
    if cores < 2:
        return bad(
            "processors",
            f"{found}: the server and the bots take turns on them",
            "two or more, or longer clocks: a bot that thinks keeps the next answer waiting",
        )
    games = demand.parallel
    if games is None:
        return good("processors", f"{found}, {counted(int(cores) - 1, 'game')} at once by default")
    if demand.programs and games > cores - 1:
        return note(
            "processors",
            f"{found}, and {counted(games, 'game')} at once of programs that run here",
            f"parallel = {max(1, int(cores) - 1)} if they think for long: while they wait for a"
            " processor their clocks run",
        )
    return good("processors", f"{found}, {counted(games, 'game')} at once")


def _descriptors(demand: Demand, usual: int) -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = soft if hard == resource.RLIM_INFINITY else hard
    if most == resource.RLIM_INFINITY:
        return good("descriptors", "no limit of open files")
    needed = SPARE + demand.descriptors(usual if demand.parallel is None else demand.parallel)
    found = f"{most} open files, the games at once take {needed}"
    advice = (
        f"a limit of {max(ENOUGH, 2 * needed)} or more (ulimit -Hn, or LimitNOFILE= of systemd)"
    )
    if needed > most // 2:
        return bad(
            "descriptors", f"{found}, and half of them are for who has not logged in", advice
        )
    if most < ENOUGH:
        return note("descriptors", f"{found}; a league open to strangers needs more", advice)
    return good("descriptors", found)
