"""Stop the server that runs in a results folder: no more games are begun, those that run finish."""

from __future__ import annotations

import argparse
from pathlib import Path

from sternhalma_server.cli.folder import server_folder
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.control import ControlError, ask
from sternhalma_tournament.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stop`."""
    parser.add_argument("folder", type=Path, help="the results folder")


def run(arguments: argparse.Namespace) -> int:
    """Ask the server to stop; 0 if it was there to be asked."""
    try:
        answer = ask(server_folder(arguments.folder), {"command": "stop"})
    except ControlError as error:
        raise BadInputError(str(error)) from None
    running: int = answer["running"]
    games = f"{counted(running, 'running game')} {'is' if running == 1 else 'are'} over"
    print(f"{answer.get('event') or answer['league']}: stopping when {games}")
    return 0
