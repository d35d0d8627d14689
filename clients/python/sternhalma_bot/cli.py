"""The command `sternhalma-bot`, which seats a sample bot or does what one of its commands does."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final, NoReturn

from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.options import PlaceError, add_options, read_options, read_place, suggest
from sternhalma_bot.seating import seat_at

# Modules with a function `main(arguments)`, imported when they are asked for: a bot should be at
# the table quickly.
COMMANDS: Final[Mapping[str, str]] = {
    "bridge": "sternhalma_bot.bridge.command",
    "play": "sternhalma_bot.by_hand.command",
}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Do what *arguments* (default: the command line) say, and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        importlib.import_module(COMMANDS[arguments[0]]).main(arguments[1:])
    _seat_sample(arguments)


def _seat_sample(arguments: Sequence[str]) -> NoReturn:
    parser = argparse.ArgumentParser(
        prog="sternhalma-bot",
        usage="%(prog)s SAMPLE [options]",
        description="Seat a sample bot at a Sternhalma league server.",
        epilog=f"Commands with a --help of their own: {', '.join(COMMANDS)}.",
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
        # Late, like the commands: a bot should be at the table quickly.
        from importlib import metadata

        print(f"sternhalma-bot {metadata.version('sternhalma')}")
        sys.exit(0)
    chosen: str | None = options.sample
    if chosen is None:
        parser.error(f"expected a sample bot: {', '.join(SAMPLES)}")
    if chosen not in SAMPLES:
        near = suggest(chosen, [*SAMPLES, *COMMANDS])
        parser.error(f"expected a sample bot ({', '.join(SAMPLES)}), got {chosen!r}{near}")
    try:
        place = read_place(options, os.environ, chosen)
    except PlaceError as error:
        parser.error(str(error))
    seat_at(place, SAMPLES[chosen].choose)
