"""Seat a bot from its own program: where and as whom, the command line and the environment say."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from sternhalma_bot.bot import Bot
from sternhalma_bot.ending import INTERRUPTED
from sternhalma_bot.options import bot_parser, place_of
from sternhalma_bot.place import Place
from sternhalma_bot.run import run_place


def seat(bot: Bot, arguments: Sequence[str] | None = None) -> NoReturn:
    """Seat *bot* where the command line and the environment say, and exit.

    With more than one connection the bot must be importable, as for `run`.
    """
    place, _ = place_of(bot_parser(), arguments)
    seat_at(place, bot)


def seat_at(place: Place, bot: Bot) -> NoReturn:
    """Seat *bot* at *place*, and exit: 0, 1 as `run` says, or 3 after Ctrl-C."""
    try:
        status = run_place(bot, place)
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)
