"""From a stored event to all that is needed to play it, or to play on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sternhalma_server.journal import Journal
from sternhalma_server.keeping import Begun, StoreKeeper
from sternhalma_server.record import parse_record
from sternhalma_server.results import Results
from sternhalma_server.rulings import enter, links, rulings_of
from sternhalma_server.settings import Settings
from sternhalma_server.store import EventId, Store, StoredGame
from sternhalma_tournament.amendments import Amendment
from sternhalma_tournament.formats import scheduler_after
from sternhalma_tournament.scheduler import Scheduler


@dataclass(frozen=True, slots=True)
class Staged:
    """An event ready to be played: what it has come to, and what was under way.

    `versions` are those that bots have played it with, by name; `begun` are the games that were
    running, by number.
    """

    results: Results
    journal: Journal
    keeper: StoreKeeper
    scheduler: Scheduler
    rulings: Sequence[Amendment]
    begun: dict[int, Begun]
    versions: dict[str, str | None]


def stage_event(
    store: Store, event: EventId, settings: Settings, root: Path, tell: Callable[[str], None]
) -> Staged:
    """Make *event* ready, whose derived files are in the folder *root*; no ladder.

    *tell* is given sentences for the host. Raises `StoreError`, and `ValueError` for a store whose
    results do not fit the event.
    """
    journal = Journal(store, event, tell)
    results = Results(settings.event)
    keeper = StoreKeeper(root, results, journal, tell)
    versions: dict[str, str | None] = {}
    for link in links(store, event):
        if isinstance(link, StoredGame):
            record = parse_record(link.record)
            keeper.show(record)
            # Who did not come to a game has no version in its record.
            versions |= {p.bot: p.version for p in record.players if p.version is not None}
        else:
            enter(results, link)
    return Staged(
        results=results,
        journal=journal,
        keeper=keeper,
        scheduler=scheduler_after(settings.event, results.history),
        rulings=rulings_of(store, event),
        begun=begun_games(store, event),
        versions=versions,
    )


def begun_games(store: Store, event: EventId) -> dict[int, Begun]:
    """The games of *event* that were running when its server stopped, by number."""
    return {game: Begun(lines) for game, lines in store.running_lines(event).items()}
