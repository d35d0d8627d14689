"""Hosting one event in its folder: its store, what is derived from it, going on after a stop, and
handing out its transcripts when it is over."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from sternhalma_server.admission import Known
from sternhalma_server.app import OVER, run_event
from sternhalma_server.arbiter import Arbiter
from sternhalma_server.archive import STORE, create_archive, write_tables
from sternhalma_server.clock import SECOND
from sternhalma_server.crew import Crew
from sternhalma_server.house import open_hall
from sternhalma_server.library import Library
from sternhalma_server.listener import Listener
from sternhalma_server.lock import StoreLock
from sternhalma_server.observer import Observer, Summary
from sternhalma_server.rulings import late_bots, read_results, rulings_of, stored_event
from sternhalma_server.settings import Settings
from sternhalma_server.staging import Staged, stage_event
from sternhalma_server.store import Store, StoredEvent
from sternhalma_tournament.reading import EventFileError


def is_finished(root: Path, settings: Settings) -> bool:
    """Whether the event has been played to its end in the folder *root*.

    Raises `EventFileError` if the store there is of another event file, and `StoreError`.
    """
    if not (root / STORE).exists():
        return False
    with Store.read(root / STORE) as store:
        stored = store.event(settings.event.name)
        if stored is None:
            return False
        check_same(stored, settings)
        return stored.state == "closed"


def check_same(stored: StoredEvent, settings: Settings) -> None:
    """Raise `EventFileError` unless *settings* are of the very event file that is stored."""
    if stored.source == settings.source:
        return
    before = stored.source.decode("utf-8", "replace").splitlines()
    now = settings.source.decode("utf-8", "replace").splitlines()
    for number in range(max(len(before), len(now))):
        was = before[number] if number < len(before) else "nothing"
        got = now[number] if number < len(now) else "nothing"
        if was != got:
            raise EventFileError(
                f"{settings.event.name}: expected the event file of the results, line"
                f" {number + 1} was {was[:80]!r} and is {got[:80]!r};"
                " choose another folder with --out, or play anew with --again"
            )
    raise EventFileError(
        f"{settings.event.name}: expected the event file of the results, its line ends differ;"
        " choose another folder with --out, or play anew with --again"
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """An event whose store is open, ready to be played, and whoever takes rulings on it."""

    staged: Staged
    late: Sequence[Known]
    arbiter: Arbiter


Play = Callable[[Opened], Awaitable[Summary]]


async def host_event(
    settings: Settings, listener: Listener, root: Path, observer: Observer
) -> Summary:
    """Play the event in the folder *root*, or play on where it was stopped.

    Raises `ArchiveError`, `EventFileError`, `StoreError`, `LockedError` before anything is begun.
    """

    async def play(opened: Opened) -> Summary:
        staged = opened.staged
        return await run_event(
            settings,
            listener,
            staged.keeper,
            observer,
            scheduler=staged.scheduler,
            begun=staged.begun,
            control=root,
            rulings=staged.rulings,
            versions=staged.versions,
            late=opened.late,
            arbiter=opened.arbiter,
        )

    return await host(settings, root, observer, play)


async def host(settings: Settings, root: Path, observer: Observer, play: Play) -> Summary:
    """Have *play* play the event in the folder *root*, and keep what comes of it.

    Raises as `host_event`.
    """
    create_archive(root, settings.source)
    with StoreLock(root / STORE), Store.open(root / STORE) as store:
        stored = store.event(settings.event.name)
        if stored is None:
            event = store.add_event(settings.event.name, settings.source)
        else:
            check_same(stored, settings)
            event = stored.id
        store.set_state(event, "running")
        staged = stage_event(store, event, settings, root, observer.tell, observer.tested)
        results, journal, keeper = staged.results, staged.journal, staged.keeper
        if stored is not None:
            observer.resumed(len(results), len(staged.begun))
        opened = Opened(
            staged,
            late_bots(staged.rulings, store.secrets(event)),
            Arbiter(settings, results, keeper, store, event, observer),
        )
        lost = False
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(journal.run)
                nursery.start_soon(keeper.run)
                summary = await play(opened)
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                lost = not await journal.close_or_tell()
                await keeper.write()
        if lost:
            summary.complete = False
        else:
            store.set_state(event, "closed" if summary.complete else "paused")
        # Of the whole event, not only of what was played since the last stop.
        summary.games, summary.forfeits = len(results), results.forfeits
        summary.voids = results.voids
        return summary


def past(root: Path) -> Summary:
    """What became of an event that has been played to its end in the folder *root*.

    What is derived from its store is written anew if it is not there any more.
    """
    with Store.read(root / STORE) as store:
        stored, results = read_results(store, stored_event(store))
    files = results.files()
    if not all((root / name).exists() for name in files):
        create_archive(root, stored.source)
        write_tables(root, files)
    return Summary(
        games=len(results), forfeits=results.forfeits, voids=results.voids, complete=True
    )


async def hand_out(
    settings: Settings,
    listener: Listener,
    root: Path,
    length: int,
    tell: Callable[[str], None],
) -> None:
    """Let bots of the event in the folder *root*, which is over, fetch their transcripts.

    It takes *length* nanoseconds, or until SIGINT or SIGTERM. Who logs in to play is sent away.
    """
    with Store.read(root / STORE) as store:
        stored = stored_event(store)
        late = late_bots(rulings_of(store, stored.id), store.secrets(stored.id))
    crew = Crew((), settings.folder, settings.event.limits, settings.waits.start, tell)
    known, login = [*settings.known(), *late], settings.waits.login
    async with open_hall(listener, crew, known, lambda _: OVER[1], login) as hall:
        hall.farewell = hall.lobby.closing = OVER
        hall.lobby.library = Library(root)
        tell(
            f"transcripts can be fetched from {listener.host} port {listener.port}"
            f" for {length / SECOND:g} s"
        )
        with (
            trio.move_on_after(length / SECOND),
            trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals,
        ):
            await anext(signals)
