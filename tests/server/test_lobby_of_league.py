"""The lobby of a league, in which bots may change versions and be taken out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from sternhalma_server.admission import Known, token_digest
from sternhalma_server.audience import Audience
from sternhalma_server.seats import Doors, Holder, Lobby
from sternhalma_server.testing import LONG, ScriptedPeer, memory_pair


class Hall:
    """A lobby in which zoe may change versions."""

    def __init__(self, nursery: trio.Nursery) -> None:
        bots = [Known("zoe", token_digest("secret"))]
        self.lobby = Lobby(nursery, bots, lambda _: "nothing", Doors(), Audience(), None)
        self._nursery = nursery

    async def join(self, version: str) -> ScriptedPeer:
        """A new connection that has sent zoe's login."""
        here, there = memory_pair("127.0.0.1:1")
        self._nursery.start_soon(self.lobby.serve, there)
        peer = ScriptedPeer(here, LONG)
        await peer.expect("sternhalma ...")
        await peer.send(f"login zoe token=secret version={version}")
        return peer

    async def play(self, game: str) -> Holder:
        """Zoe in a game, as the server sees her."""
        holder = self.lobby.get("zoe", 1)
        assert holder is not None
        await self.lobby.claim(holder, game)
        return holder


@asynccontextmanager
async def hall() -> AsyncGenerator[Hall]:
    async with trio.open_nursery() as nursery:
        yield Hall(nursery)
        nursery.cancel_scope.cancel()


async def test_between_games_another_version_takes_the_place_over(
    autojump_clock: MockClock,
) -> None:
    async with hall() as there:
        old = await there.join("1")
        await old.expect("welcome zoe slot=1")
        new = await there.join("2")
        await new.expect("welcome zoe slot=1")
        await old.expect("bye taken-over ...")
        holder = there.lobby.get("zoe", 1)
        assert holder is not None
        assert holder.login.version == "2"


async def test_in_the_middle_of_a_game_only_the_version_that_plays_it_comes_back(
    autojump_clock: MockClock,
) -> None:
    async with hall() as there:
        old = await there.join("1")
        await old.expect("welcome zoe slot=1")
        holder = await there.play("cup/1")
        other = await there.join("2")
        await other.expect("bye version expected version 1 until its game ends, got 2")
        assert holder.login.version == "1"
        same = await there.join("1")
        await same.expect("welcome zoe slot=1")
        await old.expect("bye taken-over ...")
        there.lobby.release(holder)
        new = await there.join("2")
        await new.expect("welcome zoe slot=1")


async def test_who_is_taken_out_plays_its_game_to_the_end(autojump_clock: MockClock) -> None:
    async with hall() as there:
        peer = await there.join("1")
        await peer.expect("welcome zoe slot=1")
        holder = await there.play("cup/1")
        there.lobby.expel("zoe", "unregistered", "gone")
        assert holder.connection.ended is None
        holder.connection.send("turn ...\n")
        await peer.expect("turn ...")
        there.lobby.release(holder)
        await peer.expect("bye unregistered gone")
        assert await peer.end() == []


async def test_who_is_taken_out_between_games_goes_at_once(autojump_clock: MockClock) -> None:
    async with hall() as there:
        peer = await there.join("1")
        await peer.expect("welcome zoe slot=1")
        there.lobby.expel("zoe", "unregistered", "gone")
        assert await peer.end() == ["bye unregistered gone"]
        again = await there.join("1")
        await again.expect("bye unknown-name ...")
