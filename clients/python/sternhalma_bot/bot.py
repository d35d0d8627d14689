"""What a bot is: something that answers turns, as a function or as an object.

A class is a bot as well: each connection gets an instance of its own, so that games played at the
same time do not meet in one memory.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Protocol, cast, runtime_checkable

import sternhalma
from sternhalma_bot.messages import Game
from sternhalma_bot.turn import Turn

Answer = str | sternhalma.Move


@runtime_checkable
class Player(Protocol):
    """A bot that is an object. It may also have `new_game(game)`, called as each game begins."""

    def choose(self, turn: Turn) -> Answer:
        """The move to play: a `Move`, a path as text, `resign`, or `draw` to an offer."""
        ...


@runtime_checkable
class AsyncPlayer(Protocol):
    """A bot that is an object and may await. Its `new_game(game)`, if it has one, may as well."""

    def choose(self, turn: Turn) -> Answer | Awaitable[Answer]:
        """The move to play, as for `Player`, at once or in the end."""
        ...


Bot = Player | Callable[[Turn], Answer] | type[Player]
AsyncBot = AsyncPlayer | Callable[[Turn], Answer | Awaitable[Answer]] | type[AsyncPlayer]


@dataclass(frozen=True, slots=True)
class Seated:
    """A bot as one connection asks it, whatever it is made of."""

    choose: Callable[[Turn], object]
    new_game: Callable[[Game], object] | None

    @staticmethod
    def of(bot: Bot | AsyncBot) -> Seated:
        """The function, object or class *bot*; of a class a new instance."""
        made = bot() if isinstance(bot, type) else bot
        # Looked up, not declared: most bots are functions or have only `choose`.
        new_game = cast("Callable[[Game], object] | None", getattr(made, "new_game", None))
        return Seated(made.choose if isinstance(made, AsyncPlayer) else made, new_game)


def format_answer(answer: object, turn: Turn) -> str:
    """The text of what a bot answered *turn* with. Raises `TypeError` for what is no answer."""
    match answer:
        case str():
            return answer
        case sternhalma.Move():
            return turn.game.format_move(answer)
        case _ if isawaitable(answer):
            raise TypeError(
                "expected a move from the bot, got something to await: seat it with"
                " sternhalma_bot.on_trio or sternhalma_bot.on_asyncio"
            )
        case _:
            raise TypeError(f"expected a move or its text from the bot, got {answer!r}")
