"""A tables server for tests, with plain clients and orders over a socket."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from socket import socketpair
from typing import Any

import trio

from sternhalma_server.listener import Listener
from sternhalma_server.tables.room import Limits
from sternhalma_server.tables.serving import serve_tables
from sternhalma_server.testing import ScriptedPeer, dial

SAMPLES = ("random", "greedy", "lookahead")


class Host:
    """Who orders tables: the other end of the socket."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._unread = b""
        self._count = 0
        self.told: list[dict[str, Any]] = []  # what was told unasked
        self.address = ("", 0)

    async def receive(self) -> dict[str, Any]:
        while b"\n" not in self._unread:
            data = await self._stream.receive_some()
            if not data:
                raise EOFError(f"expected a line, got the end behind {self._unread!r}")
            self._unread += bytes(data)
        line, _, self._unread = self._unread.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    async def greeted(self) -> dict[str, Any]:
        first = await self.receive()
        self.address = (first["host"], first["port"])
        return first

    async def send(self, data: bytes) -> None:
        await self._stream.send_all(data)

    async def order(self, order: str, **keys: Any) -> dict[str, Any]:
        """Order something; the answer. What is told unasked meanwhile is kept in `told`."""
        self._count += 1
        await self.send(json.dumps({"id": self._count, "order": order, **keys}).encode() + b"\n")
        while (line := await self.receive()).get("id") != self._count:
            self.told.append(line)
        return line

    async def open(self, *seats: str, rules: str = "duel", **keys: Any) -> dict[str, Any]:
        asked = {"owner": "192.0.2.1", "rules": rules, "seats": list(seats), **keys}
        return await self.order("open", **asked)

    async def closed(self) -> dict[str, Any]:
        """The next table that is told to be closed."""
        while not self.told:
            self.told.append(await self.receive())
        return self.told.pop(0)

    async def sit(self, person: Mapping[str, str]) -> ScriptedPeer:
        """A plain client in the seat of *person*."""
        peer = ScriptedPeer(await dial(*self.address), patience=20)
        try:
            await peer.login(person["name"], f"token={person['token']} moves=yes")
        except BaseException:
            peer.close()
            raise
        return peer


@asynccontextmanager
async def tables(limits: Limits | None = None) -> AsyncGenerator[Host, None]:
    """A tables server in this process."""
    here, there = socketpair()
    orders = trio.SocketStream(trio.socket.from_stdlib_socket(there))
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(here))
    listener = Listener("127.0.0.1", 0)
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve_tables, orders, listener, SAMPLES, limits or Limits())
            host = Host(stream)
            await host.greeted()
            yield host
            await stream.aclose()
