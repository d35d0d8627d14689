"""Comparing things on a machine that others use too: in alternating rounds, by processor time.

Whatever slows the machine for a while slows a round of everybody. What is compared is the median
of each over the rounds, and what is believed is the ratio of two medians of one run.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contestant:
    """Something to be timed: *run* does *count* units of work."""

    name: str
    run: Callable[[], object]
    count: int


def alternate(contestants: Sequence[Contestant], rounds: int) -> dict[str, float]:
    """The median seconds a unit of each contestant, by name."""
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for contestant in contestants:
        contestant.run()  # tables and caches are filled before anything counts
    for _ in range(rounds):
        for contestant in contestants:
            times[contestant.name].append(_once(contestant))
    return medians(times)


def medians(samples: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The median of each sample."""
    return {name: statistics.median(values) for name, values in samples.items()}


def _once(contestant: Contestant) -> float:
    gc.collect()
    gc.disable()
    try:
        before = time.thread_time()
        contestant.run()
        return (time.thread_time() - before) / contestant.count
    finally:
        gc.enable()
