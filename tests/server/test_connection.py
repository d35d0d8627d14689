"""One peer's connection: lines in, bytes out, and never a wait for either."""

from __future__ import annotations

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from sternhalma_server.clock import SECOND
from sternhalma_server.connection import BACKLOG, INHERITED, SOON, Connection, Courier
from sternhalma_server.testing import MemoryTransport, memory_pair


class Asked(Courier):
    """A courier that does nothing and remembers what it was asked for."""

    def __init__(self) -> None:
        self.to_flush: list[Connection] = []
        self.to_deliver: list[Connection] = []

    def flush(self, connection: Connection) -> None:
        self.to_flush.append(connection)

    def collect(self, connection: Connection) -> None:
        self.to_deliver.append(connection)


class Ends:
    """A connection of the server and the transport of its peer."""

    def __init__(self, capacity: int = 65536) -> None:
        self.peer, there = memory_pair(capacity=capacity)
        self.courier = Asked()
        self.connection = Connection(there, self.courier)

    def lines(self) -> list[str]:
        """What can be read now."""
        while self.connection.read():
            pass
        texts: list[str] = []
        while (line := self.connection.next_line()) is not None:
            texts.append(line.text)
        return texts


async def test_reading_says_whether_there_was_anything() -> None:
    ends = Ends()
    assert not ends.connection.read()
    ends.peer.send(b"pi")
    assert ends.connection.read()
    assert not ends.connection.read()
    ends.peer.send(b"ng a\nping b\n")
    assert ends.lines() == ["ping a", "ping b"]
    assert ends.connection.ended is None


async def test_the_end_is_noticed_after_all_that_came_before_it() -> None:
    ends = Ends()
    ends.peer.send(b"ping a\nhalf")
    ends.peer.close()
    assert ends.lines() == ["ping a"]
    assert ends.connection.ended == "the bot closed the connection"
    assert not ends.connection.read()


async def test_a_reset_is_an_end_with_another_word() -> None:
    ends = Ends()
    ends.peer.abort()
    assert ends.lines() == []
    assert ends.connection.ended == "connection lost: Connection reset by peer"


async def test_a_line_has_the_stamp_of_its_arrival(autojump_clock: MockClock) -> None:
    ends = Ends()
    await trio.sleep(1.5)
    ends.peer.send(b"ping a\n")
    await trio.sleep(2)
    ends.connection.read()
    line = ends.connection.next_line()
    assert line is not None
    assert line.stamp == 1_500_000_000


async def test_sending_tells_the_time_and_does_not_wait(autojump_clock: MockClock) -> None:
    ends = Ends()
    await trio.sleep(3)
    assert ends.connection.send("moved\n") == 3 * SECOND
    assert ends.peer.receive()[0] == b"moved\n"


async def test_what_a_peer_does_not_take_is_kept_and_sent_in_order() -> None:
    ends = Ends(capacity=10)
    ends.connection.send("0123456789abcdef")
    ends.connection.send("ghi")
    assert ends.courier.to_flush == [ends.connection], "asked once, however much is kept"
    got = b""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends.connection.flush)
        while len(got) < 19:
            await ends.peer.wait_readable()
            got += ends.peer.receive()[0]
    assert got == b"0123456789abcdefghi"


async def test_after_a_flush_sending_is_immediate_again() -> None:
    ends = Ends(capacity=4)
    ends.connection.send("abcdefgh")
    ends.peer.receive()
    await ends.connection.flush()
    ends.peer.receive()
    ends.connection.send("ij")
    assert ends.peer.receive()[0] == b"ij"
    assert len(ends.courier.to_flush) == 1


@pytest.mark.parametrize(("size", "ended"), [(BACKLOG, False), (BACKLOG + 1, True)])
async def test_a_peer_that_leaves_more_than_the_limit_unread_is_gone(
    size: int, ended: bool
) -> None:
    ends = Ends(capacity=10)
    ends.connection.send("x" * (10 + size))
    assert (ends.connection.ended == "the bot does not read what it is sent") is ended
    assert (ends.connection.ended is not None) is ended


