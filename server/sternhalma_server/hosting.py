"""Hosting one event in its folder: its store, what is derived from it, going on after a stop, and
handing out its transcripts when it is over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from sternhalma_server.admission import Known
from sternhalma_server.app import OVER, run_event, stop_signals
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
from sternhalma_server.shard import SHARD, Shard, check_programs, shard_of, share_of
from sternhalma_server.staging import Staged, stage_event
from sternhalma_server.store import Store, StoredEvent
from sternhalma_tournament.reading import EventFileError


def is_finished(root: Path, settings: Settings, shard: Shard | None = None) -> bool:
    """Whether the event, or *shard* of it, has been played to its end in the folder *root*.

    Raises `EventFileError` if the store there is of another event file or share, and `StoreError`.
    """
    if not (root / STORE).exists():
        return False
    with Store.read(root / STORE) as store:
        stored = store.event(settings.event.name)
        if stored is None:
            return False
        check_same(stored, settings)
        check_share(store, stored, shard)
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


def check_share(store: Store, stored: StoredEvent, shard: Shard | None) -> None:
    """Raise `EventFileError` unless *store* is of that share of the event, None for all of it."""
    found = shard_of(store, stored.id)
    if found != shard and (found or store.head(stored.id) != stored.digest):
        right, got = (f"shard {one}" if one else "the whole event" for one in (shard, found))
        raise EventFileError(
            f"{stored.name}: expected the results of {right}, got those of {got};"
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
    settings: Settings,
    listener: Listener,
    root: Path,
    observer: Observer,
    *,
    shard: Shard | None = None,
    programs: Mapping[str, str] | None = None,
) -> Summary:
    """Play the event in the folder *root*, or *shard* of it, or play on where it was stopped.

    Records have the fingerprints of *programs*. Raises `ArchiveError`, `EventFileError`,
    `StoreError`, `LockedError` before anything is begun.
    """

    async def play(opened: Opened) -> Summary:
        staged = opened.staged
        scheduler = staged.scheduler
        if shard is not None:
            scheduler, _ = share_of(settings, shard)
            scheduler.resume(staged.results)
        return await run_event(
            settings,
            listener,
            staged.keeper,
            observer,
            scheduler=scheduler,
            begun=staged.begun,
            control=root,
            rulings=staged.rulings,
            versions=staged.versions,
            late=opened.late,
            # What is ruled on a share would be ruled on by some and not by others.
            arbiter=opened.arbiter if shard is None else None,
        )

    return await host(settings, root, observer, play, shard=shard, programs=programs)


async def host(
    settings: Settings,
    root: Path,
    observer: Observer,
    play: Play,
    *,
    shard: Shard | None = None,
    programs: Mapping[str, str] | None = None,
) -> Summary:
    """Have *play* play the event in the folder *root*, and keep what comes of it.

    For *shard* and *programs*, and what is raised, see `host_event`.
    """
    create_archive(root, settings.source)
    with StoreLock(root / STORE), Store.open(root / STORE) as store:
        stored = store.event(settings.event.name)
        if stored is None:
            event = store.add_event(settings.event.name, settings.source)
        else:
            check_same(stored, settings)
            check_share(store, stored, shard)
            event = stored.id
        if shard is not None and shard_of(store, event) is None:
            store.amend(event, SHARD, str(shard))
        staged = stage_event(
            store,
            event,
            settings,
            root,
            observer.tell,
            observer.tested,
            programs=programs,
            share=None if shard is None else share_of(settings, shard)[1],
        )
        check_programs(settings, staged.programs, programs or {})
        store.set_state(event, "running")
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
            trio.open_signal_receiver(*stop_signals()) as signals,
        ):
            await anext(signals)
