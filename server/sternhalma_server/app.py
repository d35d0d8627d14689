"""The server as a tree of tasks: the listener, the lobby's connections, the event's director."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import trio

from sternhalma_server.admission import Known
from sternhalma_server.arbiter import Arbiter, Conduct
from sternhalma_server.clock import SECOND
from sternhalma_server.conductor import Keeper
from sternhalma_server.control import Answer, serve_control
from sternhalma_server.crew import Crew
from sternhalma_server.director import Director
from sternhalma_server.hall import Hall
from sternhalma_server.house import open_hall
from sternhalma_server.keeping import Begun
from sternhalma_server.library import Library
from sternhalma_server.listener import Listener
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.settings import Settings
from sternhalma_server.store import StoreError
from sternhalma_tournament.amendments import Amendment, parse_amendment
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.scheduler import Scheduler

WHOLE: Final = "expected the whole event, got a shard of it: rule when its shards are merged"
OVER: Final = ("event-over", "the event has ended, thank you for playing")


class Playing(Conduct, Protocol):
    """Whoever conducts an event, as far as its host is concerned (`Director`)."""

    @property
    def running(self) -> int:
        """How many games are being played or prepared."""
        ...

    @property
    def games(self) -> int:
        """How many games there are to be, as far as can be said now."""
        ...

    def knows(self, bot: str) -> bool:
        """Whether *bot* plays in this event."""
        ...

    def why(self, bot: str) -> str:
        """Why *bot* has no game now."""
        ...

    def drain(self) -> None:
        """Begin no more games."""
        ...


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
    *control* is the folder of its store, for the control socket and for what programs print.
    *rulings* of the host have been told to the scheduler; *late* are the bots that entered by one,
    and the *arbiter* takes further ones; *versions* are those that bots have played with before.
    SIGINT or SIGTERM ends the event before its end: the first lets the games that run finish, for
    as long as the event's budget allows, the second breaks them off at once. They go on from their
    last stored ply when the event is run again.
    """
    scheduler = scheduler or scheduler_of(settings.event)
    crew = Crew(
        [bot for bot in settings.event.bots if not bot.remote],
        settings.folder,
        settings.event.limits,
        settings.waits.start,
        observer.tell,
        root=control,
    )
    director: Director | None = None

    def why(bot: str) -> str:
        assert director is not None
        return director.why(bot)

    known = [*settings.known(), *late]
    fixed = versions or {}
    async with open_hall(listener, crew, known, why, settings.waits.login, versions=fixed) as hall:
        if control is not None:
            hall.lobby.library = Library(control)
        director = Director(settings, scheduler, hall, keeper, observer, begun, rulings, fixed)
        observer.listening(listener.host, listener.port)
        with trio.CancelScope() as playing:
            async with trio.open_nursery() as nursery:
                stop = trio.Event()
                nursery.start_soon(heed_stop, stop, director, playing, observer, settings)
                nursery.start_soon(heed_signals, stop, playing)
                if control is not None:
                    answer = answers(settings, keeper, director, hall, stop, arbiter)
                    nursery.start_soon(serve_control, control, answer)
                await director.run()
                nursery.cancel_scope.cancel()
        if director.summary.complete:
            hall.farewell = OVER
    return director.summary


def stop_signals() -> list[signal.Signals]:
    """What asks a server to stop: a terminal that is closed does too, unless `nohup` said no."""
    hangup = [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]


async def heed_signals(stop: trio.Event, playing: trio.CancelScope) -> None:
    """Set *stop* at the first signal that asks for it, cancel *playing* at the second."""
    with trio.open_signal_receiver(*stop_signals()) as signals:
        await anext(signals)
        stop.set()
        await anext(signals)
        playing.cancel()


async def heed_stop(
    stop: trio.Event,
    director: Playing,
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


def answers(
    settings: Settings,
    keeper: Keeper,
    director: Playing,
    hall: Hall | None,
    stop: trio.Event,
    arbiter: Arbiter | None,
) -> Answer:
    """What the control socket answers; no *hall* where nobody dials in."""
    lobby = None if hall is None else hall.lobby

    async def answer(request: Mapping[str, Any]) -> Mapping[str, Any]:
        facts: dict[str, Any] = {"event": settings.event.name, "running": director.running}
        match request:
            case {"command": "status"}:
                here = () if hall is None else hall.connected
                names = sorted({holder.name for holder in here})
                return facts | {
                    # Where programs of this machine dial in, and without TLS.
                    "listening": [] if hall is None else list(hall.address),
                    "games": director.games,
                    "finished": keeper.played,
                    "connected": names,
                }
            case {"command": "metrics"}:
                gauges = {"connections": 0, "watchers": 0, "running": director.running}
                if hall is not None:
                    gauges = hall.gauges()
                return {**gauges, "batches": keeper.batches, "stalled": int(keeper.stalled)}
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
            case {"command": "amend"} if arbiter is None:
                return {"error": WHOLE}
            case _:
                return {
                    "error": "expected a command: status, metrics, why with a bot, stop, or amend"
                }

    return answer
