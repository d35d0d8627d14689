"""What a connection runs over: sockets with the kernel's stamps, and pipes in memory like them."""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.clock import MILLISECOND, SECOND
from sternhalma_server.hub import Hub, make_hub
from sternhalma_server.testing import MemoryTransport, dial, memory_pair
from sternhalma_server.transport import SocketTransport, Transport, stamp_arrivals

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux stamps packets")


def socket_pair(
    stack: ExitStack, hub: Hub | None = None
) -> tuple[Transport, Transport, socket.socket]:
    """A client, the server's end for it (stamped where the system can), and the client's socket.

    A *hub* watches both.
    """
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    stamped = stamp_arrivals(listener)
    client = stack.enter_context(socket.create_connection(listener.getsockname()))
    server, _ = listener.accept()
    stack.enter_context(server)
    for sock in (client, server):
        sock.setblocking(False)
    here = SocketTransport(client, "server", stamped=False, hub=hub)
    return here, SocketTransport(server, "client", stamped=stamped, hub=hub), client


@pytest.fixture(params=["socket", pytest.param("watched socket", marks=ON_LINUX), "memory"])
async def pair(
    request: pytest.FixtureRequest, nursery: trio.Nursery
) -> AsyncIterator[tuple[Transport, Transport]]:
    """A client and the server's end for it."""
    with ExitStack() as stack:
        if request.param == "memory":
            yield memory_pair()
        else:
            hub = make_hub() if request.param == "watched socket" else None
            if hub is not None:
                nursery.start_soon(hub.run)
            here, there, _ = socket_pair(stack, hub)
            yield here, there


Pair = tuple[Transport, Transport]


async def arrived(transport: Transport) -> None:
    with trio.fail_after(5):
        await transport.wait_readable()


async def test_bytes_go_both_ways(pair: Pair) -> None:
    here, there = pair
    assert here.send(b"to the server") == 13
    await arrived(there)
    assert there.receive()[0] == b"to the server"
    assert there.send(b"to the client") == 13
    await arrived(here)
    assert here.receive()[0] == b"to the client"


async def test_with_nothing_there_receive_does_not_wait(pair: Pair) -> None:
    with pytest.raises(BlockingIOError):
        pair[1].receive()


async def test_the_end_is_an_empty_read_and_stays_one(pair: Pair) -> None:
    here, there = pair
    here.send(b"last")
    here.close()
    await arrived(there)
    assert [there.receive()[0] for _ in range(3)] == [b"last", b"", b""]


async def test_what_arrived_together_is_read_together(pair: Pair) -> None:
    here, there = pair
    here.send(b"one ")
    here.send(b"two")
    await arrived(there)
    await trio.sleep(0)
    assert there.receive()[0] == b"one two"


def fill(transport: Transport) -> int:
    """Send until nothing more is taken; how many bytes were."""
    sent = 0
    while True:
        try:
            sent += transport.send(b"x" * 65536)
        except BlockingIOError:
            return sent


async def test_a_peer_that_does_not_read_blocks_sending_and_reading_frees_it(pair: Pair) -> None:
    here, there = pair
    sent = fill(there)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(there.wait_writable)
        with trio.fail_after(5):
            while sent:
                await here.wait_readable()
                sent -= len(here.receive()[0])
    assert there.send(b"x") == 1


async def test_whoever_waits_is_woken_when_the_transport_is_closed(pair: Pair) -> None:
    _, there = pair
    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await there.wait_readable()

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        there.close()


async def test_after_close_nothing_can_be_sent_or_received(pair: Pair) -> None:
    _, there = pair
    there.close()
    there.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        there.send(b"x")
    with pytest.raises(OSError, match="Bad file descriptor"):
        there.receive()


async def test_stamps_are_between_sending_and_reading_on_the_transports_clock(pair: Pair) -> None:
    here, there = pair
    before = there.now()
    here.send(b"x")
    await arrived(there)
    _, stamp = there.receive()
    # The kernel stamps wall time, which is adjusted while it runs: allow for a little of that.
    assert before - MILLISECOND <= stamp <= there.now()


