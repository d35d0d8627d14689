"""One event of a league while it is played: from its place in the store to its end or its pause."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import trio

from sternhalma_server.arbiter import Arbiter, Ruled, rule_stored
from sternhalma_server.archive import create_archive
from sternhalma_server.director import Director
from sternhalma_server.hall import Hall
from sternhalma_server.journal import Journal
from sternhalma_server.keeping import StoreKeeper
from sternhalma_server.ladder_arbiter import LadderArbiter, rule_stored_ladder
from sternhalma_server.ladder_director import LadderDirector
from sternhalma_server.observer import Observer
from sternhalma_server.rulings import settings_in
from sternhalma_server.settings import Settings
from sternhalma_server.staging import stage_event, stage_ladder
from sternhalma_server.store import Store, StoredEvent
from sternhalma_tournament.amendments import Amendment


@dataclass(frozen=True, slots=True)
class Stage:
    """An event with its director, ready to `run`."""

    event: StoredEvent
    settings: Settings
    director: Director
    keeper: StoreKeeper
    arbiter: Arbiter | LadderArbiter
    observer: Observer
    journal: Journal
    begun: int

    @property
    def ladder(self) -> LadderDirector | None:
        """The director if the event is a ladder."""
        return self.director if isinstance(self.director, LadderDirector) else None

    async def rule(self, ruling: Amendment) -> Ruled:
        """Store a ruling of the host and let it take effect. Raises `ValueError`, `StoreError`."""
        if isinstance(self.arbiter, Arbiter):
            return await self.arbiter.rule(ruling, None, self.director, None)
        assert self.ladder is not None
        return await self.arbiter.rule(ruling, self.ladder)

    async def run(self) -> bool:
        """Play until the event is over or has been drained; whether it is over."""
        complete = False
        if self.keeper.played or self.begun:
            self.observer.resumed(self.keeper.played, self.begun)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.journal.run)
                nursery.start_soon(self.keeper.run)
                summary = await self.director.run()
                complete = summary.complete
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                if not await self.journal.close_or_tell():
                    complete = False
                await self.keeper.write()
        return complete


def rule_at_rest(store: Store, stored: StoredEvent, root: Path, ruling: Amendment) -> Ruled:
    """Write *ruling* on an event of a league that is not being played into its *store*.

    Raises `ValueError` for a ruling that makes no sense, `StoreError`, `OSError`.
    """
    if settings_in(store, stored).event.format == "ladder":
        return rule_stored_ladder(store, stored, ruling)
    return rule_stored(store, stored, root, ruling, None)


def set_stage(
    store: Store,
    event: StoredEvent,
    settings: Settings,
    root: Path,
    hall: Hall,
    observer: Observer,
    bots: Iterable[str],
    spare: Callable[[str], int],
) -> Stage:
    """Make *event* ready to be played in *hall*; its derived files are in the folder *root*.

    *bots* are those of the league, which play its ladders; *spare* is asked by a ladder how many
    connections of a bot other events need. Raises `StoreError`, `ArchiveError`, `ValueError`.
    """
    if settings.event.format == "ladder":
        members = list(bots)
        staged = stage_ladder(store, event.id, settings, root, observer.tell, members)
        ladder = LadderDirector(
            settings,
            staged.scheduler,
            hall,
            staged.keeper,
            observer,
            staged.begun,
            staged.rulings,
            staged.bots,
            spare,
        )
        return Stage(
            event,
            settings,
            ladder,
            staged.keeper,
            LadderArbiter(staged.results, staged.keeper, store, event.id),
            observer,
            staged.journal,
            len(staged.begun),
        )
    create_archive(root, event.source)
    ready = stage_event(store, event.id, settings, root, observer.tell, observer.tested)
    director = Director(
        settings,
        ready.scheduler,
        hall,
        ready.keeper,
        observer,
        ready.begun,
        ready.rulings,
        ready.versions,
    )
    arbiter = Arbiter(settings, ready.results, ready.keeper, store, event.id, observer)
    return Stage(
        event, settings, director, ready.keeper, arbiter, observer, ready.journal, len(ready.begun)
    )
