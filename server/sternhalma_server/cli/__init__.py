"""The command `sternhalma`: one module for each of its commands.

A command is imported when it is asked for, so that the start stays quick however many there are.
To add one: a line in `COMMANDS`, and a module of that name here with `configure(parser)`, which
declares its arguments, and `run(arguments) -> int`, which returns the exit status.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from sternhalma_server.cli.parser import BadInputError, Parser, unknown

CLEAN: Final = 0
FAILED: Final = 1  # the check failed, or the event ended with faults
BAD_INPUT: Final = 2
INTERRUPTED: Final = 3

COMMANDS: Final[Mapping[str, str]] = {
    "run": "play an event",
    "serve": "keep a league open",
    "register": "let a bot into a league, or out of it",
    "event": "add an event to a league, open, start, pause or close it",
    "rehearse": "try an event's settings on bots that misbehave",
    "practice": "play against a sample bot, with wrong answers explained",
    "check": "check a bot against the whole protocol",
    "plan": "say how many games an event has, how balanced, and how long it takes",
    "schema": "print the JSON Schema of event files",
    "status": "ask a running server how its event goes",
    "stop": "let a running server finish its games and stop",
    "standings": "print the table of an event",
    "crosstable": "print who scored what against whom",
    "bot": "print how one bot has done",
    "ratings": "print how strong bots are, and how sure that is",
    "season": "print what the ranks of a league's events add up to",
    "game": "tell how a game went, move by move",
    "web": "serve pages that change while one looks",
    "tables": "serve tables where people play in the browser",
    "report": "write pages for browsers: standings, replays, bots, ratings",
    "transcript": "print what one seat of a game was told and said",
    "replay": "hold a conversation once more with a bot at home",
    "amend": "rule on an event: withdraw, disqualify, correct, enter late",
    "show": "draw a position",
    "moves": "list the legal moves of a position",
    "perft": "count the sequences of moves from a position",
    "token": "make a secret token for a bot that dials in",
    "doctor": "look at this machine, and say what would let a host down",
    "merge": "put the games of several stores of one event into one",
    "verify": "check the results folder of an event",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line *argv* (default: that of the process) and return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _run(words)
        sys.stdout.flush()
    except BadInputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough. What is still buffered must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLEAN
    return status


def _run(words: list[str]) -> int:
    if not words:
        raise BadInputError(f"sternhalma: expected a command, one of {', '.join(COMMANDS)}")
    name, *rest = words
    if name.startswith("-"):
        return _run_general(words)
    if name not in COMMANDS:
        raise BadInputError(f"sternhalma: {unknown('command', name, COMMANDS)}")
    module = importlib.import_module(f"sternhalma_server.cli.{name}")
    parser = Parser(prog=f"sternhalma {name}", description=module.__doc__)
    module.configure(parser)
    arguments = parser.parse(rest)
    if arguments is None:
        return CLEAN
    try:
        status: int = module.run(arguments)
    except BadInputError as error:
        raise BadInputError(f"{parser.prog}: {error}") from None
    except PermissionError as error:
        raise BadInputError(
            f"{parser.prog}: {error.filename}: expected a file or folder of this user's:"
            f" {error.strerror}"
        ) from None
    return status


def _run_general(words: list[str]) -> int:
    width = max(map(len, COMMANDS))
    parser = Parser(
        prog="sternhalma",
        usage="sternhalma [--help] [--version] COMMAND ...",
        description="A league server for bots that play Chinese Checkers (Stern-Halma) and Halma.",
        epilog="commands:\n"
        + "\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items())
        + "\n\n'sternhalma COMMAND --help' tells more.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    arguments = parser.parse(words)
    if arguments is not None and arguments.version:
        from importlib.metadata import version

        print(f"sternhalma {version('sternhalma')}")
    return CLEAN
