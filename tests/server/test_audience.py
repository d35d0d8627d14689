"""Watchers: told of everything in order, from wherever they join, and waited for by nobody."""

from __future__ import annotations

import socket
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
import trio
import trustme
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from sternhalma_server.audience import BACKLOG, EVERY, LINGER, PATIENCE, SHARE, SLICE, Audience
from sternhalma_server.connection import Connection, Courier
from sternhalma_server.session import Session
from sternhalma_server.testing import (
    CAPACITY,
    LONG,
    MemoryTransport,
    ScriptedPeer,
    dial,
    memory_pair,
)
from sternhalma_server.tls import TlsTransport
from sternhalma_server.transport import SocketTransport, Transport


class House:
    """An audience, and peers that watch; `games` are the plies to be played next."""

    def __init__(self, nursery: trio.Nursery, places: int) -> None:
        self.audience = Audience(places)
        self.games: dict[str, int] = {}
        self.nursery = nursery
        nursery.start_soon(self.audience.run)

    def open(self, game: str, ply: int = 1) -> None:
        self.games[game] = ply
        self.audience.opened(game, f"game {game} -", lambda: f"position {game} {self.games[game]}")

    def move(self, game: str) -> None:
        ply = self.games[game]
        self.games[game] = ply + 1
        self.audience.tell(game, f"moved {game} {ply}")

    def close(self, game: str) -> None:
        del self.games[game]
        self.audience.tell(game, f"over {game}")
        self.audience.closed(game)

    def seat(self, transport: Transport, game: str | None) -> None:
        """Let the peer of *transport* watch, as the lobby does."""
        connection = Connection(transport, Courier(self.nursery))
        session = Session()
        session.accept()
        session.replies.append("welcome")

        async def attend() -> None:
            await self.audience.attend(connection, session, game)
            connection.close()

        self.nursery.start_soon(attend)

    def join(self, game: str | None = None, capacity: int = CAPACITY) -> ScriptedPeer:
        """A peer in memory that watches *game*, or all."""
        here, there = memory_pair(capacity=capacity)
        self.seat(there, game)
        return ScriptedPeer(here, LONG)

    async def joined(self, game: str | None = None, capacity: int = CAPACITY) -> ScriptedPeer:
        """The same, once it has been welcomed and shown what there is."""
        peer = self.join(game, capacity)
        await peer.expect("welcome")
        await trio.sleep(2 * EVERY)
        return peer


@asynccontextmanager
async def house(places: int = 1000) -> AsyncGenerator[House]:
    async with trio.open_nursery() as nursery:
        yield House(nursery, places)
        nursery.cancel_scope.cancel()


async def rest(peer: ScriptedPeer) -> list[str]:
    """What has come and was not expected yet."""
    lines: list[str] = []
    while True:
        with trio.move_on_after(2 * EVERY) as scope:
            lines.append(await peer.receive())
        if scope.cancelled_caught:
            return lines


