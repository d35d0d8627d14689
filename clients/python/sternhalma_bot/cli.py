"""The command `sternhalma-bot`, which seats a sample bot, and `seat`, which does it for any other.

Several connections are several processes, because bots compute and Python's threads take turns.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Final, NoReturn

from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.place import (
    Place,
    PlaceError,
    add_options,
    read_options,
    read_place,
    suggest,
)
from sternhalma_bot.run import Bot, run

INTERRUPTED: Final = 3


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Seat the sample bot that *arguments* (default: the command line) name, and exit."""
    parser = argparse.ArgumentParser(
        prog="sternhalma-bot",
        usage="%(prog)s SAMPLE [options]",
        description="Seat a sample bot at a Sternhalma league server.",
        allow_abbrev=False,
    )
    parser.add_argument("sample", nargs="?", help=f"the bot: {', '.join(SAMPLES)}")
    parser.add_argument("--list", action="store_true", help="list the sample bots and exit")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    add_options(parser)
    options = read_options(parser, arguments)
    if options.list:
        for name, sample in SAMPLES.items():
            print(f"{name:10} {sample.summary}")
        sys.exit(0)
    if options.version:
        # Late, like multiprocessing below: a bot should be at the table quickly.
        from importlib import metadata

        print(f"sternhalma-bot {metadata.version('sternhalma')}")
        sys.exit(0)
    chosen: str | None = options.sample
    if chosen is None:
        parser.error(f"expected a sample bot: {', '.join(SAMPLES)}")
    if chosen not in SAMPLES:
        near = suggest(chosen, list(SAMPLES))
        parser.error(f"expected a sample bot ({', '.join(SAMPLES)}), got {chosen!r}{near}")
    _seat(parser, options, SAMPLES[chosen].choose, chosen)


def seat(bot: Bot, arguments: Sequence[str] | None = None) -> NoReturn:
    """Seat *bot* where the command line and the environment say, and exit.

    With more than one connection the bot must be importable: a function or an instance of a class
    at the top of a module, and this call behind `if __name__ == "__main__":`.
    """
    parser = argparse.ArgumentParser(
        usage="%(prog)s [options]",
        description="Seat this bot at a Sternhalma league server.",
        allow_abbrev=False,
    )
    add_options(parser)
    _seat(parser, read_options(parser, arguments), bot, None)


def _seat(
    parser: argparse.ArgumentParser, options: argparse.Namespace, bot: Bot, name: str | None
) -> NoReturn:
    try:
        place = read_place(options, os.environ, name)
    except PlaceError as error:
        parser.error(str(error))
    if place.connections == 1:
        _play(bot, place, place.slot)
    sys.exit(_play_all(bot, place))


def _play(bot: Bot, place: Place, slot: int) -> NoReturn:
    try:
        status = run(
            bot,
            place.host,
            place.port,
            place.name,
            slot=slot,
            token=place.token,
            version=place.version,
            tls=place.tls,
        )
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


def _play_all(bot: Bot, place: Place) -> int:
    """Play on all slots at once, and return the worst of their exit statuses."""
    import multiprocessing

    # Whoever ends this process ends the others: daemons are ended at a regular exit.
    signal.signal(signal.SIGTERM, _stop)
    context = multiprocessing.get_context("spawn")
    slots = range(place.slot, place.slot + place.connections)
    processes = [
        context.Process(target=_play, args=(bot, place, slot), daemon=True) for slot in slots
    ]
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    except KeyboardInterrupt:
        return INTERRUPTED
    return max(abs(process.exitcode or 0) for process in processes)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(INTERRUPTED)
