"""A handful of events over real sockets: what the kernel does, memory cannot imitate."""

from __future__ import annotations

import os
import resource
import socket
import struct
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import pytest
import trio

from sternhalma_server.connection import BACKLOG
from sternhalma_server.happening import Ply
from sternhalma_server.listener import Listener
from sternhalma_server.testing import (
    MemoryServer,
    ScriptedPeer,
    dial,
    first_moves,
    memory_server,
    remote_event,
)
from sternhalma_server.transport import SocketTransport
from sternhalma_server.verdict import Reason

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux stamps packets")


class SocketServer:
    """The lobby and director of an event in memory, with connections over TCP."""

    def __init__(self, server: MemoryServer, nursery: trio.Nursery, stack: ExitStack) -> None:
        self.server = server
        self._nursery = nursery
        self._stack = stack
        self._listener = Listener("127.0.0.1", 0)
        stack.callback(self._listener.close)
        stack.callback(server.lobby.abandon)
        nursery.start_soon(self._listener.serve, server.lobby.serve)

    @property
    def address(self) -> tuple[str, int]:
        return self._listener.host, self._listener.port

    async def connect(self) -> ScriptedPeer:
        peer = ScriptedPeer(await dial(*self.address))
        self._stack.callback(peer.close)
        return peer

    async def join(self, name: str) -> ScriptedPeer:
        peer = await self.connect()
        await peer.login(name)
        return peer

    async def seat(self, name: str) -> None:
        self._nursery.start_soon(first_moves, await self.join(name))

    def raw(self) -> socket.socket:
        """A plain blocking connection."""
        return self._stack.enter_context(socket.create_connection(self.address, timeout=5))


@asynccontextmanager
async def socket_server(event: str, seconds: float = 10) -> AsyncGenerator[SocketServer, None]:
    """Play *event* over TCP on this machine; the whole test has *seconds*."""
    with trio.fail_after(seconds), ExitStack() as stack:
        async with memory_server(event) as server, trio.open_nursery() as nursery:
            yield SocketServer(server, nursery, stack)
            nursery.cancel_scope.cancel()


async def test_an_event_is_played_over_tcp() -> None:
    async with socket_server(remote_event("zoe", "max", cycles=2, limit=20)) as sockets:
        await sockets.seat("zoe")
        await sockets.seat("max")
        summary = await sockets.server.ended()
    assert summary.clean
    assert [game.reason for game in sockets.server.games] == [Reason.SHARE] * 2


@ON_LINUX
async def test_while_the_server_is_busy_the_kernel_stamps_answers_and_nobody_is_charged() -> None:
    async with socket_server(remote_event("zoe", "max", limit=1, clock="200ms")) as sockets:
        zoe = await sockets.join("zoe")
        await sockets.seat("max")
        turn = await zoe.find("turn 1 1 ...")
        await zoe.answer(turn)
        # Nothing of the server runs now, beyond the limit and the grace for reading late.
        time.sleep(0.5)
        await sockets.server.ended()
    (game,) = sockets.server.games
    assert game.reason is Reason.SHARE
    ply = game.happened[0]
    assert isinstance(ply, Ply)
    assert ply.evidence is not None
    assert ply.charged < 150_000_000
    assert ply.evidence.late > 400_000_000, "and how late the server was is kept"


async def test_a_reset_in_its_turn_is_a_disconnect_and_the_event_goes_on() -> None:
    event = remote_event(
        "zoe", "max", "ida", limit=2, budgets={"reconnect": "10ms", "ready": "10ms"}
    )
    async with socket_server(event) as sockets:
        await sockets.seat("max")
        await sockets.seat("ida")
        zoe = await sockets.join("zoe")
        await zoe.find("turn ...")
        assert isinstance(zoe.transport, SocketTransport)
        reset(zoe.transport)
        summary = await sockets.server.ended()
    reasons = {
        fall.reason
        for game in sockets.server.games
        for fall in game.falls
        if game.table.bots[fall.seat] == "zoe"
    }
    assert Reason.DISCONNECT in reasons
    assert reasons <= {Reason.DISCONNECT, Reason.NO_START}
    assert summary.games == 3


def reset(transport: SocketTransport) -> None:
    """End a connection with a reset instead of a close."""
    sock: socket.socket = transport._sock
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.close()


async def test_resets_at_the_door_do_no_harm() -> None:
    async with socket_server(remote_event("zoe", "max", limit=2)) as sockets:
        for number in range(50):
            sock = sockets.raw()
            if number % 2:
                sock.sendall(b"login zo")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
        await sockets.seat("zoe")
        await sockets.seat("max")
        assert (await sockets.server.ended()).clean


async def test_a_megabyte_without_a_line_end_loses_and_the_event_goes_on() -> None:
    async with socket_server(remote_event("zoe", "max", "ida", limit=2)) as sockets:
        await sockets.seat("max")
        await sockets.seat("ida")
        zoe = await sockets.join("zoe")
        await zoe.find("turn ...")
        with trio.move_on_after(2):
            await zoe.send_bytes(b"x" * 1_000_000)
        await zoe.find("over ... malformed ...")
        zoe.close()
        while not sockets.server.games:
            await trio.lowlevel.checkpoint()
    lost = [g for g in sockets.server.games if g.reason is Reason.MALFORMED]
    assert len(lost) == 1


async def test_a_megabyte_without_a_line_end_at_the_door_is_refused() -> None:
    async with socket_server(remote_event("zoe", "max")) as sockets:
        peer = await sockets.connect()
        await peer.expect("sternhalma ...")
        with pytest.raises(OSError, match=r"pipe|reset"):
            await babbles(peer)


async def babbles(peer: ScriptedPeer) -> None:
    while True:
        await peer.send_bytes(b"x" * 100_000)
        await trio.lowlevel.checkpoint()


async def test_who_asks_without_reading_is_dropped_when_the_kernel_and_the_backlog_are_full() -> (
    None
):
    async with socket_server(remote_event("zoe", "max")) as sockets:
        zoe = await sockets.join("zoe")
        holder = sockets.server.lobby.get("zoe", 1)
        assert holder is not None
        # The lobby answers 32 lines a second at most: the answers are put in its mouth.
        while holder.connection.ended is None:
            holder.connection.send("x" * BACKLOG + "\n")
        assert holder.connection.ended == "the bot does not read what it is sent"
        zoe.close()


@contextmanager
def few_descriptors() -> Iterator[list[int]]:
    """Take all descriptors the process may open; those in the list, which may be closed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = os.open(os.devnull, os.O_RDONLY)
    os.close(probe)
    resource.setrlimit(resource.RLIMIT_NOFILE, (probe + 64, hard))
    hoard: list[int] = []
    try:
        while True:
            try:
                hoard.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        yield hoard
    finally:
        for descriptor in hoard:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_without_descriptors_the_game_goes_on_and_newcomers_wait(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with socket_server(remote_event("zoe", "max")) as sockets:
        zoe, max_ = await sockets.join("zoe"), await sockets.join("max")
        turn = await zoe.find("turn 1 1 ...")
        with few_descriptors() as hoard:
            os.close(hoard.pop())
            late = await sockets.connect()  # takes the last: the kernel has it, the server cannot
            await zoe.answer(turn)
            await max_.find("turn 1 2 ...")
            while "cannot accept connections" not in caplog.text:
                await trio.sleep(0.01)
        await late.login("zoe", "slot=2")
        await max_.answer("turn 1 2 - moves=n10-m10")
        await zoe.find("moved 1 2 ...")
