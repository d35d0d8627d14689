"""One peer's connection: lines in, bytes out, and never a wait for either.

What a peer does not take at once is kept for it, up to a limit; a peer beyond the limit counts as
gone. Reading is left to whoever plays the peer: between games the lobby, in a game the game's task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from sternhalma_server.framing import Line, LineBuffer
from sternhalma_server.transport import Transport

BACKLOG: Final = 65536  # bytes kept for a peer that does not read


class Connection:
    """A connection with lines cut and sending made safe.

    `ended` says why the peer is gone, None while it is there. *on_backlog* is called when there is
    something left to send; it must see to it that `flush` is run.
    """

    __slots__ = ("_backlog", "_deaf", "_lines", "_on_backlog", "ended", "transport")

    def __init__(self, transport: Transport, on_backlog: Callable[[Connection], None]) -> None:
        self.transport = transport
        self.ended: str | None = None
        self._deaf = False  # the peer takes nothing more; what it sent before is still read
        self._lines = LineBuffer()
        self._backlog = bytearray()
        self._on_backlog = on_backlog

    def read(self) -> bool:
        """Take in what has arrived, without waiting; whether there was anything."""
        if self.ended is not None:
            return False
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

    def next_line(self) -> Line | None:
        """The next line that has been read, None if there is none."""
        return self._lines.next()

    def inherit(self, other: Connection) -> None:
        """Take over from *other*, the same bot's earlier connection, what it had sent."""
        while other.read():
            pass
        self._lines.inherit(other._lines)

    def mark(self) -> None:
        """What has been begun by now is early for the question that follows."""
        self._lines.mark()

    def send(self, text: str) -> int:
        """Send lines; the time when the first byte had been handed over, or could not be."""
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
        """End the connection."""
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
            self._on_backlog(self)
