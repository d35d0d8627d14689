"""The server as a tree of tasks: the listener, the lobby's connections, the event's director."""

from __future__ import annotations

import gc
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import trio

from sternhalma_server.admission import Known
from sternhalma_server.arbiter import Arbiter
from sternhalma_server.audience import Audience
from sternhalma_server.clock import SECOND
from sternhalma_server.conductor import Keeper
from sternhalma_server.control import Answer, serve_control
from sternhalma_server.crew import Crew
from sternhalma_server.descriptors import spare_for_strangers
from sternhalma_server.director import Director
from sternhalma_server.hall import Hall
from sternhalma_server.keeping import Begun
from sternhalma_server.listener import Listener
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.seats import UNNAMED, Doors, Lobby
from sternhalma_server.settings import Settings
from sternhalma_server.store import StoreError
from sternhalma_tournament.amendments import Amendment, parse_amendment
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.scheduler import Scheduler

# Plies of running games are kept as small tuples, and the youngest of them would be looked at again
# every 700 objects; this often is often enough.
SELDOM: Final = (20_000, 20, 100)


async def run_event(
    settings: Settings,
    listener: Listener,
    keeper: Keeper,
    observer: Observer,
    *,
    scheduler: Scheduler | None = None,
    begun: Mapping[int, Begun] | None = None,
    control: Path | None = None,
    rulings: Sequence[Amendment] = (),
    late: Sequence[Known] = (),
    versions: Mapping[str, str | None] | None = None,
    arbiter: Arbiter | None = None,
) -> Summary:
    """Play the event of *settings* over *listener*; returns when its last game is stored.

    *scheduler* knows which games an earlier run has stored, *begun* are those it was playing;
    *control* is the folder for the control socket. *rulings* of the host have been told to the
    scheduler; *late* are the bots that entered by one, and the *arbiter* takes further ones;
    *versions* are those that bots have played with before.
    SIGINT or SIGTERM ends the event before its end: the first lets the games that run finish, for
    as long as the event's budget allows, the second breaks them off at once. They go on from their
    last stored ply when the event is run again.
    """
    scheduler = scheduler or scheduler_of(settings.event)
    # The server's own programs need no TLS on this machine: they have a door of their own.
    inside = listener
    if settings.event.tls is not None:
        inside = Listener("127.0.0.1", 0)
    crew = Crew(
        [bot for bot in settings.event.bots if not bot.remote],
        settings.folder,
        settings.event.limits,
        settings.waits.start,
        observer.tell,
        hidden=() if control is None else (control,),
    )
    lobby: Lobby | None = None
    before = gc.get_threshold()
    try:
        async with trio.open_nursery() as nursery:
            director: Director | None = None
            audience = Audience()
            nursery.start_soon(audience.run)

            def why(bot: str) -> str:
                assert director is not None
                return director.why(bot)

            lobby = Lobby(
                nursery,
                [*settings.known(), *late, *crew.known()],
                why,
                Doors(
                    unnamed=min(UNNAMED, spare_for_strangers()),
                    login=settings.waits.login / SECOND,
                ),
                audience,
                versions or {},
            )
            hall = Hall(lobby, crew, audience, (inside.host, inside.port))
            director = Director(
                settings, scheduler, hall, keeper, observer, begun, rulings, versions or {}
            )
            observer.listening(listener.host, listener.port)
            for door in {listener, inside}:
                nursery.start_soon(door.serve, lobby.serve)
            # What is here now lives as long as the event. Kept out of collections, it does not make
            # them long, and long collections are what delays a referee.
            gc.collect()
            gc.freeze()
            gc.set_threshold(*SELDOM)
            with trio.CancelScope() as playing:
                stop = trio.Event()
                nursery.start_soon(_stop, stop, director, playing, observer, settings)
                nursery.start_soon(_heed_signals, stop, playing)
                if control is not None:
                    answer = _answers(settings, keeper, director, lobby, stop, arbiter)
                    nursery.start_soon(serve_control, control, answer)
                await director.run()
            summary = director.summary
            farewell = ("server-stops", "the server stops, the event goes on later")
            if summary.complete:
                farewell = ("event-over", "the event has ended, thank you for playing")
            lobby.close(*farewell)
            await audience.close(*farewell)
            await crew.stop()
            nursery.cancel_scope.cancel()
        return summary
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
        crew.kill()
        if lobby is not None:
            lobby.abandon()
        for door in {listener, inside}:
            door.close()


async def _heed_signals(stop: trio.Event, playing: trio.CancelScope) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        await anext(signals)
        stop.set()
        await anext(signals)
        playing.cancel()


async def _stop(
    stop: trio.Event,
    director: Director,
    playing: trio.CancelScope,
    observer: Observer,
    settings: Settings,
) -> None:
    """When asked to, begin no more games and give those that run some time."""
    await stop.wait()
    seconds = settings.waits.drain / SECOND
    director.drain()
    observer.tell(
        f"stopping: no more games are begun, those that run have {seconds:g} s to finish;"
        " once more to stop at once"
    )
    await trio.sleep(seconds)
    playing.cancel()


def _answers(
    settings: Settings,
    keeper: Keeper,
    director: Director,
    lobby: Lobby,
    stop: trio.Event,
    arbiter: Arbiter | None,
) -> Answer:
    """What the control socket answers."""

    async def answer(request: Mapping[str, Any]) -> Mapping[str, Any]:
        facts: dict[str, Any] = {"event": settings.event.name, "running": director.running}
        match request:
            case {"command": "status"}:
                names = sorted({h.name for h in lobby if h.connection.ended is None})
                return facts | {
                    "games": director.games,
                    "finished": keeper.played,
                    "connected": names,
                }
            case {"command": "why", "bot": str(bot)}:
                if not director.knows(bot):
                    return {"error": f"expected a bot of the event, got {bot[:40]!r}"}
                return facts | {"why": director.why(bot)}
            case {"command": "stop"}:
                stop.set()
                return facts
            case {"command": "amend", "ruling": str(text)} if arbiter is not None:
                token: object = request.get("token")
                digest = token if isinstance(token, str) else None
                try:
                    ruled = await arbiter.rule(parse_amendment(text), digest, director, lobby)
                except (ValueError, StoreError) as problem:
                    return {"error": str(problem)}
                return facts | {"ruled": list(ruled.sentences)}
            case _:
                return {"error": "expected a command: status, why with a bot, stop, or amend"}

    return answer
