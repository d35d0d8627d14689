"""Connections in memory, on the clock of trio: a test says exactly when a byte comes."""

from __future__ import annotations

import errno
from typing import Final

import trio

from sternhalma_server.clock import SECOND
from sternhalma_server.transport import RECEIVE

CAPACITY: Final = 65536  # bytes under way that nobody has read, as a kernel would hold


class _Pipe:
    """One direction of a connection in memory."""

    def __init__(self, capacity: int) -> None:
        self.data = bytearray()
        self.stamp = 0  # of the last bytes that arrived
        self.capacity = capacity
        self.finished = False  # nothing more is written
        self.abandoned = False  # nothing more is read
        self.reset = False
        self._changed = trio.Event()

    @property
    def is_readable(self) -> bool:
        return bool(self.data) or self.finished or self.reset

    @property
    def is_writable(self) -> bool:
        return len(self.data) < self.capacity or self.abandoned

    def notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def changed(self) -> None:
        await self._changed.wait()


class MemoryTransport:
    """One end of a connection in memory (`memory_pair`), on the clock of trio.

    Like a socket it joins what has arrived: a read hands over all of it with the last one's stamp.
    """

    def __init__(self, peer: str, incoming: _Pipe, outgoing: _Pipe) -> None:
        self.peer = peer
        self._incoming = incoming
        self._outgoing = outgoing
        self._is_closed = False

    def now(self) -> int:
        """The time in nanoseconds."""
        return round(trio.current_time() * SECOND)

    def receive(self) -> tuple[bytes, int]:
        """What has arrived and the stamp of the last of it; b"" at the end."""
        pipe = self._incoming
        self._check_open()
        if pipe.data:
            data = bytes(pipe.data[:RECEIVE])
            del pipe.data[:RECEIVE]
            pipe.notify()
            return data, pipe.stamp
        if pipe.reset:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        if pipe.finished:
            return b"", self.now()
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    def send(self, data: bytes) -> int:
        """Hand over as much of *data* as there is room for; how many bytes went."""
        return self.deliver(data, self.now())

    def deliver(self, data: bytes, stamp: int) -> int:
        """Like `send`, but the other end is told that the bytes had arrived at *stamp*."""
        pipe = self._outgoing
        self._check_open()
        if pipe.finished or pipe.abandoned:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        taken = data[: max(0, pipe.capacity - len(pipe.data))]
        if data and not taken:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        pipe.data += taken
        pipe.stamp = stamp
        pipe.notify()
        return len(taken)

    async def wait_readable(self) -> None:
        """Return when `receive` has something to say."""
        await trio.lowlevel.checkpoint()
        while not self._incoming.is_readable:
            self._check_waiting()
            await self._incoming.changed()
        self._check_waiting()

    async def wait_writable(self) -> None:
        """Return when `send` can take something."""
        await trio.lowlevel.checkpoint()
        while not self._outgoing.is_writable:
            self._check_waiting()
            await self._outgoing.changed()
        self._check_waiting()

    def finish(self) -> None:
        """End the outgoing direction only: what comes in is still read."""
        self._outgoing.finished = True
        self._outgoing.notify()

    def abort(self) -> None:
        """End both directions without ceremony: the other end is told of a reset."""
        self._outgoing.reset = True
        self.close()

    def close(self) -> None:
        """End both directions; what was sent before can still be read."""
        self._is_closed = True
        self._incoming.abandoned = True
        self._incoming.notify()
        self.finish()

    def _check_open(self) -> None:
        if self._is_closed:
            raise OSError(errno.EBADF, "Bad file descriptor")

    def _check_waiting(self) -> None:
        if self._is_closed:
            raise trio.ClosedResourceError("closed while somebody waited on it")


def memory_pair(
    here: str = "client", there: str = "server", capacity: int = CAPACITY
) -> tuple[MemoryTransport, MemoryTransport]:
    """The two ends of a connection in memory, each named for the other; *capacity* in bytes is
    what each direction takes before it is read."""
    up, down = _Pipe(capacity), _Pipe(capacity)
    return MemoryTransport(there, down, up), MemoryTransport(here, up, down)
