"""Where a bot plays and as whom: from the command line, else from the environment.

The server tells the programs it starts everything in STERNHALMA_* variables; options override them.
The token has no option: every user of a machine can read the arguments of its processes.
"""

from __future__ import annotations

import argparse
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

MAX_SLOT: Final = 64
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}", re.ASCII)
_VERSION: Final = re.compile(r"[A-Za-z0-9._+-]{1,32}", re.ASCII)
_TOKEN: Final = re.compile(r"[!-~]{1,512}", re.ASCII)


class PlaceError(ValueError):
    """An option or variable that is missing or wrong; a sentence for whoever gave it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bot plays and as whom: on `connections` slots from `slot` on, by `tls` if given."""

    host: str
    port: int
    name: str
    slot: int = 1
    token: str | None = None
    version: str | None = None
    connections: int = 1
    tls: ssl.SSLContext | None = None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `read_place` reads."""
    add = parser.add_argument
    add("--host", help="the server's host (STERNHALMA_HOST; 127.0.0.1)")
    add("--port", help="the server's port (STERNHALMA_PORT)")
    add("--name", help="the bot's name in the event (STERNHALMA_NAME)")
    add("--slot", help="which of the bot's connections this is (STERNHALMA_SLOT; 1)")
    add("--connections", metavar="N", help="play N games at once, on slots SLOT to SLOT + N - 1")
    add("--bot-version", metavar="WORD", help="the bot's own version, fixed for an event")
    add("--tls", action="store_true", help="speak TLS, trusting whom this machine trusts")
    add("--ca", metavar="FILE", help="speak TLS, trusting the certificates in FILE")
    add(
        "--token-file",
        metavar="FILE",
        help="read the token from FILE (else STERNHALMA_TOKEN; never given as an argument)",
    )


def read_options(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> argparse.Namespace:
    """The options; an unknown one ends the program with status 2 and the nearest right one."""
    options, unknown = parser.parse_known_args(arguments)
    for word in unknown:
        if word.split("=")[0] == "--token":
            parser.error(
                "expected the token in STERNHALMA_TOKEN or a --token-file, not as an argument:"
                " every user of this machine can read those"
            )
        parser.error(f"unknown argument {word!r}{suggest(word, _flags(parser))}")
    return options


def read_place(
    options: argparse.Namespace, environment: Mapping[str, str], name: str | None = None
) -> Place:
    """The place that *options* and *environment* tell; *name* is the default. `PlaceError`."""

    def told(option: str) -> str | None:
        given: str | None = getattr(options, option)
        return given or environment.get(f"STERNHALMA_{option.upper()}") or None

    port = told("port")
    if port is None:
        raise PlaceError("expected the server's port, as --port or in STERNHALMA_PORT")
    name = told("name") or name
    if name is None:
        raise PlaceError("expected the bot's name, as --name or in STERNHALMA_NAME")
    if not _NAME.fullmatch(name):
        raise PlaceError(
            f"expected a name of 1 to 32 of A-Za-z0-9._-, a letter or digit first, got {name!r}"
        )
    version: str | None = options.bot_version
    if version is not None and not _VERSION.fullmatch(version):
        raise PlaceError(f"expected a bot version of 1 to 32 of A-Za-z0-9._+-, got {version!r}")
    slot = _number("slot", told("slot") or "1", MAX_SLOT)
    return Place(
        host=told("host") or "127.0.0.1",
        port=_number("port", port, 65_535),
        name=name,
        slot=slot,
        token=_token(options.token_file, environment),
        version=version,
        connections=_number("connections", options.connections or "1", MAX_SLOT + 1 - slot),
        tls=_tls(options.ca) if options.tls or options.ca else None,
    )


def _tls(ca: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:  # ssl.SSLError is one too
        raise PlaceError(
            f"expected certificates in PEM in {ca!r}: {error.strerror or error}"
        ) from None


def suggest(word: str, right: Sequence[str]) -> str:
    """`, did you mean ...?` where one of *right* is near to *word*, else nothing."""
    near = get_close_matches(word, right, n=1)
    return f", did you mean {near[0]!r}?" if near else ""


def _flags(parser: argparse.ArgumentParser) -> list[str]:
    # argparse lists its options in the help and nowhere else that is public.
    return re.findall(r"--[a-z-]+", parser.format_help())


def _number(what: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= most):
        raise PlaceError(f"expected a number from 1 to {most} for {what}, got {text!r}")
    return int(text)


def _token(file: str | None, environment: Mapping[str, str]) -> str | None:
    if file is None:
        token, source = environment.get("STERNHALMA_TOKEN") or None, "STERNHALMA_TOKEN"
    else:
        try:
            token, source = Path(file).read_text(encoding="utf-8").strip(), file
        except (OSError, UnicodeDecodeError) as error:
            raise PlaceError(f"expected a token file that can be read, {file!r}: {error}") from None
    # The token itself is not quoted: the sentence may end in a log.
    if token is not None and not _TOKEN.fullmatch(token):
        raise PlaceError(f"expected a token of visible ASCII without spaces in {source}")
    return token
