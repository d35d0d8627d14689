"""Viewers of a site, as many as wanted: each opens the page of an event and hears its stream.

    python -m bench.soak.viewers PORT VIEWERS

They read all they are sent and look at none of it, until the standard input ends. Then it is
printed what they have seen, and how many of them were still being told.
"""

from __future__ import annotations

import selectors
import socket
import sys
from typing import Final

CHUNK: Final = 1 << 16
_STREAM: Final = b"GET /live/index.html HTTP/1.1\r\nHost: localhost\r\n\r\n"
_PAGE: Final = b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def main(port: int, viewers: int) -> None:
    """Look on until the standard input ends."""
    ready = selectors.DefaultSelector()
    ready.register(sys.stdin, selectors.EVENT_READ)
    for _ in range(viewers):
        _read_page(port)
        stream = socket.create_connection(("127.0.0.1", port))
        stream.sendall(_STREAM)
        stream.setblocking(False)
        ready.register(stream, selectors.EVENT_READ)
    print("looking on", flush=True)
    heard = messages = 0
    told = viewers
    while True:
        for key, _ in ready.select():
            if key.fileobj is sys.stdin:
                print(f"bytes {heard}\nmessages {messages}\ntold {told}")
                return
            told_of = key.fileobj
            assert isinstance(told_of, socket.socket)
            data = told_of.recv(CHUNK)
            heard += len(data)
            messages += data.count(b"data: ")
            if not data:
                told -= 1
                ready.unregister(told_of)
                told_of.close()


def _read_page(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as page:
        page.sendall(_PAGE)
        while page.recv(CHUNK):
            pass


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
