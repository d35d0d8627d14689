"""The bad network: it may do to bytes what TCP may, and bots that come back lose nothing by it."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from sternhalma_server.admission import token_digest
from sternhalma_server.happening import Ply
from sternhalma_server.listener import Listener
from sternhalma_server.testing import (
    MemoryServer,
    MemoryTransport,
    ScriptedPeer,
    dial,
    memory_pair,
    memory_server,
    remote_event,
    silent,
)
from sternhalma_server.testing.house_bots import Door, Visit, honest, visit_over
from sternhalma_server.testing.proxy import FaultProxy, Faults, disturb

LAW = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
CHANCES = st.sampled_from([0.0, 0.2, 1.0])
HARMLESS = st.builds(
    Faults,
    delay=st.sampled_from([0.0, 50.0]),
    split=CHANCES,
    join=CHANCES,
    stall=CHANCES,
)
ENDING = st.builds(
    Faults, delay=st.sampled_from([0.0, 50.0]), split=CHANCES, cut=CHANCES, reset=CHANCES
)
PIECES = st.lists(st.binary(min_size=1, max_size=300), max_size=8)
SEEDS = st.integers(0, 2**32)


@asynccontextmanager
async def network(
    faults: Faults, seed: int = 0
) -> AsyncGenerator[tuple[MemoryTransport, MemoryTransport]]:
    """The two outer ends of a connection over a bad network in memory."""
    bot, here = memory_pair()
    there, server = memory_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(disturb, here, there, faults, random.Random(seed))
        yield bot, server
        nursery.cancel_scope.cancel()


async def rest(end: MemoryTransport) -> list[bytes]:
    """The pieces that come until the end; a reset is the end too."""
    pieces: list[bytes] = []
    while True:
        await end.wait_readable()
        try:
            piece, _ = end.receive()
        except ConnectionResetError:
            return pieces
        if not piece:
            return pieces
        pieces.append(piece)


async def carried(faults: Faults, pieces: Sequence[bytes], seed: int) -> list[bytes]:
    """What becomes of *pieces*, which are sent 10 ms apart, and of the end behind them."""
    async with network(faults, seed) as (bot, server), trio.open_nursery() as nursery:
        got: list[bytes] = []

        async def listen() -> None:
            got.extend(await rest(server))

        nursery.start_soon(listen)
        for piece in pieces:
            try:
                bot.send(piece)
            except OSError:
                break
            await trio.sleep(0.01)
        bot.finish()
    return got


def run_carried(faults: Faults, pieces: Sequence[bytes], seed: int) -> list[bytes]:
    return trio.run(carried, faults, pieces, seed, clock=MockClock(autojump_threshold=0))


@LAW
@given(HARMLESS, PIECES, SEEDS)
def test_delays_splits_joins_and_stalls_change_no_byte(
    faults: Faults, pieces: list[bytes], seed: int
) -> None:
    assert b"".join(run_carried(faults, pieces, seed)) == b"".join(pieces)


@LAW
@given(ENDING, PIECES, SEEDS)
def test_what_comes_before_the_connection_is_cut_is_what_was_sent(
    faults: Faults, pieces: list[bytes], seed: int
) -> None:
    assert b"".join(pieces).startswith(b"".join(run_carried(faults, pieces, seed)))


@LAW
@given(ENDING, PIECES, SEEDS)
def test_the_same_seed_is_the_same_network(faults: Faults, pieces: list[bytes], seed: int) -> None:
    assert run_carried(faults, pieces, seed) == run_carried(faults, pieces, seed)


async def test_what_is_split_comes_in_pieces(autojump_clock: MockClock) -> None:
    pieces = await carried(Faults(split=1), [b"move 1 1 d5-e5\n" * 10], 1)
    assert len(pieces) > 2


async def test_what_is_joined_comes_at_once(autojump_clock: MockClock) -> None:
    assert await carried(Faults(join=1, delay=100), [b"move 1 1 ", b"d5-e5\n"], 1) == [
        b"move 1 1 d5-e5\n"
    ]


async def test_a_stall_holds_up_what_comes_behind_it(autojump_clock: MockClock) -> None:
    async with network(Faults(stall=1, stall_for=5000)) as (bot, server):
        bot.send(b"ping a\n")
        await server.wait_readable()
        assert trio.current_time() == pytest.approx(5, abs=0.1)


async def test_one_direction_may_end_and_the_other_goes_on(autojump_clock: MockClock) -> None:
    async with network(Faults()) as (bot, server):
        bot.finish()
        assert await rest(server) == []
        server.send(b"bye\n")
        await bot.wait_readable()
        assert bot.receive()[0] == b"bye\n"


async def test_a_reset_is_a_reset_at_the_other_end_too(autojump_clock: MockClock) -> None:
    async with network(Faults()) as (bot, server):
        bot.abort()
        await server.wait_readable()
        with pytest.raises(ConnectionResetError):
            server.receive()


@pytest.mark.parametrize(("name", "value"), [("split", 1.5), ("cut", -0.1), ("delay", -1)])
def test_faults_that_cannot_be_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"for {name}, got {value}"):
        Faults(**{name: value})


def with_tokens(event: str) -> str:
    """The event with a token for each bot, which is the bot's name."""
    return re.sub(
        r'name = "(\w+)"\nremote = true',
        lambda found: f'{found[0]}\ntoken = "sha256:{token_digest(found[1])}"',
        event,
    )


