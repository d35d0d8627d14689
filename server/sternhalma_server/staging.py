"""From a stored event to all that is needed to play it, or to play on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from typing import Final

from sternhalma_server.journal import Journal
from sternhalma_server.keeping import Begun, StoreKeeper
from sternhalma_server.ladder_results import LadderResults
from sternhalma_server.outcome import Outcome, read_outcome
from sternhalma_server.record import parse_record
from sternhalma_server.results import Results
from sternhalma_server.rulings import enter, links, rulings_of
from sternhalma_server.settings import Settings
from sternhalma_server.store import EventId, Store, StoredGame
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment, Annulment, Correction
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.formats import apply_amendment, scheduler_after
from sternhalma_tournament.ladder import LadderScheduler
from sternhalma_tournament.scheduler import Scheduler
from sternhalma_tournament.trial import TrialState

AT_ONCE: Final = 4096  # games of a ladder that end out of their order, at most
_VOID: Final = frozenset(reason.value for reason in Reason if reason.is_void)


@dataclass(frozen=True, slots=True)
class Staged:
    """An event ready to be played: what it has come to, and what was under way.

    `versions` are those that bots have played it with, by name; `begun` are the games that were
    running, by number. `programs` are the fingerprints of those that have played it, by bot.
    """

    results: Results
    journal: Journal
    keeper: StoreKeeper
    scheduler: Scheduler
    rulings: Sequence[Amendment]
    begun: dict[int, Begun]
    versions: dict[str, str | None]
    programs: dict[str, str]


def stage_event(
    store: Store,
    event: EventId,
    settings: Settings,
    root: Path,
    tell: Callable[[str], None],
    tested: Callable[[TrialState], None],
    *,
    programs: Mapping[str, str] | None = None,
    share: int | None = None,
) -> Staged:
    """Make *event* ready, whose derived files are in the folder *root*; no ladder.

    *tell* is given sentences for the host, *tested* where the test of a match stands whenever that
    may have changed; for *programs* and *share* see `StoreKeeper`. Raises `StoreError`, and
    `ValueError` for a store whose results do not fit the event.
    """
    journal = Journal(store, event, tell)
    results = Results(settings.event)

    def moved() -> None:
        if results.trial is not None:
            tested(results.trial)

    keeper = StoreKeeper(root, results, journal, tell, moved=moved, programs=programs, share=share)
    versions: dict[str, str | None] = {}
    played: dict[str, str] = {}
    for link in links(store, event):
        if isinstance(link, StoredGame):
            record = parse_record(link.record)
            keeper.show(record)
            # Who did not come to a game has no version in its record.
            versions |= {p.bot: p.version for p in record.players if p.version is not None}
            played |= {p.bot: p.program for p in record.players if p.program is not None}
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
        programs=played,
    )


@dataclass(frozen=True, slots=True)
class StagedLadder:
    """A ladder ready to be played on; see `Staged`.

    `bots` are all who have ever played it or may.
    """

    results: LadderResults
    journal: Journal
    keeper: StoreKeeper
    scheduler: LadderScheduler
    rulings: Sequence[Amendment]
    begun: dict[int, Begun]
    bots: Sequence[str]


def stage_ladder(
    store: Store,
    event: EventId,
    settings: Settings,
    root: Path,
    tell: Callable[[str], None],
    bots: Iterable[str],
) -> StagedLadder:
    """Make the ladder *event* ready, which *bots* play now; see `stage_event`.

    All of its games are gone through, since it has no table that would say what they came to.
    """
    journal = Journal(store, event, tell)
    results = LadderResults()
    playing = list(bots)
    sides = settings.sides
    seats, spread = settings.event.players // sides, settings.event.spread
    scheduler = LadderScheduler(sides, seats, spread, settings.event.seed)
    known: set[str] = set()

    def join(bot: str) -> None:
        if bot not in known:
            known.add(bot)
            scheduler.join(Entry(bot, (bot,)))

    for bot in playing:
        join(bot)
    for number, outcome in _by_number(store, event):
        for bot, version in zip(outcome.bots, outcome.versions, strict=True):
            join(bot)
            if version is not None or outcome.reason not in _VOID:
                scheduler.renew(bot, version or "")
        scheduler.finish(outcome.result(number))
        results.count(outcome)
    begun = begun_games(store, event)
    for game in begun.values():
        for bot in game.pairing.entries if game.pairing is not None else ():
            join(bot)
    rulings = rulings_of(store, event)
    for ruling in rulings:
        if not isinstance(ruling, Correction | Annulment):
            join(ruling.entry)  # who was ruled on need not have played
    for bot in known.difference(playing):
        scheduler.withdraw(bot)
    for ruling in rulings:
        results.amend(ruling)
        apply_amendment(scheduler, ruling)
    return StagedLadder(
        results=results,
        journal=journal,
        keeper=StoreKeeper(root, results, journal, tell, derives=False),
        scheduler=scheduler,
        rulings=rulings,
        begun=begun,
        bots=sorted(known),
    )


def _by_number(store: Store, event: EventId) -> Iterator[tuple[int, Outcome]]:
    """The games of a ladder by number, in which order they were begun.

    They were stored as they ended, and so no further apart than there were games at once.
    """
    window: list[tuple[int, int, Outcome]] = []
    for stored in store.outcomes(event):
        outcome = read_outcome(stored.outcome, stored.record)
        heappush(window, (stored.game, stored.place, outcome))
        if len(window) > AT_ONCE:
            number, _, first = heappop(window)
            yield number, first
    while window:
        number, _, first = heappop(window)
        yield number, first


def begun_games(store: Store, event: EventId) -> dict[int, Begun]:
    """The games of *event* that were running when its server stopped, by number."""
    return {game: Begun(lines) for game, lines in store.running_lines(event).items()}
