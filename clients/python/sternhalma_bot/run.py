"""Seat a bot: one connection, a plain loop, no threads.

The loop blocks in `recv` and nowhere else, and answers in the packet that completes the line, with
Nagle's algorithm off: what a bot is charged is what it thinks.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from typing import Protocol, cast, runtime_checkable

import sternhalma
from sternhalma.rules import AtLimit
from sternhalma_bot import messages
from sternhalma_bot.bots import random_bot
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Bye, Error, Game, Message
from sternhalma_bot.protocol import ProtocolError
from sternhalma_bot.turn import Turn

Answer = str | sternhalma.Move
RECEIVE = 65_536  # bytes


@runtime_checkable
class Player(Protocol):
    """A bot that is an object. It may also have `new_game(game)`, called as each game begins."""

    def choose(self, turn: Turn) -> Answer:
        """The move to play: a `Move`, a path as text, `resign`, or `draw` to an offer."""
        ...


Bot = Player | Callable[[Turn], Answer]


def play(
    bot: Bot,
    host: str,
    port: int,
    name: str,
    *,
    slot: int = 1,
    token: str | None = None,
    version: str | None = None,
) -> Bye:
    """Play *bot* until the server says goodbye, and return what it said.

    Raises `OSError` if there is no connection or it ends without a goodbye, `ProtocolError` if the
    server cannot be understood. What the bot itself raises comes through.
    """
    core = Core(name, slot, token, version)
    with socket.create_connection((host, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while core.farewell is None:
            data = connection.recv(RECEIVE)
            if not data:
                raise ConnectionError("the server ended the connection without a goodbye")
            for message in core.receive(data):
                _react(bot, core, message)
            if answer := core.outgoing():
                connection.sendall(answer)
    return core.farewell


def run(
    bot: Bot,
    host: str,
    port: int,
    name: str,
    *,
    slot: int = 1,
    token: str | None = None,
    version: str | None = None,
) -> int:
    """`play` as a program does: 0 if the event ended, 1 with a sentence on stderr if not."""
    try:
        farewell = play(bot, host, port, name, slot=slot, token=token, version=version)
    except (OSError, ProtocolError) as error:
        _complain(name, slot, f"{host} port {port}: {error}")
        return 1
    if farewell.code == "event-over":
        return 0
    _complain(name, slot, f"the server said: {farewell.sentence or farewell.code}")
    return 1


def _react(bot: Bot, core: Core, message: Message) -> None:
    match message:
        case Game():
            # Looked up, not declared: most bots are functions or have only `choose`.
            new_game = cast("Callable[[Game], object] | None", getattr(bot, "new_game", None))
            if new_game is not None:
                new_game(message)
        case messages.Turn():
            if message is core.turn:  # not one that a later line has overtaken
                core.answer(_ask(bot, _turn(core, message)))
        case Error():
            _complain(core.name, core.slot, f"{message.code}: {message.sentence}")
            if core.turn is not None:
                # A bot asked twice would say the same twice: better any legal move than none.
                core.answer(_ask(random_bot, _turn(core, core.turn)))
        case _:
            pass


def _turn(core: Core, turn: messages.Turn) -> Turn:
    game = core.game
    at_limit = game.at_limit if game is not None else None
    return Turn(
        position=turn.position,
        ply=turn.ply,
        seed=0 if game is None else game.seed,
        time_left=None if turn.milliseconds is None else turn.milliseconds / 1000,
        limit=None if game is None else game.limit,
        at_limit=cast("AtLimit", at_limit) if at_limit in {"share", "progress"} else None,
        offered=core.offered,
    )


def _ask(bot: Bot, turn: Turn) -> str:
    answer = bot.choose(turn) if isinstance(bot, Player) else bot(turn)
    return answer if isinstance(answer, str) else turn.game.format_move(answer)


def _complain(name: str, slot: int, sentence: str) -> None:
    print(f"{name} slot {slot}: {sentence}", file=sys.stderr, flush=True)
