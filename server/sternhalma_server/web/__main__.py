"""The process of a site that another process has started: `python -m sternhalma_server.web`.

It is given the folder, and the number of a descriptor: the socket, which is listened on already.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from sternhalma_server.descriptors import raise_limit
from sternhalma_server.web.serving import serve


def main(root: str, descriptor: str, *names: str) -> None:
    """Serve the folder *root* over the socket *descriptor* until SIGTERM, under *names* too."""
    raise_limit()
    serve(Path(root), socket.socket(fileno=int(descriptor)), names)


if __name__ == "__main__":
    main(*sys.argv[1:])
