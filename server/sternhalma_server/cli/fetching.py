"""Fetching a transcript from a server that runs, as the bot whose transcript it is."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from typing import Final

from sternhalma_server.cli.parser import BadInputError

WITHIN: Final = 60.0  # seconds


def fetch(
    address: str, request: str, *, tls: bool = False, ca: Path | None = None
) -> tuple[str, str]:
    """What the server at *address* (`HOST:PORT`) answers to *request*: its text, and its `bye`.

    With *ca* or *tls* the connection is made by TLS. Raises `BadInputError` where there is no
    server, or none that speaks this protocol.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise BadInputError(f"expected HOST:PORT with --bot, got {address[:60]!r}")
    try:
        with (
            _dial(host.strip("[]"), int(port), tls=tls, ca=ca) as connection,
            connection.makefile("r", encoding="utf-8", newline="\n") as heard,
        ):
            greeting = heard.readline()
            if not greeting.startswith("sternhalma 1 "):
                got = greeting.strip()[:60]
                raise BadInputError(f"{address}: expected a server of version 1, got {got!r}")
            connection.sendall(f"{request}\n".encode())
            lines = [line.rstrip("\n") for line in heard]
    except (OSError, ssl.SSLError, UnicodeDecodeError) as error:
        raise BadInputError(f"{address}: {error}") from None
    if not lines or not lines[-1].startswith("bye "):
        raise BadInputError(f"{address}: expected a whole transcript, the connection ended in it")
    return "".join(f"{line}\n" for line in lines[1:-1]), lines[-1].removeprefix("bye ")


def _dial(host: str, port: int, *, tls: bool, ca: Path | None) -> socket.socket:
    connection = socket.create_connection((host, port), WITHIN)
    if not tls and ca is None:
        return connection
    context = ssl.create_default_context(cafile=None if ca is None else str(ca))
    return context.wrap_socket(connection, server_hostname=host)
