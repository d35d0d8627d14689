"""Staying a while after an event is over, for authors who fetch what their bots were told."""

from __future__ import annotations

import argparse
import ssl
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import trio

from sternhalma_server.clock import ClockError, parse_duration
from sternhalma_server.hosting import hand_out
from sternhalma_server.listener import Listener, ListenError
from sternhalma_server.settings import Settings
from sternhalma_server.tls import server_context
from sternhalma_server.website import Website, beside


def add_linger_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--linger`."""
    parser.add_argument(
        "--linger",
        type=_duration,
        metavar="TIME",
        help="let authors fetch transcripts for so long after the last game, such as 10m",
    )


def linger(
    arguments: argparse.Namespace,
    settings: Settings,
    root: Path,
    port: int,
    site: Website | None,
) -> None:
    """Hand out the transcripts of the event in *root*, which is over, as long as is asked for.

    The *site* stays as long. Where nobody can be let in it is said, and no more: the event itself
    is over. Raises `StoreError`, `TlsError`.
    """

    def tell(sentence: str) -> None:
        print(sentence, file=sys.stderr if arguments.json else sys.stdout, flush=True)

    try:
        with closing(Listener(arguments.host, port, tls_context(settings))) as listener:
            hand = partial(hand_out, settings, listener, root, arguments.linger, tell)
            trio.run(beside, site, tell, hand)
    except ListenError as error:
        print(f"no transcripts can be fetched: {error}", file=sys.stderr)


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """The certificate that the event names, None if it names none. Raises `TlsError`."""
    files = settings.event.tls
    if files is None:
        return None
    return server_context(settings.folder / files.cert, settings.folder / files.key)


def _duration(text: str) -> int:
    try:
        return parse_duration(text)
    except ClockError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
