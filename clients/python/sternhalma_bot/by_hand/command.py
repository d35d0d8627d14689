"""`sternhalma-bot play`: a person at the table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, NoReturn

from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.by_hand.advice import advise
from sternhalma_bot.by_hand.opponents import Practice, PracticeError, practice
from sternhalma_bot.by_hand.sitting import Sitting
from sternhalma_bot.by_hand.terminal import Keyboard, Pipe, Terminal, sit
from sternhalma_bot.core import Core
from sternhalma_bot.ending import INTERRUPTED, status_of
from sternhalma_bot.messages import Bye
from sternhalma_bot.options import PlaceError, add_options, read_options, read_place
from sternhalma_bot.place import Place
from sternhalma_bot.protocol import ProtocolError

NAME: Final = "you"

# For the practice server, which checks them.
_PRACTICE: Final[Mapping[str, str]] = {
    "rules": "the rules id (tara)",
    "players": "how many play (2)",
    "against": f"the other seats: {', '.join(SAMPLES)}, or a command in quotes (greedy)",
    "clock": "a clock such as 60s+5s (none)",
    "limit": "turns each may have (as the rules say)",
}


def main(arguments: Sequence[str]) -> NoReturn:
    """Play by hand where *arguments* and the environment say, and exit."""
    parser = argparse.ArgumentParser(
        prog="sternhalma-bot play",
        usage="%(prog)s [--rules ID] [--players N] [--against BOT] | --port PORT [options]",
        description=(
            "Play by hand: against sample bots at home or, with a port, at any league server."
            " Type help at the table."
        ),
        allow_abbrev=False,
    )
    for option, meaning in _PRACTICE.items():
        parser.add_argument(f"--{option}", help=meaning)
    add_options(parser)
    options = read_options(parser, arguments)
    try:
        with _place(options) as (place, own):
            end, has_begun = _play(place)
        if own is not None and isinstance(end, Bye) and not has_begun:
            raise PracticeError(": ".join(filter(None, [end.sentence, own.why_not()])))
        status = 0 if end is None else status_of(place, end)
    except (PlaceError, PracticeError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


@contextmanager
def _place(options: argparse.Namespace) -> Generator[tuple[Place, Practice | None]]:
    """Where to play: where a port is told, else at a practice of one's own, which comes with it.

    What is to be practised overrides the environment, but not another option.
    """
    chosen = {name: getattr(options, name) for name in _PRACTICE}
    given = [f"--{name}={value}" for name, value in chosen.items() if value is not None]
    if options.connections is not None:
        raise PlaceError("expected one connection: a person plays one game at a time")
    has_port = bool(options.connect or options.port)
    if has_port and given:
        raise PlaceError(f"expected no {given[0]}: what is played is for that server to say")
    if has_port or (os.environ.get("STERNHALMA_PORT") and not given):
        yield read_place(options, os.environ, NAME), None
        return
    clock = [] if options.clock else ["--clock=none"]
    with practice([*given, *clock]) as own:
        options.host, options.port = own.host, str(own.port)
        # It is not left and found again like a server somewhere else: once gone it is gone.
        yield replace(read_place(options, {}, NAME), patience=0.0), own


def _play(place: Place) -> tuple[Bye | OSError | ProtocolError | None, bool]:
    """How it ended, None if the person left, and whether any game had begun."""
    core = Core(place.name, place.slot, place.token, place.version)
    sitting = Sitting(core, advise, colour=_wants_colour())
    terminal: Terminal = Keyboard(sitting.complete) if sys.stdin.isatty() else Pipe()
    end: Bye | OSError | ProtocolError | None
    try:
        end = sit(sitting, place, terminal)
    except (OSError, ProtocolError) as error:
        end = error
    return end, sitting.has_begun


def _wants_colour() -> bool:
    # https://no-color.org: any value but the empty one means no.
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
