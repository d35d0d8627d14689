"""One epoll for many sockets: nothing that arrives is missed, and nobody waits in vain.

That watched sockets are transports like others is held by the transports' own tests.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import trio

from sternhalma_server.hub import Hub, Watch, make_hub
from sternhalma_server.transport import RECEIVE, SocketTransport

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has epoll")


@pytest.fixture
def hub() -> Hub:
    made = make_hub()
    assert made is not None
    return made


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def connected(stack: ExitStack, hub: Hub) -> tuple[socket.socket, SocketTransport]:
    """A peer's socket and the watched end of the server for it, from which nothing can be read."""
    peer, ours = (stack.enter_context(sock) for sock in socket.socketpair())
    ours.setblocking(False)
    watched = SocketTransport(ours, "peer", stamped=False, hub=hub)
    with pytest.raises(BlockingIOError):
        watched.receive()
    return peer, watched


async def test_what_has_arrived_is_read_without_the_hub_having_run(
    hub: Hub, stack: ExitStack
) -> None:
    peer, watched = connected(stack, hub)
    for word in (b"one", b"two"):
        peer.send(word)
        assert watched.receive()[0] == word
        with pytest.raises(BlockingIOError):
            watched.receive()


async def test_one_look_finds_what_has_arrived_for_everybody(hub: Hub, stack: ExitStack) -> None:
    pairs = [connected(stack, hub) for _ in range(5)]
    for number, (peer, _) in enumerate(pairs):
        peer.send(bytes([number]))
    assert [watched.receive()[0][0] for _, watched in reversed(pairs)] == [4, 3, 2, 1, 0]


async def test_more_than_is_read_at_once_is_read_to_the_end(hub: Hub, stack: ExitStack) -> None:
    peer, watched = connected(stack, hub)
    sent = peer.send(b"x" * (RECEIVE + 1))
    assert sent == RECEIVE + 1
    assert [len(watched.receive()[0]) for _ in range(2)] == [RECEIVE, 1]
    with pytest.raises(BlockingIOError):
        watched.receive()


async def test_an_end_that_was_told_with_the_last_bytes_is_not_missed(
    hub: Hub, stack: ExitStack
) -> None:
    peer, watched = connected(stack, hub)
    peer.send(b"last")
    peer.close()
    hub.look()
    assert [watched.receive()[0] for _ in range(3)] == [b"last", b"", b""]
    with trio.fail_after(5):
        await watched.wait_readable()


async def test_each_that_waits_is_woken_by_its_own_peer(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery
) -> None:
    nursery.start_soon(hub.run)
    woken: list[int] = []
    pairs = [connected(stack, hub) for _ in range(3)]

    async def wait(number: int) -> None:
        await pairs[number][1].wait_readable()
        woken.append(number)

    with trio.fail_after(5):
        async with trio.open_nursery() as waiting:
            for number in range(3):
                waiting.start_soon(wait, number)
            for number in (2, 0, 1):
                await trio.testing.wait_all_tasks_blocked()
                pairs[number][0].send(b"x")
                while number not in woken:
                    await trio.lowlevel.checkpoint()
    assert woken == [2, 0, 1]


async def test_who_gave_up_waiting_can_wait_again(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery
) -> None:
    nursery.start_soon(hub.run)
    peer, watched = connected(stack, hub)
    with trio.move_on_after(0.001) as scope:
        await watched.wait_readable()
    assert scope.cancelled_caught
    peer.send(b"x")
    with trio.fail_after(5):
        await watched.wait_readable()


async def test_only_one_may_wait_for_a_socket(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery
) -> None:
    _, watched = connected(stack, hub)
    nursery.start_soon(watched.wait_readable)
    await trio.testing.wait_all_tasks_blocked()
    with pytest.raises(trio.BusyResourceError):
        await watched.wait_readable()


async def test_a_socket_with_the_number_of_a_closed_one_is_watched_for_itself(
    hub: Hub, stack: ExitStack
) -> None:
    peer, watched = connected(stack, hub)
    peer.send(b"never read")
    watched.close()
    again, other = connected(stack, hub)
    again.send(b"x")
    assert other.receive()[0] == b"x"


