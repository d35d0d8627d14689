"""One peer's connection: lines in, bytes out, and never a wait for either.

What a peer does not take at once is kept for it, up to a limit; a peer beyond the limit counts as
gone. What it need not know at once may be posted: it goes with the next line that is sent, or after
a while by itself. Handing a packet to the kernel is the dearest step of a move, and this saves
every second one, unless both bots think for long.
"""

from __future__ import annotations

from typing import Final

import trio

from sternhalma_server.framing import Line, LineBuffer
from sternhalma_server.hub import Watch
from sternhalma_server.transport import SocketTransport, Transport

BACKLOG: Final = 65536  # bytes kept for a peer that does not read
INHERITED: Final = 16  # reads of what an earlier connection had sent
SOON: Final = 0.1  # seconds that a posted line waits at least; at most it is twice that


class Courier:
    """Sends what connections have left over: backlogs as peers take them, posted lines soon.

    What has been posted since the last round may still go with the next turn. So a round takes only
    what was there at the round before.
    """

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._fresh: set[Connection] = set()  # who has posted since the last round
        self._on_its_rounds = False

    def flush(self, connection: Connection) -> None:
        """See to it that the backlog of *connection* is sent."""
        self._nursery.start_soon(connection.flush)

    def collect(self, connection: Connection) -> None:
        """See to it that what *connection* has posted is sent soon."""
        self._fresh.add(connection)
        if not self._on_its_rounds:
            self._on_its_rounds = True
            self._nursery.start_soon(self._deliver)

    async def _deliver(self) -> None:
        old: set[Connection] = set()
        while self._fresh or old:
            await trio.sleep(SOON)
            # Who is fresh again has sent what was old.
            for connection in old - self._fresh:
                connection.deliver()
            old, self._fresh = self._fresh, set()
        self._on_its_rounds = False


class Connection:
    """A connection with lines cut and sending made safe.

    `ended` says why the peer is gone, None while it is there. *courier* sees to what is left over.
    `watch` calls who expects something to read; None where a task has to wait for it.
    """

    __slots__ = (
        "_backlog",
        "_courier",
        "_deaf",
        "_lines",
        "_posted",
        "ended",
        "transport",
        "watch",
    )

    def __init__(self, transport: Transport, courier: Courier) -> None:
        self.transport = transport
        self.watch: Watch | None = (
            transport.watch if isinstance(transport, SocketTransport) else None
        )
        self.ended: str | None = None
        self._deaf = False  # the peer takes nothing more; what it sent before is still read
        self._lines = LineBuffer()
        self._backlog = bytearray()
        self._posted: list[str] = []
        self._courier = courier

    def read(self) -> bool:
        """Take in what has arrived, without waiting; whether there was anything."""
        if self.ended is not None:
            return False
        watch = self.watch
        if watch is not None and not watch.readable and not watch.look():
            return False  # so much sooner than by an exception
        try:
            data, stamp = self.transport.receive()
        except BlockingIOError:
            return False
        except OSError as problem:
            self.ended = f"connection lost: {problem.strerror or problem}"
            return False
        if not data:
            self.ended = "the bot closed the connection"
            return False
        self._lines.feed(data, stamp)
        return True

    @property
    def has_lines(self) -> bool:
        """Whether there is a line that has been read and not been taken."""
        return bool(self._lines.lines)

    def next_line(self) -> Line | None:
        """The next line that has been read, None if there is none."""
        return self._lines.next()

    def unfinished(self) -> Line | None:
        """What has been read of a line that has not ended, None if nothing: only to be quoted."""
        return self._lines.unfinished()

    def inherit(self, other: Connection) -> None:
        """Take over from *other*, the same bot's earlier connection, what it had sent.

        There is an end to that: a peer that fills a connection faster than it is read has sent no
        answer worth having, and what it sent is forgotten.
        """
        for _ in range(INHERITED):
            if not other.read():
                self._lines.inherit(other._lines)
                return

    def mark(self) -> None:
        """What has been begun by now is early for the question that follows."""
        self._lines.mark()

    def post(self, text: str) -> None:
        """Send lines soon: with the next that are sent, or by the courier."""
        if not self._posted:
            self._courier.collect(self)
        self._posted.append(text)

    def deliver(self) -> None:
        """Send what has been posted and not gone with anything else."""
        if self._posted:
            self.send("")

    def send(self, text: str) -> int:
        """Send lines; the time when the first byte had been handed over, or could not be."""
        posted = self._posted
        if posted:
            posted.append(text)
            text = "".join(posted)
            posted.clear()
        data = text.encode()
        sent = 0
        if not self._backlog and not self._deaf:
            try:
                sent = self.transport.send(data)
            except BlockingIOError:
                pass
            except OSError:
                self._deaf = True
        now = self.transport.now()
        if sent < len(data) and not self._deaf:
            self._keep(data[sent:])
        return now

    async def flush(self) -> None:
        """Hand over the backlog as the peer takes it; returns when it is empty or the peer gone."""
        while self._backlog:
            try:
                await self.transport.wait_writable()
                sent = self.transport.send(bytes(self._backlog))
            except BlockingIOError:
                continue
            except (OSError, trio.ClosedResourceError):
                self._deaf = True
                self._backlog.clear()
                return
            del self._backlog[:sent]

    def close(self) -> None:
        """End the connection; what has been posted still goes."""
        self.deliver()
        if self.ended is None:
            self.ended = "closed by the server"
        self._deaf = True
        self._backlog.clear()
        self.transport.close()

    def _keep(self, data: bytes) -> None:
        first = not self._backlog
        self._backlog += data
        if len(self._backlog) > BACKLOG:
            self.ended = "the bot does not read what it is sent"
            self._deaf = True
            self._backlog.clear()
        elif first:
            self._courier.flush(self)
