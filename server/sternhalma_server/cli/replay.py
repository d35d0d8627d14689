"""Hold a conversation once more with a bot at home, and say where it answers otherwise.

FILE is what `sternhalma transcript` has printed. The bot is the command behind --, started as the
programs of an event are. The exit status is 0 if all its lines are the same again, else 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import trio

from sternhalma_server.cli import CLEAN, FAILED
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.trying import add_bot_options
from sternhalma_server.conformance.repetition import Repeated, repeat
from sternhalma_server.conformance.subject import StartedBot, listen
from sternhalma_server.conversation import Conversation, parse_conversation
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.programs import ScarcityError
from sternhalma_tournament.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `replay`."""
    parser.usage = "sternhalma replay FILE [options] -- COMMAND ..."
    parser.add_argument("file", metavar="FILE", type=Path, help="the conversation")
    parser.add_argument(
        "--timing", action="store_true", help="as slowly as it was, not all at once"
    )
    add_bot_options(parser)
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def run(arguments: argparse.Namespace) -> int:
    """Hold the conversation and print how it went; the exit status."""
    command: Sequence[str] = arguments.command
    if not command:
        raise BadInputError("expected a command behind --")
    conversation = _read(arguments.file)
    try:
        find_program(command[0], Path())
        repeated = trio.run(_repeat, conversation, arguments)
    except (ProgramError, ScarcityError) as problem:
        raise BadInputError(str(problem)) from None
    difference = repeated.difference
    if arguments.json:
        found = None
        if difference is not None:
            found = {
                "line": difference.line,
                "told": difference.told,
                "expected": difference.expected,
                "came": difference.came,
            }
        print(json.dumps({"same": repeated.same, "difference": found}))
    else:
        print(_sentence(arguments.file, repeated))
    return CLEAN if difference is None else FAILED


def _read(path: Path) -> Conversation:
    try:
        return parse_conversation(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInputError(f"{path}: expected a conversation: {error.strerror}") from None
    except ValueError as error:
        raise BadInputError(f"{path}: {error}") from None


async def _repeat(conversation: Conversation, arguments: argparse.Namespace) -> Repeated:
    with ExitStack() as stack:
        listener = None if arguments.stdio else listen(0)
        if listener is not None:
            stack.callback(listener.socket.close)
        patience = float(arguments.patience)
        bot = StartedBot(arguments.command, Path(), listener, patience)
        return await repeat(conversation, bot, patience, timing=arguments.timing)


def _sentence(path: Path, repeated: Repeated) -> str:
    same = counted(repeated.same, "line")
    difference = repeated.difference
    if difference is None:
        return f"{same} of the bot, all the same"
    return (
        f"{same} of the bot the same, then\n"
        f"{path}, line {difference.line}, behind {difference.told}\n"
        f"expected {difference.expected}\n"
        f"got {difference.came}"
    )
