"""Opening a server's hall to bots and watchers, and closing it again however things end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

import trio

from sternhalma_server.admission import Known
from sternhalma_server.audience import Audience
from sternhalma_server.clock import SECOND
from sternhalma_server.crew import Crew
from sternhalma_server.descriptors import spare_for_strangers
from sternhalma_server.hall import Hall
from sternhalma_server.listener import Listener
from sternhalma_server.quiet import seldom_collected
from sternhalma_server.seats import UNNAMED, Doors, Holder, Lobby


@asynccontextmanager
async def open_hall(
    listener: Listener,
    crew: Crew,
    known: Iterable[Known],
    why: Callable[[str], str],
    login: int,
    *,
    versions: Mapping[str, str | None] | None = None,
    arrived: Callable[[Holder], None] | None = None,
    room: int | None = None,
    named: bool = False,
) -> AsyncGenerator[Hall]:
    """A hall whose doors are open during the block; then everybody is told its `farewell`.

    *known* are the bots that dial in, who have *login* nanoseconds to say who they are; *why* tells
    them what they wait for. For the rest see `Lobby` and `Hall`.
    """
    # The server's own programs need no TLS on this machine: they have a door of their own.
    inside = Listener("127.0.0.1", 0) if listener.tls else listener
    doors = {listener, inside}
    lobby: Lobby | None = None
    try:
        async with trio.open_nursery() as nursery:
            audience = Audience()
            nursery.start_soon(audience.run)
            lobby = Lobby(
                nursery,
                [*known, *crew.known()],
                why,
                Doors(unnamed=min(UNNAMED, spare_for_strangers()), login=login / SECOND),
                audience,
                versions,
                arrived,
            )
            hall = Hall(lobby, crew, audience, (inside.host, inside.port), room, named)
            for door in doors:
                nursery.start_soon(door.serve, lobby.serve)
            with seldom_collected():
                yield hall
            lobby.close(*hall.farewell)
            await audience.close(*hall.farewell)
            await crew.stop()
            nursery.cancel_scope.cancel()
    finally:
        crew.kill()
        if lobby is not None:
            lobby.abandon()
        for door in doors:
            door.close()
