"""Bots that do wrong, all at one table: each has its own verdict, and the others play on."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.referee import Finished
from sternhalma_server.testing import (
    MemoryServer,
    MemoryTransport,
    ScriptedPeer,
    first_moves,
    memory_server,
    remote_event,
    silent,
)
from sternhalma_server.verdict import Reason


async def each_turn(peer: ScriptedPeer, *lines: str) -> None:
    """Answer every turn with *lines*, in which `GAME` and `PLY` stand for those of the turn."""
    try:
        while True:
            _, game, ply, *_ = (await peer.find("turn ...")).split(" ")
            for line in lines:
                await peer.send(line.replace("GAME", game).replace("PLY", ply))
    except (EOFError, OSError):
        return


async def illegal(peer: ScriptedPeer) -> None:
    await each_turn(peer, "move GAME PLY i9-i9")


async def malformed(peer: ScriptedPeer) -> None:
    await each_turn(peer, "I think d5 to e5")


async def binary(peer: ScriptedPeer) -> None:
    try:
        while True:
            await peer.find("turn ...")
            await peer.send_bytes(b"\x00\xff\xfe\r\r\n\x1b[2J\n")
    except (EOFError, OSError):
        return


async def late(peer: ScriptedPeer) -> None:
    try:
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(2.1)
            await peer.answer(turn)
    except (EOFError, OSError):
        return


async def pinger(peer: ScriptedPeer) -> None:
    await each_turn(peer, *["ping a"] * 100)


async def resigner(peer: ScriptedPeer) -> None:
    await each_turn(peer, "resign GAME")


def verdicts(server: MemoryServer, bot: str) -> set[Reason]:
    """How *bot* went out of its games."""
    return {
        fall.reason
        for game in server.games
        for fall in game.falls
        if game.table.bots[fall.seat] == bot
    }


def won(game: Finished, bot: str) -> bool:
    assert game.result is not None
    return game.result.places[game.table.bots.index(bot)] == 1


async def test_each_bot_that_does_wrong_has_its_own_verdict_and_the_table_is_full(
    autojump_clock: MockClock,
) -> None:
    hostile = {
        "illegal": (illegal, Reason.ILLEGAL),
        "malformed": (malformed, Reason.MALFORMED),
        "binary": (binary, Reason.MALFORMED),
        "late": (late, Reason.TIME),
        "silent": (silent, Reason.TIME),
        "resigner": (resigner, Reason.RESIGN),
    }
    event = remote_event("zoe", "max", *hostile, cycles=2, limit=3, parallel=3)
    async with memory_server(event) as server:
        for name in ("zoe", "max"):
            await server.seat(name)
        for name, (script, _) in hostile.items():
            await server.seat(name, script)
        summary = await server.ended()
    assert summary.games == len(server.games) == 8 * 7
    for name, (_, reason) in hostile.items():
        assert verdicts(server, name) == {reason}
    assert verdicts(server, "zoe") == verdicts(server, "max") == set()
    for game in server.games:
        good = {"zoe", "max"} & set(game.table.bots)
        if len(good) == 1:
            assert won(game, *good)
    assert (("resigner", Reason.RESIGN) in summary.forfeits) is False, "to resign breaks no rule"
    assert summary.voids == 0


async def test_a_bot_that_floods_loses_and_is_sent_away_and_the_others_play_on(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("zoe", "max", "flood", limit=3)) as server:
        for name in ("zoe", "max"):
            await server.seat(name)
        flood = await server.seat("flood", pinger)
        summary = await server.ended()
    assert Reason.FLOOD in verdicts(server, "flood")
    assert flood.heard[-1] == "bye flood expected fewer lines that answer nothing"
    assert summary.games == 3
    assert verdicts(server, "zoe") == verdicts(server, "max") == set()


@pytest.mark.parametrize("way", ["close", "abort", "bye"])
async def test_a_bot_that_leaves_in_its_turn_loses_and_the_others_play_on(
    autojump_clock: MockClock, way: str
) -> None:
    async def leaver(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        assert isinstance(peer.transport, MemoryTransport)
        if way == "bye":
            await peer.send("bye")
        elif way == "close":
            peer.transport.close()
        else:
            peer.transport.abort()

    async with memory_server(remote_event("zoe", "max", "gone", limit=3)) as server:
        for name in ("zoe", "max"):
            await server.seat(name)
        await server.seat("gone", leaver)
        summary = await server.ended()
    assert verdicts(server, "gone") == {Reason.DISCONNECT, Reason.NO_START}
    assert summary.games == 3
    assert all(
        won(game, *({"zoe", "max"} & set(game.table.bots)))
        for game in server.games
        if "gone" in game.table.bots
    )


async def test_a_bot_that_leaves_and_comes_back_plays_its_next_game(
    autojump_clock: MockClock,
) -> None:
    async def leaver(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send("bye")

    async with memory_server(remote_event("zoe", "max", cycles=2, limit=3)) as server:
        await server.seat("zoe")
        await server.seat("max", leaver)
        while not server.games:
            await trio.sleep(1)
        await server.seat("max")
        await server.ended()
    assert [game.reason for game in server.games] == [Reason.DISCONNECT, Reason.SHARE]


async def test_a_name_like_a_message_does_no_harm(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("turn", "over", limit=2)) as server:
        await server.seat("turn")
        await server.seat("over")
        assert (await server.ended()).clean


async def test_a_mob_of_strangers_at_the_door_holds_up_no_game(autojump_clock: MockClock) -> None:
    async with memory_server(remote_event("zoe", "max", limit=3)) as server:
        strangers = [server.connect() for _ in range(200)]
        for number, peer in enumerate(strangers):
            if number % 4 == 1:
                await peer.send_bytes(b"login")
            elif number % 4 == 2:
                await peer.send_bytes(b"x" * 5000)
            elif number % 4 == 3:
                peer.close()
        await server.seat("zoe", first_moves)
        await server.seat("max", first_moves)
        assert (await server.ended()).clean
    assert trio.current_time() < 1
