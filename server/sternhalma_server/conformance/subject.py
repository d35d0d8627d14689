"""The bot that is checked: a program that is started as often as needed, or one that dials in."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import trio

from sternhalma_server.conformance.talk import NOBODY, SkippedError, UnexpectedError
from sternhalma_server.programs import Program, start_program

NAME: Final = "Zoe-1.x_2"  # every kind of character that a name may have
TOKEN: Final = "not-a_secret.~1"
SLOT: Final = 3
ENDS_WITHIN: Final = 5.0  # seconds a program has to end by itself
_BACKLOG: Final = 16


@dataclass(frozen=True, slots=True)
class Start:
    """What a program is told when it is started: name, slot, and a token if there is a `secret`."""

    slot: int = SLOT
    secret: bool = True
    name: str = NAME


USUAL: Final = Start()


class Subject(Protocol):
    """Where connections of the bot come from."""

    @property
    def is_program(self) -> bool:
        """Whether it is a program that can be started and seen to end."""
        ...

    async def connect(self, start: Start = USUAL) -> trio.SocketStream:
        """A connection of a bot that has just been started. Raises `UnexpectedError`."""
        ...

    async def again(self, seconds: float) -> trio.SocketStream | None:
        """A connection that the bot makes by itself within *seconds*, None if it makes none."""
        ...

    async def fate(self, seconds: float, /) -> str | None:
        """How the program ended, None if it has not within *seconds*."""
        ...

    async def last_words(self, seconds: float, /) -> str | None:
        """How the program ended and what it had printed, None if it has not within *seconds*."""
        ...

    async def dismiss(self) -> None:
        """End what still runs, and forget connections nobody has taken."""
        ...


class DialingBot:
    """A bot that dials in at *listener* by itself, again and again."""

    is_program = False

    def __init__(self, listener: trio.SocketListener, patience: float) -> None:
        self._listener = listener
        self._patience = patience

    async def connect(self, start: Start = USUAL) -> trio.SocketStream:
        """The next connection that comes."""
        if start.slot != SLOT:
            raise SkippedError("only a program that is started can be asked for a second slot")
        stream = await self.again(self._patience)
        if stream is None:
            raise UnexpectedError("a connection", f"{NOBODY} {self._patience:g} s")
        return stream

    async def again(self, seconds: float) -> trio.SocketStream | None:
        """A connection that comes within *seconds*."""
        with trio.move_on_after(seconds):
            return await self._listener.accept()
        return None

    async def fate(self, _seconds: float, /) -> str | None:
        """Nobody knows."""
        await trio.sleep(0)
        return None

    async def last_words(self, _seconds: float, /) -> str | None:
        """Nobody knows."""
        await trio.sleep(0)
        return None

    async def dismiss(self) -> None:
        """What is connected ends when its connection does."""
        await trio.sleep(0)


class StartedBot:
    """The program *argv*, started in *folder*; it dials in at *listener*, None for one that speaks
    over its standard streams."""

    is_program = True

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        listener: trio.SocketListener | None,
        patience: float,
    ) -> None:
        self._argv = argv
        self._folder = folder
        self._listener = listener
        self._patience = patience
        self._programs: list[Program] = []

    async def connect(self, start: Start = USUAL) -> trio.SocketStream:
        """The connection of a program started for it."""
        listener = self._listener
        host, port = "127.0.0.1", 0
        if listener is not None:
            await self._forget(listener)
            host, port = listener.socket.getsockname()[:2]
        environment = {
            "STERNHALMA_HOST": str(host),
            "STERNHALMA_PORT": str(port),
            "STERNHALMA_NAME": start.name,
            "STERNHALMA_SLOT": str(start.slot),
        }
        if start.secret or listener is None:  # which cannot come back, with a key or without
            environment["STERNHALMA_TOKEN"] = TOKEN
        program = start_program(self._argv, environment, self._folder, stdio=listener is None)
        self._programs.append(program)
        if listener is None:
            assert program.sock is not None
            return trio.SocketStream(trio.socket.from_stdlib_socket(program.sock))
        stream = await self._connection(program, listener, self._patience)
        if stream is None:
            how = program.fate if program.ended else f"{NOBODY} {self._patience:g} s"
            raise UnexpectedError("a connection", how + _printed(program))
        return stream

    async def _connection(
        self, program: Program, listener: trio.SocketListener, seconds: float
    ) -> trio.SocketStream | None:
        """The connection that *program* makes, None if it ends before or takes too long."""
        found: list[trio.SocketStream] = []
        async with trio.open_nursery() as nursery:

            async def accept() -> None:
                found.append(await listener.accept())
                nursery.cancel_scope.cancel()

            async def end() -> None:
                await program.listen()
                await trio.sleep(0.1)  # what it did last may still be on its way
                nursery.cancel_scope.cancel()

            nursery.start_soon(accept)
            nursery.start_soon(end)
            await trio.sleep(seconds)
            nursery.cancel_scope.cancel()
        return found[0] if found else None

    async def again(self, seconds: float) -> trio.SocketStream | None:
        """A connection that a program which runs makes once more."""
        if self._listener is None or not self._programs:
            return None
        return await self._connection(self._programs[-1], self._listener, seconds)

    async def fate(self, seconds: float, /) -> str | None:
        """How the program that was started last ended."""
        program = self._programs[-1]
        with trio.move_on_after(seconds):
            await program.listen()
        return program.fate if program.ended else None

    async def last_words(self, seconds: float, /) -> str | None:
        """How the program that was started last ended, and what it had printed."""
        fate = await self.fate(seconds)
        return None if fate is None else fate + _printed(self._programs[-1])

    @property
    def printed(self) -> str:
        """What the program that was started last has printed by now."""
        return self._programs[-1].output if self._programs else ""

    async def dismiss(self) -> None:
        """End all programs that still run."""
        with trio.CancelScope(shield=True):
            for program in self._programs[-4:]:
                await program.stop()
        self._programs.clear()
        if self._listener is not None:
            await self._forget(self._listener)

    async def _forget(self, listener: trio.SocketListener) -> None:
        """Close the connections that a program before has made and nobody has taken."""
        while True:
            with trio.move_on_after(0.001) as scope:
                stream = await listener.accept()
                await trio.aclose_forcefully(stream)
            if scope.cancelled_caught:
                return


def listen(port: int) -> trio.SocketListener:
    """A listener on this machine's own address; 0 is any free port. Raises `OSError`."""
    sock = socket.socket()
    try:
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))


def _printed(program: Program) -> str:
    """The end of what *program* printed, to stand behind how it ended."""
    printed = program.output.strip()
    return f", it printed {printed[-200:]!r}" if printed else ""
