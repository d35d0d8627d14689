"""`python -m sternhalma_server.tables [LIMITS]`: see `serving`; limits are `Limits` as JSON."""

from __future__ import annotations

import json
import signal
import socket
import sys

import trio

from sternhalma_server.descriptors import raise_limit
from sternhalma_server.tables.room import Limits
from sternhalma_server.tables.serving import list_samples, run_tables


def main(words: list[str]) -> None:
    """Serve until the standard input ends. Ctrl-C is for the process that orders the tables."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise_limit()
    limits = Limits(**json.loads(words[0])) if words else Limits()
    orders = trio.socket.from_stdlib_socket(socket.socket(fileno=0))
    run_tables(orders, limits, list_samples())


if __name__ == "__main__":
    main(sys.argv[1:])