async def test_who_joins_is_shown_every_running_game_as_it_stands(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1", ply=5)
        here.open("2")
        peer = await here.joined()
        assert await rest(peer) == ["game 1 -", "position 1 5", "game 2 -", "position 2 1"]


async def test_who_asks_for_a_game_that_is_not_played_is_told_so_and_shown_it_when_it_begins(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        peer = await here.joined("99")
        assert await rest(peer) == ["note no-game game 99 is not being played now"]
        here.open("99")
        assert await rest(peer) == ["game 99 -", "position 99 1"]


async def test_then_it_is_told_everything(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        peer = await here.joined()
        here.move("1")
        here.move("1")
        here.close("1")
        assert (await rest(peer))[2:] == ["moved 1 1", "moved 1 2", "over 1"]


async def test_what_was_told_before_is_in_the_picture_and_nowhere_else(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        await here.joined()
        here.move("1")
        peer = here.join()
        here.move("1")
        assert await rest(peer) == ["welcome", "game 1 -", "position 1 3"]


async def test_what_nobody_watched_is_told_to_nobody(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        here.move("1")
        here.close("1")
        peer = await here.joined()
        assert await rest(peer) == []


async def test_a_game_that_begins_is_shown_to_those_who_watch(autojump_clock: MockClock) -> None:
    async with house() as here:
        peer = await here.joined()
        here.open("7")
        here.move("7")
        assert await rest(peer) == ["game 7 -", "position 7 1", "moved 7 1"]


async def test_a_game_played_again_is_shown_anew(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("7", ply=9)
        peer = await here.joined()
        here.audience.closed("7")
        here.open("7")
        assert (await rest(peer))[-2:] == ["game 7 -", "position 7 1"]


async def test_who_watches_one_game_is_told_of_no_other(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.audience.opened("0", "game 0 -", lambda: pytest.fail("nobody wants this picture"))
        here.open("1")
        here.open("2")
        peer = await here.joined("2")
        here.move("1")
        here.move("2")
        here.close("1")
        here.open("3")
        here.close("2")
        assert await rest(peer) == ["game 2 -", "position 2 1", "moved 2 1", "over 2"]


async def test_a_move_is_told_within_the_time_of_a_delivery(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        peer = await here.joined()
        await peer.find("position ...")
        here.move("1")
        with trio.fail_after(1.01 * EVERY):
            await peer.expect("moved 1 1")


async def test_what_happens_while_newcomers_are_shown_the_games_is_told_once(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:

        def picture() -> str:
            for game in doing:  # a and b have been shown, d and e not yet
                here.move(game)
            if doing:
                here.close("b")
                here.close("e")
                here.open("f")
                here.move("f")
            doing.clear()
            return "position c 1"

        doing: list[str] = []
        here.open("a")
        here.open("b")
        here.games["c"] = 1
        here.audience.opened("c", "game c -", picture)
        here.open("d")
        here.open("e")
        older = await here.joined()
        await older.find("position e 1")
        doing.extend("abde")
        newer = await here.joined()
        await trio.sleep(EVERY)
        here.move("a")
        await here.audience.close("event-over", "thank you")
        check_account(["welcome", *await newer.end()], {*"acdf"})
        assert [line for line in await older.end() if line.startswith("moved")] == [
            f"moved {move}" for move in ("a 1", "b 1", "d 1", "e 1", "f 1", "a 2")
        ]


actions = st.sampled_from(["open", "close", "join", "follow", "wait", *["move", "pause"] * 3])
steps = st.lists(
    st.tuples(
        st.sampled_from(["open", "close", "move", "join", "follow", "wait"]), st.integers(0, 40)
    ),
    max_size=300,
)


@settings(max_examples=40, deadline=None)
@given(steps, st.booleans())
def test_whenever_somebody_joins_it_misses_no_move_and_hears_none_twice(
    steps: list[tuple[str, int]], crowded: bool
) -> None:
    async def main() -> None:
        async with house() as here:
            peers: list[tuple[ScriptedPeer, str | None]] = []
            if crowded:
                # More games and watchers than are dealt with at a time, so that things happen
                # in the middle of a delivery.
                for number in range(2 * SLICE):
                    here.open(f"{number}")
                    peers.append((here.join(), None))
            for step, number in steps:
                game = f"{number}"
                match step:
                    case "open" if game not in here.games:
                        here.open(game)
                    case "close" if game in here.games:
                        here.close(game)
                    case "move" if game in here.games:
                        here.move(game)
                    case "join":
                        peers.append((here.join(), None))
                    case "follow":
                        peers.append((here.join(game), game))
                    case "wait":  # until the very moment of a delivery
                        await trio.sleep(EVERY)
                    case "pause":
                        await trio.lowlevel.checkpoint()
                    case _:
                        pass
            await trio.sleep(4 * EVERY)
            await here.audience.close("event-over", "thank you")
            running = {*here.games}
            for peer, followed in peers:
                check_account(await peer.end(), running & {followed} if followed else running)

    trio.run(main, clock=MockClock(autojump_threshold=0))


def check_account(lines: list[str], running: set[str]) -> None:
    """Whether *lines* tell of each game from a picture on, without a gap, those *running* too."""
    assert (lines[0], lines[-1]) == ("welcome", "bye event-over thank you")
    next_ply: dict[str, int] = {}
    noted = lines[1].startswith("note no-game ")
    for line in lines[1 + noted : -1]:
        word, game, *more = line.split(" ")
        if word == "game":
            assert game not in next_ply
        elif word == "position":
            next_ply[game] = int(more[0])
        elif word == "moved":
            assert int(more[0]) == next_ply[game]
            next_ply[game] += 1
        else:
            assert word == "over"
            del next_ply[game]
    assert {*next_ply} == running


async def test_a_watchers_lines_are_answered_as_those_of_an_idle_bot(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        everything, one = await here.joined(), await here.joined("1")
        await everything.find("position ...")
        await one.find("position ...")
        await everything.send("ping a", "pong b", "why", "move 1 1 a5-b5", "dance")
        await everything.expect("pong a")
        await everything.expect("why you watch all games, 1 are being played")
        await everything.expect("note stale ...")
        await everything.expect("error malformed ...")
        await one.send("why")
        await one.expect("why you watch game 1")


async def test_who_says_too_much_goes(autojump_clock: MockClock) -> None:
    async with house() as here:
        peer = await here.joined()
        await peer.send(*["pong a"] * 65)
        assert await peer.end() == ["bye flood expected fewer lines that answer nothing"]
        assert here.audience.watching == 0


async def test_who_must_go_can_take_the_word_for_it_a_little_later_and_it_is_the_last(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        peer = await here.joined(capacity=20)
        await peer.send(*["pong a"] * 65)
        for _ in range(3):
            here.move("1")
            await trio.sleep(EVERY)
        assert (await peer.end())[-1].startswith("bye flood ")


@pytest.mark.parametrize(
    "leave",
    [
        lambda peer: peer.transport.send(b"bye\n"),
        lambda peer: peer.transport.close(),
        lambda peer: peer.transport.abort(),
    ],
    ids=["bye", "end of file", "reset"],
)
async def test_who_leaves_is_gone_and_the_others_are_told_on(
    autojump_clock: MockClock, leave: Callable[[ScriptedPeer], object]
) -> None:
    async with house() as here:
        here.open("1")
        leaver, stayer = await here.joined(), await here.joined()
        leave(leaver)
        here.move("1")
        await stayer.find("moved 1 1")
        await wait_all_tasks_blocked()
        assert here.audience.watching == 1


async def test_who_leaves_before_anything_was_delivered_is_gone_as_well(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.join().close()
        await trio.sleep(1)
        assert here.audience.watching == 0


def whole_moves(lines: list[str]) -> int:
    """How many moves of game 1 are told, one after the other, each in a line that is whole."""
    moves = [line for line in lines if line.startswith("moved")]
    assert moves == [f"moved 1 {ply}" for ply in range(1, len(moves) + 1)]
    return len(moves)


async def test_who_does_not_read_is_sent_away_and_the_others_never_notice(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        sleeper, reader = await here.joined(capacity=100), await here.joined()
        began = trio.current_time()
        for ply in range(1, 301):
            here.move("1")
            with trio.fail_after(1.01 * EVERY):
                await reader.find(f"moved 1 {ply}")
            if here.audience.watching == 1:
                break
        assert PATIENCE <= trio.current_time() - began <= PATIENCE + LINGER + 1
        assert whole_moves(await sleeper.end()) > 0


async def test_who_is_sent_away_hears_why_behind_whole_lines_if_it_reads_on(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        peer = await here.joined(capacity=100)
        for _ in range(20):
            here.move("1")
            await trio.sleep(EVERY)
        await trio.sleep(PATIENCE)
        lines = await peer.end()
        assert lines[-1] == "bye slow expected a watcher to read what it is sent"
        assert 0 < whole_moves(lines) < 20


async def test_who_is_behind_for_a_while_only_stays(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        peer = await here.joined(capacity=100)
        await peer.find("position ...")
        for _ in range(3):
            for _ in range(20):
                here.move("1")
            await trio.sleep(0.9 * PATIENCE)
            await rest(peer)
        assert whole_moves(peer.heard) == 60
        assert here.audience.watching == 1


async def test_only_so_much_is_kept_for_who_does_not_read(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        await here.joined(capacity=100)
        for _ in range(BACKLOG // 10000 + 1):
            here.audience.tell("1", "x" * 10000)
        await trio.sleep(2 * EVERY + LINGER)
        assert here.audience.watching == 0


class NotingTransport(MemoryTransport):
    """One end in memory that has *note* called with whatever is sent over it."""

    def __init__(self, note: Callable[[bytes], None]) -> None:
        _, there = memory_pair()
        super().__init__(there.peer, there._incoming, there._outgoing)
        self._note = note

    def send(self, data: bytes) -> int:
        self._note(data)
        return super().send(data)


async def test_players_have_their_turn_after_a_few_watchers_each(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        sent: list[bytes] = []
        begun = trio.Event()

        def note(data: bytes) -> None:
            sent.append(data)
            begun.set()

        for _ in range(5 * SLICE):
            here.seat(NotingTransport(note), None)
        await trio.sleep(1)
        sent.clear()
        begun = trio.Event()
        here.move("1")
        await begun.wait()
        turns = [0]
        while turns[-1] < 5 * SLICE:
            turns.append(len(sent))
            await trio.lowlevel.checkpoint()
        # Trio may wake the two in either order: after player and audience, audience and player.
        assert max(later - earlier for earlier, later in pairwise(turns)) <= 2 * SLICE


async def test_who_takes_much_of_the_servers_time_is_told_less_often(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        times: list[float] = []

        def note(data: bytes) -> None:
            autojump_clock.jump(0.2)
            times.append(trio.current_time())

        here.seat(NotingTransport(note), None)
        for _ in range(1000):
            here.move("1")
            await trio.sleep(EVERY)
        assert min(later - earlier for earlier, later in pairwise(times[2:])) >= 0.2 / SHARE


async def test_a_line_is_made_into_bytes_once_for_all_watchers(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        sent: list[bytes] = []
        for _ in range(3):
            here.seat(NotingTransport(sent.append), None)
        await trio.sleep(1)
        sent.clear()
        here.move("1")
        here.move("1")
        await trio.sleep(1)
        assert sent == [b"moved 1 1\nmoved 1 2\n"] * 3
        assert len(Counter(map(id, sent))) == 1


async def test_where_every_place_is_taken_the_next_is_told_so(autojump_clock: MockClock) -> None:
    async with house(places=2) as here:
        await here.joined()
        leaver = await here.joined()
        assert await here.join().end() == [
            "welcome",
            "bye full expected at most 2 watchers, try again later",
        ]
        leaver.close()
        await wait_all_tasks_blocked()
        await here.joined()
        assert here.audience.watching == 2


async def test_at_the_end_all_are_told_the_last_lines_and_good_bye(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        here.open("1")
        (await here.joined()).close()
        await trio.sleep(1)
        old = await here.joined()
        await old.find("position ...")
        here.move("1")
        new = here.join()
        await trio.lowlevel.checkpoint()
        here.close("1")
        await here.audience.close("event-over", "thank you")
        assert here.audience.watching == 0
        assert await old.end() == ["moved 1 1", "over 1", "bye event-over thank you"]
        assert await new.end() == ["welcome", "bye event-over thank you"]
        assert await here.join().end() == ["welcome", "bye event-over thank you"]


async def test_the_end_waits_for_nobody_for_long(autojump_clock: MockClock) -> None:
    async with house() as here:
        here.open("1")
        await here.joined(capacity=10)
        began = trio.current_time()
        await here.audience.close("event-over", "thank you")
        assert here.audience.watching == 0
        assert LINGER <= trio.current_time() - began <= LINGER + 4 * EVERY


async def test_without_anybody_the_end_is_at_once(autojump_clock: MockClock) -> None:
    async with house() as here:
        await here.audience.close("event-over", "thank you")
        assert trio.current_time() == 0


async def test_whoever_pulls_the_transport_away_ends_the_watching(
    autojump_clock: MockClock,
) -> None:
    async with house() as here:
        _, there = memory_pair()
        here.seat(there, None)
        await wait_all_tasks_blocked()
        there.close()
        await wait_all_tasks_blocked()
        assert here.audience.watching == 0


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
async def test_over_sockets_it_is_the_same(secure: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near: Transport = await dial("127.0.0.1", listener.getsockname()[1])
        sock, _ = listener.accept()
    sock.setblocking(False)
    far: Transport = SocketTransport(sock, "watcher", stamped=False)
    if secure:
        near, far = await secured(near, far)
    async with house() as here:
        here.open("1", ply=7)
        here.seat(far, None)
        peer = ScriptedPeer(near, patience=5)
        await peer.expect("welcome")
        await peer.expect("game 1 -")
        await peer.expect("position 1 7")
        for _ in range(5000):
            here.move("1")
        await peer.send("ping a")
        await peer.find("moved 1 5006")
        assert peer.heard.count("pong a") == 1
        await here.audience.close("event-over", "thank you")
        assert await peer.end() == ["bye event-over thank you"]
        peer.close()


async def secured(near: Transport, far: Transport) -> tuple[Transport, Transport]:
    """The two ends with TLS over them."""
    authority = trustme.CA()
    client, server = ssl.create_default_context(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.configure_trust(client)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    ends = TlsTransport(near, client, "127.0.0.1"), TlsTransport(far, server)
    async with trio.open_nursery() as nursery:
        for end in ends:
            nursery.start_soon(end.handshake)
    return ends
