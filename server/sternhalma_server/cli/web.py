"""Serve pages that change while one looks: standings, boards, replays, bots, ratings.

They are those of 'sternhalma report', at the same places. While a server plays in the folder they
follow its games; when there is none, they show what has been played. Ctrl-C ends it, and no game
ever waits for it.
"""

from __future__ import annotations

import argparse
import logging
from contextlib import closing
from pathlib import Path
from typing import Final

from sternhalma_server.archive import STORE
from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.run import port_number
from sternhalma_server.cli.table_limits import add_table_limits, table_limits
from sternhalma_server.descriptors import raise_limit
from sternhalma_server.website import WebsiteError, check_installed, listen, url_of

PORT: Final = 8080


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `web`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the results or league folder")
    add_address(parser)
    parser.add_argument(
        "--tables", action="store_true", help="let people open tables, too, see 'sternhalma tables'"
    )
    add_table_limits(parser)


def add_address(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say where a site is."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port",
        type=port_number,
        default=PORT,
        help="the port to listen on, 0 for any free one (default: %(default)s)",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="a name of this site, such as league.example.org; may be given again",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve the pages until interrupted."""
    root: Path = arguments.folder
    if not (root / STORE).exists():
        raise BadInputError(f"expected a results or league folder, with {STORE} in it, got {root}")
    try:
        check_installed()
        sock = listen(arguments.host, arguments.port)
    except WebsiteError as error:
        raise BadInputError(str(error)) from None
    from sternhalma_server.web.serving import serve

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    raise_limit()
    with closing(sock):
        print(f"pages of {root} at {url_of(sock, arguments.host)}", flush=True)
        names = [arguments.host, *arguments.name]
        if arguments.tables:
            from sternhalma_server.web.tables.extension import BESIDE, FOLDERS, mounting

            tables = mounting(table_limits(arguments))
            serve(root, sock, names, beside=BESIDE, folders=FOLDERS, extending=[tables])
        else:
            serve(root, sock, names)
    return CLEAN
