"""The bad bots of the house: each is met with its own verdict, in memory and as a program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.happening import Fall, Ply
from sternhalma_server.listener import Listener
from sternhalma_server.testing import (
    MemoryServer,
    ScriptedPeer,
    dial,
    first_moves,
    memory_server,
    remote_event,
)
from sternhalma_server.testing.house_bots import (
    HOUSE_BOTS,
    Diary,
    memory_door,
    misbehave,
    read_diary,
)
from sternhalma_server.testing.house_bots.acts import GARBAGE
from sternhalma_server.verdict import Reason

WAITS = {"login": "3s", "start": "5s", "ready": "7s", "reconnect": "4s"}


def falls(server: MemoryServer, bot: str) -> list[Fall]:
    """How *bot* went out of its games."""
    return [
        fall for game in server.games for fall in game.falls if game.table.bots[fall.seat] == bot
    ]


async def met(kind: str, event: str) -> MemoryServer:
    """The server of *event* when it is over, where bots called `house` did what *kind* does."""
    async with memory_server(event) as server, trio.open_nursery() as nursery:
        await server.seat("zoe")
        nursery.start_soon(misbehave, kind, memory_door(server, "house"))
        await server.ended()
        nursery.cancel_scope.cancel()
    return server


@pytest.mark.parametrize("kind", HOUSE_BOTS)
@pytest.mark.parametrize("tries", [0, 2])
async def test_a_house_bot_is_met_with_its_own_verdict_and_its_opponent_suffers_nothing(
    autojump_clock: MockClock, kind: str, tries: int
) -> None:
    event = remote_event("zoe", "house", limit=40, tries=tries, budgets=WAITS)
    server = await met(kind, event)
    reasons = {fall.reason for fall in falls(server, "house")}
    verdicts = HOUSE_BOTS[kind].verdicts
    assert bool(reasons) == bool(verdicts)
    assert reasons <= verdicts
    assert falls(server, "zoe") == []
    (game,) = server.games
    assert game.result is not None


@pytest.mark.parametrize(("kind", "seconds"), [("silent", 2), ("deaf", 2), ("late", 2.1)])
async def test_a_bot_without_an_answer_holds_up_its_game_as_long_as_its_clock(
    autojump_clock: MockClock, kind: str, seconds: float
) -> None:
    server = await met(kind, remote_event("zoe", "house", clock="2s"))
    (fall,) = falls(server, "house")
    assert fall.reason is Reason.TIME
    assert trio.current_time() == pytest.approx(seconds, abs=0.3)


async def test_a_late_answer_is_later_than_the_credit_for_the_network_too(
    autojump_clock: MockClock,
) -> None:
    event = remote_event("zoe", "house", lag={"per_move": "100ms", "cap": "900ms"})
    async with memory_server(event) as server, trio.open_nursery() as nursery:
        await server.seat("zoe")
        door = memory_door(server, "house", address="192.0.2.1")
        nursery.start_soon(misbehave, "late", door)
        await server.ended()
        nursery.cancel_scope.cancel()
    (fall,) = falls(server, "house")
    assert fall.reason is Reason.TIME
    assert fall.waited == pytest.approx(3_000_000_000, abs=50_000_000)
    assert fall.line is not None, "the answer came, and is kept with the verdict"


async def test_a_drip_is_sent_away_at_the_end_of_the_login_budget(
    autojump_clock: MockClock,
) -> None:
    said: list[str] = []
    async with memory_server(remote_event("zoe", "house", budgets=WAITS)) as server:
        door = memory_door(server, "house")
        door.note = said.append
        await misbehave("drip", door)
        assert trio.current_time() == pytest.approx(3, abs=0.1)
    assert said[0] == "connected"
    assert said[1].startswith("heard bye login-time ")


@pytest.mark.parametrize("kind", ["dropper", "half-closer"])
async def test_who_goes_away_and_lives_is_waited_for_as_long_as_the_budget_says(
    autojump_clock: MockClock, kind: str
) -> None:
    server = await met(kind, remote_event("zoe", "house", clock="1m", budgets=WAITS))
    assert [fall.reason for fall in falls(server, "house")] == [Reason.DISCONNECT]
    assert trio.current_time() == pytest.approx(4, abs=0.3)


async def test_the_reconnecter_comes_back_in_every_way_and_none_of_its_plies_is_lost_or_doubled(
    autojump_clock: MockClock,
) -> None:
    entered: list[str] = []
    async with memory_server(remote_event("zoe", "house", limit=60)) as server:
        await server.seat("zoe")
        door = memory_door(server, "house")
        door.note = entered.append
        async with trio.open_nursery() as nursery:
            nursery.start_soon(misbehave, "reconnecter", door)
            assert (await server.ended()).clean
            nursery.cancel_scope.cancel()
    assert entered.count("logged in") == 31
    (game,) = server.games
    plies = [ply.number for ply in game.happened if isinstance(ply, Ply)]
    assert plies == list(range(1, 121))


async def test_the_babbler_has_other_garbage_for_other_games(autojump_clock: MockClock) -> None:
    event = remote_event("zoe", "house", cycles=20, limit=2)
    server = await met("babbler", event)
    lines = {fall.line for fall in falls(server, "house")}
    assert len(lines) == len(GARBAGE)


async def test_a_flooder_is_sent_away_and_finds_no_way_back_into_its_game(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("zoe", "house", limit=40)) as server:
        await server.seat("zoe")
        door = memory_door(server, "house")
        await misbehave("flooder", door)
        await server.ended()
    assert [fall.reason for fall in falls(server, "house")] == [Reason.FLOOD]


async def test_an_unknown_kind_is_refused() -> None:
    async with memory_server(remote_event("zoe", "max")) as server:
        with pytest.raises(KeyError, match="angel"):
            await misbehave("angel", memory_door(server, "zoe"))


def test_a_diary_is_read_back_with_its_moments() -> None:
    text: list[str] = []
    diary = Diary(text.append)
    diary.note("connected")
    diary.note("heard bye login-time expected a whole login line")
    (_, first), (_, second) = found = read_diary("".join(text))
    assert (first, second) == ("connected", "heard bye login-time expected a whole login line")
    assert found == sorted(found)


async def zoe(port: int) -> None:
    """An honest bot over TCP."""
    with closing(ScriptedPeer(await dial("127.0.0.1", port))) as peer:
        await peer.login("zoe")
        await first_moves(peer)


class Program:
    """A house bot in a process of its own."""

    def __init__(self, kind: str, port: int, *options: str) -> None:
        told = {"STERNHALMA_PORT": str(port), "STERNHALMA_NAME": "house"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sternhalma_server.testing.house_bots", kind, *options],
            env={**os.environ, **told},
        )

    async def ended(self) -> int:
        return await trio.to_thread.run_sync(self.process.wait)


@asynccontextmanager
async def listening(event: str) -> AsyncGenerator[tuple[MemoryServer, int]]:
    """The server of *event*, and a port of this machine on which it listens; at most 20 s."""
    listener = Listener("127.0.0.1", 0)
    try:
        with trio.fail_after(20):
            async with memory_server(event) as server, trio.open_nursery() as nursery:
                nursery.start_soon(listener.serve, server.lobby.serve)
                try:
                    yield server, listener.port
                finally:
                    nursery.cancel_scope.cancel()
    finally:
        server.lobby.abandon()
        listener.close()


@pytest.mark.parametrize(
    ("kind", "reason", "status"),
    [
        ("crasher", Reason.DISCONNECT, 1),
        ("half-closer", Reason.DISCONNECT, 0),
        ("babbler", Reason.MALFORMED, 0),
    ],
)
async def test_a_house_bot_is_a_program_too_and_keeps_a_diary(
    kind: str, reason: Reason, status: int, tmp_path: Path
) -> None:
    async with (
        listening(remote_event("zoe", "house", budgets=WAITS)) as (server, port),
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(zoe, port)
        program = Program(kind, port, "--diary", str(tmp_path / "diary"))
        try:
            await server.ended()
            assert await program.ended() == status
        finally:
            program.process.kill()
            program.process.wait()
    assert [fall.reason for fall in falls(server, "house")] == [reason]
    sentences = [sentence for _, sentence in read_diary((tmp_path / "diary").read_text())]
    assert sentences[:2] == ["connected", "logged in"]


def test_a_program_of_no_known_kind_says_which_there_are() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sternhalma_server.testing.house_bots", "angel"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    for kind in HOUSE_BOTS:
        assert kind in done.stderr


@pytest.mark.parametrize("way", ["finish", "abort"])
async def test_an_end_over_tcp_is_ended_as_one_in_memory_is(way: str) -> None:
    async with listening(remote_event("zoe", "max")) as (_, port):
        end = await dial("127.0.0.1", port)
        await end.wait_readable()
        assert end.receive()[0].startswith(b"sternhalma 1 ")
        getattr(end, way)()
        if way == "finish":
            await end.wait_readable()
            assert end.receive()[0] == b"", "the server has noticed, and ended its side"
            end.close()


async def test_a_server_that_is_not_there_cannot_be_dialled() -> None:
    listener = Listener("127.0.0.1", 0)
    listener.close()
    with pytest.raises(OSError, match=r"cannot connect to 127\.0\.0\.1 port \d+"):
        await dial("127.0.0.1", listener.port)
