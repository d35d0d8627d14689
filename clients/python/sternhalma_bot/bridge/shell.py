"""The bridge's bytes: one program, and one connection after the other."""

from __future__ import annotations

import math
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

from sternhalma_bot.bridge.relay import ProgramError, Relay
from sternhalma_bot.comeback import Comeback
from sternhalma_bot.core import Core
from sternhalma_bot.ending import INTERRUPTED, alone, complain, complain_of_loss, status_of
from sternhalma_bot.messages import Bye
from sternhalma_bot.on_trio import cause_of, dial
from sternhalma_bot.place import Place
from sternhalma_bot.protocol import ProtocolError
from sternhalma_bot.socket_options import CONNECT, RECEIVE, no_welcome

GRACE: Final = 2.0  # seconds for a program to end when it is told to, each time

Dial = Callable[[Place], Awaitable[trio.abc.Stream]]


@dataclass(frozen=True, slots=True)
class Streams:
    """The two ends of a program that the bridge holds."""

    said: trio.abc.ReceiveStream
    told: trio.abc.SendStream


async def bridge(place: Place, command: Sequence[str], *, moves: bool) -> int:
    """Play with as many programs as *place* has connections, and return the worst exit status.

    *moves* is whether the server lists the legal moves with every turn. SIGTERM and SIGINT end the
    programs, and the status is 3.
    """
    statuses = [0]

    async def one(single: Place) -> None:
        statuses.append(await _bridge_one(single, command, moves=moves))

    async def end_at_a_signal(scope: trio.CancelScope) -> None:
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                statuses.append(INTERRUPTED)
                scope.cancel()

    try:
        async with trio.open_nursery() as outer:
            outer.start_soon(end_at_a_signal, outer.cancel_scope)
            async with trio.open_nursery() as nursery:
                for single in place.each():
                    nursery.start_soon(one, single)
            outer.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        raise alone(group) from None
    return max(statuses)


async def _bridge_one(place: Place, command: Sequence[str], *, moves: bool) -> int:
    try:
        process = await trio.lowlevel.open_process(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(place)
        )
    except OSError as error:
        complain(place, f"expected a program that can be started, got {command[0]!r}: {error}")
        return 1
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        relay = Relay(Core(place.name, place.slot, place.token, place.version, moves))
        return await relayed(relay, place, Streams(process.stdout, process.stdin))
    finally:
        with trio.CancelScope(shield=True):
            await _end(process)


def environment(place: Place) -> dict[str, str]:
    """What a program is told, as the server tells the programs that it starts.

    The token stays with the bridge, which logs in.
    """
    told = {
        "HOST": place.host,
        "PORT": str(place.port),
        "NAME": place.name,
        "SLOT": str(place.slot),
        "TOKEN": "",
    }
    return os.environ | {f"STERNHALMA_{key}": value for key, value in told.items()}


async def _end(process: trio.Process) -> None:
    # The end of its input is what a program ends by; what does not is told twice more.
    assert process.stdin is not None
    assert process.stdout is not None
    await trio.aclose_forcefully(process.stdin)
    await trio.aclose_forcefully(process.stdout)
    for tell in (process.terminate, process.kill):
        with trio.move_on_after(GRACE):
            await process.wait()
            return
        tell()
    await process.wait()


async def relayed(relay: Relay, place: Place, program: Streams, dial: Dial = dial) -> int:
    """Relay until it is over, and return the exit status, after a sentence if it is not 0."""
    try:
        end = await _Bridge(relay, place, program, dial).held()
    except ProgramError as error:
        complain(place, str(error))
        return 1
    except (OSError, ProtocolError) as error:
        return status_of(place, error)
    return 0 if end is None else status_of(place, end)


class _Bridge:
    def __init__(self, relay: Relay, place: Place, program: Streams, dial: Dial) -> None:
        self._relay, self._place, self._program, self._dial = relay, place, program, dial
        self._stream: trio.abc.Stream | None = None
        self._sending = trio.Lock()

    async def held(self) -> Bye | None:
        """The server's last goodbye, None if the program said its own."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._listen_to_program)
                end = await self._play()
                await self._tell_program()
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            # Where both are told to end, nobody asks how the program did.
            cancelled, _ = group.split(trio.Cancelled)
            raise alone(cancelled or group) from None
        return end

    async def _play(self) -> Bye | None:
        comeback = Comeback(self._place.patience)
        while True:
            self._relay.connect()
            end = await self._attempt()
            if self._relay.left:
                return None
            welcomed = self._relay.core.welcomed
            outcome = comeback.after(end, welcomed=welcomed, now=trio.current_time())
            if isinstance(outcome, Bye):
                return outcome
            if welcomed:
                complain_of_loss(self._place, end)
            await trio.sleep(outcome)

    async def _attempt(self) -> Bye | OSError:
        """How one connection ended."""
        try:
            self._stream = await self._dial(self._place)
        except OSError as error:
            return error
        try:
            return await self._listen_to_server(self._stream)
        finally:
            stream, self._stream = self._stream, None
            await trio.aclose_forcefully(stream)

    async def _listen_to_server(self, stream: trio.abc.Stream) -> Bye | OSError:
        relay = self._relay
        while relay.core.farewell is None:
            try:
                with trio.fail_after(math.inf if relay.core.welcomed else CONNECT):
                    data = await stream.receive_some(RECEIVE)
            except trio.TooSlowError:
                return no_welcome()
            except trio.BrokenResourceError as error:
                return cause_of(error)
            if not data:
                return ConnectionError("the server ended the connection without a goodbye")
            relay.hear(bytes(data))
            for sentence in relay.complaints():
                complain(self._place, sentence)
            await self._tell_server()
            await self._tell_program()
        return relay.core.farewell

    async def _listen_to_program(self) -> None:
        async for data in self._program.said:
            self._relay.say(bytes(data))
            await self._tell_server()
        if not self._relay.over:
            raise ProgramError("the program ended before the event")

    async def _tell_server(self) -> None:
        # Lost with the connection are only lines that the next one is told anyway, or that had no
        # meaning beyond this one.
        async with self._sending:
            if self._stream is not None and (data := self._relay.to_server()):
                with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    await self._stream.send_all(data)

    async def _tell_program(self) -> None:
        # A program that has ended is noticed by its output.
        with suppress(trio.BrokenResourceError):
            await self._program.told.send_all(self._relay.to_program())