@ON_LINUX
async def test_the_kernels_stamp_is_when_the_packet_came_and_not_when_it_was_read() -> None:
    with ExitStack() as stack:
        here, there, _ = socket_pair(stack)
        here.send(b"x")
        await arrived(there)
        sent = there.now()
        time.sleep(0.05)  # the kernel's clock cannot be made to jump; the server is busy elsewhere
        _, stamp = there.receive()
        assert stamp <= sent + MILLISECOND
        assert there.now() - stamp >= 49 * MILLISECOND


async def test_without_the_kernels_stamp_reading_is_the_stamp() -> None:
    with ExitStack() as stack:
        _, there, client = socket_pair(stack)
        plain = SocketTransport(client, "server", stamped=False)
        there.send(b"x")
        await arrived(plain)
        before = plain.now()
        assert before <= plain.receive()[1] <= plain.now()


@ON_LINUX
@pytest.mark.parametrize("ahead", [-3600 * SECOND, 3600 * SECOND])
async def test_a_jump_of_the_wall_clock_charges_nobody(
    monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    with ExitStack() as stack:
        here, there, _ = socket_pair(stack)
        here.send(b"x")
        await arrived(there)
        jumped = time.time_ns() + ahead
        monkeypatch.setattr("sternhalma_server.transport.time.time_ns", lambda: jumped)
        before = there.now()
        assert before <= there.receive()[1] <= there.now()


async def test_a_reset_by_the_peer_is_an_error_of_the_connection() -> None:
    with ExitStack() as stack:
        here, there, client = socket_pair(stack)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        here.close()
        await arrived(there)
        with pytest.raises(ConnectionResetError):
            there.receive()


async def test_a_reset_in_memory_is_the_same_error() -> None:
    here, there = memory_pair()
    here.abort()
    with pytest.raises(ConnectionResetError):
        there.receive()


async def test_in_memory_time_is_trios_and_stamps_are_when_bytes_were_sent(
    autojump_clock: MockClock,
) -> None:
    here, there = memory_pair()
    await trio.sleep(2)
    here.send(b"x")
    await trio.sleep(3)
    assert there.receive() == (b"x", 2 * SECOND)
    assert there.now() == 5 * SECOND


async def test_in_memory_bytes_can_be_delivered_later_than_they_arrived(
    autojump_clock: MockClock,
) -> None:
    here, there = memory_pair()
    await trio.sleep(2)
    here.deliver(b"x", SECOND)
    assert there.receive() == (b"x", SECOND)


async def test_in_memory_one_direction_can_end_alone() -> None:
    here, there = memory_pair()
    here.finish()
    assert there.receive()[0] == b""
    there.send(b"still")
    assert here.receive()[0] == b"still"
    with pytest.raises(BrokenPipeError):
        here.send(b"x")


async def test_in_memory_only_the_capacity_is_taken() -> None:
    here, there = memory_pair(capacity=3)
    assert here.send(b"abcde") == 3
    with pytest.raises(BlockingIOError):
        here.send(b"de")
    there.receive()
    assert here.send(b"de") == 2


async def test_dialling_where_nobody_listens_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(OSError, match="cannot connect to "):
        await dial("127.0.0.1", port)


async def test_dialling_is_a_transport_like_another() -> None:
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        here = stack.enter_context(closing(await dial("127.0.0.1", listener.getsockname()[1])))
        server = stack.enter_context(listener.accept()[0])
        here.send(b"hello")
        assert server.recv(10) == b"hello"


def test_memory_ends_are_named_for_the_other() -> None:
    async def main() -> tuple[MemoryTransport, MemoryTransport]:
        return memory_pair("bot", "host")

    here, there = trio.run(main)
    assert (here.peer, there.peer) == ("host", "bot")
