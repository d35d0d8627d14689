"""Check a bot against the whole protocol, over the wire.

The bot is a command behind --, which is started as often as needed and told host, port, name, slot
and token as the programs of an event are; or it dials in at --listen PORT by itself, and then again
whenever its connection has ended. The exit status is 0 if all required steps have passed, else 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import trio

from sternhalma_server.cli import CLEAN, FAILED
from sternhalma_server.cli.parser import BadInputError, unknown
from sternhalma_server.cli.run import port_number
from sternhalma_server.cli.trying import PATIENCE, add_bot_options
from sternhalma_server.conformance import (
    STEPS,
    Checked,
    DialingBot,
    Outcome,
    StartedBot,
    Step,
    check,
    facts,
    lines_of,
    listen,
    summary,
)
from sternhalma_server.lookup import ProgramError, find_program
from sternhalma_server.programs import ScarcityError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `check`."""
    parser.usage = (
        "sternhalma check [options] -- COMMAND ...\n       sternhalma check [options] --listen PORT"
    )
    parser.add_argument(
        "--listen", type=port_number, metavar="PORT", help="check a bot that dials in here"
    )
    add_bot_options(parser)
    parser.add_argument(
        "--only", metavar="STEP,...", help="of all steps these, by name or by family"
    )
    parser.add_argument("--list", action="store_true", help="name the steps, and try none")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Check the bot and print the report; the exit status."""
    steps = _steps(arguments.only)
    if arguments.list:
        for step in steps:
            print(f"{step.name:24} {step.level:8}  {step.what}")
        return CLEAN
    command: Sequence[str] = arguments.command
    if bool(command) == (arguments.listen is not None):
        raise BadInputError("expected a command behind -- or --listen PORT, one of the two")
    if arguments.stdio and not command:
        raise BadInputError("argument --stdio: expected a command behind --, got --listen")
    try:
        if command:
            find_program(command[0], Path())
        checked = trio.run(_check, arguments, steps)
    except (ProgramError, ScarcityError) as problem:
        raise BadInputError(str(problem)) from None
    except OSError as problem:
        where = f"127.0.0.1 port {arguments.listen or 0}"
        raise BadInputError(f"cannot listen on {where}: {problem.strerror or problem}") from None
    if arguments.json:
        print(json.dumps(facts(checked), indent=2))
    else:
        print(f"\n{summary(checked)}")
    return CLEAN if checked.good else FAILED


async def _check(arguments: argparse.Namespace, steps: Sequence[Step]) -> Checked:
    with ExitStack() as stack:
        listener: trio.SocketListener | None = None
        if not arguments.stdio:
            listener = listen(arguments.listen or 0)
            stack.callback(listener.socket.close)
        patience = float(arguments.patience)
        if listener is not None and arguments.listen is not None:
            port = listener.socket.getsockname()[1]
            told = sys.stderr if arguments.json else sys.stdout
            print(f"listening on 127.0.0.1 port {port}", file=told, flush=True)
            subject: DialingBot | StartedBot = DialingBot(listener, patience)
        else:
            subject = StartedBot(arguments.command, Path(), listener, max(patience, PATIENCE))
        return await check(subject, patience, steps, _quiet if arguments.json else _print)


def _print(outcome: Outcome) -> None:
    print("\n".join(lines_of(outcome)), flush=True)


def _quiet(outcome: Outcome) -> None:
    """The report tells it."""


def _steps(only: str | None) -> list[Step]:
    if only is None:
        return list(STEPS)
    wanted = only.split(",")
    known = [*dict.fromkeys(step.family for step in STEPS), *(step.name for step in STEPS)]
    for word in wanted:
        if word not in known:
            raise BadInputError(f"argument --only: {unknown('step', word, known)}")
    return [step for step in STEPS if step.name in wanted or step.family in wanted]
