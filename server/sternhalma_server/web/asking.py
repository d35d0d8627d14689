"""Asking the server that plays in a folder, over its control socket, without holding up a page."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import cast

from sternhalma_server.control import SOCKET, socket_address


async def ask_server(root: Path, command: str) -> dict[str, object]:
    """What the server of the folder *root* answers to *command*; empty for what is no object.

    Raises `OSError` where nobody answers, and `ValueError` for an answer that is no JSON.
    """
    reader, writer = await asyncio.open_unix_connection(socket_address(root / SOCKET))
    try:
        writer.write(json.dumps({"command": command}).encode() + b"\n")
        answer: object = json.loads(await reader.read())
    finally:
        writer.close()
    return cast("dict[str, object]", answer) if isinstance(answer, dict) else {}
