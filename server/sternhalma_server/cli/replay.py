"""Hold a conversation once more with a bot at home, and say where it answers otherwise.

FILE is what `sternhalma transcript` has printed. The bot is the command behind --, started as the
programs of an event are. Where it lost by going away, by silence or for want of a line feed, it is
waited for, and it is told whether the loss is reproduced. The exit status is 0 if all its lines are
the same again, and its loss if it has lost, else 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import trio

from sternhalma_server.cli import CLEAN, FAILED
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.trying import PATIENCE, add_bot_options
from sternhalma_server.conformance.repetition import Fate, Repeated, repeat
from sternhalma_server.conformance.subject import StartedBot, listen
from sternhalma_server.conversation import Conversation, Utterance, parse_conversation
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.programs import ScarcityError
from sternhalma_server.wire import clean
from sternhalma_tournament.text import counted

LAST: Final = 8  # lines of what a program had printed
SHOWN: Final = 3  # lines that answered nothing


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
    if arguments.json:
        print(json.dumps(_facts(repeated)))
    else:
        print("\n".join(_told(arguments.file, repeated)))
    return CLEAN if repeated.is_same else FAILED


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
        bot = StartedBot(arguments.command, Path(), listener, max(patience, PATIENCE))
        return await repeat(conversation, bot, patience, timing=arguments.timing)


def _told(path: Path, repeated: Repeated) -> Iterator[str]:
    """How it went, for people."""
    same = counted(repeated.same, "line")
    difference = repeated.difference
    if difference is None:
        yield f"{same} of the bot, all the same"
    else:
        yield f"{same} of the bot the same, then"
        yield f"{path}, line {difference.line}, behind {difference.told}"
        yield f"expected {difference.expected}"
        yield f"got {difference.came}"
        if difference.why is not None:
            yield difference.why
    yield from _left_over(repeated.left_over)
    if repeated.ending is not None:
        yield from repeated.ending.sentences(str(path))
    if repeated.program is not None:
        yield from _last_words(repeated.program)


def _left_over(lines: Sequence[Utterance]) -> Iterator[str]:
    for one in lines[:SHOWN]:
        yield f"line {one.line} had answered nothing and need not come again: {clean(one.text, 60)}"
    if len(lines) > SHOWN:
        yield f"nor need {len(lines) - SHOWN} more"


def _last_words(program: Fate) -> Iterator[str]:
    lines = [clean(line) for line in program.printed.splitlines() if line.strip()]
    printed = ", it had printed:" if lines else ", it had printed nothing"
    yield f"the program {program.ended or 'was still running'}{printed}"
    if len(lines) > LAST:
        yield "  ..."
    yield from (f"  {line}" for line in lines[-LAST:])


def _facts(repeated: Repeated) -> dict[str, Any]:
    """How it went, for programs."""
    facts: dict[str, Any] = {
        "same": repeated.same,
        "difference": None,
        "left_over": [one.line for one in repeated.left_over],
        "loss": None,
    }
    difference, ending, program = repeated.difference, repeated.ending, repeated.program
    if difference is not None:
        facts["difference"] = asdict(difference)
    if ending is not None:
        loss, question, reaction = ending.loss, ending.question, ending.reaction
        facts["loss"] = {
            "reason": loss.reason.value,
            "ply": loss.ply,
            "reproduced": ending.is_same,
            "line": None if question is None else question.line,
            "there": None if reaction is None else loss.there,
            "here": None if reaction is None else reaction.here,
        }
    facts["program"] = None if program is None else asdict(program)
    return facts
