"""The bot's end of a connection, which does what a test says."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from sternhalma_server.transport import Transport

PATIENCE: Final = 10.0  # seconds a scripted peer waits for a line over a network
LONG: Final = 100_000.0  # seconds on a clock that jumps: for ever, and yet a test ends

Script = Callable[["ScriptedPeer"], Awaitable[None]]


def matches(pattern: str, line: str) -> bool:
    """Whether *line* is *pattern*, in which `...` stands for any text.

    >>> matches("moved 1 2 D ... left=2000", "moved 1 2 D n10-m10 charged=0.007 left=2000")
    True
    """
    return re.fullmatch(".*".join(map(re.escape, pattern.split("..."))), line) is not None


class ScriptedPeer:
    """The bot's end of a connection: sends what a test says, waits for what it expects.

    `heard` are all lines so far. Where a line does not come within *patience* seconds, or is
    another than expected, an `AssertionError` says so; `EOFError` where the connection has ended.
    """

    def __init__(self, transport: Transport, patience: float = PATIENCE) -> None:
        self.transport = transport
        self.heard: list[str] = []
        self._patience = patience
        self._unread = b""

    async def send(self, *lines: str) -> None:
        """Send whole lines, all of them at once."""
        await self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    async def send_bytes(self, data: bytes) -> None:
        """Send *data* as it is; waits while the server does not read."""
        while data:
            try:
                data = data[self.transport.send(data) :]
            except BlockingIOError:
                await self.transport.wait_writable()

    async def receive(self) -> str:
        """The next line."""
        while b"\n" not in self._unread:
            with trio.move_on_after(self._patience) as scope:
                try:
                    await self.transport.wait_readable()
                except trio.ClosedResourceError:
                    raise EOFError("expected a line, the connection was closed here") from None
            if scope.cancelled_caught:
                last = self.heard[-1] if self.heard else "nothing"
                raise AssertionError(f"expected a line within {self._patience:g} s after {last!r}")
            try:
                data, _ = self.transport.receive()
            except BlockingIOError:
                continue
            except ConnectionResetError:
                data = b""
            if not data:
                raise EOFError(f"expected a line, got the end behind {self._unread!r}")
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        self.heard.append(line.decode())
        return self.heard[-1]

    async def expect(self, pattern: str) -> str:
        """The next line, which must match *pattern* (`matches`)."""
        line = await self.receive()
        assert matches(pattern, line), f"expected {pattern!r}, got {line!r}"
        return line

    async def find(self, pattern: str) -> str:
        """The next line that matches *pattern*; those before it are passed over."""
        while not matches(pattern, line := await self.receive()):
            pass
        return line

    async def end(self) -> list[str]:
        """The lines that are left until the server ends the connection."""
        rest: list[str] = []
        try:
            while True:
                rest.append(await self.receive())
        except EOFError:
            return rest

    def close(self) -> None:
        """End the connection."""
        self.transport.close()

    async def login(self, name: str, keys: str = "moves=yes") -> None:
        """Log in; *keys* as in protocol.md."""
        await self.expect("sternhalma ...")
        await self.send(f"login {name} {keys}".rstrip())
        await self.expect(f"welcome {name} ...")

    async def answer(self, turn: str) -> None:
        """Answer the line *turn* with the first of its moves."""
        _, game, ply, *_ = turn.split(" ")
        moves = turn.partition(" moves=")[2].partition(" ")[0]
        await self.send(f"move {game} {ply} {moves.split(',')[0]}")


async def first_moves(peer: ScriptedPeer) -> None:
    """A script: the first move of the list, every turn, until the server ends the connection."""
    try:
        while True:
            await peer.answer(await peer.find("turn ..."))
    except (EOFError, OSError):
        return


async def silent(peer: ScriptedPeer) -> None:
    """A script: listen, and say nothing."""
    await peer.end()