async def test_many_short_lines_add_up_to_the_limit() -> None:
    ends = Ends(capacity=10)
    for _ in range(BACKLOG // 100 + 2):
        ends.connection.send("x" * 99 + "\n")
    assert ends.connection.ended is not None


async def test_what_is_posted_goes_with_the_next_line_in_its_order() -> None:
    ends = Ends()
    ends.connection.post("moved 1\n")
    ends.connection.post("moved 2\n")
    with pytest.raises(BlockingIOError):
        ends.peer.receive()
    ends.connection.send("turn\n")
    assert ends.peer.receive()[0] == b"moved 1\nmoved 2\nturn\n"
    assert ends.courier.to_deliver == [ends.connection], "asked once, however much is posted"


class Posted:
    """A connection whose courier goes its rounds, and the transport of its peer."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.peer, there = memory_pair()
        self.connection = Connection(there, Courier(nursery))

    async def arrival(self) -> tuple[bytes, float]:
        """What comes next, and when."""
        await self.peer.wait_readable()
        return self.peer.receive()[0], trio.current_time()


@pytest.fixture
def posted(nursery: trio.Nursery) -> Posted:
    return Posted(nursery)


@pytest.mark.parametrize("pause", [0, 0.3 * SOON, SOON, 1.7 * SOON, 10 * SOON])
async def test_what_is_posted_goes_by_itself_soon(
    autojump_clock: MockClock, posted: Posted, pause: float
) -> None:
    for number in range(3):
        sent = trio.current_time()
        posted.connection.post(f"moved {number}\n")
        text, came = await posted.arrival()
        assert text == f"moved {number}\n".encode()
        assert SOON - 1e-9 <= came - sent <= 2 * SOON + 1e-9
        await trio.sleep(pause)


async def test_what_follows_soon_takes_along_what_is_posted(
    autojump_clock: MockClock, posted: Posted
) -> None:
    # Whenever in its rounds the courier is, it leaves a line alone for so long.
    for number in range(20):
        posted.connection.post(f"moved {number}\n")
        await trio.sleep(0.9 * SOON)
        posted.connection.send("turn\n")
        assert (await posted.arrival())[0] == f"moved {number}\nturn\n".encode()
        await trio.sleep(0.01 * number * SOON)


async def test_one_that_posts_again_and_again_keeps_its_first_line_waiting_no_longer(
    autojump_clock: MockClock, posted: Posted
) -> None:
    for number in range(5):
        posted.connection.post(f"moved {number}\n")
        await trio.sleep(0.6 * SOON)
    _, came = await posted.arrival()
    assert came <= 3 * SOON + 1e-9


async def test_what_is_posted_goes_before_the_server_closes() -> None:
    ends = Ends()
    ends.connection.post("over\n")
    ends.connection.close()
    assert [ends.peer.receive()[0] for _ in range(2)] == [b"over\n", b""]


async def test_a_courier_forgets_who_has_gone(autojump_clock: MockClock) -> None:
    here, there = memory_pair()
    async with trio.open_nursery() as nursery:
        connection = Connection(there, Courier(nursery))
        connection.post("moved\n")
        here.close()
    assert connection.ended is None, "it is noticed when it is read"


async def test_a_peer_that_reads_no_more_may_still_be_heard() -> None:
    ends = Ends()
    ends.peer.send(b"resign 1\n")
    ends.peer.close()
    ends.connection.send("turn\n")
    assert ends.connection.ended is None
    assert ends.lines() == ["resign 1"]
    assert ends.connection.ended is not None


async def test_a_peer_that_closed_only_its_sending_side_is_still_told() -> None:
    ends = Ends()
    ends.peer.finish()
    assert ends.lines() == []
    ends.connection.send("over\n")
    assert ends.peer.receive()[0] == b"over\n"


async def test_a_flush_ends_when_the_peer_goes(autojump_clock: MockClock) -> None:
    ends = Ends(capacity=4)
    ends.connection.send("abcdefgh")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends.connection.flush)
        await trio.sleep(1)
        ends.peer.close()
    assert ends.lines() == []


async def test_a_flush_ends_when_the_server_closes(autojump_clock: MockClock) -> None:
    ends = Ends(capacity=4)
    ends.connection.send("abcdefgh")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends.connection.flush)
        await trio.sleep(1)
        ends.connection.close()


async def test_closing_twice_is_closing_once() -> None:
    ends = Ends()
    ends.connection.close()
    ends.connection.close()
    assert ends.connection.ended == "closed by the server"
    assert ends.peer.receive()[0] == b""
    assert ends.connection.send("late\n") >= 0


async def test_closing_does_not_hide_why_the_peer_was_gone() -> None:
    ends = Ends()
    ends.peer.close()
    ends.connection.read()
    ends.connection.close()
    assert ends.connection.ended == "the bot closed the connection"


async def test_a_line_begun_before_the_mark_is_early() -> None:
    ends = Ends()
    ends.peer.send(b"move 1 1")
    ends.connection.read()
    ends.connection.mark()
    ends.peer.send(b" a5-e5\nping a\n")
    ends.connection.read()
    first, second = ends.connection.next_line(), ends.connection.next_line()
    assert first is not None
    assert second is not None
    assert (first.early, second.early) == (True, False)


@given(
    st.lists(st.text("abc\n", min_size=1, max_size=30), max_size=20),
    st.integers(1, 40),
    st.integers(1, 7),
)
def test_everything_sent_arrives_in_order_however_slowly_it_is_read(
    texts: list[str], capacity: int, pause: int
) -> None:
    wanted = "".join(texts).encode()

    async def read(peer: MemoryTransport) -> bytes:
        got = b""
        while len(got) < len(wanted):
            await peer.wait_readable()
            got += peer.receive()[0]
            await trio.sleep(pause)
        return got

    async def main() -> bytes:
        ends = Ends(capacity)
        async with trio.open_nursery() as nursery:
            for text in texts:
                ends.connection.send(text)
                for connection in ends.courier.to_flush:
                    nursery.start_soon(connection.flush)
                ends.courier.to_flush.clear()
                await trio.lowlevel.checkpoint()
            return await read(ends.peer)

    assert trio.run(main, clock=MockClock(autojump_threshold=0)) == wanted


class _Endless:
    """The end of a connection whose peer sends faster than anybody reads."""

    peer = "endless"

    def __init__(self) -> None:
        self.reads = 0

    def receive(self) -> tuple[bytes, int]:
        self.reads += 1
        return b"move 1 1 a5-b5\n" * 100, 0

    def now(self) -> int:
        return 0

    def send(self, data: bytes) -> int:
        return len(data)

    async def wait_readable(self) -> None: ...
    async def wait_writable(self) -> None: ...
    def close(self) -> None: ...


async def test_what_an_endless_earlier_connection_sends_is_not_read_for_ever() -> None:
    async with trio.open_nursery() as nursery:
        courier = Courier(nursery)
        endless = _Endless()
        new = Connection(memory_pair()[0], courier)
        new.inherit(Connection(endless, courier))
        assert endless.reads == INHERITED
        assert new.next_line() is None
