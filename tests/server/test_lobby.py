"""Connections between games: logging in, waiting, and being handed to a game."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.admission import token_digest
from sternhalma_server.connection import BACKLOG
from sternhalma_server.testing import (
    MemoryServer,
    MemoryTransport,
    ScriptedPeer,
    memory_server,
    remote_event,
)

# max does not come for a minute, so everybody else stays in the lobby.
EVENT = remote_event("zoe", "ida", "max").replace(
    'name = "zoe"\nremote = true', 'name = "zoe"\nremote = true\nconnections = 2'
)
ALONE = remote_event("zoe", "max")


async def test_the_server_speaks_first(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.expect("sternhalma 1 line=1024 login=10000 can=...")


async def test_a_login_is_welcomed_with_name_and_slot(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.send("login zoe slot=3")
        await peer.expect("sternhalma 1 ...")
        await peer.expect("welcome zoe slot=3...")


async def test_a_login_in_another_case_is_welcomed_under_the_events_name(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.send("login ZOE")
        await peer.find("welcome zoe slot=1...")


async def test_a_login_that_drips_has_one_deadline_for_all_of_it(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.expect("sternhalma ...")
        for byte in b"login zo":
            await peer.send_bytes(bytes([byte]))
            await trio.sleep(1.2)
        await trio.sleep(0.3)
        expected = "expected a whole login line within 10 s, got 'login zo' without a line feed"
        assert await peer.end() == [f"bye login-time {expected}"]
        assert trio.current_time() < 10.1


async def test_blank_lines_do_not_prolong_the_login(autojump_clock: MockClock) -> None:
    async with memory_server(f'{ALONE}\n[budgets]\nlogin = "2s"\n') as server:
        peer = server.connect()
        for _ in range(3):
            await trio.sleep(0.6)
            await peer.send("", "")
        (_, last) = await peer.end()
        assert last.startswith("bye login-time ")
        assert trio.current_time() == pytest.approx(2)


async def test_a_login_in_the_last_moment_is_welcomed(autojump_clock: MockClock) -> None:
    async with memory_server(f'{ALONE}\n[budgets]\nlogin = "2s"\n') as server:
        peer = server.connect()
        await trio.sleep(1.999)
        await peer.send("login zoe")
        await peer.find("welcome zoe ...")
        await trio.sleep(10)
        await peer.send("ping a")
        await peer.expect("pong a")


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("login nobody", "bye unknown-name expected a bot that plays here, got 'nobody'"),
        ("login zoe slot=3", "bye slot expected slot 1 to 2 for 'zoe', got 3"),
        ("login zoe moves=1", "bye malformed expected moves=yes or moves=no, got '1'"),
        ("GET / HTTP/1.1", "bye malformed expected 'login NAME', or ..., got 'GET'"),
        ("ping a", "bye malformed expected 'login NAME' first"),
        ("x" * 2000, "bye malformed expected a line of at most 1024 bytes, got more"),
    ],
)
async def test_a_wrong_login_is_told_why_and_the_connection_ends(
    autojump_clock: MockClock, line: str, reply: str
) -> None:
    async with memory_server(EVENT) as server:
        peer = server.connect()
        await peer.expect("sternhalma ...")
        await peer.send(line)
        await peer.expect(reply)
        assert await peer.end() == []


async def test_hanging_up_during_the_login_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.expect("sternhalma ...")
        await peer.send_bytes(b"login zo")
        peer.close()
        again = server.connect()
        await again.login("zoe")


async def test_the_token_is_asked_for_where_the_event_has_one(autojump_clock: MockClock) -> None:
    event = remote_event("max", "zoe") + f'token = "sha256:{token_digest("sesame")}"\n'
    async with memory_server(event) as server:
        stranger, zoe = server.connect(), server.connect()
        await stranger.send("login zoe token=guess")
        await stranger.find("bye bad-token expected the token of 'zoe'")
        await zoe.login("zoe", "token=sesame")


async def test_another_slot_is_another_connection(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        first, second = server.connect(), server.connect()
        await first.login("zoe", "slot=1")
        await second.login("zoe", "slot=2")


async def test_a_name_is_free_again_when_its_connection_has_ended(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.login("zoe")
        peer.close()
        await trio.sleep(0.001)
        await server.connect().login("zoe")


async def test_another_version_is_refused_for_the_whole_event(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        peer = server.connect()
        await peer.login("zoe", "version=1.0")
        peer.close()
        await trio.sleep(0.001)
        again = server.connect()
        await again.send("login zoe version=1.1")
        await again.find("bye version expected version 1.0 as before in this event, got 1.1")


# How many may wait at the door.


async def crowd(server: MemoryServer, size: int, address: str) -> list[ScriptedPeer]:
    """So many connections from *address* that do not log in."""
    peers = [server.connect(address=address) for _ in range(size)]
    for peer in peers:
        await peer.expect("sternhalma ...")
    return peers


async def test_one_address_may_have_32_connections_without_a_login(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(ALONE) as server:
        await crowd(server, 32, "192.0.2.1")
        one_too_many = server.connect(address="192.0.2.1")
        await one_too_many.expect("bye full too many connections that have not logged in, ...")
        assert await one_too_many.end() == []
        await server.connect(address="192.0.2.2").login("zoe")


async def test_the_servers_own_machine_may_have_more(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        await crowd(server, 300, "127.0.0.1")
        await server.connect().login("zoe")


async def test_all_addresses_together_may_have_1024(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        for host in range(1024 // 32):
            await crowd(server, 32, f"192.0.2.{host}")
        await server.connect(address="198.51.100.1").expect("bye full ...")


@pytest.mark.parametrize("way", ["login", "leave", "wait"])
async def test_who_logs_in_or_goes_makes_room_at_the_door(
    autojump_clock: MockClock, way: str
) -> None:
    async with memory_server(ALONE) as server:
        peers = await crowd(server, 32, "192.0.2.1")
        if way == "login":
            await peers[0].send("login zoe")
            await peers[0].find("welcome ...")
        elif way == "leave":
            peers[0].close()
        else:
            await trio.sleep(10)
        await trio.sleep(0.001)
        await crowd(server, 1, "192.0.2.1")


# Waiting.


async def waiting(server_peer: ScriptedPeer) -> ScriptedPeer:
    await server_peer.login("zoe")
    return server_peer


async def test_a_ping_in_the_lobby_is_answered(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        await peer.send("ping a", "ping b")
        await peer.expect("pong a")
        await peer.expect("pong b")


async def test_why_says_who_is_missing(autojump_clock: MockClock) -> None:
    async with memory_server(ALONE) as server:
        peer = await waiting(server.connect())
        await peer.send("why")
        await peer.expect("why zoe waits for max, who is not connected (game 1)")


async def test_garbage_in_the_lobby_is_told_and_forgiven(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        await peer.send_bytes(b"\xff\xfe\n\x00\nhello\nmove 1 1 a5-e5\n" + b"x" * 3000 + b"\n")
        await peer.expect("error malformed expected UTF-8")
        await peer.expect("error malformed expected a message, ...")
        await peer.expect("error malformed expected a message, ...")
        await peer.expect("note stale ...")
        await peer.expect("error malformed expected a line of at most 1024 bytes, got more")
        await peer.send("ping a")
        await peer.expect("pong a")


async def test_a_second_login_on_a_connection_is_refused_and_the_first_stays(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        await peer.send("login ida", "ping a")
        await peer.expect("error malformed expected no second login")
        await peer.expect("pong a")
        await server.connect().login("ida")


async def test_what_follows_the_login_in_the_same_packet_is_heard(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(EVENT) as server:
        peer = server.connect()
        await peer.send("login zoe", "ping a")
        await peer.find("welcome ...")
        await peer.expect("pong a")


async def test_who_floods_in_the_lobby_is_sent_away(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        await peer.send(*["ping a"] * 100)
        rest = await peer.end()
        assert rest == ["pong a"] * 64 + ["bye flood expected fewer lines that answer nothing"]


async def asks_on(peer: ScriptedPeer) -> None:
    for _ in range(2 * BACKLOG // 70):
        await peer.send("ping " + "x" * 64)
        await trio.sleep(1 / 30)


async def test_who_asks_without_reading_is_dropped(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = server.connect(capacity=100)
        await peer.login("zoe")
        with pytest.raises(BrokenPipeError):
            await asks_on(peer)
        await server.connect().login("zoe")


async def test_bye_in_the_lobby_ends_the_connection(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        await peer.send("bye")
        assert await peer.end() == []
        await trio.sleep(0.001)
        await server.connect().login("zoe")


async def test_who_stops_sending_in_the_lobby_has_left(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.finish()
        assert await peer.end() == []


async def test_a_reset_in_the_lobby_frees_the_name(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        peer = await waiting(server.connect())
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.abort()
        await trio.sleep(1)
        await server.connect().login("zoe")


# From the lobby into a game and back.


async def test_a_ping_before_the_game_and_one_in_it_are_both_answered_once(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(ALONE) as server:
        zoe = await waiting(server.connect())
        await zoe.send("ping a")
        max_ = server.connect()
        await max_.login("max")
        await zoe.send("ping b")
        await zoe.find("turn 1 1 ...")
        await zoe.send("ping c")
        await zoe.expect("pong c")
        pongs = [line for line in zoe.heard if line.startswith("pong")]
        assert pongs == ["pong a", "pong b", "pong c"]


async def test_half_a_line_from_the_lobby_is_completed_in_the_game(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(ALONE) as server:
        zoe = await waiting(server.connect())
        await zoe.send_bytes(b"pi")
        await server.seat("max")
        await zoe.find("turn 1 1 ...")
        await zoe.send_bytes(b"ng a\n")
        await zoe.expect("pong a")


async def test_after_its_game_a_bot_is_in_the_lobby_again(autojump_clock: MockClock) -> None:
    async with memory_server(EVENT) as server:
        zoe, ida = server.connect(), server.connect()
        await zoe.login("zoe")
        await ida.login("ida")
        turn = await zoe.find("turn ...")
        await zoe.send(f"resign {turn.split(' ')[1]}")
        await zoe.find("over ...")
        await zoe.send("ping a", "move 1 3 a5-e5", "why")
        await zoe.expect("pong a")
        await zoe.expect("note stale no game waits for this")
        await zoe.expect("why zoe waits for max, who is not connected (game ...)")


async def test_when_the_event_is_over_everybody_is_told_and_newcomers_too(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(ALONE) as server:
        zoe = server.connect()
        await zoe.login("zoe")
        await server.seat("max")
        await zoe.find("turn ...")
        await zoe.send("resign 1")
        await zoe.find("over ...")
        assert await zoe.end() == ["bye event-over the event has ended, thank you for playing"]
        late = server.connect()
        await late.send("login zoe")
        await late.find("bye event-over ...")
