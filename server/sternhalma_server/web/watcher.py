"""The connection to the server: found, listened to, and made again whenever it is lost.

The server says by its control socket where it listens. It may have another port after it was
started again, and there may be none for days: one asks now and then. Where games are played by
workers elsewhere nobody listens, and one only asks how many there are.
"""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import Final

from sternhalma_server.web.asking import ask_server
from sternhalma_server.web.scene import Scene
from sternhalma_server.web.site import Site

AGAIN: Final = (0.2, 0.5, 1.0, 2.0)  # seconds until the next try; the last one from then on
PATIENCE: Final = 5.0  # seconds for a connection to come about
CHUNK: Final = 1 << 16  # bytes
LONGEST: Final = 1 << 17  # bytes of a line

log = logging.getLogger(__name__)


async def watch(root: Path, scene: Scene, site: Site) -> None:
    """Watch all games of the server that runs in the folder *root*, until cancelled."""
    tries = 0
    while True:
        try:
            heard = await _watch_once(root, scene, site)
        except (OSError, ValueError) as error:
            log.info("no server to watch: %s", error)
            heard, site.elsewhere = False, None
        finally:
            site.connected = False
            scene.clear()
        tries = 0 if heard else tries + 1
        await asyncio.sleep(AGAIN[min(tries, len(AGAIN) - 1)])


async def _watch_once(root: Path, scene: Scene, site: Site) -> bool:
    """Watch until the connection ends; whether anything was heard."""
    async with asyncio.timeout(PATIENCE):
        address = await _found(root, site)
        if address is None:
            return False
        reader, writer = await asyncio.open_connection(*address)
    heard = False
    try:
        writer.write(b"watch all\n")
        rest = b""
        while data := await reader.read(CHUNK):
            *lines, rest = (rest + data).split(b"\n")
            if len(rest) > LONGEST:
                raise ValueError(f"expected lines of at most {LONGEST} bytes, got more")
            now = time.monotonic()
            for line in lines:
                text = line.decode()
                if text.startswith("welcome "):
                    heard = site.connected = True
                elif text.startswith("bye "):
                    log.info("the server says %s", text)
                scene.hear(text, now)
    finally:
        writer.close()
    return heard


async def _found(root: Path, site: Site) -> tuple[str, int] | None:
    """Where the server of the folder *root* listens; None if it has others play its games.

    Raises `OSError`, `ValueError`.
    """
    facts = await ask_server(root, "status")
    match facts.get("listening"):
        case [str(host), int(port)]:
            site.elsewhere = None
            return host, port
        case [] if isinstance(running := facts.get("running"), int):
            site.elsewhere = running
            return None
        case other:
            raise ValueError(f"expected where the server listens, got {other!r}")
