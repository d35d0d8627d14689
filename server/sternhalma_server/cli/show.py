"""Draw a position, and tell how the game stands there.

A letter is a marble, a dot an empty hole; beside each row of the star stand the names of its first
and last hole. Colours are used on a terminal, unless NO_COLOR is set.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from sternhalma import Game, Position, Seat
from sternhalma_server.cli.moves import legal_texts
from sternhalma_server.cli.parser import BadInputError, counted
from sternhalma_server.cli.positions import (
    POSITION_HELP,
    add_limit_option,
    add_position_options,
    answer,
)
from sternhalma_server.drawing import draw


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("position", nargs="*", metavar="POSITION", help=POSITION_HELP)
    add_limit_option(parser)
    add_position_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the picture; the exit status."""
    if not arguments.position:
        raise BadInputError(
            "expected a position, a rules id, or - for positions on standard input, got nothing"
        )
    colour = _wants_colour()

    def picture(position: Position) -> str:
        game = Game.from_position(position, limit=arguments.limit)
        if arguments.json:
            return json.dumps(facts(game))
        return "\n".join([*draw(game.position, colour=colour), "", *_sentences(game)])

    def one_of_many(position: Position) -> str:
        return picture(position) if arguments.json else picture(position) + "\n"

    return answer(arguments.position, arguments, picture, one_of_many)


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
