"""Seat bots that await, or many connections in one process, with asyncio.

While a bot awaits, its connection is read on: pings are answered, and a turn that is over, because
its time is up, cancels the bot that still thinks about it. A bot that computes without awaiting
holds up every connection of its process, as in any such loop: let it compute in a thread or in a
process.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from inspect import isawaitable
from typing import NoReturn, Unpack

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
        status = asyncio.run(run_place(bot, place))
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


async def run_place(bot: AsyncBot, place: Place) -> int:
    """`run` at a place that has been told already."""

    async def run_one(single: Place) -> int:
        try:
            end: Bye | OSError | ProtocolError = await _play(Seated.of(bot), single)
        except (OSError, ProtocolError) as error:
            end = error
        return status_of(single, end)

    try:
        async with asyncio.TaskGroup() as group:
            ends = [group.create_task(run_one(single)) for single in place.each()]
    except BaseExceptionGroup as errors:
        raise alone(errors) from None
    return max(end.result() for end in ends)


async def _play(bot: Seated, place: Place) -> Bye:
    core = Core(place.name, place.slot, place.token, place.version)
    comeback = Comeback(place.patience)
    while True:
        end = await _attempt(bot, core, place)
        outcome = comeback.after(end, welcomed=core.welcomed, now=time.monotonic())
        if isinstance(outcome, Bye):
            return outcome
        if core.welcomed:
            complain_of_loss(place, end)
        await asyncio.sleep(outcome)
        core = core.again()


async def _attempt(bot: Seated, core: Core, place: Place) -> Bye | OSError:
    """How one connection ended."""
    try:
        reader, writer = await _dial(place)
    except OSError as error:  # a TimeoutError is one too
        return error
    try:
        return await _Conversation(bot, core, place, reader, writer).held()
    finally:
        # At once and in any case: what a closing connection waits for, nobody here waits for.
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


async def _dial(place: Place) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        async with asyncio.timeout(CONNECT):
            reader, writer = await asyncio.open_connection(
                place.host, place.port, ssl=place.context()
            )
    except TimeoutError:
        raise TimeoutError(f"expected a connection within {CONNECT:g} seconds, got none") from None
    prepare(writer.get_extra_info("socket"))
    return reader, writer


class _Conversation:
    """What is said on one connection, and the bot's thinking meanwhile."""

    def __init__(
        self,
        bot: Seated,
        core: Core,
        place: Place,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._bot, self._core, self._place = bot, core, place
        self._reader, self._writer = reader, writer
        self._asked: messages.Turn | None = None  # what the bot thinks about
        self._thinking: asyncio.Task[None] | None = None

    async def held(self) -> Bye | OSError:
        """How it ended. What the bot raises comes through."""
        try:
            async with asyncio.TaskGroup() as group:
                end = await self._listen(group)
                self._stop_thinking()
        except BaseExceptionGroup as errors:
            raise alone(errors) from None
        return end

    async def _listen(self, group: asyncio.TaskGroup) -> Bye | OSError:
        core = self._core
        while core.farewell is None:
            try:
                async with asyncio.timeout(None if core.welcomed else CONNECT):
                    data = await self._reader.read(RECEIVE)
            except TimeoutError:
                return no_welcome()
            except OSError as error:
                return error
            if not data:
                return ConnectionError("the server ended the connection without a goodbye")
            arrived = time.monotonic()
            for message in core.receive(data):
                for task in tasks(core, message, arrived):
                    await self._do(task, group)
            if self._asked is not core.turn:
                self._stop_thinking()  # the turn is over
            self._send()
        return core.farewell

    async def _do(self, task: Task, group: asyncio.TaskGroup) -> None:
        match task:
            case Begin(game):
                if self._bot.new_game is not None:
                    begun = self._bot.new_game(game)
                    if isawaitable(begun):
                        await begun
            case Ask():
                self._stop_thinking()
                self._asked = task.message
                self._thinking = group.create_task(self._think(task))
            case Complain(sentence):
                complain(self._place, sentence)

    async def _think(self, task: Ask) -> None:
        answer = task.of(self._bot)
        if isawaitable(answer):
            answer = await answer
        if task.message is self._core.turn:
            self._core.answer(format_answer(answer, task.turn))
            self._send()

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()

    def _send(self) -> None:
        # Whole lines, and few: there is nothing to drain. If the connection has ended, a goodbye
        # may have come before, which is still to be read.
        self._writer.write(self._core.outgoing())
