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
    if not host or not (port.isdecimal() and port.isascii() and int(port[:6]) < 65536):
        raise BadInputError(f"expected HOST:PORT with --bot, got {address[:60]!r}")
    try:
        with (
            _dial(host.strip("[]"), int(port), tls=tls, ca=ca) as connection,
            connection.makefile("r", encoding="utf-8", newline="\n") as heard,
        ):
            greeting = heard.readline()
            if not greeting.startswith("sternhalma 1 "):
                hint = "" if tls or ca is not None else "; --tls or --ca FILE speaks TLS"
                got = repr(greeting.strip()[:80]) if greeting else "the end of the connection"
                raise BadInputError(f"{address}: expected a server of version 1, got {got}{hint}")
            connection.sendall(f"{request}\n".encode())
            lines = [line.rstrip("\n") for line in heard]
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{address}: {_wrong(error)}") from None
    if not lines or not lines[-1].startswith("bye "):
        raise BadInputError(f"{address}: expected a whole transcript, the connection ended in it")
    return "".join(f"{line}\n" for line in lines[1:-1]), lines[-1].removeprefix("bye ")


def _dial(host: str, port: int, *, tls: bool, ca: Path | None) -> socket.socket:
    connection = socket.create_connection((host, port), WITHIN)
    if not tls and ca is None:
        return connection
    context = ssl.create_default_context(cafile=None if ca is None else str(ca))
    return context.wrap_socket(connection, server_hostname=host)


def _wrong(error: OSError | UnicodeDecodeError) -> str:
    """What went wrong on the way to a server, and what would have been right."""
    match error:
        case ConnectionRefusedError():
            return (
                "expected a server that listens there, got nobody: are host and port those of the"
                " event, and is it not over? When it is, ask its host for the transcript"
            )
        case socket.gaierror():
            return f"expected the name or address of a host, got: {error.strerror}"
        case TimeoutError():
            return f"expected an answer within {WITHIN:g} s, got none"
        case ssl.SSLCertVerificationError():
            return (
                "expected a certificate that is trusted, got another:"
                f" {error.verify_message}; --ca FILE names one to trust"
            )
        case ssl.SSLError():
            return f"expected a server that speaks TLS, got another: {error.strerror or error}"
        case OSError():
            return f"expected a server that can be reached, got: {error.strerror or error}"
        case UnicodeDecodeError():
            return "expected a transcript in UTF-8, got other bytes"
