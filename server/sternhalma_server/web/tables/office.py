"""The process that plays the games of the tables: started when it is needed, ordered, and ended.

Its orders go over a socket that ends with this process, and it ends with that.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

PATIENCE: Final = 30.0  # seconds for an answer, or for the process to start
GRACE: Final = 1.0  # seconds for the process to end by itself; its programs end with it anyway
LINE: Final = 1 << 18  # bytes of an answer


class OfficeError(Exception):
    """An order that was not followed; says why in one sentence."""


class Office:
    """Orders the tables of one process; *limits* are its `Limits`, *closed* is told of tables.

    A process that ends, for whatever reason, takes its tables along: *gone* is called then, and the
    next order starts another one.
    """

    def __init__(
        self,
        limits: Mapping[str, float],
        closed: Callable[[str, str], None],
        gone: Callable[[], None],
    ) -> None:
        self._limits = dict(limits)
        self._closed = closed
        self._gone = gone
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._count = 0
        self.address = ("", 0)  # where people's clients connect
        self.samples: tuple[str, ...] = ()

    @property
    def pid(self) -> int | None:
        """The process, None while there is none."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process, unless it runs. Raises `OfficeError`."""
        async with self._starting:
            if self._writer is not None:
                return
            await self.stop()
            here, there = socket.socketpair()
            with there:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "sternhalma_server.tables",
                    json.dumps(self._limits),
                    stdin=there.fileno(),
                )
            reader, writer = await asyncio.open_connection(sock=here, limit=LINE)
            try:
                first = json.loads(await asyncio.wait_for(reader.readline(), PATIENCE))
            except (TimeoutError, ValueError, OSError):
                writer.close()
                raise OfficeError("the tables cannot be started; the log says more") from None
            self.address = (first["host"], first["port"])
            self.samples = tuple(first["samples"])
            self._writer = writer
            self._listening = asyncio.create_task(self._listen(reader, writer))

    async def stop(self) -> None:
        """End the process, and all tables with it; return when it has ended."""
        if self._writer is not None:
            self._writer.close()
        if self._listening is not None:
            await self._listening
        if self._process is not None:
            try:
                await asyncio.wait_for(self._process.wait(), GRACE)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        self._process = self._listening = None

    async def order(self, order: str, **keys: Any) -> dict[str, Any]:
        """Have an *order* followed; what came of it. Raises `OfficeError`."""
        await self.start()
        writer = self._writer
        if writer is None:
            raise OfficeError("the tables have just ended; try once more")
        self._count += 1
        number = self._count
        answer = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            writer.write(json.dumps({"id": number, "order": order, **keys}).encode() + b"\n")
            told: dict[str, Any] = await asyncio.wait_for(answer, PATIENCE)
        except TimeoutError:
            raise OfficeError("expected an answer of the tables, got none in time") from None
        finally:
            self._waiting.pop(number, None)
        if "error" in told:
            raise OfficeError(told["error"])
        return told

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                self._take(json.loads(line))
        except (OSError, ValueError):
            pass  # nothing more can come, whatever the reason
        finally:
            writer.close()
            self._writer = None
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_result({"error": "the tables have ended"})
            self._gone()

    def _take(self, told: dict[str, Any]) -> None:
        if "closed" in told:
            self._closed(told["closed"], told["why"])
            return
        answer = self._waiting.get(told.get("id", 0))
        if answer is not None and not answer.done():
            answer.set_result(told)
