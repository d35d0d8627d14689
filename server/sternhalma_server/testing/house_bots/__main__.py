"""A house bot as a program.

It finds host, port, name, slot and token in STERNHALMA_HOST, _PORT, _NAME, _SLOT and _TOKEN, as
every program that the server starts, and plays on until the server or somebody else ends it.
"""

from __future__ import annotations

import argparse
import os
import ssl
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import trio

from sternhalma_server.testing.ends import dial
from sternhalma_server.testing.house_bots.acts import HOUSE_BOTS, misbehave
from sternhalma_server.testing.house_bots.door import Diary, Door, Visit, unnoted, visit_over
from sternhalma_server.tls import TlsTransport


async def _misbehave(kind: str, note: Callable[[str], None], *, tls: bool) -> None:
    told = {key: os.environ.get(f"STERNHALMA_{key}", "") for key in ("HOST", "PORT", "NAME")}
    host, port = told["HOST"] or "127.0.0.1", int(told["PORT"] or "7121")

    async def connect() -> Visit:
        end = await dial(host, port)
        if not tls:
            return visit_over(end)
        # A bot that means no good does not care whom it talks to.
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        transport = TlsTransport(end, context, host)
        await transport.handshake()
        return visit_over(end, transport)

    door = Door(
        connect,
        name=told["NAME"] or kind,
        slot=int(os.environ.get("STERNHALMA_SLOT") or "1"),
        token=os.environ.get("STERNHALMA_TOKEN") or None,
        note=note,
    )
    await misbehave(kind, door)


def main() -> int:
    """Read the command line and misbehave; the crasher's exit status is 1."""
    kinds = "\n".join(f"  {kind:12} {bot.summary}" for kind, bot in HOUSE_BOTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m sternhalma_server.testing.house_bots",
        description=__doc__,
        epilog=f"kinds:\n{kinds}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", choices=HOUSE_BOTS, metavar="KIND")
    parser.add_argument("--tls", action="store_true", help="speak TLS, whatever the certificate")
    parser.add_argument("--diary", type=Path, help="a file to write what was done and heard into")
    options = parser.parse_args()
    with ExitStack() as stack:
        note = unnoted
        if options.diary is not None:
            # Line by line, and appended: a program that is started again goes on with it.
            file = stack.enter_context(options.diary.open("a", buffering=1, encoding="utf-8"))
            note = Diary(file.write).note
        try:
            trio.run(lambda: _misbehave(options.kind, note, tls=options.tls))
        except KeyboardInterrupt:
            return 0
    if options.kind == "crasher":
        print("house bot: crashing as asked", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
