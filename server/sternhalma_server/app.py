"""The server as a tree of tasks: the listener, the lobby's connections, the event's director."""

from __future__ import annotations

import gc

import trio

from sternhalma_server.admission import Admission
from sternhalma_server.crew import Crew
from sternhalma_server.director import Director, Keeper, Observer, Summary
from sternhalma_server.listener import Listener
from sternhalma_server.seats import Lobby
from sternhalma_server.settings import Settings

LOGIN_SECONDS = 10.0


async def run_event(
    settings: Settings, listener: Listener, keeper: Keeper, observer: Observer
) -> Summary:
    """Play the event of *settings* over *listener*; returns when its last game is stored."""
    crew = Crew(settings, observer.tell)
    lobby: Lobby | None = None
    try:
        async with trio.open_nursery() as nursery:
            director: Director | None = None

            def why(bot: str) -> str:
                assert director is not None
                return director.why(bot)

            admission = Admission([*settings.known(), *crew.known()])
            lobby = Lobby(nursery, admission, why, LOGIN_SECONDS)
            address = (listener.host, listener.port)
            director = Director(settings, lobby, crew, keeper, observer, address)
            nursery.start_soon(listener.serve, lobby.serve)
            # What is here now lives as long as the event. Kept out of collections, it does not make
            # them long, and long collections are what delays a referee.
            gc.collect()
            gc.freeze()
            summary = await director.run()
            lobby.close("event-over", "the event has ended, thank you for playing")
            await crew.stop()
            nursery.cancel_scope.cancel()
        return summary
    finally:
        gc.unfreeze()
        crew.kill()
        if lobby is not None:
            lobby.abandon()
        listener.close()
