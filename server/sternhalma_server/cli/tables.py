"""Serve tables for people: unrated games in the browser, with each other and with sample bots.

Whoever opens the address may open a table and share its link; nobody signs up, nothing is kept.
Ctrl-C ends it, and all tables with it.
"""

from __future__ import annotations

import argparse
import logging
from contextlib import closing

from sternhalma_server.cli import CLEAN
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.cli.table_limits import add_table_limits, table_limits
from sternhalma_server.cli.web import add_address
from sternhalma_server.descriptors import raise_limit
from sternhalma_server.website import WebsiteError, check_installed, listen, url_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `tables`."""
    add_address(parser)
    add_table_limits(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve tables until interrupted."""
    try:
        check_installed()
        sock = listen(arguments.host, arguments.port)
    except WebsiteError as error:
        raise BadInputError(str(error)) from None
    from sternhalma_server.web.tables.alone import serve_alone

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    raise_limit()
    with closing(sock):
        port: int = sock.getsockname()[1]
        url = url_of(sock, arguments.host)
        print(f"tables: open on {arguments.host} port {port}, at {url}", flush=True)
        serve_alone(sock, [arguments.host, *arguments.name], table_limits(arguments))
    return CLEAN
