"""The options of a bot's command line, and what the environment says where they do not.

The server tells the programs it starts everything in STERNHALMA_* variables; options override them.
The token has no option: every user of a machine can read the arguments of its processes.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from sternhalma_bot.comeback import PATIENCE
from sternhalma_bot.place import MAX_SLOT, Place, Trust

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}", re.ASCII)
_VERSION: Final = re.compile(r"[A-Za-z0-9._+-]{1,32}", re.ASCII)
_TOKEN: Final = re.compile(r"[!-~]{1,512}", re.ASCII)


class PlaceError(ValueError):
    """An option or variable that is missing or wrong; a sentence for whoever gave it."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `read_place` reads."""
    add = parser.add_argument
    add("--connect", metavar="HOST:PORT", help="the server's host and port in one")
    add("--host", help="the server's host (STERNHALMA_HOST; 127.0.0.1)")
    add("--port", help="the server's port (STERNHALMA_PORT)")
    add("--name", help="the bot's name in the event (STERNHALMA_NAME)")
    add("--slot", help="which of the bot's connections this is (STERNHALMA_SLOT; 1)")
    add("--connections", metavar="N", help="play N games at once, on slots SLOT to SLOT + N - 1")
    add("--bot-version", metavar="WORD", help="the bot's own version, fixed for an event")
    add("--tls", action="store_true", help="speak TLS, trusting whom this machine trusts")
    add("--ca", metavar="FILE", help="speak TLS, trusting the certificates in FILE")
    add(
        "--patience",
        metavar="SECONDS",
        help=f"how long to try to come back when the connection breaks ({PATIENCE:g})",
    )
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


def place_of(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> tuple[Place, argparse.Namespace]:
    """The place that *arguments* (None: the command line) and the environment tell *parser*.

    With it come the options, for those that *parser* has of its own. What is wrong with them ends
    the program with status 2 and a sentence.
    """
    add_options(parser)
    options = read_options(parser, arguments)
    try:
        return read_place(options, os.environ), options
    except PlaceError as error:
        parser.error(str(error))


def bot_parser() -> argparse.ArgumentParser:
    """The parser of a bot's own program."""
    return argparse.ArgumentParser(
        usage="%(prog)s [options]",
        description="Seat this bot at a Sternhalma league server.",
        allow_abbrev=False,
    )


def read_place(
    options: argparse.Namespace, environment: Mapping[str, str], name: str | None = None
) -> Place:
    """The place that *options* and *environment* tell; *name* is the default. `PlaceError`."""

    connect = _connect(options.connect) if options.connect else {}

    def told(option: str) -> str | None:
        given: str | None = getattr(options, option)
        return (
            given or connect.get(option) or environment.get(f"STERNHALMA_{option.upper()}") or None
        )

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
        patience=PATIENCE if options.patience is None else _seconds(options.patience),
    )


def _connect(text: str) -> dict[str, str]:
    # `[::1]:7121` is how an address with colons of its own is told from its port.
    found = re.fullmatch(r"(?:\[([^\]]+)\]|([^:\[\]]+)):([^:]+)", text)
    if found is None:
        raise PlaceError(f"expected HOST:PORT or [ADDRESS]:PORT, got {text!r}")
    return {"host": found[1] or found[2], "port": found[3]}


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text, re.ASCII):
        raise PlaceError(f"expected a number of seconds for patience, got {text!r}")
    return float(text)


def _tls(ca: str | None) -> Trust:
    trust = Trust(ca)
    try:
        trust.context()
    except OSError as error:  # ssl.SSLError is one too
        raise PlaceError(
            f"expected certificates in PEM in {ca!r}: {error.strerror or error}"
        ) from None
    return trust


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
