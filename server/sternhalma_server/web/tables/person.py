"""A person's client: one connection of the line protocol, kept up for as long as the table is open.

To the server a person is a bot like any other. Pages come and go and may be many; the connection
stays, so that whoever reloads a page has lost nothing. If it breaks all the same, it is made again,
and the token of the seat takes it over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

from sternhalma_server.web.tables.lines import (
    Asked,
    Ended,
    Farewell,
    Greeted,
    Moved,
    Opened,
    Told,
    read_line,
)

AGAIN: Final = 0.5  # seconds between two tries to connect
LINE: Final = 1 << 16  # bytes of a line: a turn with its position has a tenth of that

log = logging.getLogger(__name__)


class Person:
    """The client of the person whom the wire calls *name*; *hear* is given what it is told."""

    def __init__(self, name: str, token: str, hear: Callable[[Person, Told], None]) -> None:
        self.name = name
        self.asked: Asked | None = None  # the turn that waits for an answer
        self._token = token
        self._hear = hear
        self._writer: asyncio.StreamWriter | None = None
        self._is_over = False

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return self._writer is not None

    def send(self, line: str) -> bool:
        """Say a line; False where there is no connection to say it over."""
        if self._writer is None or self._writer.is_closing():
            return False
        self._writer.write(f"{line}\n".encode())
        return True

    async def run(self, host: str, port: int) -> None:
        """Keep the connection up, until the server has said that this is the end."""
        while not self._is_over:
            with contextlib.suppress(OSError, ValueError):
                await self._converse(host, port)
            if not self._is_over:
                await asyncio.sleep(AGAIN)

    async def _converse(self, host: str, port: int) -> None:
        reader, writer = await asyncio.open_connection(host, port, limit=LINE)
        self._writer = writer
        try:
            while line := await reader.readline():
                self._take(line.decode().rstrip("\n"))
        finally:
            self._writer = self.asked = None
            writer.close()

    def _take(self, line: str) -> None:
        told = read_line(line)
        match told:
            case None:
                return
            case Greeted():
                self.send(f"login {self.name} token={self._token}")
            case Asked():
                self.asked = told
            case Opened() | Ended():
                self.asked = None
            case Moved() if self.asked is not None and told.ply >= self.asked.ply:
                self.asked = None
            case Farewell():
                self._is_over = True
            case _:
                pass
        self._hear(self, told)
