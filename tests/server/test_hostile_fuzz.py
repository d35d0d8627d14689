"""Bots that say anything at any time: every event still ends, with a full and honest table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import trio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from sternhalma_server.happening import Ply
from sternhalma_server.testing import (
    MemoryServer,
    MemoryTransport,
    ScriptedPeer,
    first_moves,
    memory_server,
    remote_event,
)
from sternhalma_server.verdict import Reason

LAW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

Way = Literal["answer", "close", "abort", "finish", "return"]


@dataclass(frozen=True)
class Pause:
    """Wait for so long."""

    seconds: float


Act = bytes | Pause | Way

# Games of three bots over one cycle are 1, 2 and 3; plies, paths and words are right and wrong.
LINES = st.builds(
    str.format,
    st.sampled_from(
        [
            "move {0} {1} {2}",
            "move {0} {1} {2} draw=offer",
            "move {0} {1} {2} draw=offer draw=offer",
            "draw {0} {1}",
            "resign {0}",
            "ping {2}",
            "pong {2}",
            "why",
            "bye",
            "login zoe",
            "watch all",
            "turn {0} {1} 2000",
            "",
        ]
    ),
    st.sampled_from(["1", "2", "3", "9", "x", ""]),
    st.integers(0, 8),
    st.sampled_from(["d5-e5", "n10-m10", "D6-E6", "a5-e9", "a5", "pass", "b5-f5-x", "\x00", "é"]),
).map(str.encode)
BYTES = st.one_of(
    st.builds(bytes.__add__, LINES, st.sampled_from([b"\n", b"\n", b"\r\n", b""])),
    st.sampled_from([b"\xff\n", b"\n\n\n", b"\r", b"x" * 2000, b"ping a\n" * 70, b"\0\n"]),
    st.binary(max_size=8),
)
WAYS: st.SearchStrategy[Act] = st.sampled_from(
    ["answer", "answer", "answer", "close", "abort", "finish", "return"]
)
PAUSES = st.sampled_from([0.0, 0.001, 0.5, 1.0, 1.9, 2.0, 2.3, 5.0]).map(Pause)
ACTS = st.lists(st.one_of(BYTES, WAYS, PAUSES), max_size=12)


class Fuzzer:
    """A bot that does what it is told, and then plays first moves."""

    def __init__(self, server: MemoryServer, name: str, acts: Sequence[Act]) -> None:
        self._server = server
        self._name = name
        self._acts = acts
        self.peers: list[ScriptedPeer] = []

    async def run(self) -> None:
        key = ""
        for act in [None, *self._acts, None]:
            if act is None or act == "return":
                key = await self._log_in(key) or key
                continue
            try:
                await self._do(act)
            except (EOFError, OSError):
                continue
        await first_moves(self.peers[-1])

    async def _log_in(self, key: str) -> str | None:
        peer = self._server.connect()
        self.peers.append(peer)
        await peer.send(f"login {self._name} moves=yes {f'key={key}' if key else ''}".rstrip())
        try:
            return (await peer.find("welcome ...")).partition(" key=")[2]
        except EOFError:
            return None

    async def _do(self, act: bytes | Pause | Way) -> None:
        peer = self.peers[-1]
        assert isinstance(peer.transport, MemoryTransport)
        match act:
            case bytes():
                await peer.send_bytes(act)
            case Pause(seconds):
                await trio.sleep(seconds)
            case "answer":
                with trio.move_on_after(5):
                    await peer.answer(await peer.find("turn ..."))
            case "close":
                peer.transport.close()
            case "abort":
                peer.transport.abort()
            case "finish":
                peer.transport.finish()
            case "return":
                raise AssertionError("a return is a login")


EVENT = remote_event(
    "zoe",
    "fuzz",
    "buzz",
    limit=3,
    draws=True,
    tries=1,
    parallel=2,
    budgets={"reconnect": "1s", "ready": "1s", "login": "1s"},
)


@LAW
@given(ACTS, ACTS)
@example([b"hello\nhello\nhello\n", "answer"], [])
@example(["answer", "abort", "return", "answer"], [b"resign 3\nresign 3\n"])
@example(["answer", b"move 1 1 d5-e5", "return", b"move 1 1 d5-e5\n"], ["finish", "answer"])
def test_whatever_bots_do_the_event_ends_and_its_table_is_full_and_honest(
    one: list[Act], other: list[Act]
) -> None:
    async def main() -> None:
        async with memory_server(EVENT) as server, trio.open_nursery() as nursery:
            fuzzers = [Fuzzer(server, "fuzz", one), Fuzzer(server, "buzz", other)]
            for fuzzer in fuzzers:
                nursery.start_soon(fuzzer.run)
            zoe = await server.seat("zoe")
            with trio.fail_after(3600):
                summary = await server.ended()
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert summary.complete
        assert sorted(int(game.table.game) for game in server.games) == [1, 2, 3]
        reasons = [game.reason for game in server.games]
        assert Reason.SERVER_FAULT not in reasons
        assert summary.voids == reasons.count(Reason.ABORTED)
        for game in server.games:
            assert (game.result is None) == (game.reason is Reason.ABORTED)
            assert not any(game.table.bots[fall.seat] == "zoe" for fall in game.falls)
            plies = [event.number for event in game.happened if isinstance(event, Ply)]
            assert plies == list(range(1, len(plies) + 1))
        for peer in [zoe, *(peer for fuzzer in fuzzers for peer in fuzzer.peers)]:
            for line in peer.heard:
                assert line.isascii()
                assert line.isprintable()
                assert len(line) <= 65536

    trio.run(main, clock=MockClock(autojump_threshold=0))
