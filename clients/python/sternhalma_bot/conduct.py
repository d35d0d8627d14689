"""What a message of the server wants of a bot, decided without asking the bot or sending a thing.

The loops, with and without await, do what is listed here and add nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from sternhalma.rules import AtLimit
from sternhalma_bot import messages
from sternhalma_bot.bot import Seated
from sternhalma_bot.bots import random_bot
from sternhalma_bot.clock import Clock, parse_clock
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Error, Game, Message
from sternhalma_bot.turn import Turn


@dataclass(frozen=True, slots=True)
class Begin:
    """A game begins, or goes on after a reconnect."""

    game: Game


@dataclass(frozen=True, slots=True)
class Ask:
    """A move is wanted for `turn`, which came as `message`; `again` after one that was no good."""

    message: messages.Turn
    turn: Turn
    again: bool = False

    def of(self, bot: Seated) -> object:
        """What *bot* answers, or something to await for it."""
        # A bot asked twice would say the same twice: better any legal move than none.
        return random_bot.choose(self.turn) if self.again else bot.choose(self.turn)


@dataclass(frozen=True, slots=True)
class Complain:
    """The server said something that the bot's author should read."""

    sentence: str


Task = Begin | Ask | Complain


def tasks(core: Core, message: Message, arrived: float | None = None) -> Iterator[Task]:
    """What is to be done about *message*, which *core* has taken with others that came with it.

    *arrived* is when they came, in seconds of `time.monotonic`.
    """
    match message:
        case Game():
            yield Begin(message)
        case messages.Turn():
            if message is core.turn:  # not one that a later line has overtaken
                yield Ask(message, _turn(core, message, arrived))
        case Error():
            yield Complain(f"{message.code}: {message.sentence}")
            if message.tries is not None and core.turn is not None:
                yield Ask(core.turn, _turn(core, core.turn, arrived), again=True)
        case _:
            pass


def _turn(core: Core, turn: messages.Turn, arrived: float | None) -> Turn:
    game = core.game or messages.Game(turn.game, "", "")  # its line may not have come
    return Turn(
        position=turn.position,
        ply=turn.ply,
        seed=game.seed,
        time_left=None if turn.milliseconds is None else turn.milliseconds / 1000,
        limit=game.limit,
        at_limit=cast("AtLimit", game.at_limit) if game.at_limit in {"share", "progress"} else None,
        offered=core.offered,
        clock=_clock(game),
        periods=turn.periods or 0,
        arrived=arrived,
    )


def _clock(game: Game) -> Clock | None:
    try:
        return parse_clock(game.clock or "none")
    except ValueError:  # a kind of clock that is newer than this, perhaps
        return None
