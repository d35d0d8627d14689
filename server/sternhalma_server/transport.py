"""What a connection runs over: a socket that is read and written without waiting.

Reading takes the kernel's stamp of the last packet with it, where the system has one. Linux stamps
wall time; it is turned into the monotonic clock by the distance to now, and never believed to lie
in the future or more than a minute back, so a jump of the wall clock cannot charge anybody.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from typing import Final, Protocol

import trio

from sternhalma_server.clock import SECOND
from sternhalma_server.hub import Hub, Watch

RECEIVE: Final = 65536  # bytes read at once
# SO_TIMESTAMPNS of Linux on all but a few rare machines; Python's socket module does not name it.
SO_TIMESTAMPNS: Final = 35
_TIMESPEC: Final = struct.Struct("qq")
_MAX_AGE: Final = 60 * SECOND


class Transport(Protocol):
    """A stream of bytes each way. `receive` and `send` never wait: they raise `BlockingIOError`."""

    @property
    def peer(self) -> str:
        """The peer's address, for people."""
        ...

    def now(self) -> int:
        """The time in nanoseconds on the clock of the stamps."""
        ...

    def receive(self) -> tuple[bytes, int]:
        """Bytes that have arrived and the stamp of the last of them; b"" at the end."""
        ...

    def send(self, data: bytes) -> int:
        """Hand over as much of *data* as goes; how many bytes went."""
        ...

    async def wait_readable(self) -> None:
        """Return when `receive` has something to say."""
        ...

    async def wait_writable(self) -> None:
        """Return when `send` can take something."""
        ...

    def close(self) -> None:
        """End both directions."""
        ...


def stamp_arrivals(listener: socket.socket) -> bool:
    """Ask for kernel stamps on every socket *listener* accepts; whether there will be any."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        listener.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


class SocketTransport:
    """A TCP connection. *sock* must be non-blocking; a *hub* watches it where there is one.

    `watch` is what that hub knows, None without one.
    """

    __slots__ = ("_ancillary", "_sock", "peer", "watch")

    def __init__(
        self, sock: socket.socket, peer: str, *, stamped: bool, hub: Hub | None = None
    ) -> None:
        self._sock = sock
        self.watch: Watch | None = None if hub is None else hub.watch(sock)
        self._ancillary = 64 if stamped else 0
        self.peer = peer

    def now(self) -> int:
        return time.monotonic_ns()

    def receive(self) -> tuple[bytes, int]:
        watch = self.watch
        if watch is None:
            return self._receive()
        if not watch.look():
            raise BlockingIOError
        try:
            data, stamp = self._receive()
        except BlockingIOError:
            watch.emptied()
            raise
        if len(data) < RECEIVE:
            watch.emptied()
        return data, stamp

    def _receive(self) -> tuple[bytes, int]:
        if not self._ancillary:
            return self._sock.recv(RECEIVE), time.monotonic_ns()
        data, ancillary, _, _ = self._sock.recvmsg(RECEIVE, self._ancillary)
        now = time.monotonic_ns()
        for _, kind, payload in ancillary:
            if kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = _TIMESPEC.unpack_from(payload)
                age = time.time_ns() - (seconds * SECOND + nanoseconds)
                if 0 < age < _MAX_AGE:
                    return data, now - age
        return data, now

    def send(self, data: bytes) -> int:
        return self._sock.send(data)

    async def wait_readable(self) -> None:
        if self.watch is None:
            await trio.lowlevel.wait_readable(self._sock)
        else:
            await self.watch.wait()

    async def wait_writable(self) -> None:
        await trio.lowlevel.wait_writable(self._sock)

    def close(self) -> None:
        if self.watch is not None:
            self.watch.close()
        trio.lowlevel.notify_closing(self._sock)
        self._sock.close()
