"""The bot's end of a connection, with all that a bot can do to one.

A server only reads, writes and closes. A bot may also end what it sends and go on listening, or be
cut off without a good-bye, and who plays a bad bot or a bad network has to be able to do both.
"""

from __future__ import annotations

import errno
import socket
import struct
from typing import Protocol

import trio

from sternhalma_server.transport import SocketTransport, Transport


class End(Transport, Protocol):
    """A transport that can also be ended in ways that a server never ends one."""

    def finish(self) -> None:
        """End the outgoing direction only: what comes in is still read."""
        ...

    def abort(self) -> None:
        """End both directions without ceremony: the other end is told of a reset."""
        ...


class SocketEnd(SocketTransport):
    """An end over a TCP socket, which must be non-blocking."""

    __slots__ = ("_socket",)

    def __init__(self, sock: socket.socket, peer: str) -> None:
        super().__init__(sock, peer, stamped=False)
        self._socket = sock

    def finish(self) -> None:
        """End the outgoing direction only: what comes in is still read."""
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """End both directions; once more does nothing."""
        if self._socket.fileno() >= 0:
            super().close()

    def abort(self) -> None:
        """End both directions without ceremony: the other end is told of a reset."""
        if self._socket.fileno() >= 0:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


async def dial(host: str, port: int) -> SocketEnd:
    """A TCP connection to a server. Raises `OSError`."""
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    sock.setblocking(False)
    try:
        failed = sock.connect_ex((host, port))
        if failed == errno.EINPROGRESS:
            await trio.lowlevel.wait_writable(sock)
            failed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failed:
            raise OSError(failed, f"cannot connect to {host} port {port}")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        sock.close()
        raise
    return SocketEnd(sock, f"{host}:{port}")
