"""`sternhalma-bot bridge`: seat a program that reads and writes its standard streams."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

import trio

from sternhalma_bot.bridge.shell import bridge
from sternhalma_bot.ending import INTERRUPTED
from sternhalma_bot.options import place_of


def main(arguments: Sequence[str]) -> NoReturn:
    """Seat the program behind `--` where *arguments* and the environment say, and exit."""
    parser = argparse.ArgumentParser(
        prog="sternhalma-bot bridge",
        usage="%(prog)s --connect HOST:PORT --name NAME [options] -- PROGRAM [ARGUMENT ...]",
        description=(
            "Seat a program that reads the server's lines on its standard input and answers on its"
            " standard output. The bridge connects, by TLS if told, logs in, and comes back when"
            " the connection breaks; the program does not notice."
        ),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--no-moves", action="store_true", help="do not have the legal moves listed with each turn"
    )
    options, command = _split(arguments)
    place, given = place_of(parser, options)
    if not command:
        parser.error("expected the program behind --, got nothing")
    if shutil.which(command[0]) is None:
        parser.error(f"expected a program that can be started, got {command[0]!r}")
    try:
        status = trio.run(partial(bridge, place, command, moves=not given.no_moves))
    except* KeyboardInterrupt:  # before the bridge waits for signals itself
        status = INTERRUPTED
    sys.exit(status)


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    words = list(arguments)
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]
