"""Seat a bot: one connection, a plain loop, no threads.

The loop blocks in `recv` and nowhere else, and answers in one packet, with Nagle's algorithm off:
what a bot is charged is what it thinks. A connection that breaks is made again, because the clock
runs on and the server restates the game (protocol.md, "Coming back").
"""

from __future__ import annotations

import socket
import ssl
import sys
import time
from collections.abc import Callable
from typing import Final, Protocol, cast, runtime_checkable

import sternhalma
from sternhalma.rules import AtLimit
from sternhalma_bot import messages
from sternhalma_bot.bots import random_bot
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Bye, Error, Game, Message
from sternhalma_bot.protocol import ProtocolError
from sternhalma_bot.turn import Turn

Answer = str | sternhalma.Move
RECEIVE: Final = 65_536  # bytes
PATIENCE: Final = 30.0  # seconds; as long as the server waits for a bot in its own turn


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
    patience: float = PATIENCE,
    tls: ssl.SSLContext | None = None,
) -> Bye:
    """Play *bot* until the server says goodbye, and return what it said.

    A bot that was welcomed and loses its connection tries for *patience* seconds to come back. With
    *tls* the connection is made by it, and *host* must be named in the server's certificate.
    Raises `OSError` if there is no connection, `ProtocolError` if the server cannot be understood.
    What the bot itself raises comes through.
    """
    core = Core(name, slot, token, version)
    connection = _dial(host, port, tls, patience=0)
    while True:
        with connection:
            farewell = _converse(bot, core, connection)
        if farewell is not None:
            return farewell
        if not core.welcomed or patience <= 0:
            raise ConnectionError("the server ended the connection without a goodbye")
        core = core.again()
        connection = _dial(host, port, tls, patience)


def run(
    bot: Bot,
    host: str,
    port: int,
    name: str,
    *,
    slot: int = 1,
    token: str | None = None,
    version: str | None = None,
    patience: float = PATIENCE,
    tls: ssl.SSLContext | None = None,
) -> int:
    """`play` as a program does: 0 if the event ended, 1 with a sentence on stderr if not."""
    try:
        farewell = play(
            bot,
            host,
            port,
            name,
            slot=slot,
            token=token,
            version=version,
            patience=patience,
            tls=tls,
        )
    except (OSError, ProtocolError) as error:
        _complain(name, slot, f"{host} port {port}: {error}")
        return 1
    if farewell.code == "event-over":
        return 0
    _complain(name, slot, f"the server said: {farewell.sentence or farewell.code}")
    return 1


def _dial(host: str, port: int, tls: ssl.SSLContext | None, patience: float) -> socket.socket:
    """A connection, tried for again and again for *patience* seconds."""
    give_up = time.monotonic() + patience
    pause = 0.1
    while True:
        try:
            connection = socket.create_connection((host, port))
        except OSError:
            if time.monotonic() + pause > give_up:
                raise
            time.sleep(pause)
            pause = min(2 * pause, 2.0)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls is None:
                return connection
            # It takes the socket over, and closes it if there is no agreement.
            return tls.wrap_socket(connection, server_hostname=host)


def _converse(bot: Bot, core: Core, connection: socket.socket) -> Bye | None:
    """Play on one connection: the server's goodbye, None if the connection ended without."""
    while core.farewell is None:
        # Only what the network does is caught: an `OSError` of the bot is the bot's.
        try:
            data = connection.recv(RECEIVE)
        except OSError:
            return None
        if not data:
            return None
        for message in core.receive(data):
            _react(bot, core, message)
        try:
            connection.sendall(core.outgoing())
        except OSError:
            # A goodbye may have come before the connection was closed: it is still to be read.
            continue
    return core.farewell


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
