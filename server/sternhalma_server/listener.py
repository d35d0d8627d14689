"""The listening socket: accepting without end, whatever single connections do."""

from __future__ import annotations

import errno
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import trio

from sternhalma_server.hub import make_hub
from sternhalma_server.tls import TlsTransport
from sternhalma_server.transport import SocketTransport, Transport, stamp_arrivals

BACKLOG: Final = 1024
VANISHED: Final = 30  # seconds until a peer that does not answer counts as gone
PAUSE: Final = 0.1  # seconds without accepting when the process has no descriptor left

log = logging.getLogger(__name__)

# Out of descriptors or memory: what is connected plays on, newcomers wait in the kernel's queue.
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class ListenError(Exception):
    """An address that cannot be listened on; says which and why."""


class Listener:
    """A TCP socket that is listened on, with TLS if there is a *context*. Raises `ListenError`.

    *renew* keeps the context up to date while connections are served.
    """

    def __init__(
        self,
        host: str,
        port: int,
        context: ssl.SSLContext | None = None,
        renew: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._context = context
        self._renew = renew
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._socket = socket.socket(family, kind, protocol)
            try:
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self._socket.bind(address)
                self._socket.listen(BACKLOG)
            except OSError:
                self._socket.close()
                raise
        except OSError as error:
            raise ListenError(
                f"cannot listen on {host} port {port}: {error.strerror or error}"
            ) from None
        self._socket.setblocking(False)
        self._hub = make_hub()
        self._stamped = stamp_arrivals(self._socket)
        self.host, self.port = self._socket.getsockname()[:2]

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted."""
        return self._context is not None

    async def serve(self, handler: Callable[[Transport], Awaitable[None]]) -> None:
        """Give each newcomer to *handler* in a task of its own; never returns.

        A handler that fails ends its own connection and is logged; the others never notice.
        """
        async with trio.open_nursery() as nursery:
            if self._hub is not None:
                nursery.start_soon(self._hub.run)
            if self._renew is not None:
                nursery.start_soon(self._renew)
            while True:
                try:
                    sock, address = self._socket.accept()
                except BlockingIOError:
                    await trio.lowlevel.wait_readable(self._socket)
                except OSError as error:
                    # Anything else concerns one connection, which ended before it was accepted.
                    if error.errno in _EXHAUSTED:
                        log.warning("cannot accept connections: %s", error.strerror)
                        await trio.sleep(PAUSE)
                else:
                    nursery.start_soon(self._handle, handler, sock, address)

    async def _handle(
        self,
        handler: Callable[[Transport], Awaitable[None]],
        sock: socket.socket,
        address: tuple[object, ...],
    ) -> None:
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _notice_the_vanished(sock)
        except OSError:
            sock.close()
            return
        transport: Transport = SocketTransport(
            sock, f"{address[0]}:{address[1]}", stamped=self._stamped, hub=self._hub
        )
        if self._context is not None:
            transport = TlsTransport(transport, self._context)
        try:
            await handler(transport)
        except Exception:
            log.exception("the connection from %s failed", transport.peer)
            transport.close()

    def close(self) -> None:
        """Stop listening; once more does nothing, and it may be before trio runs."""
        if self._socket.fileno() == -1:
            return
        with suppress(RuntimeError):
            trio.lowlevel.notify_closing(self._socket)
        self._socket.close()


def _notice_the_vanished(sock: socket.socket) -> None:
    """Have the kernel end the connection of a peer that is gone without a word.

    An idle one is asked after 30 s, and sent data that nobody confirms for as long end it too.
    """
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", VANISHED // 2),
        ("TCP_KEEPINTVL", VANISHED // 6),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", VANISHED * 1000),
    ):
        number = getattr(socket, option, None)  # each system has some of them
        if number is not None:
            sock.setsockopt(socket.IPPROTO_TCP, number, value)
