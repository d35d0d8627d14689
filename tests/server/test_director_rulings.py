"""A director that is told rulings in the middle of an event, in memory."""

from __future__ import annotations

from collections import Counter

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.seats import Holder
from sternhalma_server.testing import (
    MemoryServer,
    ScriptedPeer,
    first_moves,
    memory_server,
    remote_event,
)
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Reinstatement,
    Withdrawal,
)
from sternhalma_tournament.scores import GameResult


def rule(server: MemoryServer, *rulings: Amendment) -> None:
    """Let the director heed *rulings*, after all that is stored."""
    history: list[GameResult | Amendment] = [server.stored[game] for game in sorted(server.stored)]
    for ruling in rulings:
        history.append(ruling)
        server.director.heed(ruling, history)


def met(server: MemoryServer) -> Counter[frozenset[str]]:
    return Counter(frozenset(game.table.bots) for game in server.games)


async def slow(peer: ScriptedPeer) -> None:
    """A script that thinks for 20 s."""
    try:
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(20)
            await peer.answer(turn)
    except (EOFError, OSError):
        return


async def test_a_game_that_has_begun_is_played_on_when_its_entry_is_withdrawn(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", "c", cycles=2, limit=3, parallel=1)
    async with memory_server(event) as server:
        for name in "abc":
            await server.seat(name)
        while not server.tables:
            await trio.sleep(0)
        first = server.tables[0].bots
        rule(server, Withdrawal(reason="r", entry=first[0]))
        summary = await server.ended()
    assert server.games[0].table.bots == first
    assert server.games[0].reason is Reason.SHARE
    others = frozenset("abc") - {first[0]}
    assert met(server) == {frozenset(first): 1, others: 2}
    assert summary.clean


async def test_a_game_that_was_put_off_is_left_out_when_its_entry_is_withdrawn(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory_server(remote_event("a", "b", "c", limit=1)) as server:
        peer = await server.seat("a")
        get = server.lobby.get

        def gone(name: str, slot: int) -> Holder | None:
            """In the very moment in which its game has been called."""
            peer.close()
            return None if name == "a" else get(name, slot)

        monkeypatch.setattr(server.lobby, "get", gone)
        await server.seat("b")
        await trio.sleep(1)
        assert not server.games, "its game was called, and put off"
        monkeypatch.undo()
        await server.seat("c")
        await trio.sleep(1)
        assert met(server) == {frozenset("bc"): 1}
        rule(server, Withdrawal(reason="r", entry="a"))
        summary = await server.ended()
        ended = trio.current_time()
    assert summary.complete
    assert met(server) == {frozenset("bc"): 1}
    assert ended < 30, "nobody waited for it"


async def test_with_three_seats_a_knockout_forfeits_the_games_of_who_is_out_without_waiting(
    autojump_clock: MockClock,
) -> None:
    names = [f"n{n}" for n in range(9)]
    event = remote_event(*names, rules="tara", players=3, format="knockout", limit=1, parallel=9)
    async with memory_server(event) as server:
        rule(server, Withdrawal(reason="r", entry="n0"))
        for name in names[1:]:
            await server.seat(name, first_moves)
        summary = await server.ended()
        ended = trio.current_time()
    assert summary.complete
    assert summary.withdrawn == []
    forfeits = [fall for game in server.games for fall in game.falls]
    assert forfeits
    assert all(fall.reason is Reason.NO_START for fall in forfeits)
    assert {bot for bot, _ in summary.forfeits} == {"n0"}
    assert ended < 30


async def test_a_bot_that_was_withdrawn_for_missing_games_may_be_reinstated(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("a", "b", "gone", cycles=12, limit=1, clock="60s")
    async with memory_server(event) as server:
        for name in "ab":
            await server.seat(name, slow)
        while not server.director.has_withdrawn("gone"):
            await trio.sleep(1)
        missed = sum("gone" in game.table.bots for game in server.games)
        rule(server, Reinstatement(reason="it is here now", entry="gone"))
        assert not server.director.has_withdrawn("gone")
        await server.seat("gone")
        summary = await server.ended()
    assert summary.forfeits == {("gone", Reason.NO_START): missed}
    assert 3 <= missed < 24
    assert len(server.games) == 36


async def test_a_ruling_on_a_game_holds_nobody_up(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", "c", cycles=4, limit=1)) as server:
        for name in "abc":
            await server.seat(name)
        while len(server.games) < 2:
            await trio.sleep(0)
        rule(server, Annulment(reason="r", number=1))
        await server.ended()
    assert set(met(server).values()) == {4}


async def test_no_game_begins_while_a_ruling_is_written_down(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("a", "b", "c", cycles=2, limit=1)) as server:
        for name in "abc":
            await server.seat(name)
        while len(server.games) < 2:
            await trio.sleep(0)
        with server.director.held():
            await trio.sleep(5)
            begun = len(server.tables)
            await trio.sleep(5)
            assert len(server.tables) == begun
        await server.ended()
    assert len(server.games) == 6
