"""Seat a bot: one connection, a plain loop, no threads.

The loop blocks in `recv` and nowhere else, and answers in one packet, with Nagle's algorithm off:
what a bot is charged is what it thinks. A connection that breaks is made again (`comeback`).
"""

from __future__ import annotations

import socket
import time
from typing import Unpack

from sternhalma_bot.bot import Bot, Seated, format_answer
from sternhalma_bot.comeback import Comeback
from sternhalma_bot.conduct import Ask, Begin, Complain, Task, tasks
from sternhalma_bot.core import Core
from sternhalma_bot.ending import complain, complain_of_loss, status_of
from sternhalma_bot.messages import Bye
from sternhalma_bot.place import ManyOptions, Options, Place
from sternhalma_bot.processes import run_all
from sternhalma_bot.protocol import ProtocolError
from sternhalma_bot.socket_options import CONNECT, RECEIVE, no_welcome, prepare


def play(bot: Bot, host: str, port: int, name: str, **options: Unpack[Options]) -> Bye:
    """Play *bot* until the server says goodbye, and return what it said.

    A bot that was welcomed and loses its connection tries for `patience` seconds to come back.
    Raises `OSError` if there is no connection, `ProtocolError` if the server cannot be understood.
    What the bot itself raises comes through.
    """
    return _play(Seated.of(bot), Place(host, port, name, **options))


def run(bot: Bot, host: str, port: int, name: str, **options: Unpack[ManyOptions]) -> int:
    """`play` as a program does: 0 if the event ended, 1 with a sentence on stderr if not.

    Several `connections` are as many processes, because bots compute and Python's threads take
    turns; the worst of their statuses is returned. Then the bot must be importable: a function, a
    class or an instance of one at the top of a module, and this call behind
    `if __name__ == "__main__":`.
    """
    return run_place(bot, Place(host, port, name, **options))


def run_place(bot: Bot, place: Place) -> int:
    """`run` at a place that has been told already."""
    if place.connections == 1:
        return _run_one(bot, place)
    return run_all(_run_one, bot, place.each())


def _run_one(bot: Bot, place: Place) -> int:
    try:
        end: Bye | OSError | ProtocolError = _play(Seated.of(bot), place)
    except (OSError, ProtocolError) as error:
        end = error
    return status_of(place, end)


def _play(bot: Seated, place: Place) -> Bye:
    core = Core(place.name, place.slot, place.token, place.version)
    comeback = Comeback(place.patience)
    while True:
        end = _attempt(bot, core, place)
        outcome = comeback.after(end, welcomed=core.welcomed, now=time.monotonic())
        if isinstance(outcome, Bye):
            return outcome
        if core.welcomed:
            complain_of_loss(place, end)
        time.sleep(outcome)
        core = core.again()


def _attempt(bot: Seated, core: Core, place: Place) -> Bye | OSError:
    """How one connection ended."""
    try:
        connection = dial(place)
    except OSError as error:
        return error
    with connection:
        return _converse(bot, core, place, connection)


def dial(place: Place) -> socket.socket:
    """A connection to the server at *place*, by TLS if told so. Raises `OSError`."""
    connection = socket.create_connection((place.host, place.port), timeout=CONNECT)
    prepare(connection)
    if (tls := place.context()) is not None:
        # It takes the socket over, and closes it if there is no agreement.
        connection = tls.wrap_socket(connection, server_hostname=place.host)
    return connection


def _converse(bot: Seated, core: Core, place: Place, connection: socket.socket) -> Bye | OSError:
    while core.farewell is None:
        # Only what the network does is caught: an `OSError` of the bot is the bot's.
        connection.settimeout(None if core.welcomed else CONNECT)
        try:
            data = connection.recv(RECEIVE)
        except TimeoutError:
            return no_welcome()
        except OSError as error:
            return error
        if not data:
            return ConnectionError("the server ended the connection without a goodbye")
        arrived = time.monotonic()
        for message in core.receive(data):
            for task in tasks(core, message, arrived):
                _do(task, bot, core, place)
        try:
            connection.sendall(core.outgoing())
        except OSError:
            # A goodbye may have come before the connection was closed: it is still to be read.
            continue
    return core.farewell


def _do(task: Task, bot: Seated, core: Core, place: Place) -> None:
    match task:
        case Begin(game):
            if bot.new_game is not None:
                bot.new_game(game)
        case Ask():
            core.answer(format_answer(task.of(bot), task.turn))
        case Complain(sentence):
            complain(place, sentence)