# Calls instead of tasks that wait.


class Called:
    """Counts how often it is called; *then* is done each time."""

    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        self.times = 0
        self._then = then

    def __call__(self) -> None:
        self.times += 1
        self._then()


def watch_of(transport: SocketTransport) -> Watch:
    assert transport.watch is not None
    return transport.watch


async def test_who_expects_something_is_called_when_it_comes_and_only_once(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery
) -> None:
    nursery.start_soon(hub.run)
    peer, watched = connected(stack, hub)
    called = Called()
    watch_of(watched).expect(called)
    await trio.testing.wait_all_tasks_blocked()
    assert called.times == 0
    for word in (b"one", b"two"):
        peer.send(word)
        with trio.fail_after(5):
            while not called.times:
                await trio.lowlevel.checkpoint()
    await trio.testing.wait_all_tasks_blocked()
    assert called.times == 1


async def test_who_expects_what_has_come_is_called_later_not_at_once(
    hub: Hub, stack: ExitStack
) -> None:
    peer, watched = connected(stack, hub)
    peer.send(b"x")
    hub.look()
    called = Called()
    watch_of(watched).expect(called)
    assert called.times == 0, "who expects something is not ready to be called"
    await trio.testing.wait_all_tasks_blocked()
    assert called.times == 1


async def test_what_one_finds_in_passing_another_is_called_for(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery
) -> None:
    nursery.start_soon(hub.run)
    (_, busy), (peer, watched) = connected(stack, hub), connected(stack, hub)
    called = Called()
    watch_of(watched).expect(called)
    await trio.testing.wait_all_tasks_blocked()
    peer.send(b"x")
    assert not watch_of(busy).look(), "and that has taken the other's event"
    await trio.testing.wait_all_tasks_blocked()
    assert called.times == 1


async def test_who_has_given_up_is_not_called(hub: Hub, stack: ExitStack) -> None:
    peer, watched = connected(stack, hub)
    called = Called()
    watch_of(watched).expect(called)
    peer.send(b"x")
    hub.look()
    watch_of(watched).give_up()
    await trio.testing.wait_all_tasks_blocked()
    assert called.times == 0


async def test_who_expects_something_is_called_when_the_watch_is_closed(
    hub: Hub, stack: ExitStack
) -> None:
    _, watched = connected(stack, hub)
    called = Called()
    watch_of(watched).expect(called)
    watched.close()
    assert called.times == 0
    await trio.testing.wait_all_tasks_blocked()
    assert called.times == 1


async def test_calls_without_end_leave_the_other_tasks_their_turn(
    hub: Hub, stack: ExitStack
) -> None:
    peer, watched = connected(stack, hub)
    peer.send(b"never read")
    watch = watch_of(watched)

    calls = 0

    def again() -> bool:
        nonlocal calls
        calls += 1
        if calls < 1_000_000:
            watch.expect(again)
        return True

    hub.look()
    watch.expect(again)
    while calls < 100:
        await trio.sleep(0)
    assert calls < 1_000_000
    watch.give_up()


async def test_a_task_that_was_woken_need_not_wait_until_nothing_more_comes(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.hub.MOMENT", 10)
    nursery.start_soon(hub.run)
    peer, watched = connected(stack, hub)
    with trio.fail_after(5):
        threading.Timer(0.01, peer.send, [b"x"]).start()
        await watched.wait_readable()


async def test_what_comes_soon_after_a_call_is_called_for_in_the_same_turn(
    hub: Hub, stack: ExitStack, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sternhalma_server.hub.TURN", 5)
    monkeypatch.setattr("sternhalma_server.hub.MOMENT", 5)
    (one, first), (other, second) = connected(stack, hub), connected(stack, hub)
    turns = 0

    def heard() -> bool:
        first.receive()
        threading.Timer(0.01, other.send, [b"x"]).start()
        return True

    watch_of(first).expect(heard)
    called = Called()
    watch_of(second).expect(called)
    one.send(b"x")
    nursery.start_soon(hub.run)
    while not called.times:
        turns += 1
        await trio.sleep(0)
    assert turns < 10
