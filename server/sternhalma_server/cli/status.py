"""Ask the server that runs in a results folder how its event goes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.control import ControlError, ask


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `status`."""
    parser.add_argument("folder", type=Path, help="the results folder")
    parser.add_argument("--why", metavar="BOT", help="say what this bot waits for")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0 if there is one."""
    request = {"command": "status"}
    if arguments.why is not None:
        request = {"command": "why", "bot": arguments.why}
    try:
        answer = ask(arguments.folder, request)
    except ControlError as error:
        raise BadInputError(str(error)) from None
    if arguments.json:
        print(json.dumps(answer, indent=2))
    elif arguments.why is not None:
        print(answer["why"])
    else:
        print(
            f"{answer['event']}: {answer['finished']} of {answer['games']} games over,"
            f" {answer['running']} running; connected: {', '.join(answer['connected']) or 'nobody'}"
        )
    return 0
