"""How a bot's socket is set up, the same in every flavour of the kit."""

from __future__ import annotations

import socket
from typing import Final, Protocol

RECEIVE: Final = 65_536  # bytes
CONNECT: Final = 10.0  # seconds for one try to connect, and then for the server to say a word

# A server that vanished without a word would be waited for without end: after a minute of silence
# it is asked for a sign of life, and a minute later it is taken for gone.
_ALIVE: Final = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}


def no_welcome() -> TimeoutError:
    """What a connection ends with on which the server does not let the bot in."""
    return TimeoutError(f"expected a welcome within {CONNECT:g} seconds, got none")


class Socket(Protocol):
    """Something on which socket options are set: a socket, or what a library made of one."""

    def setsockopt(self, level: int, optname: int, value: int, /) -> None:
        """Set the option."""
        ...


def prepare(connection: Socket) -> None:
    """Send answers at once, and notice a server that is gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _ALIVE.items():
        if hasattr(socket, name):  # not every system knows all of them
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
