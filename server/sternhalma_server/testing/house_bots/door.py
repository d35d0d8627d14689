"""How a house bot comes to the server: over a network or in memory, and as whom."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sternhalma_server.testing.ends import End
from sternhalma_server.testing.memory import MemoryTransport
from sternhalma_server.testing.peer import LONG, ScriptedPeer
from sternhalma_server.testing.server import MemoryServer
from sternhalma_server.transport import Transport


@dataclass(frozen=True, slots=True)
class Visit:
    """One connection: what is said over it, and the *end* below, which can be cut off.

    They differ where TLS lies in between.
    """

    peer: ScriptedPeer
    end: End


def visit_over(end: End, transport: Transport | None = None) -> Visit:
    """A visit over *end*, with *transport* upon it if there is one; it waits without end."""
    return Visit(ScriptedPeer(transport or end, LONG), end)


def unnoted(sentence: str) -> None:
    """Keep no diary: what becomes of *sentence* where nobody asks."""


@dataclass(slots=True)
class Door:
    """A house bot's way in: *connect* opens a connection, the rest is its login.

    `key` is the server's of the last welcome, with which a bot without a token comes back. *note*
    is given sentences about what was done and heard.
    """

    connect: Callable[[], Awaitable[Visit]]
    name: str
    slot: int = 1
    token: str | None = None
    key: str | None = None
    note: Callable[[str], None] = unnoted
    _open: list[End] = field(default_factory=list[End])

    @property
    def login(self) -> str:
        """The login line."""
        line = f"login {self.name} slot={self.slot} moves=yes"
        if self.token is not None:
            return f"{line} token={self.token}"
        return line if self.key is None else f"{line} key={self.key}"

    async def knock(self) -> Visit:
        """A connection without a login. Raises `OSError`."""
        visit = await self.connect()
        self._open.append(visit.end)
        self.note("connected")
        return visit

    async def enter(self) -> Visit:
        """A connection that is logged in. Raises `OSError`, `EOFError` if the login is refused."""
        visit = await self.knock()
        await visit.peer.send(self.login)
        welcome = await visit.peer.find("welcome ...")
        self.key = welcome.partition(" key=")[2] or self.key
        self.note("logged in")
        return visit

    def leave(self) -> None:
        """Close whatever is still open of all that was opened."""
        while self._open:
            self._open.pop().close()


def memory_door(
    server: MemoryServer, name: str, slot: int = 1, *, address: str = "127.0.0.1"
) -> Door:
    """The way of the bot *name* into a server in memory, as if from *address*."""

    async def connect() -> Visit:
        peer = server.connect(address=address)
        assert isinstance(peer.transport, MemoryTransport)
        return Visit(peer, peer.transport)

    return Door(connect, name, slot)


class Diary:
    """Sentences with the time on the monotonic clock, which all processes of a machine share."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def note(self, sentence: str) -> None:
        """Write *sentence* down."""
        self._write(f"{time.monotonic_ns()} {sentence}\n")


def read_diary(text: str) -> list[tuple[int, str]]:
    """What `Diary` wrote: moments in nanoseconds and sentences."""
    lines = [line.partition(" ") for line in text.splitlines()]
    return [(int(moment), sentence) for moment, _, sentence in lines]
