"""Ask the server that runs in a results folder how its event goes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sternhalma_server.cli.folder import server_folder
from sternhalma_server.cli.league_folder import member
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.control import ControlError, ask
from sternhalma_server.folders import LEAGUE
from sternhalma_tournament.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `status`."""
    parser.add_argument("folder", type=Path, help="the results folder")
    parser.add_argument("--why", metavar="BOT", help="say what this bot waits for")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0 if there is one."""
    request = {"command": "status"}
    folder = server_folder(arguments.folder)
    if arguments.why is not None:
        request = {"command": "why", "bot": _bot(folder, arguments.why)}
    try:
        answer = ask(folder, request)
    except ControlError as error:
        raise BadInputError(str(error)) from None
    if arguments.json:
        print(json.dumps(answer, indent=2))
    elif arguments.why is not None:
        print(answer["why"])
    elif "league" in answer:
        print("\n".join(_league(answer)))
    else:
        print(
            f"{answer['event']}: {answer['finished']} of {answer['games']} games over,"
            f" {answer['running']} running; connected: {', '.join(answer['connected']) or 'nobody'}"
        )
    return 0


def _bot(folder: Path, name: str) -> str:
    """The bot that is asked about, as its league spells it."""
    return member(folder, name) if (folder / LEAGUE).exists() else name


def _league(answer: dict[str, Any]) -> Iterator[str]:
    """How a league stands, in lines."""
    for event in answer["events"]:
        line = f"{event['name']}: {event['state']}"
        if "finished" in event:
            whole = "" if event["games"] is None else f" of {event['games']}"
            line += f", {event['finished']}{whole} games over, {event['running']} running"
        yield line
    connected = ", ".join(answer["connected"]) or "nobody"
    yield f"{counted(answer['registered'], 'bot')} registered; connected: {connected}"
