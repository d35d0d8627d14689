"""What a schedule costs in memory and time, by the number of its games: it should not grow.

    python -m bench.scheduler

A scheduler is made for an event of ten thousand, a million and ten million games. The first games
are played in it, some slow and fifty at a time, so that many are passed over; then it is made anew
as after a stop near the end, and the last games are played. Memory is what Python allocates for it,
by `tracemalloc`, at its peak.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.roundrobin import round_robin
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

SIZES: Final = (10_000, 1_000_000, 10_000_000)
PLAYED: Final = 2_000
AT_ONCE: Final = 50


class Shape(NamedTuple):
    """How many bots there are, and how many of them sit in a game."""

    bots: int
    sides: int


SHAPES: Final = (Shape(100, 2), Shape(100, 4))


def main() -> None:
    """Print the table."""
    head = f"{'games':>12} {'bots':>5} {'seats':>5} {'ready in':>10} {'memory':>10} {'held':>6}"
    print(f"{head} {'a game':>9} {'resumed in':>11} {'memory':>10}")
    for shape in SHAPES:
        for size in SIZES:
            print(_row(shape, size))


def _row(shape: Shape, size: int) -> str:
    entries = [Entry(f"bot{number}", (f"bot{number}",)) for number in range(shape.bots)]
    each = len(round_robin(entries, shape.sides, 1))
    cycles = max(1, size // each)

    def made() -> LeagueScheduler:
        return LeagueScheduler(round_robin(entries, shape.sides, cycles))

    made()  # the search for a design is kept: it is the same for all sizes but the smallest
    began = time.perf_counter()
    scheduler = made()
    play(scheduler, shape, 1)
    ready = time.perf_counter() - began
    began = time.perf_counter()
    play(scheduler, shape, PLAYED)
    a_game = (time.perf_counter() - began) / PLAYED

    fresh, held = _peak(made, lambda made: play(made, shape, PLAYED))
    games = made().games
    began = time.perf_counter()
    late = made()
    late.resume(_over(games - PLAYED))
    resumed = time.perf_counter() - began
    # Its memory is measured without the results, which are not the scheduler's.
    kept, _ = _peak(lambda: late, lambda late: play(late, shape, PLAYED))
    return (
        f"{games:12,} {shape.bots:5} {shape.sides:5} {1000 * ready:7.1f} ms {fresh / 1024:7.0f} kB"
        f" {held:6} {1e6 * a_game:6.0f} us {resumed:9.2f} s {kept / 1024:7.0f} kB"
    )


def play(scheduler: LeagueScheduler, shape: Shape, games: int) -> int:
    """Play so many games, or as many as there are; the most that were held at any time."""
    chance = Random(1)
    free = {f"bot{number}": 1 for number in range(shape.bots)}
    running: list[Pairing] = []
    held = over = 0
    while over < games:
        pairing = scheduler.next(free) if len(running) < AT_ONCE else None
        if pairing is not None:
            scheduler.start(pairing)
            running.append(pairing)
            for name in pairing.entries:
                free[name] -= 1
            held = max(held, scheduler.held)
            continue
        if not running:
            break
        # The game that began first goes on nineteen times in twenty: some are slow.
        slow = len(running) > 1 and chance.random() < 0.95
        which = chance.randrange(1, len(running)) if slow else 0
        ended = running.pop(which)
        for name in ended.entries:
            free[name] += 1
        scheduler.finish(_result(ended))
        over += 1
    for pairing in running:
        scheduler.release(pairing.number)
    return held


def _peak(
    make: Callable[[], LeagueScheduler], use: Callable[[LeagueScheduler], int]
) -> tuple[int, int]:
    gc.collect()
    tracemalloc.start()
    scheduler = make()
    held = use(scheduler)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, held


def _over(through: int) -> Iterator[GameResult]:
    """Results of the games up to *through*, in order, none of them kept."""
    nobody = GameResult(1, ("a", "b"), (1, 2), (None, None), "goal", 1)
    for number in range(1, through + 1):
        object.__setattr__(nobody, "number", number)
        yield nobody


def _result(pairing: Pairing) -> GameResult:
    sides = len(pairing.entries)
    return GameResult(
        pairing.number, pairing.entries, tuple(range(1, sides + 1)), (None,) * sides, "goal", 1
    )


if __name__ == "__main__":
    main()
