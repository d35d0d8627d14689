"""Hosting one event in its folder while its games are played on many machines.

Store, lock, control socket, signals, tables: all is as it is on one machine. Only nobody dials in
here, and no program is started.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import trio

from sternhalma_server.app import answers, heed_signals, heed_stop
from sternhalma_server.control import serve_control
from sternhalma_server.dispatcher import Dispatcher
from sternhalma_server.fleet import Fleet
from sternhalma_server.hosting import Opened, host
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.settings import Settings
from sternhalma_tournament.amendments import LateEntry, Withdrawal
from sternhalma_tournament.event import SCHEDULED
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.text import counted

WHY: Final = "its games end the workers that play them"


def check_local(settings: Settings, where: str) -> None:
    """Raise `EventFileError` for a bot that dials in: it would not know where to.

    *where* names the event file.
    """
    for number, bot in enumerate(settings.event.bots, start=1):
        if bot.remote:
            raise EventFileError(
                f"{where}: bots[{number}].remote: expected programs only, which are started on"
                f" the machine that plays their game, got {bot.name!r}, which dials in"
            )


async def host_far(
    settings: Settings,
    fleet: Fleet,
    root: Path,
    observer: Observer,
    programs: Mapping[str, str],
) -> Summary:
    """Play the event in the folder *root* on *fleet*, or play on where it was stopped.

    *programs* are the fingerprints of its bots. Raises `EventFileError` for an event that bots have
    come late to, which dial in, and else as `host_event`.
    """

    async def play(opened: Opened) -> Summary:
        staged = opened.staged
        late = next((one for one in staged.rulings if isinstance(one, LateEntry)), None)
        if late is not None:
            raise EventFileError(
                f"{settings.event.name}: expected programs only on many machines, got the late"
                f" entry {late.entry!r}, which dials in"
            )
        if staged.begun:
            games = counted(len(staged.begun), "game")
            observer.tell(f"{games} begun before a stop: played from the start on another machine")
        dispatcher = Dispatcher(
            settings,
            staged.results.history,
            fleet,
            staged.keeper,
            observer,
            programs,
            root,
            lambda entry: _quarantine(settings, entry, dispatcher, opened, observer),
        )
        with trio.CancelScope() as playing:
            async with trio.open_nursery() as nursery:
                stop = trio.Event()
                nursery.start_soon(heed_stop, stop, dispatcher, playing, observer, settings)
                nursery.start_soon(heed_signals, stop, playing)
                answer = answers(settings, staged.keeper, dispatcher, None, stop, opened.arbiter)
                nursery.start_soon(serve_control, root, answer)
                await dispatcher.run()
                nursery.cancel_scope.cancel()
        return dispatcher.summary

    return await host(settings, root, observer, play, programs=programs)


async def _quarantine(
    settings: Settings, entry: str, dispatcher: Dispatcher, opened: Opened, observer: Observer
) -> None:
    """Withdraw *entry*, as a host would, so that no more workers are lost for it.

    Where all games are known before, it forfeits those that are left, as a bot does that does not
    come: nobody's table hangs on when it was found out. Elsewhere it is not paired any more.
    """
    forfeit = settings.event.format in SCHEDULED
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    ruling = Withdrawal(WHY, entry, forfeit=forfeit, at=now)
    try:
        await opened.arbiter.rule(ruling, None, dispatcher, None)
    except ValueError as error:  # the host has been quicker
        observer.tell(f"{entry} ends the workers that play its games: {error}")
