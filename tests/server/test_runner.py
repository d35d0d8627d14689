"""One game over connections in memory: what counts is when a byte came, to the nanosecond."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
import trio
from trio.testing import MockClock

from server.test_referee import table
from sternhalma_server.announce import Table
from sternhalma_server.clock import SECOND
from sternhalma_server.connection import Connection, Courier
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import MAX_LINE, Line
from sternhalma_server.happening import Ply
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.runner import DRAIN, GRACE, Runner
from sternhalma_server.testing import (
    LONG,
    Collector,
    MemoryTransport,
    ScriptedPeer,
    first_moves,
    memory_pair,
    silent,
)
from sternhalma_server.testing.collector import CollectedGame
from sternhalma_server.transport import RECEIVE
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import clean

Script = Callable[[ScriptedPeer], Awaitable[None]]


@dataclass
class Seat:
    """A bot in its seat, as the runner wants it."""

    connection: Connection
    gate: FloodGate = field(default_factory=FloodGate)
    wants_moves: bool = True
    may_return: bool = False

    async def returned(self) -> None:
        """Never: who leaves stays away."""
        await trio.sleep_forever()


async def _nothing(finished: Finished) -> None:
    """Keep a finished game nowhere."""


async def play(
    sits: Table,
    *scripts: Script | None,
    capacity: int = 65536,
    keep: Callable[[Finished], Awaitable[None]] = _nothing,
) -> Finished:
    """Play the game of *sits* with bots that do what *scripts* say, None where nobody came."""
    seats: list[Seat | None] = []
    ends: list[MemoryTransport] = []
    async with trio.open_nursery() as nursery:
        courier = Courier(nursery)
        for script in scripts:
            if script is None:
                seats.append(None)
                continue
            here, there = memory_pair(capacity=capacity)
            ends += here, there
            seats.append(Seat(Connection(there, courier)))
            nursery.start_soon(script, ScriptedPeer(here, LONG))
        # What bots send before anything else has arrived when the game begins.
        await trio.testing.wait_all_tasks_blocked()
        referee = Referee(sits)
        ledger = Collector(keep).open(sits, [])
        runner = Runner(referee, seats, ledger, ends[0].now(), reconnect=30 * SECOND)
        referee.begin()
        finished = await runner.play()
        await trio.testing.wait_all_tasks_blocked()  # everybody hears of the end
        nursery.cancel_scope.cancel()
    return finished


def plies(finished: Finished) -> list[Ply]:
    return [event for event in finished.happened if isinstance(event, Ply)]


def after(seconds: float, *paths: str) -> Script:
    """Think *seconds* before each answer; play *paths*, then the first of the list."""

    async def script(peer: ScriptedPeer) -> None:
        left = list(paths)
        while True:
            turn = await peer.find("turn ...")
            await trio.sleep(seconds)
            _, game, ply, *_ = turn.split(" ")
            if left:
                await peer.send(f"move {game} {ply} {left.pop(0)}")
            else:
                await peer.answer(turn)

    return script


def says(*lines: str) -> Script:
    """Send *lines* at the first turn, then play on."""

    async def script(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send(*lines)
        await first_moves(peer)

    return script


async def test_two_bots_play_a_game_to_its_end(autojump_clock: MockClock) -> None:
    finished = await play(table(limit=5), first_moves, first_moves)
    assert finished.reason is Reason.SHARE
    assert [ply.number for ply in plies(finished)] == list(range(1, 11))


async def test_both_seats_hear_the_same_moves_and_the_end(autojump_clock: MockClock) -> None:
    peers: list[ScriptedPeer] = []

    async def listen(peer: ScriptedPeer) -> None:
        peers.append(peer)
        await first_moves(peer)

    await play(table(limit=3), listen, listen)
    words = ("moved ", "over ")
    heard = [[line for line in peer.heard if line.startswith(words)] for peer in peers]
    assert len(heard[0]) == 7
    assert heard[0] == heard[1]


async def test_six_bots_play_a_game_to_its_end(autojump_clock: MockClock) -> None:
    finished = await play(table("tara", 6, limit=3), *[first_moves] * 6)
    assert finished.reason is Reason.PROGRESS
    assert len(plies(finished)) == 18


async def test_the_game_is_kept_before_anybody_is_told_of_its_end(
    autojump_clock: MockClock,
) -> None:
    peers: list[ScriptedPeer] = []
    heard: list[list[str]] = []

    async def listen(peer: ScriptedPeer) -> None:
        peers.append(peer)
        await first_moves(peer)

    async def keep(finished: Finished) -> None:
        await trio.sleep(3)
        heard.extend([*peer.heard] for peer in peers)

    await play(table(limit=1), listen, listen, keep=keep)
    assert len(heard) == 2
    assert not any(line.startswith("over ") for lines in heard for line in lines)
    assert peers[0].heard[-1].startswith("over ")


class Returning(Seat):
    """A bot that comes back over each of the connections that are left to it."""

    def __init__(self, connection: Connection, left: list[Connection]) -> None:
        super().__init__(connection, may_return=True)
        self.left = left

    async def returned(self) -> None:
        """Another connection, or never."""
        if not self.left:
            await trio.sleep_forever()
        self.connection = self.left.pop(0)


class Said(CollectedGame):
    """A ledger that remembers what was heard."""

    def __init__(self) -> None:
        super().__init__(Collector(_nothing), 7, ["A", "D"])
        self.lines: list[str] = []

    def heard(self, seat: int, line: Line) -> None:
        """Remember it."""
        self.lines.append(f"{'AD'[seat]} {line.text}")


@pytest.mark.parametrize(("comebacks", "kept"), [(0, []), (3, ["A <came back: 3>"])])
async def test_how_often_a_bot_came_back_and_crashed_again_is_kept(
    comebacks: int, kept: list[str], autojump_clock: MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        courier = Courier(nursery)
        pairs = [memory_pair() for _ in range(comebacks + 2)]
        other, *mine = [Connection(there, courier) for _, there in pairs]
        for here, _ in pairs[1:]:
            here.close()
        referee, ledger = Referee(table()), Said()
        seats = [Returning(mine[0], mine[1:]), Seat(other)]
        runner = Runner(referee, seats, ledger, pairs[0][0].now(), reconnect=30 * SECOND)
        referee.begin()
        finished = await runner.play()
        nursery.cancel_scope.cancel()
    assert falls(finished) == [(0, Reason.DISCONNECT, 1)]
    assert ledger.lines == kept


# The flag.


async def test_the_flag_of_a_silent_bot_falls_by_itself_soon_after_the_limit(
    autojump_clock: MockClock,
) -> None:
    finished = await play(table(), silent, first_moves)
    assert falls(finished) == [(0, Reason.TIME, 1)]
    assert 2.0 <= trio.current_time() <= 2.0 + GRACE / SECOND


async def test_an_answer_just_within_the_limit_counts_and_is_charged_exactly(
    autojump_clock: MockClock,
) -> None:
    finished = await play(table(limit=2), after(1.999), after(0.001))
    assert finished.reason is Reason.SHARE
    assert [ply.charged for ply in plies(finished)] == pytest.approx(
        [1.999e9, 1e6, 1.999e9, 1e6], abs=1000
    )


async def test_an_answer_just_after_the_limit_loses_and_is_quoted(
    autojump_clock: MockClock,
) -> None:
    finished = await play(table(), after(2.001, "d5-e5"), first_moves)
    assert finished.reason is Reason.TIME
    assert finished.cause is not None
    assert finished.cause.line == "move 7 1 d5-e5"


async def test_a_slow_opponent_costs_a_bot_nothing(autojump_clock: MockClock) -> None:
    finished = await play(table(limit=3, clock="10s+0s"), after(0.5), after(3))
    assert [ply.charged for ply in plies(finished)[::2]] == pytest.approx([5e8] * 3, abs=1000)


async def test_each_turn_has_its_own_deadline_however_the_one_before_it_ended(
    autojump_clock: MockClock,
) -> None:
    # The first answer comes after 1 s: a deadline left standing would fire 1 s into the second.
    finished = await play(table(limit=3), after(1), after(1.9))
    assert finished.reason is Reason.SHARE


async def test_with_an_increment_the_flag_falls_when_the_sum_is_used_up(
    autojump_clock: MockClock,
) -> None:
    finished = await play(table(clock="2s+0.5s"), after(1), after(0))
    # 2 s, then 1.5 s, then 1 s: the answer in the last instant counts; then there is 0.5 s.
    assert [ply.left for ply in plies(finished)[::2]] == pytest.approx([1.5e9, 1e9, 5e8], abs=5000)
    assert finished.cause is not None
    assert (finished.cause.reason, finished.cause.ply) == (Reason.TIME, 7)


async def test_byo_yomi_periods_are_used_up_one_after_the_other(autojump_clock: MockClock) -> None:
    finished = await play(table(clock="1s+3x1s"), after(0.9), after(0))
    # 0.9 s of the base; then each move ends within the period that it began.
    assert [ply.left for ply in plies(finished)[:5:2]] == pytest.approx([3.1e9, 3e9, 3e9], abs=5000)


async def test_without_a_clock_a_bot_may_take_all_day(autojump_clock: MockClock) -> None:
    finished = await play(table(limit=1, clock="none"), after(80_000), first_moves)
    assert finished.reason is Reason.SHARE


# What counts is the stamp, not when the server comes to read.


async def test_an_answer_that_arrived_in_time_counts_although_it_is_read_late(
    autojump_clock: MockClock,
) -> None:
    async def delayed(peer: ScriptedPeer) -> None:
        turn = await peer.find("turn ...")
        start = peer.transport.now()
        await trio.sleep(2.2)
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.deliver(b"move 7 1 d5-e5\n", start + 1_900_000_000)
        assert turn
        await first_moves(peer)

    finished = await play(table(limit=1), delayed, first_moves)
    assert finished.reason is Reason.SHARE
    assert plies(finished)[0].charged == 1_900_000_000


@pytest.mark.parametrize("hang", [0.1, 0.3, 100])
async def test_a_server_that_hangs_forfeits_nobody(autojump_clock: MockClock, hang: float) -> None:
    async def last_moment(peer: ScriptedPeer) -> None:
        turn = await peer.find("turn ...")
        await trio.sleep(1.999)
        await peer.answer(turn)
        autojump_clock.jump(hang)  # before the server has run again
        await first_moves(peer)

    finished = await play(table(limit=1), last_moment, first_moves)
    assert finished.reason is Reason.SHARE
    assert plies(finished)[0].charged == pytest.approx(1.999e9, abs=1000)


async def test_a_server_that_hangs_saves_nobody_who_was_silent(autojump_clock: MockClock) -> None:
    async def asleep(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await trio.sleep(1)
        autojump_clock.jump(100)
        await peer.end()

    assert (await play(table(), asleep, first_moves)).reason is Reason.TIME


@pytest.mark.parametrize(("shift", "charged"), [(-(10**12), 0), (10**12, 10**9)])
async def test_a_stamp_outside_of_the_turn_is_taken_as_its_start_or_as_now(
    autojump_clock: MockClock, shift: int, charged: int
) -> None:
    async def odd(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await trio.sleep(1)
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.deliver(b"move 7 1 d5-e5\n", peer.transport.now() + shift)
        await first_moves(peer)

    finished = await play(table(limit=1), odd, first_moves)
    assert plies(finished)[0].charged == pytest.approx(charged, abs=1000)


async def test_half_an_answer_at_the_limit_is_none(autojump_clock: MockClock) -> None:
    async def half(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await trio.sleep(1)
        await peer.send_bytes(b"move 7 1 d5-e5")
        await trio.sleep(1.01)
        await peer.send_bytes(b"\n")
        await peer.end()

    finished = await play(table(), half, first_moves)
    assert finished.reason is Reason.TIME


async def test_an_answer_that_comes_byte_by_byte_counts(autojump_clock: MockClock) -> None:
    async def drip(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        for byte in b"move 7 1 d5-e5\r\n":
            await trio.sleep(0.1)
            await peer.send_bytes(bytes([byte]))
        await first_moves(peer)

    finished = await play(table(limit=1), drip, first_moves)
    assert finished.reason is Reason.SHARE
    assert plies(finished)[0].charged == pytest.approx(1.6e9, abs=1000)


# Out of turn.


async def test_an_answer_sent_before_the_question_is_noted_and_not_played(
    autojump_clock: MockClock,
) -> None:
    peers: list[ScriptedPeer] = []

    async def eager(peer: ScriptedPeer) -> None:
        peers.append(peer)
        await peer.send("move 7 1 d5-e5", "move 7 3 d6-e6")
        await first_moves(peer)

    finished = await play(table(limit=1), eager, first_moves)
    assert finished.reason is Reason.SHARE
    assert [line.split(" ")[0:2] for line in peers[0].heard[:4]] == [
        ["game", "7"],
        ["note", "early"],
        ["note", "early"],
        ["turn", "7"],
    ]
    assert plies(finished)[0].path != "d5-e5"


async def test_an_answer_half_sent_before_the_question_is_early_when_it_is_complete(
    autojump_clock: MockClock,
) -> None:
    async def eager(peer: ScriptedPeer) -> None:
        await peer.send_bytes(b"move 7 1 ")
        await peer.find("turn ...")
        await peer.send_bytes(b"d5-e5\n")
        await peer.find("note early ...")
        await peer.send("move 7 1 d6-e6")
        await first_moves(peer)

    finished = await play(table(limit=1), eager, first_moves)
    assert plies(finished)[0].path == "d6-e6"


async def test_what_follows_the_answer_in_the_same_packet_is_early_for_the_next_turn(
    autojump_clock: MockClock,
) -> None:
    finished = await play(
        table(limit=2), says("move 7 1 d5-e5", "move 7 3 d6-e6", "ping a"), first_moves
    )
    assert finished.reason is Reason.SHARE
    assert plies(finished)[2].path != "d6-e6"


async def test_an_answer_sent_twice_is_played_once(autojump_clock: MockClock) -> None:
    finished = await play(table(limit=3), says("move 7 1 d5-e5", "move 7 1 d5-e5"), first_moves)
    assert finished.reason is Reason.SHARE
    assert len(plies(finished)) == 6


async def test_a_resignation_while_the_other_thinks_takes_effect_at_the_next_turn(
    autojump_clock: MockClock,
) -> None:
    async def resigns(peer: ScriptedPeer) -> None:
        await peer.answer(await peer.find("turn ..."))
        await peer.find("moved 7 1 ...")
        await peer.send("resign 7")
        await peer.end()

    finished = await play(table(), resigns, after(1))
    assert finished.cause is not None
    assert (finished.cause.reason, finished.cause.ply) == (Reason.RESIGN, 3)
    assert trio.current_time() == pytest.approx(1.0)


async def test_a_wrong_answer_is_told_at_once_where_there_are_tries(
    autojump_clock: MockClock,
) -> None:
    async def stumbles(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send("move 7 1 a5-e9")
        await peer.find("error illegal tries=0 ...")
        await trio.sleep(1)
        await peer.send("move 7 1 d5-e5")
        await first_moves(peer)

    finished = await play(table(limit=1, tries=1), stumbles, first_moves)
    assert finished.reason is Reason.SHARE
    assert plies(finished)[0].charged == pytest.approx(1e9, abs=1000), "the clock runs on"


async def test_a_draw_is_agreed_on_over_the_wire(autojump_clock: MockClock) -> None:
    async def agrees(peer: ScriptedPeer) -> None:
        await peer.expect("game 7 duel D ... draws=yes")
        await peer.expect("moved 7 1 A d5-e5 ...")
        await peer.expect("offer 7 A")
        await peer.expect("turn 7 2 ...")
        await peer.send("draw 7 2")
        await peer.expect("over 7 agreement places=A:1,D:1")

    finished = await play(table(draws=True), says("move 7 1 d5-e5 draw=offer"), agrees)
    assert finished.reason is Reason.AGREEMENT


# Peers that go, and peers that do not read.


def falls(finished: Finished) -> list[tuple[int, Reason, int]]:
    return [(int(fall.seat), fall.reason, fall.ply) for fall in finished.falls]


async def test_who_hangs_up_in_his_turn_loses_at_once(autojump_clock: MockClock) -> None:
    async def goes(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await trio.sleep(0.5)
        peer.close()

    assert falls(await play(table(), goes, first_moves)) == [(0, Reason.DISCONNECT, 1)]
    assert trio.current_time() == pytest.approx(0.5)


async def test_who_hangs_up_while_the_other_thinks_loses_at_his_next_turn(
    autojump_clock: MockClock,
) -> None:
    async def goes(peer: ScriptedPeer) -> None:
        await peer.answer(await peer.find("turn ..."))
        await peer.find("moved 7 1 ...")
        peer.close()

    finished = await play(table(), goes, after(1))
    assert falls(finished) == [(0, Reason.DISCONNECT, 3)]
    assert len(plies(finished)) == 2, "the move of the other is played"


async def test_who_is_gone_before_the_first_turn_has_disconnected(
    autojump_clock: MockClock,
) -> None:
    async def goes(peer: ScriptedPeer) -> None:
        peer.close()

    assert falls(await play(table(), goes, first_moves)) == [(0, Reason.DISCONNECT, 1)]


async def test_a_reset_is_a_disconnect(autojump_clock: MockClock) -> None:
    async def resets(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.abort()

    assert falls(await play(table(), resets, first_moves)) == [(0, Reason.DISCONNECT, 1)]


async def test_an_answer_before_hanging_up_counts(autojump_clock: MockClock) -> None:
    async def answers_and_goes(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send("move 7 1 d5-e5")
        peer.close()

    finished = await play(table(limit=1), answers_and_goes, first_moves)
    assert finished.reason is Reason.SHARE, "he had no turn after it"


async def test_who_stops_sending_but_listens_has_disconnected_at_his_turn(
    autojump_clock: MockClock,
) -> None:
    heard: list[str] = []

    async def half_closes(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send("move 7 1 d5-e5")
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.finish()
        heard.append(await peer.find("over ..."))

    finished = await play(table(), half_closes, first_moves)
    assert falls(finished) == [(0, Reason.DISCONNECT, 3)]
    assert heard == ["over 7 disconnect places=A:2,D:1 seat=A ply=3"]


async def test_a_bot_that_sends_and_never_reads_is_dropped_and_holds_up_nobody(
    autojump_clock: MockClock,
) -> None:
    async def deaf(peer: ScriptedPeer) -> None:
        while True:
            await peer.send("ping " + "x" * 64)
            await trio.sleep(1 / 30)

    finished = await play(table(clock="1h+0s"), deaf, first_moves, capacity=1000)
    assert falls(finished) == [(0, Reason.DISCONNECT, 1)]
    assert trio.current_time() < 60


async def test_a_bot_that_cannot_even_be_asked_has_gone(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There is room for the first question and none for the second, and no clock ends the wait.
    monkeypatch.setattr("sternhalma_server.connection.BACKLOG", 500)

    async def deaf(peer: ScriptedPeer) -> None:
        await trio.sleep(1)
        await peer.send("move 7 1 d5-e5")

    finished = await play(table(clock="none"), deaf, first_moves, capacity=10)
    assert falls(finished) == [(0, Reason.DISCONNECT, 3)]


async def test_who_sends_lines_without_end_out_of_turn_floods(autojump_clock: MockClock) -> None:
    async def pours(peer: ScriptedPeer) -> None:
        await peer.send_bytes(b"\n" * RECEIVE * (DRAIN + 1))

    finished = await play(table(), pours, first_moves, capacity=RECEIVE * (DRAIN + 1))
    assert falls(finished) == [(0, Reason.FLOOD, 1)]


async def test_who_pings_without_end_in_his_turn_floods(autojump_clock: MockClock) -> None:
    assert falls(await play(table(), says(*["ping a"] * 65), first_moves)) == [(0, Reason.FLOOD, 1)]


async def test_a_megabyte_without_a_line_end_is_malformed_and_not_kept(
    autojump_clock: MockClock,
) -> None:
    async def babbles(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send_bytes(b"x" * 1_000_000)

    finished = await play(table(), babbles, first_moves)
    assert falls(finished) == [(0, Reason.MALFORMED, 1)]
    assert finished.cause is not None
    assert finished.cause.line is not None
    assert len(finished.cause.line) < 300


# Lines without a line feed.


@pytest.fixture
def evidence(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """What is noted of what the seats said, beside the moves."""
    noted: list[tuple[int, str]] = []

    def heard(_: CollectedGame, seat: int, line: Line) -> None:
        noted.append((seat, line.text))

    monkeypatch.setattr(CollectedGame, "heard", heard)
    return noted


async def test_who_sends_no_line_feed_is_told_so_when_his_flag_falls(
    autojump_clock: MockClock, evidence: list[tuple[int, str]]
) -> None:
    heard: list[str] = []

    async def forgets(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send_bytes(b"ping a\nmove 7 1 d5-e5")
        await peer.find("over ...")
        heard.extend(peer.heard)

    finished = await play(table(), forgets, first_moves)
    assert falls(finished) == [(0, Reason.TIME, 1)]
    assert heard[-3:] == [
        "pong a",
        "note unfinished expected a line feed behind 'move 7 1 d5-e5'",
        "over 7 time places=A:2,D:1 seat=A ply=1",
    ]
    assert evidence == [(0, "ping a"), (0, "move 7 1 d5-e5 <no line feed>")]


async def test_a_line_that_had_arrived_while_its_question_was_sent_is_noted_at_the_question(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    stamps: list[int] = []

    def heard(_: CollectedGame, seat: int, line: Line) -> None:
        stamps.append(line.stamp)

    async def hasty(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        assert isinstance(peer.transport, MemoryTransport)
        asked.append(peer.transport.now())
        peer.transport.deliver(b"move 7 9 d5-e5\n", peer.transport.now() - 5)
        peer.transport.deliver(b"resign 7\n", peer.transport.now() - 5)
        await peer.find("over ...")

    monkeypatch.setattr(CollectedGame, "heard", heard)
    await play(table(), hasty, first_moves)
    assert stamps == asked * 2


async def test_who_ends_in_the_middle_of_a_line_is_told_so(
    autojump_clock: MockClock, evidence: list[tuple[int, str]]
) -> None:
    heard: list[str] = []

    async def breaks_off(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send_bytes(b"move 7 1 d5")
        assert isinstance(peer.transport, MemoryTransport)
        peer.transport.finish()
        await peer.find("over ...")
        heard.extend(peer.heard)

    finished = await play(table(), breaks_off, first_moves)
    assert falls(finished) == [(0, Reason.DISCONNECT, 1)]
    assert heard[-2] == "note unfinished expected a line feed behind 'move 7 1 d5'"
    assert evidence == [(0, "move 7 1 d5 <no line feed>")]


async def test_however_long_a_line_without_a_line_feed_is_its_mark_is_seen(
    autojump_clock: MockClock, evidence: list[tuple[int, str]]
) -> None:
    async def babbles(peer: ScriptedPeer) -> None:
        await peer.find("turn ...")
        await peer.send_bytes(b"\xff" * MAX_LINE)
        await silent(peer)

    await play(table(), babbles, first_moves)
    ((seat, text),) = evidence
    assert (seat, text) == (0, clean(text))
    assert text.endswith("... <no line feed>")


# Seats in which nobody sits.


async def test_an_empty_seat_has_not_started(autojump_clock: MockClock) -> None:
    assert falls(await play(table(), None, first_moves)) == [(0, Reason.NO_START, 1)]


async def test_among_three_an_empty_seat_is_out_and_the_others_play(
    autojump_clock: MockClock,
) -> None:
    finished = await play(table("tara", 3, limit=2), first_moves, None, first_moves)
    assert falls(finished) == [(1, Reason.NO_START, 1)]
    assert len(plies(finished)) == 4


async def test_empty_seats_until_one_is_left_end_the_game(autojump_clock: MockClock) -> None:
    finished = await play(table("tara", 4), None, first_moves, None, None)
    assert [fall[0] for fall in falls(finished)] == [0, 2, 3]
    assert finished.result is not None
    assert finished.result.places == (4, 1, 3, 2)


async def test_both_seats_of_a_pair_that_did_not_come_go_out_once(
    autojump_clock: MockClock,
) -> None:
    six = [None, first_moves, first_moves, None, first_moves, first_moves]
    finished = await play(table("corner+pairs", 6, limit=1), *six)
    assert falls(finished) == [(0, Reason.NO_START, 1)]
    assert len(plies(finished)) == 4


async def test_one_seat_of_each_pair_empty_ends_the_game_with_the_first(
    autojump_clock: MockClock,
) -> None:
    finished = await play(table("corner+pairs", 4), first_moves, first_moves, None, None)
    assert falls(finished) == [(2, Reason.NO_START, 1)]
