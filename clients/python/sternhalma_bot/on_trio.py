"""Seat bots that await, or many connections in one process, with trio.

While a bot awaits, its connection is read on: pings are answered, and a turn that is over, because
its time is up, cancels the bot that still thinks about it. A bot that computes without awaiting
holds up every connection of its process, as in any such loop: let it compute in a thread or in a
process.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from inspect import isawaitable
from typing import NoReturn, Unpack

import trio

from sternhalma_bot import messages
from sternhalma_bot.bot import AsyncBot, Seated, format_answer
from sternhalma_bot.comeback import Comeback
from sternhalma_bot.conduct import Ask, Begin, Complain, Task, tasks
from sternhalma_bot.core import Core
from sternhalma_bot.ending import INTERRUPTED, alone, complain, complain_of_loss, status_of
from sternhalma_bot.messages import Bye
from sternhalma_bot.options import bot_parser, place_of
from sternhalma_bot.place import ManyOptions, Options, Place
from sternhalma_bot.protocol import ProtocolError
from sternhalma_bot.socket_options import CONNECT, RECEIVE, no_welcome, prepare


async def play(bot: AsyncBot, host: str, port: int, name: str, **options: Unpack[Options]) -> Bye:
    """`sternhalma_bot.play` for a bot that may await."""
    return await _play(Seated.of(bot), Place(host, port, name, **options))


async def run(
    bot: AsyncBot, host: str, port: int, name: str, **options: Unpack[ManyOptions]
) -> int:
    """`play` as a program does: 0 if the event ended, 1 with a sentence on stderr if not.

    Several `connections` are as many tasks, and the worst of their statuses is returned. They share
    a function or an object; of a class each of them gets an instance of its own.
    """
    return await run_place(bot, Place(host, port, name, **options))


def seat(bot: AsyncBot, arguments: Sequence[str] | None = None) -> NoReturn:
    """`sternhalma_bot.seat` for a bot that may await."""
    place, _ = place_of(bot_parser(), arguments)
    try:
        status = trio.run(run_place, bot, place)
    except* KeyboardInterrupt:  # bare, or in groups, depending on where it came
        status = INTERRUPTED
    sys.exit(status)


async def run_place(bot: AsyncBot, place: Place) -> int:
    """`run` at a place that has been told already."""
    statuses = [0]

    async def run_one(single: Place) -> None:
        try:
            end: Bye | OSError | ProtocolError = await _play(Seated.of(bot), single)
        except (OSError, ProtocolError) as error:
            end = error
        statuses.append(status_of(single, end))

    try:
        async with trio.open_nursery() as nursery:
            for single in place.each():
                nursery.start_soon(run_one, single)
    except BaseExceptionGroup as group:
        raise alone(group) from None
    return max(statuses)


async def _play(bot: Seated, place: Place) -> Bye:
    core = Core(place.name, place.slot, place.token, place.version)
    comeback = Comeback(place.patience)
    while True:
        end = await _attempt(bot, core, place)
        outcome = comeback.after(end, welcomed=core.welcomed, now=trio.current_time())
        if isinstance(outcome, Bye):
            return outcome
        if core.welcomed:
            complain_of_loss(place, end)
        await trio.sleep(outcome)
        core = core.again()


async def _attempt(bot: Seated, core: Core, place: Place) -> Bye | OSError:
    """How one connection ended."""
    try:
        stream = await dial(place)
    except OSError as error:
        return error
    try:
        return await _Conversation(bot, core, place, stream).held()
    finally:
        await trio.aclose_forcefully(stream)


async def dial(place: Place) -> trio.abc.Stream:
    """A connection to the server. Raises `OSError` if there is none within a few seconds."""
    with trio.move_on_after(CONNECT):
        stream = await trio.open_tcp_stream(place.host, place.port)
        try:
            prepare(stream)
            return await _secured(stream, place)
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
    raise TimeoutError(f"expected a connection within {CONNECT:g} seconds, got none")


async def _secured(stream: trio.SocketStream, place: Place) -> trio.abc.Stream:
    tls = place.context()
    if tls is None:
        return stream
    secured = trio.SSLStream(stream, tls, server_hostname=place.host, https_compatible=True)
    try:
        await secured.do_handshake()
    except trio.BrokenResourceError as error:
        raise cause_of(error) from None
    return secured


def cause_of(error: trio.BrokenResourceError) -> OSError:
    """What went wrong with a connection, which trio wraps."""
    cause = error.__cause__
    return cause if isinstance(cause, OSError) else ConnectionError("the connection broke")


class _Conversation:
    """What is said on one connection, and the bot's thinking meanwhile."""

    def __init__(self, bot: Seated, core: Core, place: Place, stream: trio.abc.Stream) -> None:
        self._bot, self._core, self._place, self._stream = bot, core, place, stream
        self._sending = trio.Lock()
        self._asked: messages.Turn | None = None  # what the bot thinks about
        self._thinking = trio.CancelScope()

    async def held(self) -> Bye | OSError:
        """How it ended. What the bot raises comes through."""
        try:
            async with trio.open_nursery() as nursery:
                end = await self._listen(nursery)
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            raise alone(group) from None
        return end

    async def _listen(self, nursery: trio.Nursery) -> Bye | OSError:
        core = self._core
        while core.farewell is None:
            try:
                with trio.fail_after(math.inf if core.welcomed else CONNECT):
                    data = await self._stream.receive_some(RECEIVE)
            except trio.TooSlowError:
                return no_welcome()
            except trio.BrokenResourceError as error:
                return cause_of(error)
            if not data:
                return ConnectionError("the server ended the connection without a goodbye")
            arrived = time.monotonic()
            for message in core.receive(bytes(data)):
                for task in tasks(core, message, arrived):
                    await self._do(task, nursery)
            if self._asked is not core.turn:
                self._thinking.cancel()  # the turn is over
            await self._send()
        return core.farewell

    async def _do(self, task: Task, nursery: trio.Nursery) -> None:
        match task:
            case Begin(game):
                if self._bot.new_game is not None:
                    begun = self._bot.new_game(game)
                    if isawaitable(begun):
                        await begun
            case Ask():
                self._thinking.cancel()
                self._asked, self._thinking = task.message, trio.CancelScope()
                nursery.start_soon(self._think, task, self._thinking)
            case Complain(sentence):
                complain(self._place, sentence)

    async def _think(self, task: Ask, thinking: trio.CancelScope) -> None:
        with thinking:
            answer = task.of(self._bot)
            if isawaitable(answer):
                answer = await answer
            if task.message is self._core.turn:
                self._core.answer(format_answer(answer, task.turn))
        await self._send()  # beyond the scope: a line is sent whole or not at all

    async def _send(self) -> None:
        # A goodbye may have come before the connection broke: it is still to be read.
        async with self._sending:
            with suppress(trio.BrokenResourceError):
                await self._stream.send_all(self._core.outgoing())
