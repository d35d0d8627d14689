"""How right the kernel's stamps are on this machine, which is found out by trying.

A byte is sent to oneself and left unread for a while. A stamp of the kernel says when it came; what
is left of the difference is the error that a clock has here, however busy the server is.
"""

from __future__ import annotations

import socket
import time
from typing import Final

from sternhalma_server.clock import MILLISECOND, SECOND
from sternhalma_server.transport import SocketTransport, stamp_arrivals

ASLEEP: Final = 3 * MILLISECOND  # how long an arrival is left unread


def stamp_errors(rounds: int) -> list[int]:
    """By how much arrivals were stamped late, so many *rounds*, in nanoseconds.

    None at all where arrivals have no stamp of the kernel.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if not stamp_arrivals(listener):
            return []
        with socket.create_connection(listener.getsockname()) as peer:
            accepted, _ = listener.accept()
            with accepted:
                transport = SocketTransport(accepted, "a probe", stamped=True)
                errors: list[int] = []
                for _ in range(rounds):
                    sent = time.monotonic_ns()
                    peer.sendall(b"\n")
                    time.sleep(ASLEEP / SECOND)
                    _, stamp = transport.receive()
                    errors.append(stamp - sent)
    return errors
