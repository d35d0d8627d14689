"""The options that limit people's tables, for the commands that serve them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Final

from sternhalma_server.cli.parser import whole_number
from sternhalma_server.clock import SECOND, ClockError, parse_duration
from sternhalma_server.tables.room import Limits

_USUAL: Final = Limits()


def add_table_limits(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--each",
        type=whole_number,
        default=_USUAL.each,
        metavar="N",
        help="tables that one address may have open at once (default: %(default)s)",
    )
    parser.add_argument(
        "--most",
        type=whole_number,
        default=_USUAL.tables,
        metavar="N",
        help="tables that may be open at once (default: %(default)s)",
    )
    parser.add_argument(
        "--bots",
        type=whole_number,
        default=_USUAL.samples,
        metavar="N",
        help="sample bots that may sit at tables at once (default: %(default)s)",
    )
    parser.add_argument(
        "--idle",
        type=_duration,
        default="1h",
        metavar="TIME",
        help="when a table is closed where nothing happens (default: %(default)s)",
    )


def table_limits(arguments: argparse.Namespace) -> Mapping[str, float]:
    """The limits that *arguments* set, by their names in `Limits`."""
    return {
        "each": arguments.each,
        "tables": arguments.most,
        "samples": arguments.bots,
        "idle": arguments.idle,
    }


def _duration(text: str) -> float:
    try:
        seconds = parse_duration(text) / SECOND
    except ClockError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not seconds:
        raise argparse.ArgumentTypeError(f"expected more than no time, got {text!r}")
    return seconds
