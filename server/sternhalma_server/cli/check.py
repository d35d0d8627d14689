"""Check a bot against the whole protocol, over the wire.

The bot is a command behind --, which is started as often as needed and told host, port, name, slot
and token as the programs of an event are; or it dials in at --listen PORT by itself, and then again
whenever its connection has ended. The exit status is 0 if all required steps have passed, else 1; 3
after Ctrl-C, behind a summary of what was tried by then.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import trio

from sternhalma_server.cli import CLEAN, FAILED, INTERRUPTED
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
    shared,
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
    outcomes: list[Outcome] = []
    checked: Checked | None = None
    try:
        if command:
            find_program(command[0], Path())
        checked = _checked(arguments, steps, outcomes)
    except (ProgramError, ScarcityError) as problem:
        raise BadInputError(str(problem)) from None
    except OSError as problem:
        where = f"127.0.0.1 port {arguments.listen or 0}"
        raise BadInputError(f"cannot listen on {where}: {problem.strerror or problem}") from None
    by_then = checked or Checked(tuple(outcomes), tuple(steps[len(outcomes) :]))
    if arguments.json:
        print(json.dumps(facts(by_then), indent=2))
    else:
        print("\n".join(["", *shared(by_then), summary(by_then)]))
    if checked is None:
        return INTERRUPTED
    return CLEAN if checked.good else FAILED


def _checked(
    arguments: argparse.Namespace, steps: Sequence[Step], outcomes: list[Outcome]
) -> Checked | None:
    """What was found, None if the check was interrupted; *outcomes* is what there is by then."""
    try:
        return trio.run(_check, arguments, steps, outcomes)
    except KeyboardInterrupt:
        return None
    except BaseExceptionGroup as group:  # it came while several things were waited for
        interrupts, others = group.split(KeyboardInterrupt)
        if interrupts is None or others is not None:
            raise
        return None


async def _check(
    arguments: argparse.Namespace, steps: Sequence[Step], outcomes: list[Outcome]
) -> Checked:
    def tell(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if not arguments.json:
            print("\n".join(lines_of(outcome)), flush=True)

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
        return await check(subject, patience, steps, tell)


def _steps(only: str | None) -> list[Step]:
    if only is None:
        return list(STEPS)
    wanted = only.split(",")
    known = [*dict.fromkeys(step.family for step in STEPS), *(step.name for step in STEPS)]
    for word in wanted:
        if word not in known:
            raise BadInputError(f"argument --only: {unknown('step', word, known)}")
    return [step for step in STEPS if step.name in wanted or step.family in wanted]
