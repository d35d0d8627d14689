"""What the clocks are worth: where time comes from, and whether the kernel stamps arrivals."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sternhalma_server.clock import MILLISECOND, SECOND
from sternhalma_server.doctor.finding import Finding, bad, good, note
from sternhalma_server.stamping import ASLEEP, stamp_errors

SOURCE: Final = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
# Read without a system call, and the same on all processors.
QUICK: Final = frozenset({"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"})
READS: Final = 2000
DEAR: Final = 1000  # nanoseconds for one look at the clock
ROUNDS: Final = 5
NAPS: Final = 40
NAP: Final = MILLISECOND


def examine(source: Path = SOURCE) -> Iterator[Finding]:
    """Find out what the clocks of this machine are worth."""
    yield clock_source(source, cost_of_reading())
    errors = stamp_errors(ROUNDS)
    yield stamps(max(errors) if errors else None)
    yield lateness(latest_wake())


def cost_of_reading() -> int:
    """What one look at the clock costs, in nanoseconds."""
    begun = time.perf_counter_ns()
    for _ in range(READS):
        time.monotonic_ns()
    return (time.perf_counter_ns() - begun) // READS


def clock_source(path: Path, cost: int) -> Finding:
    """Whether the kernel's source of time, which *path* names, is a quick one."""
    try:
        source = path.read_text(encoding="ascii").strip()
    except OSError:
        source = "not told"
    found = f"{source}, a look at it costs {cost} ns"
    if source in QUICK or (source == "not told" and cost < DEAR):
        return good("clock source", found)
    advice = "one of tsc, kvm-clock, arch_sys_counter (the kernel's log says why it took another)"
    if cost < DEAR:
        return note("clock source", found, advice)
    return bad("clock source", f"{found}, and each move takes six", advice)


def stamps(error: int | None) -> Finding:
    """Whether arrivals are stamped when they arrive, *error* being the most they were off."""
    if error is None:
        return note(
            "kernel stamps",
            f"none on {sys.platform}: clocks stop when the server reads an answer",
            "Linux, where a server that is late charges nobody for it",
        )
    if error >= ASLEEP:
        return bad(
            "kernel stamps",
            f"an answer was stamped when it was read, {error / MILLISECOND:.3f} ms after it came",
            "a kernel with SO_TIMESTAMPNS on TCP: some sandboxes (gVisor) leave it out",
        )
    return good("kernel stamps", f"an answer is stamped within {error / 1000:.0f} us")


def latest_wake() -> int:
    """By how much, in nanoseconds, this process was woken too late from short naps, at the most."""
    worst = 0
    for _ in range(NAPS):
        due = time.monotonic_ns() + NAP
        time.sleep(NAP / SECOND)
        worst = max(worst, time.monotonic_ns() - due)
    return worst


def lateness(late: int) -> Finding:
    """What it says that this process was woken *late* nanoseconds too late."""
    found = f"woken at most {late / MILLISECOND:.1f} ms late in {NAPS} naps"
    if late > 50 * MILLISECOND:
        return note("load", found, "a machine with less to do, or clocks that have room for it")
    return good("load", found)
