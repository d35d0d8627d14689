"""Print what one seat of a game was told and said, line by line, with when.

The folder is the results folder of an event, or that of an event in its league's folder. What is
printed is a conversation that `sternhalma replay` holds once more with a bot at home.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sternhalma_server.chronicle import Chronicle, chronicle_of
from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.folder import found_in
from sternhalma_server.cli.parser import BadInputError, whole_number
from sternhalma_server.conversation import format_conversation
from sternhalma_server.store import Store, StoreError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `transcript`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the results folder")
    parser.add_argument("number", metavar="GAME", type=whole_number, help="the number of the game")
    parser.add_argument(
        "--seat", required=True, metavar="SEAT", help="the seat's letter, or the bot in it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the conversation; the exit status."""
    folder: Path = arguments.folder
    found = found_in(folder)
    try:
        with Store.read(found.store) as store:
            chronicle = chronicle_of(store, found.stored(store), arguments.number)
        conversation = chronicle.told_to(_seat(chronicle, arguments.seat))
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
    print(format_conversation(conversation), end="")
    return CLEAN


def _seat(chronicle: Chronicle, word: str) -> str:
    """The seat that *word* means: a letter, or the name of the only bot called so in the game."""
    if word in chronicle.seats:
        return word
    seats = [seat for seat, bot in chronicle.seats.items() if bot.lower() == word.lower()]
    if len(seats) == 1:
        return seats[0]
    told = ", ".join(f"{seat} {bot}" for seat, bot in chronicle.seats.items())
    raise BadInputError(f"argument --seat: expected a seat of the game, {told}, got {word[:40]!r}")
