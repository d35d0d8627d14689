"""A bot that comes back on another connection: in the lobby, in its turn, in the other's."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.admission import token_digest
from sternhalma_server.referee import Finished
from sternhalma_server.testing import (
    MemoryServer,
    MemoryTransport,
    ScriptedPeer,
    memory_server,
    remote_event,
)
from sternhalma_server.verdict import Reason

LOBBY = remote_event("zoe", "max")
SLOW = remote_event("zoe", "max", clock="60s", limit=2)
TAKEN = "bye taken-over another connection has logged in in your place"


async def joined(
    server: MemoryServer, name: str = "zoe", keys: str = ""
) -> tuple[ScriptedPeer, str]:
    """A new connection logged in as *name*, and the key it was given."""
    peer = server.connect()
    await peer.send(f"login {name} moves=yes {keys}".rstrip())
    welcome = await peer.find("welcome ...")
    return peer, welcome.partition(" key=")[2]


async def at_the_board(server: MemoryServer) -> tuple[ScriptedPeer, str]:
    """Zoe, who has been asked for the first move, and her key; max plays first moves."""
    zoe, key = await joined(server)
    await server.seat("max")
    await zoe.find("turn 1 1 ...")
    return zoe, key


def result(server: MemoryServer) -> Finished:
    (game,) = server.games
    return game


async def test_with_the_key_of_its_welcome_a_bot_takes_its_place_over(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(LOBBY) as server:
        old, key = await joined(server)
        new, same_key = await joined(server, keys=f"key={key}")
        assert await old.end() == [TAKEN]
        await new.send("ping a")
        await new.expect("pong a")
        assert same_key == key != ""


@pytest.mark.parametrize("keys", ["", "key=guess", "key="])
async def test_without_the_key_the_place_stays_whose_it_was(
    autojump_clock: MockClock, keys: str
) -> None:
    async with memory_server(LOBBY) as server:
        old, _ = await joined(server)
        stranger = server.connect()
        await stranger.send(f"login zoe {keys}".rstrip())
        await stranger.find("bye in-use 'zoe' slot 1 is connected already...")
        await old.send("ping a")
        await old.expect("pong a")


async def test_a_key_is_good_for_every_return_since_a_welcome_may_get_lost(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(LOBBY) as server:
        _, key = await joined(server)
        lost, _ = await joined(server, keys=f"key={key}")
        await joined(server, keys=f"key={key}")
        assert await lost.end() == [TAKEN]


async def test_a_key_is_good_for_its_own_slot_only(autojump_clock: MockClock) -> None:
    async with memory_server(LOBBY) as server:
        _, key = await joined(server)
        await joined(server, keys="slot=2")
        other = server.connect()
        await other.send(f"login zoe slot=2 key={key}")
        await other.find("bye in-use ...")


async def test_with_a_token_no_key_is_given_and_none_is_needed(autojump_clock: MockClock) -> None:
    event = remote_event("max", "zoe") + f'token = "sha256:{token_digest("sesame")}"\n'
    async with memory_server(event) as server:
        old, key = await joined(server, keys="token=sesame")
        assert key == ""
        await joined(server, keys="token=sesame")
        assert await old.end() == [TAKEN]


async def test_another_version_cannot_take_over(autojump_clock: MockClock) -> None:
    async with memory_server(LOBBY) as server:
        old, key = await joined(server, keys="version=1")
        other = server.connect()
        await other.send(f"login zoe version=2 key={key}")
        await other.find("bye version ...")
        await old.send("ping a")
        await old.expect("pong a")


async def test_what_the_old_connection_had_sent_to_the_lobby_is_answered_on_the_new(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(LOBBY) as server:
        old, key = await joined(server)
        new = server.connect()
        await new.expect("sternhalma ...")
        await new.send(f"login zoe key={key}")
        await old.send("ping a")
        answers = [line for line in await old.end() if line != TAKEN]
        await new.send("ping b")
        await new.find("pong b")
        assert [*answers, *new.heard].count("pong a") == 1


# In its own turn.


async def test_in_its_turn_it_is_told_the_game_and_asked_again_and_the_clock_has_run_on(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        old, key = await at_the_board(server)
        await trio.sleep(10)
        new, _ = await joined(server, keys=f"key={key}")
        await new.expect("game 1 duel A ...")
        await new.expect("turn 1 1 50000 duel ...")
        await trio.sleep(5)
        await new.send("move 1 1 d5-e5")
        await new.expect("moved 1 1 A d5-e5 charged=15000.000 left=60000")
        assert (await old.end())[-1] == TAKEN


async def test_a_connection_that_breaks_in_its_turn_may_be_replaced(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        old, key = await at_the_board(server)
        old.close()
        await trio.sleep(29)
        new, _ = await joined(server, keys=f"key={key}")
        await new.answer(await new.find("turn 1 1 31000 ..."))
        await new.answer(await new.find("turn 1 3 60000 ..."))
        await server.ended()
    assert result(server).reason is Reason.SHARE


async def test_who_does_not_come_back_in_his_turn_has_disconnected_after_the_budget(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        old, _ = await at_the_board(server)
        await trio.sleep(1)
        old.close()
        await trio.sleep(29)
        assert not server.games
        await server.ended()
        assert 31 <= trio.current_time() <= 31.1
    assert result(server).reason is Reason.DISCONNECT


async def test_the_budget_for_coming_back_is_the_events_to_say(autojump_clock: MockClock) -> None:
    event = remote_event("zoe", "max", clock="60s", budgets={"reconnect": "5s"})
    async with memory_server(event) as server:
        old, _ = await at_the_board(server)
        old.close()
        await server.ended()
        assert 5 <= trio.current_time() <= 5.1


async def test_the_clock_that_falls_first_ends_the_wait_for_a_return(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("zoe", "max", clock="2s")) as server:
        old, _ = await at_the_board(server)
        old.close()
        await server.ended()
        assert 2 <= trio.current_time() <= 2.5
    assert result(server).reason is Reason.DISCONNECT


async def test_a_whole_answer_that_arrived_on_the_old_connection_counts(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        old, key = await at_the_board(server)
        await trio.sleep(3)
        await old.send("move 1 1 d5-e5")
        old.close()
        new, _ = await joined(server, keys=f"key={key}")
        await new.answer(await new.find("turn 1 3 ..."))
        await server.ended()
    assert any(
        getattr(event, "path", "") == "d5-e5" and getattr(event, "charged", 0) == 3_000_000_000
        for event in result(server).happened
    )


async def test_half_an_answer_on_the_old_connection_is_lost_and_does_no_harm(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        old, key = await at_the_board(server)
        await old.send_bytes(b"move 1 1 a5")
        new, _ = await joined(server, keys=f"key={key}")
        await new.find("turn 1 1 ...")
        await new.send("move 1 1 d5-e5")
        await new.find("moved 1 1 A d5-e5 ...")


async def test_a_move_sent_right_behind_the_login_is_early(autojump_clock: MockClock) -> None:
    async with memory_server(SLOW) as server:
        _, key = await at_the_board(server)
        new = server.connect()
        await new.send(f"login zoe moves=yes key={key}", "move 1 1 d5-e5")
        await new.find("note early ...")
        await new.find("turn 1 1 ...")
        await new.send("move 1 1 d6-e6")
        await new.find("moved 1 1 A d6-e6 ...")


async def test_whether_moves_are_listed_is_as_the_new_login_says(autojump_clock: MockClock) -> None:
    async with memory_server(SLOW) as server:
        _, key = await at_the_board(server)
        new = server.connect()
        await new.send(f"login zoe key={key}")
        assert " moves=" not in await new.find("turn 1 1 ...")


async def test_it_may_come_back_many_times_in_one_turn(autojump_clock: MockClock) -> None:
    async with memory_server(SLOW) as server:
        _, key = await at_the_board(server)
        for _ in range(10):
            await trio.sleep(1)
            peer, key = await joined(server, keys=f"key={key}")
        await peer.find("turn 1 1 50000 ...")
        await peer.send("move 1 1 d5-e5")
        await peer.find("moved 1 1 A d5-e5 charged=10000.000 ...")


async def test_coming_back_does_not_renew_the_allowance_of_lines(autojump_clock: MockClock) -> None:
    async with memory_server(SLOW) as server:
        zoe, key = await at_the_board(server)
        await zoe.send(*["ping a"] * 60)
        new, _ = await joined(server, keys=f"key={key}")
        await new.send(*["ping b"] * 60)
        await server.ended()
    assert result(server).reason is Reason.FLOOD


async def test_who_has_said_bye_in_a_game_cannot_come_back_into_it(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        zoe, _ = await at_the_board(server)
        await zoe.send("bye")
        await server.ended()
        assert trio.current_time() < 1
    assert result(server).reason is Reason.DISCONNECT


# In the other's turn.


async def thinks(peer: ScriptedPeer) -> None:
    """Think ten seconds at every move."""
    try:
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(10)
            await peer.answer(turn)
    except (EOFError, OSError):
        return


@pytest.mark.parametrize("way", ["close", "abort", "stay"])
async def test_while_the_other_thinks_a_return_costs_nothing(
    autojump_clock: MockClock, way: str
) -> None:
    async with memory_server(SLOW) as server:
        zoe, key = await joined(server)
        await server.seat("max", thinks)
        await zoe.answer(await zoe.find("turn 1 1 ..."))
        await zoe.find("moved 1 1 ...")
        assert isinstance(zoe.transport, MemoryTransport)
        if way == "close":
            zoe.transport.close()
        elif way == "abort":
            zoe.transport.abort()
        await trio.sleep(5)
        new, _ = await joined(server, keys=f"key={key}")
        await new.expect("game 1 duel A ...")
        await new.expect("moved 1 2 D ...")
        await new.answer(await new.find("turn 1 3 60000 ..."))
        await server.ended()
    assert result(server).reason is Reason.SHARE


async def test_a_resignation_on_the_old_connection_is_heard_at_the_next_turn(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(SLOW) as server:
        zoe, key = await joined(server)
        await server.seat("max", thinks)
        await zoe.answer(await zoe.find("turn 1 1 ..."))
        await zoe.find("moved 1 1 ...")
        await zoe.send("resign 1")
        await joined(server, keys=f"key={key}")
        await server.ended()
    assert result(server).reason is Reason.RESIGN


async def test_the_opponent_hears_nothing_of_a_return(autojump_clock: MockClock) -> None:
    async with memory_server(SLOW) as server:
        zoe, key = await joined(server)
        max_ = await server.seat("max")
        await zoe.find("turn 1 1 ...")
        zoe.close()
        new, _ = await joined(server, keys=f"key={key}")
        await new.answer(await new.find("turn 1 1 ..."))
        await new.answer(await new.find("turn 1 3 ..."))
        await server.ended()
    words = [line.split(" ")[0] for line in max_.heard[2:]]
    assert words == ["game", "moved", "turn", "moved", "moved", "turn", "moved", "over", "bye"]
