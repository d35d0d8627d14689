"""The positions a command is asked about: on the command line, or a line each on standard input.

On standard input every line is answered with a line, so that a program can keep the command open
and ask again and again; a line that cannot be read is answered with what is wrong with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sternhalma import Position, Rules, parse_position
from sternhalma_server.cli import BAD_INPUT, CLEAN
from sternhalma_server.cli.parser import BadInputError, whole_number

POSITION_HELP: Final = (
    "a position (its six fields, quoted or not), a rules id for its start position,"
    " or - for positions on standard input, a line each"
)


def add_position_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that `answer` reads."""
    parser.add_argument(
        "--players", type=whole_number, metavar="N", help="how many players a start position has"
    )
    parser.add_argument(
        "--puzzle", action="store_true", help="accept any number of marbles in a position"
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON, a line each")


def add_limit_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--limit`, for commands to which it matters whether the game is over."""
    parser.add_argument(
        "--limit", type=whole_number, metavar="N", help="turns each player may have in the game"
    )


def answer(
    words: Sequence[str],
    options: argparse.Namespace,
    one: Callable[[Position], str],
    line: Callable[[Position], str],
) -> int:
    """Print *one* of the position in *words*, or *line* of each on standard input.

    Returns the exit status. Raises `BadInputError` for words that are no position.
    """
    if list(words) in ([], ["-"]):
        if options.players is not None:
            raise BadInputError("expected --players only with a rules id, not for standard input")
        return _answer_lines(options, line)
    try:
        position = _position(words, options)
    except ValueError as error:
        raise BadInputError(str(error)) from None
    text = one(position)
    if text:
        print(text)
    return CLEAN


def _answer_lines(options: argparse.Namespace, line: Callable[[Position], str]) -> int:
    status = CLEAN
    for text in _lines():
        try:
            reply = line(parse_position(text, puzzle=options.puzzle))
        except ValueError as error:
            status = BAD_INPUT
            reply = json.dumps({"error": str(error)}) if options.json else f"error: {error}"
        print(reply, flush=True)
    return status


def _position(words: Sequence[str], options: argparse.Namespace) -> Position:
    text = " ".join(words)
    if " " not in text:
        rules = Rules.parse(text)
        return Position.start(rules, options.players or rules.players[0])
    if options.players is not None:
        raise BadInputError("expected --players only with a rules id, a position has its seats")
    return parse_position(text, puzzle=options.puzzle)


def _lines() -> Iterator[str]:
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        # Only a line feed ends a line, and bytes that are no text are an unreadable line like any
        # other.
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    for line in sys.stdin:
        yield line.removesuffix("\n").removesuffix("\r")
