"""A server without a network and bots without a program, to try conduct in milliseconds.

What goes wrong between bots and a server goes wrong in time: late, early, half a line, never. In
memory, on trio's clock, a test says exactly when a byte comes, and with trio's `MockClock` hours
pass at once. Everything above the transport is the server that plays real events.

    async def test_a_silent_bot_loses_on_time(autojump_clock: MockClock) -> None:
        async with memory_server(remote_event("zoe", "max", clock="2s")) as server:
            await server.seat("zoe", silent)
            await server.seat("max", first_moves)
            await server.ended()
            assert server.games[0].reason is Reason.TIME

The transcripts of protocol.md run over any transport, a socket among them (`dial`).
"""

from sternhalma_server.testing.collector import CollectedGame, Collector, Keep
from sternhalma_server.testing.ends import End, SocketEnd, dial
from sternhalma_server.testing.memory import CAPACITY, MemoryTransport, memory_pair
from sternhalma_server.testing.peer import (
    LONG,
    PATIENCE,
    Script,
    ScriptedPeer,
    first_moves,
    matches,
    silent,
)
from sternhalma_server.testing.server import MemoryServer, Toml, memory_server, remote_event
from sternhalma_server.testing.transcript import Side, Transcript, read_transcripts, run_transcript

__all__ = [
    "CAPACITY",
    "LONG",
    "PATIENCE",
    "CollectedGame",
    "Collector",
    "End",
    "Keep",
    "MemoryServer",
    "MemoryTransport",
    "Script",
    "ScriptedPeer",
    "Side",
    "SocketEnd",
    "Toml",
    "Transcript",
    "dial",
    "first_moves",
    "matches",
    "memory_pair",
    "memory_server",
    "read_transcripts",
    "remote_event",
    "run_transcript",
    "silent",
]