def bad_door(
    server: MemoryServer, nursery: trio.Nursery, name: str, seed: int, token: str | None
) -> Door:
    """The way in for *name* over a very bad network."""
    faults = Faults(delay=20, split=0.2, join=0.1, stall=0.02, stall_for=300, cut=0.04, reset=0.03)
    chance = random.Random(f"{seed}/{name}")

    async def connect() -> Visit:
        end, here = memory_pair()
        there = server.connect().transport
        assert isinstance(there, MemoryTransport)
        nursery.start_soon(disturb, here, there, faults, chance)
        return visit_over(end)

    return Door(connect, name, token=token)


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(SEEDS)
def test_bots_that_come_back_lose_nothing_by_a_bad_network(seed: int) -> None:
    async def main() -> None:
        event = remote_event("zoe", "max", "ida", limit=15, clock="60s", parallel=2)
        async with memory_server(with_tokens(event)) as server, trio.open_nursery() as nursery:
            for name in ("zoe", "max", "ida"):
                nursery.start_soon(honest, bad_door(server, nursery, name, seed, name))
            with trio.fail_after(3600):
                summary = await server.ended()
            nursery.cancel_scope.cancel()
        assert summary.clean
        for game in server.games:
            plies = [ply.number for ply in game.happened if isinstance(ply, Ply)]
            assert plies == list(range(1, 31))

    trio.run(main, clock=MockClock(autojump_threshold=0))


async def test_a_bot_whose_welcome_was_lost_comes_back_with_the_key_it_has(
    autojump_clock: MockClock,
) -> None:
    async with memory_server(remote_event("zoe", "max")) as server:
        await server.seat("max", silent)
        zoe = server.connect()
        await zoe.send("login zoe")
        key = (await zoe.find("welcome zoe ...")).partition(" key=")[2]
        await zoe.find("turn ...")
        lost = server.connect()
        await lost.send(f"login zoe key={key}")
        await trio.testing.wait_all_tasks_blocked()
        lost.close()
        again = server.connect()
        await again.send(f"login zoe key={key}")
        await again.find("turn ...")


async def test_an_event_is_played_through_the_proxy_over_tcp() -> None:
    listener = Listener("127.0.0.1", 0)
    event = remote_event("zoe", "max", limit=20, clock="20s")
    faults = Faults(delay=2, split=0.2, cut=0.05, reset=0.05)
    proxy = FaultProxy("127.0.0.1", listener.port, faults, seed=3)

    async def connect() -> Visit:
        return visit_over(await dial("127.0.0.1", proxy.port))

    try:
        with trio.fail_after(30):
            async with (
                memory_server(with_tokens(event)) as server,
                trio.open_nursery() as nursery,
            ):
                nursery.start_soon(listener.serve, server.lobby.serve)
                nursery.start_soon(proxy.serve)
                for name in ("zoe", "max"):
                    nursery.start_soon(honest, Door(connect, name, token=name))
                assert (await server.ended()).clean
                nursery.cancel_scope.cancel()
    finally:
        server.lobby.abandon()
        listener.close()
        proxy.close()
    assert proxy.connections > 3, "some were cut"


async def test_the_proxy_of_a_server_that_is_not_there_resets_who_comes() -> None:
    listener = Listener("127.0.0.1", 0)
    listener.close()
    proxy = FaultProxy("127.0.0.1", listener.port, Faults())
    try:
        with trio.fail_after(5):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(proxy.serve)
                peer = ScriptedPeer(await dial("127.0.0.1", proxy.port))
                assert await peer.end() == []
                peer.close()
                nursery.cancel_scope.cancel()
    finally:
        proxy.close()


def test_the_proxy_is_a_program_that_says_where_it_listens() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sternhalma_server.testing.proxy", "127.0.0.1:9", "--cut", "0.1"],
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("listening on 127.0.0.1 port ")
        program.terminate()


@pytest.mark.parametrize("words", [["7121"], ["127.0.0.1:9", "--cut", "2"]])
def test_the_program_refuses_what_it_cannot_use(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sternhalma_server.testing.proxy", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "expected" in done.stderr
