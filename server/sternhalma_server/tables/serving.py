"""The server of the tables: a process of its own, at the other end of a socket.

The process that shows the pages starts it with a socket as its standard input, and writes orders
there, a JSON object a line; each has a number as `id`, and what came of it is written back with the
same. The first line says where people's clients are to connect. The end of the socket is the end of
the tables: whoever orders them has gone, however that came about.
"""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, cast

import trio

from sternhalma_server.audience import Audience
from sternhalma_server.clock import parse_duration
from sternhalma_server.crew import Crew
from sternhalma_server.hall import Hall
from sternhalma_server.listener import Listener
from sternhalma_server.lookup import find_program
from sternhalma_server.seats import Doors, Holder, Lobby
from sternhalma_server.tables.adviser import ADVISER, SAMPLE
from sternhalma_server.tables.room import Limits, Room
from sternhalma_tournament.event import Bot
from sternhalma_tournament.hosting import BotLimits

KIT: Final = "sternhalma-bot"
START: Final = "30s"  # for a sample bot to log in
FAREWELL: Final = ("server-stops", "the tables are closed")
LINE: Final = 1 << 16  # bytes of an order
_WHY: Final = "the game begins as soon as everybody is at the table"
AT_ONCE: Final = 256  # orders that are being followed

log = logging.getLogger(__name__)


def list_samples() -> list[str]:
    """The sample bots that the kit installed beside this server has. Raises `ProgramError`."""
    program = str(find_program(KIT, Path()))
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in listed.stdout.splitlines() if line.strip()]


async def serve_tables(
    orders: trio.SocketStream, listener: Listener, samples: Sequence[str], limits: Limits
) -> None:
    """Serve tables to the clients of *listener*, as *orders* say, until those end."""
    bots = [Bot(name=name, command=f"{KIT} {name}") for name in samples]
    if SAMPLE in samples:
        bots.append(Bot(name=ADVISER, command=f"{KIT} {SAMPLE}", connections=1))
    crew = Crew(bots, Path(), BotLimits(), parse_duration(START), log.warning)
    lobby: Lobby | None = None
    try:
        async with trio.open_nursery() as nursery:
            audience = Audience()
            room: Room | None = None

            def arrived(holder: Holder) -> None:
                if room is not None:
                    room.arrived(holder)

            lobby = Lobby(
                nursery,
                crew.known(),
                lambda _name: _WHY,
                Doors(),
                audience,
                None,
                arrived,
            )
            hall = Hall(lobby, crew, audience, (listener.host, listener.port), named=True)
            desk = Desk(orders)
            room = Room(hall, samples, limits, nursery, desk.post)
            nursery.start_soon(audience.run)
            nursery.start_soon(listener.serve, lobby.serve)
            nursery.start_soon(room.watch)
            nursery.start_soon(desk.write)
            desk.post(
                {"host": listener.host, "port": listener.port, "samples": list(samples)},
            )
            await desk.serve(room)
            lobby.close(*FAREWELL)
            await crew.stop()
            nursery.cancel_scope.cancel()
    finally:
        crew.kill()
        if lobby is not None:
            lobby.abandon()
        listener.close()
        orders.socket.close()


class Desk:
    """Where orders come in and answers go out, over one socket."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        # What goes out is little, and whoever ordered it reads it or is gone.
        self._out, self._posted = trio.open_memory_channel[Mapping[str, Any]](1 << 16)

    def post(self, told: Mapping[str, Any]) -> None:
        """Write something, as soon as what was to be written before it is."""
        self._out.send_nowait(told)

    async def write(self) -> None:
        """Write what is posted, until the socket ends."""
        async for told in self._posted:
            try:
                await self._stream.send_all(json.dumps(told).encode() + b"\n")
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

    async def serve(self, room: Room) -> None:
        """Have *room* follow the orders that come; returns when no more can come."""
        places = trio.Semaphore(AT_ONCE)
        unread = b""
        async with trio.open_nursery() as nursery:
            while data := await self._more():
                *lines, unread = (unread + data).split(b"\n")
                if len(unread) > LINE:
                    log.error("expected an order of at most %d bytes", LINE)
                    break
                for line in lines:
                    await places.acquire()
                    nursery.start_soon(self._follow, room, line, places)
            nursery.cancel_scope.cancel()

    async def _more(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(LINE))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    async def _follow(self, room: Room, line: bytes, places: trio.Semaphore) -> None:
        number: Any = None
        try:
            order = json.loads(line)
            if not isinstance(order, dict):
                raise ValueError("expected a JSON object")  # noqa: TRY004 - as for what is no JSON
            order = cast("dict[str, Any]", order)
            number = order.get("id")
            told = await room.answer(order)
        except (ValueError, RecursionError) as problem:
            told = {"error": f"expected a line with a JSON object: {problem}"}
        except Exception:
            log.exception("an order could not be followed")
            told = {"error": "the server has failed to do this; its log says more"}
        finally:
            places.release()
        self.post({"id": number, **told})


def run_tables(orders: trio.socket.SocketType, limits: Limits, samples: Sequence[str]) -> None:
    """Serve tables on a free port of this machine until *orders* end."""

    async def main() -> None:
        with closing(Listener("127.0.0.1", 0)) as listener:
            await serve_tables(trio.SocketStream(orders), listener, samples, limits)

    trio.run(main)
