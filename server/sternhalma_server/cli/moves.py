"""List the legal moves of a position, one a line, sorted as text.

`pass` stands for a turn without a move; a finished game has no line. For positions on standard
input each is answered with one line, its moves between commas.
"""

from __future__ import annotations

import argparse
import json

from sternhalma import Game, Position
from sternhalma_server.cli.positions import (
    POSITION_HELP,
    add_limit_option,
    add_position_options,
    answer,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("position", nargs="*", metavar="POSITION", help=POSITION_HELP)
    parser.add_argument(
        "--paths", action="store_true", help="write every landing of a chain, as records do"
    )
    add_limit_option(parser)
    add_position_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the moves; the exit status."""

    def written(position: Position) -> list[str]:
        game = Game.from_position(position, limit=arguments.limit)
        return legal_texts(game, paths=arguments.paths)

    def as_json(position: Position) -> str:
        return json.dumps({"moves": written(position)})

    if arguments.json:
        return answer(arguments.position, arguments, as_json, as_json)
    return answer(
        arguments.position,
        arguments,
        lambda position: "\n".join(written(position)),
        lambda position: ",".join(written(position)),
    )


def legal_texts(game: Game, *, paths: bool = False) -> list[str]:
    """The moves of *game* as texts, sorted: short forms or full paths, or only `pass`."""
    if game.is_over:
        return []
    moves = game.legal_moves()
    if paths:
        moves = [game.resolve(move) for move in moves]
    return sorted(game.format_move(move) for move in moves) or ["pass"]
