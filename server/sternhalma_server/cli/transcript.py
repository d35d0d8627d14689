"""Print what one seat of a game was told and said, line by line, with when.

The host gives the results folder of an event, or that of an event in its league's folder, and the
seat. The author of a bot gives HOST:PORT of a server that runs, and the bot's name with --bot; its
token is taken from STERNHALMA_TOKEN. What is printed is a conversation that `sternhalma replay`
holds once more with a bot at home.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sternhalma_server.chronicle import Chronicle, chronicle_of, there_are
from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.fetching import fetch
from sternhalma_server.cli.folder import found_in, game_in
from sternhalma_server.cli.parser import BadInputError, whole_number
from sternhalma_server.conversation import format_conversation
from sternhalma_server.library import NO_GAME
from sternhalma_server.store import Store, StoreError


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `transcript`."""
    parser.add_argument("source", metavar="DIR", help="the results folder, or HOST:PORT")
    parser.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        help="the game, as the wire called it; without one it is said which there are",
    )
    parser.add_argument("--seat", metavar="SEAT", help="the seat's letter, or the bot in it")
    parser.add_argument("--bot", metavar="NAME", help="fetch it from a server, as this bot")
    parser.add_argument("--tls", action="store_true", help="the server speaks TLS")
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="the certificate, or its authority's, to trust"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the conversation; the exit status."""
    text = _stored(arguments) if arguments.bot is None else _fetched(arguments)
    print(text, end="")
    return CLEAN


def _stored(arguments: argparse.Namespace) -> str:
    folder = Path(arguments.source)
    if arguments.seat is None:
        fetched = ", or --bot NAME" if ":" in arguments.source else ""
        raise BadInputError(f"expected a results folder with --seat SEAT{fetched}, got no --seat")
    if arguments.game is None:
        raise BadInputError(f"{folder}: expected a game that is over, got none; {_games(folder)}")
    try:
        number = whole_number(game_in(folder, arguments.game))
    except argparse.ArgumentTypeError as error:
        raise BadInputError(f"argument GAME: {error}") from None
    found = found_in(folder)
    try:
        with Store.read(found.store) as store:
            chronicle = chronicle_of(store, found.stored(store), number)
        conversation = chronicle.told_to(_seat(chronicle, arguments.seat))
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None
    return format_conversation(conversation)


def _games(folder: Path) -> str:
    """Which games there are transcripts of in *folder*."""
    found = found_in(folder)
    try:
        with Store.read(found.store) as store:
            return there_are(store, [found.stored(store)])
    except (StoreError, ValueError) as error:
        raise BadInputError(f"{folder}: {error}") from None


def _fetched(arguments: argparse.Namespace) -> str:
    token = os.environ.get("STERNHALMA_TOKEN")
    if not token:
        raise BadInputError("expected the bot's token in STERNHALMA_TOKEN, got none")
    seat = "" if arguments.seat is None else f" seat={arguments.seat}"
    request = f"transcript {arguments.bot} {arguments.game or NO_GAME} token={token}{seat}"
    text, farewell = fetch(arguments.source, request, tls=arguments.tls, ca=arguments.ca)
    code, _, sentence = farewell.partition(" ")
    if code != "transcript-over":
        raise BadInputError(f"{arguments.source}: {code}: {sentence}")
    return text


def _seat(chronicle: Chronicle, word: str) -> str:
    """The seat that *word* means: a letter, or the name of the only bot called so in the game."""
    if word in chronicle.seats:
        return word
    seats = [seat for seat, bot in chronicle.seats.items() if bot.lower() == word.lower()]
    if len(seats) == 1:
        return seats[0]
    told = ", ".join(f"{seat} {bot}" for seat, bot in chronicle.seats.items())
    raise BadInputError(f"argument --seat: expected a seat of the game, {told}, got {word[:40]!r}")
