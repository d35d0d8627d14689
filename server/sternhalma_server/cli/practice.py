"""Play against a sample bot, game after game, for as long as you like.

Whoever logs in is let in under any name, without a token, and plays from each seat in turn. A wrong
answer costs nothing: it is explained here, and another is waited for. Nothing is kept. Ctrl-C ends
it, or --games N behind so many games.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Sequence
from contextlib import closing

import trio

from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.parser import BadInputError, unknown, whole_number
from sternhalma_server.cli.run import port_number
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.practice import Terms, practice_settings, practise
from sternhalma_tournament.reading import EventFileError

_USUAL = Terms()


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `practice`."""
    parser.add_argument(
        "--rules", default=_USUAL.rules, help=f"the rules id (default: {_USUAL.rules})"
    )
    parser.add_argument(
        "--players",
        type=whole_number,
        default=_USUAL.players,
        help=f"how many play (default: {_USUAL.players})",
    )
    parser.add_argument(
        "--against",
        default=_USUAL.against,
        metavar="BOT",
        help=f"a sample bot or a command in quotes (default: {_USUAL.against})",
    )
    parser.add_argument(
        "--clock", default=_USUAL.clock, help=f"a clock, or none (default: {_USUAL.clock})"
    )
    parser.add_argument("--limit", type=whole_number, metavar="N", help="turns each may have")
    parser.add_argument("--games", type=whole_number, metavar="N", help="end when N are over")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port", type=port_number, default=0, help="the port to listen on (default: a free one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Let everybody practise who comes, until interrupted."""
    terms = Terms(
        arguments.rules,
        arguments.players,
        arguments.against,
        arguments.clock,
        arguments.limit,
    )
    try:
        settings = practice_settings(terms)
        for bot in settings.event.bots:
            if not bot.remote:
                program = find_program(bot.argv[0], settings.folder)
                _check_sample(str(program), bot.argv)
        with closing(Listener(arguments.host, arguments.port)) as listener:
            trio.run(practise, settings, listener, _tell, arguments.games)
    except (EventFileError, ListenError, ProgramError, ValueError) as error:
        raise BadInputError(str(error)) from None
    return CLEAN


def _check_sample(program: str, argv: Sequence[str]) -> None:
    """Raise `BadInputError` for a sample bot that the kit does not have."""
    if argv[0] != "sternhalma-bot" or len(argv) != 2:
        return
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=False)
    samples = [line.split()[0] for line in listed.stdout.splitlines() if line.strip()]
    if samples and argv[1] not in samples:
        raise BadInputError(f"argument --against: {unknown('sample bot', argv[1], samples)}")


def _tell(sentence: str) -> None:
    print(sentence, flush=True)
