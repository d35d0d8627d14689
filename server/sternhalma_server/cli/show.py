"""Draw a position, and tell how the game stands there.

A letter is a marble, a dot an empty hole; beside each row of the star stand the names of its first
and last hole. Colours are used on a terminal, unless NO_COLOR is set. With --svg the picture is one
for browsers and pages, whole with its colours, light and dark.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from sternhalma import Game, Position, Seat
from sternhalma_server.cli.moves import legal_texts
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.positions import (
    POSITION_HELP,
    add_limit_option,
    add_position_options,
    answer,
)
from sternhalma_server.drawing import draw
from sternhalma_server.picture import picture
from sternhalma_tournament.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("position", nargs="*", metavar="POSITION", help=POSITION_HELP)
    parser.add_argument(
        "--play", metavar="MOVE", help="play this move first, and draw its way with --svg"
    )
    parser.add_argument("--svg", action="store_true", help="print an SVG picture instead")
    add_limit_option(parser)
    add_position_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the picture; the exit status."""
    if not arguments.position:
        raise BadInputError(
            "expected a position, a rules id, or - for positions on standard input, got nothing"
        )
    if arguments.position == ["-"] and (arguments.svg or arguments.play is not None):
        raise BadInputError("expected one position with --svg and --play, got standard input")
    if arguments.svg and arguments.json:
        raise BadInputError("expected one of --svg and --json, got both")
    colour = _wants_colour()

    def shown(position: Position) -> str:
        game = Game.from_position(position, limit=arguments.limit)
        if arguments.play is not None:
            game = _after(game, arguments.play)
        if arguments.json:
            return json.dumps(facts(game))
        if arguments.svg:
            return _svg(game)
        return "\n".join([*draw(game.position, colour=colour), "", *_sentences(game)])

    def one_of_many(position: Position) -> str:
        return shown(position) if arguments.json else shown(position) + "\n"

    return answer(arguments.position, arguments, shown, one_of_many)


def facts(game: Game) -> dict[str, Any]:
    """How *game* stands, for programs."""
    position, result = game.position, game.result
    return {
        "position": str(game),
        "rules": game.rules.id,
        "limit": game.terms.limit,
        "at_limit": game.terms.at_limit,
        "ply": game.ply,
        "turn": None if game.turn is None else _name(position, game.turn),
        "moves": legal_texts(game),
        "seats": [
            {
                "seat": _name(position, seat),
                "colours": position.seats[seat],
                "turns": position.counts[seat],
                "home": game.progress(seat).home,
                "distance": game.progress(seat).distance,
                "place": None if result is None else result.places[seat],
            }
            for seat in position.seating.seats
        ],
        "end": None if result is None else result.end.value,
    }


def _after(game: Game, move: str) -> Game:
    """The game after *move*. Raises `BadInputError`."""
    if game.is_over:
        raise BadInputError(f"expected a game that goes on with --play, it is over: {game}")
    try:
        return game.play(move)
    except ValueError as error:
        raise BadInputError(str(error)) from None


def _svg(game: Game) -> str:
    players = f"{len(game.position.seats)} players"
    turn = "over" if game.turn is None else f"{_name(game.position, game.turn)} to move"
    title = f"{game.rules.id}, {players}, {turn}"
    path = () if game.last is None else game.last.path
    return picture(game.position, title, path=path, alone=True).removesuffix("\n")


def _sentences(game: Game) -> list[str]:
    position, result = game.position, game.result
    then = "placed by progress" if game.terms.at_limit == "progress" else "level"
    terms = f"{len(position.seats)} players, {game.terms.limit} turns each, then {then}"
    lines = [str(game), terms]
    for seat in position.seating.seats:
        share = game.progress(seat)
        place = "" if result is None else f", place {result.places[seat]}"
        lines.append(
            f"{_name(position, seat)}: {share.home} home, {share.distance} steps to go,"
            f" {counted(position.counts[seat], 'turn')} had{place}"
        )
    if result is not None:
        return [*lines, f"over: {result.end.value}"]
    assert game.turn is not None
    choice = counted(len(game.legal_moves()), "move") if game.legal_moves() else "a pass only"
    return [*lines, f"turn {game.ply}: {_name(position, game.turn)} has {choice}"]


def _name(position: Position, seat: Seat) -> str:
    return position.seats[seat][0]


def _wants_colour() -> bool:
    # https://no-color.org: any value but the empty one means no.
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
