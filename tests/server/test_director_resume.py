"""An event that is stopped and goes on: nothing is lost, nothing is played twice."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.happening import Ply
from sternhalma_server.referee import Finished
from sternhalma_server.testing import MemoryServer, ScriptedPeer, memory_server, remote_event
from sternhalma_server.verdict import Reason

EVENT = remote_event("a", "b", "c", cycles=2, limit=6, opening=2, parallel=2, clock="30s+0.5s")
RESTART = 120  # the event file's default for bots to come back after a restart


async def one_second(peer: ScriptedPeer) -> None:
    """Think a second at every move."""
    try:
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(1)
            await peer.answer(turn)
    except (EOFError, OSError):
        return


def moves(game: Finished) -> list[tuple[str, int, int | None]]:
    """The moves of a game, what they were charged, and what was left."""
    return [(p.path, p.charged, p.left) for p in game.happened if isinstance(p, Ply)]


async def played(server: MemoryServer) -> None:
    for name in "abc":
        await server.seat(name, one_second, "moves=yes version=1")


@pytest.mark.parametrize("seconds", [0.5, 3.5, 7.5, 30.5, 50.5])
async def test_an_event_that_is_stopped_at_any_time_goes_on_to_the_same_games(
    autojump_clock: MockClock, seconds: float
) -> None:
    async with memory_server(EVENT) as server:
        await played(server)
        await server.ended()
        whole = {game.table.game: game for game in server.games}
    async with memory_server(EVENT) as server:
        await played(server)
        await trio.sleep(seconds)
    assert server.keeper.journal, "it was stopped in the middle of a game"
    async with memory_server(EVENT, after=server) as again:
        await played(again)
        summary = await again.ended()
    assert summary.complete
    both = [*server.games, *again.games]
    assert sorted(int(game.table.game) for game in both) == [1, 2, 3, 4, 5, 6]
    for game in both:
        same = whole[game.table.game]
        assert [m[0] for m in moves(game)] == [m[0] for m in moves(same)]
        assert [m[1:] for m in moves(game)] == [m[1:] for m in moves(same)], "and clocks"
        assert game.table.versions == ("1", "1")


async def test_a_running_game_is_restated_and_goes_on_at_its_ply(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", limit=6)
    async with memory_server(event) as server:
        for name in "ab":
            await server.seat(name, one_second)
        await trio.sleep(4.5)
    async with memory_server(event, after=server) as again:
        for name in "ab":
            peer = await again.seat(name, one_second)
        await again.ended()
    assert peer.heard[2].startswith("game 1 duel D ")
    assert peer.heard[3].startswith("moved 1 5 A ")
    assert peer.heard[4].startswith("turn 1 6 2000 ")


async def test_the_think_that_was_interrupted_is_not_charged(autojump_clock: MockClock) -> None:
    event = remote_event("a", "b", limit=6, clock="30s+0s")

    async def slow(peer: ScriptedPeer) -> None:
        turn = await peer.find("turn ...")
        await trio.sleep(20)
        await peer.answer(turn)
        await one_second(peer)

    async with memory_server(event) as server:
        await server.seat("a", slow)
        await server.seat("b", one_second)
        await trio.sleep(19)
    async with memory_server(event, after=server) as again:
        await again.seat("a", slow)
        await again.seat("b", one_second)
        await again.ended()
    (game,) = again.games
    assert game.reason is Reason.SHARE
    assert moves(game)[0][1] == pytest.approx(20e9, abs=1000)


async def test_who_does_not_come_back_after_a_restart_has_disconnected_after_its_budget(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", limit=6)
    async with memory_server(event) as server:
        for name in "ab":
            await server.seat(name, one_second)
        await trio.sleep(4.5)
    start = trio.current_time()
    async with memory_server(event, after=server) as again:
        await again.seat("a", one_second)
        await trio.sleep(RESTART - 1)
        assert not again.games
        await again.ended()
        assert RESTART <= trio.current_time() - start <= RESTART + 1
    (game,) = again.games
    assert game.reason is Reason.DISCONNECT
    assert len(moves(game)) == 4


async def test_a_server_that_is_asked_to_stop_begins_no_more_games_and_finishes_those_that_run(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(EVENT) as server:
        await played(server)
        await trio.sleep(3.5)
        server.director.drain()
        summary = await server.ended()
    assert not summary.complete
    assert server.keeper.journal == {}
    assert 1 <= len(server.games) < 6
    async with memory_server(EVENT, after=server) as again:
        await played(again)
        assert (await again.ended()).complete
    assert len(server.games) + len(again.games) == 6


async def test_games_that_were_running_go_on_before_others_begin(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(EVENT) as server:
        await played(server)
        await trio.sleep(3.5)
    begun = set(server.keeper.journal)
    async with memory_server(EVENT, after=server) as again:
        await played(again)
        await again.ended()
    assert {int(table.game) for table in again.tables[: len(begun)]} == begun


async def test_an_event_may_be_stopped_again_and_again(autojump_clock: MockClock) -> None:
    games: list[Finished] = []
    server = None
    while len(games) < 6:
        async with memory_server(EVENT, after=server) as server:
            await played(server)
            await trio.sleep(3.5)
        games += server.games
    assert sorted(int(game.table.game) for game in games) == [1, 2, 3, 4, 5, 6]
    assert {game.reason for game in games} == {Reason.SHARE}
    assert all(len(moves(game)) == 12 for game in games)
