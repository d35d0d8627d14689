"""The process of a site that another process has started: `python -m sternhalma_server.web`.

It is given the folder, the number of a descriptor (the socket, which is listened on already), and
whether people may open tables.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from sternhalma_server.descriptors import raise_limit
from sternhalma_server.web.serving import serve
from sternhalma_server.web.tables.extension import BESIDE, FOLDERS, mounting
from sternhalma_server.website import TABLES


def main(root: str, descriptor: str, kind: str, *names: str) -> None:
    """Serve the folder *root* over the socket *descriptor* until SIGTERM, under *names* too.

    The *kind* is `website.TABLES` or `website.PAGES`.
    """
    raise_limit()
    sock = socket.socket(fileno=int(descriptor))
    if kind == TABLES:
        serve(Path(root), sock, names, beside=BESIDE, folders=FOLDERS, extending=[mounting({})])
    else:
        serve(Path(root), sock, names)


if __name__ == "__main__":
    main(*sys.argv[1:])
