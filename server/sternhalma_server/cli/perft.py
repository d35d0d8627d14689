"""Count the sequences of moves of a given length from a position, to compare engines by.

The count does not stop when somebody finishes and contains no passes. For positions on standard
input each is answered with one line.
"""

from __future__ import annotations

import argparse
import json

from sternhalma import Position, perft
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.positions import POSITION_HELP, add_position_options, answer


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    # Declared as one list: a position may be six words, and only the last word is the depth.
    parser.add_argument(
        "words",
        nargs="*",
        metavar="POSITION DEPTH",
        help=f"{POSITION_HELP}; and how many moves deep",
    )
    add_position_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the counts; the exit status."""
    if not arguments.words:
        raise BadInputError("expected POSITION DEPTH, got nothing")
    *position, word = arguments.words
    if not (word.isdecimal() and word.isascii() and len(word) < 4):
        raise BadInputError(f"expected a depth from 0 behind the position, got {word[:40]!r}")
    depth = int(word)

    def line(position: Position) -> str:
        nodes = perft(position, depth)
        return json.dumps({"depth": depth, "nodes": nodes}) if arguments.json else str(nodes)

    return answer(position, arguments, line, line)
