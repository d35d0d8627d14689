"""Watchers of a whole event: what they are told is enough to see every game as it is played."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock

from sternhalma import Game, format_position
from sternhalma_server.audience import EVERY
from sternhalma_server.testing import (
    MemoryServer,
    ScriptedPeer,
    first_moves,
    memory_server,
    remote_event,
)

LIMIT = 10  # turns of each player


async def thoughtful(peer: ScriptedPeer) -> None:
    """A script: the first move, after a while."""
    try:
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(0.03)
            await peer.answer(turn)
    except (EOFError, OSError):
        return


@asynccontextmanager
async def watching(server: MemoryServer, what: str, after: float = 0) -> AsyncGenerator[list[str]]:
    """Everything that a watcher is told in time, who comes *after* so many seconds."""
    told: list[str] = []

    async def watch() -> None:
        await trio.sleep(after)
        peer = server.connect()
        await peer.expect("sternhalma ...")
        await peer.send(f"watch {what}")
        await peer.expect("welcome watcher")
        while not (line := await peer.receive()).startswith("bye "):
            told.append(line)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        await trio.sleep(EVERY)
        yield told
        await trio.sleep(2 * EVERY)
        nursery.cancel_scope.cancel()


def seen(lines: list[str]) -> dict[str, Game]:
    """Every game that *lines* tell of, as it was at the last of them."""
    games: dict[str, Game] = {}
    for line in lines:
        word, game, *more = line.split(" ")
        match word:
            case "position":
                games[game] = Game.load(" ".join(more[1:]), limit=LIMIT)
                assert games[game].ply == int(more[0])
            case "moved" if int(more[0]) >= games[game].ply:
                assert int(more[0]) == games[game].ply
                games[game] = games[game].play(more[2])
            case _:
                continue
    return games


@pytest.mark.parametrize("after", [0, 0.4, 1.01])
async def test_a_watcher_sees_every_position_from_wherever_it_came_in(
    autojump_clock: MockClock, after: float
) -> None:
    event = remote_event("zoe", "max", "ann", "bob", limit=LIMIT, parallel=2, opening=3)
    async with memory_server(event) as server:
        async with watching(server, "all", after) as told:
            for name in ("zoe", "max", "ann"):
                await server.seat(name, thoughtful)
            await server.seat("bob", first_moves)
            await server.ended()
        games = seen(told)
        assert games
        if not after:
            assert {*games} == {game.table.game for game in server.games}
        for finished in server.games:
            if finished.table.game in games:
                last = games[finished.table.game]
                assert format_position(last.position) == format_position(finished.last.position)
        over = [line.split(" ")[1] for line in told if line.startswith("over")]
        assert sorted(over) == sorted(games)


async def test_a_watcher_of_one_game_hears_the_whole_of_it_and_nothing_else(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("zoe", "max", "ann", limit=LIMIT)) as server:
        async with watching(server, "game=2") as told:
            for name in ("zoe", "max", "ann"):
                await server.seat(name, thoughtful)
            await server.ended()
        assert told.pop(0) == "note no-game game 2 is not being played now"
        assert {line.split(" ")[1] for line in told} == {"2"}
        assert told[0].startswith("game 2 duel - seats=")
        assert sum(line.startswith("moved") for line in told) == 2 * LIMIT
        assert told[-1].startswith("over 2 ")
