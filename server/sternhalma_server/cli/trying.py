"""What is said of a bot that a command starts and talks to."""

from __future__ import annotations

import argparse
from typing import Final

from sternhalma_server.cli.parser import whole_number

PATIENCE: Final = 10  # seconds


def add_bot_options(parser: argparse.ArgumentParser) -> None:
    """Declare how the command of a bot speaks and how long its answers may take.

    The command itself stands behind `--`.
    """
    parser.set_defaults(command=())
    parser.add_argument(
        "--stdio", action="store_true", help="the command speaks over its standard streams"
    )
    parser.add_argument(
        "--patience",
        type=whole_number,
        default=PATIENCE,
        metavar="SECONDS",
        help=f"how long an answer may take (default: {PATIENCE})",
    )
