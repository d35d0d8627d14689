"""Several connections at once, each in a process of its own."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from sternhalma_bot.bot import Bot
from sternhalma_bot.ending import INTERRUPTED
from sternhalma_bot.place import Place


def run_all(run: Callable[[Bot, Place], int], bot: Bot, places: Sequence[Place]) -> int:
    """Run *bot* at all *places* at once, and return the worst of their exit statuses.

    Whoever ends this process ends the others. *run* and *bot* must be importable.
    """
    import multiprocessing  # late: a bot should be at the table quickly

    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_exit_with, args=(run, bot, place), daemon=True) for place in places
    ]
    with _ending_at_sigterm():
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    return max(abs(process.exitcode or 0) for process in processes)


def _exit_with(run: Callable[[Bot, Place], int], bot: Bot, place: Place) -> NoReturn:
    try:
        status = run(bot, place)
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


@contextmanager
def _ending_at_sigterm() -> Generator[None]:
    # The processes are daemons, which are ended at a regular exit; a signal's own way out is none.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(INTERRUPTED)
