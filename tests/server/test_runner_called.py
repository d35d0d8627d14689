"""One game over sockets that a hub watches: the runner is called for what comes."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack

import pytest
import trio

from server.test_referee import table
from server.test_runner import Script, Seat, falls, plies
from server.test_transport import socket_pair
from sternhalma_server.announce import Table
from sternhalma_server.clock import SECOND
from sternhalma_server.connection import Connection, Courier
from sternhalma_server.happening import Happening
from sternhalma_server.hub import Hub, make_hub
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.runner import Runner
from sternhalma_server.testing import (
    Collector,
    MemoryTransport,
    ScriptedPeer,
    first_moves,
    memory_pair,
    silent,
)
from sternhalma_server.testing.collector import CollectedGame
from sternhalma_server.verdict import Reason

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has epoll")


class Hall:
    """Where games are played: sockets that one hub watches."""

    def __init__(self, nursery: trio.Nursery, stack: ExitStack) -> None:
        made = make_hub()
        assert made is not None
        self.hub: Hub = made
        self._stack = stack
        self.nursery = nursery
        self.courier = Courier(nursery)
        nursery.start_soon(made.run)

    def connect(self) -> tuple[ScriptedPeer, Connection]:
        """A bot's end of a new connection, and the server's."""
        here, there, _ = socket_pair(self._stack, self.hub)
        return ScriptedPeer(here), Connection(there, self.courier)

    def seat(self, script: Script) -> Seat:
        """A bot that does what *script* says."""
        peer, connection = self.connect()
        self.nursery.start_soon(script, peer)
        return Seat(connection)

    async def play(
        self, sits: Table, seats: Sequence[Seat], ledger: CollectedGame | None = None
    ) -> Finished:
        """Play a game."""
        referee = Referee(sits)
        ledger = ledger or Collector(_nothing).open(sits, [])
        now = seats[0].connection.transport.now()
        runner = Runner(referee, seats, ledger, now, reconnect=30 * SECOND)
        referee.begin()
        with trio.fail_after(10):
            return await runner.play()


async def _nothing(finished: Finished) -> None:
    """Keep a finished game nowhere."""


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            yield Hall(nursery, stack)
            nursery.cancel_scope.cancel()


async def test_a_game_is_played_to_its_end(hall: Hall) -> None:
    finished = await hall.play(table(limit=20), [hall.seat(first_moves), hall.seat(first_moves)])
    assert finished.reason is Reason.SHARE
    assert [ply.number for ply in plies(finished)] == list(range(1, 41))


async def test_many_games_are_played_side_by_side(hall: Hall) -> None:
    finished: list[Finished] = []

    async def play() -> None:
        seats = [hall.seat(first_moves) for _ in range(3)]
        finished.append(await hall.play(table("tara", 3, limit=5), seats))

    async with trio.open_nursery() as games:
        for _ in range(10):
            games.start_soon(play)
    assert [len(plies(game)) for game in finished] == [15] * 10


async def test_the_flag_of_a_silent_bot_falls(hall: Hall) -> None:
    quick = table(clock="1s")
    finished = await hall.play(quick, [hall.seat(first_moves), hall.seat(silent)])
    assert falls(finished) == [(1, Reason.TIME, 2)]


async def test_after_the_flag_of_one_has_fallen_the_others_play_on(hall: Hall) -> None:
    async def babbles(peer: ScriptedPeer) -> None:
        await peer.find("out ...")
        await peer.send("move 7 1 a5-b5")
        await silent(peer)

    seats = [hall.seat(script) for script in (babbles, first_moves, first_moves)]
    finished = await hall.play(table("tara", 3, limit=20, clock="1s"), seats)
    assert falls(finished) == [(0, Reason.TIME, 1)]
    assert len(plies(finished)) == 40


async def test_who_hangs_up_in_his_turn_has_disconnected(hall: Hall) -> None:
    async def goes(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        peer.close()

    finished = await hall.play(table(), [hall.seat(first_moves), hall.seat(goes)])
    assert falls(finished) == [(1, Reason.DISCONNECT, 2)]


async def test_a_seat_that_is_taken_over_is_asked_again_over_its_new_connection(
    hall: Hall,
) -> None:
    old, connection = hall.connect()
    seat = Seat(connection)

    async def comes_back() -> None:
        await old.find("turn 7 1 ...")
        new, seat.connection = hall.connect()
        await new.send("move 7 1 d5-e5")  # before it has been asked: early
        await trio.testing.wait_all_tasks_blocked(0.01)
        seat.connection.inherit(connection)
        connection.close()
        assert await new.receive() == ("note early this move was begun before its turn was sent"), (
            "what has come over the new connection is heard as what came before its question"
        )
        await first_moves(new)

    hall.nursery.start_soon(comes_back)
    finished = await hall.play(table(limit=2), [seat, hall.seat(first_moves)])
    assert finished.reason is Reason.SHARE


async def test_seats_with_and_without_a_hub_play_together(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryTransport, "now", lambda _: time.monotonic_ns())
    here, there = memory_pair()
    hall.nursery.start_soon(first_moves, ScriptedPeer(here))
    unwatched = Seat(Connection(there, hall.courier))
    seats = [hall.seat(first_moves), unwatched, hall.seat(first_moves)]
    finished = await hall.play(table("tara", 3, limit=5), seats)
    assert finished.reason is Reason.PROGRESS
    assert len(plies(finished)) == 15


class Broken(CollectedGame):
    """A ledger that fails at the third ply."""

    def log(self, happening: Happening) -> None:
        if getattr(happening, "number", 0) == 3:
            raise ValueError("expected a disk")


async def test_what_fails_in_one_game_is_raised_there_and_the_others_go_on(hall: Hall) -> None:
    finished: list[Finished] = []

    async def play() -> None:
        seats = [hall.seat(first_moves), hall.seat(first_moves)]
        finished.append(await hall.play(table(limit=20), seats))

    hall.nursery.start_soon(play)
    ledger = Broken(Collector(_nothing), 7, [])
    seats = [hall.seat(first_moves), hall.seat(first_moves)]
    with pytest.raises(ValueError, match="expected a disk"):
        await hall.play(table(limit=20), seats, ledger)
    with trio.fail_after(5):
        while not finished:
            await trio.lowlevel.checkpoint()
    assert len(plies(finished[0])) == 40
