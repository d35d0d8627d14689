"""A certificate that is renewed while the server runs: newcomers are shown the new one.

Certificates of today hold for weeks, and leagues are open for months. Whatever renews the files
need not tell anybody: they are looked at now and then. Who is connected already notices nothing.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from sternhalma_server.tls import TlsError, server_context

EVERY: Final = 60.0  # seconds between two looks at the files

_Stamp = tuple[int, int, int]


async def follow_certificate(
    context: ssl.SSLContext, cert: Path, key: Path, tell: Callable[[str], None]
) -> None:
    """Keep *context* to what the files *cert* and *key* hold, until cancelled.

    New ones that cannot be used are told, and the server goes on with those before.
    """
    known = _stamps(cert, key)
    while True:
        await trio.sleep(EVERY)
        found = _stamps(cert, key)
        if found == known:
            continue
        known = found
        try:
            server_context(cert, key)  # half of a pair is not to get into the context in use
            context.load_cert_chain(cert, key)
        except (TlsError, OSError) as problem:
            tell(f"the new certificate cannot be used, going on with the one before: {problem}")
        else:
            tell(f"a new certificate, from {cert}")


def _stamps(cert: Path, key: Path) -> list[_Stamp]:
    """What tells the files of today from those of any other day."""
    found: list[_Stamp] = []
    for path in (cert, key):
        with suppress(OSError):
            facts = path.stat()
            found.append((facts.st_ino, facts.st_mtime_ns, facts.st_size))
    return found
