"""Checking a league: every event and every ladder in its store, and what is derived from each."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sternhalma_server.archive import STORE
from sternhalma_server.audit import (
    Findings,
    audit_event,
    check_chain,
    has_head,
    lost_head,
    outcome_problem,
    stored_record,
)
from sternhalma_server.folders import EVENTS
from sternhalma_server.ladder_examiner import LadderExaminer
from sternhalma_server.rulings import settings_in
from sternhalma_server.store import Store, StoredEvent
from sternhalma_tournament.reading import EventFileError

_NOT_BEGUN: Final = frozenset({"created", "open"})


@dataclass(slots=True)
class LeagueFindings:
    """What the audit of a league came to: the findings of each event, by its name."""

    events: dict[str, Findings] = field(default_factory=dict[str, Findings])
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and not any(one.problems for one in self.events.values())


def audit_league(root: Path, store: Store, kept: str | None = None) -> LeagueFindings:
    """Check the league in the folder *root*, whose store is open.

    *kept* is a head that the chain of one of its events has had.
    """
    found = LeagueFindings()
    for event in store.events():
        found.events[event.name] = _audited(root, store, event)
    if kept is not None and not any(has_head(store, event, kept) for event in store.events()):
        found.problems.append(lost_head(kept))
    return found


def _never_begun(store: Store, event: StoredEvent) -> bool:
    """Whether an event is over of which nothing was ever played; its file may lack entries."""
    return (
        event.state == "closed"
        and store.head(event.id) == event.digest
        and not store.running_lines(event.id)
    )


def _audited(root: Path, store: Store, event: StoredEvent) -> Findings:
    try:
        settings = settings_in(store, event)
    except EventFileError as error:
        return Findings(problems=[str(error)])
    if event.state in _NOT_BEGUN or _never_begun(store, event):
        return Findings(head=store.head(event.id), problems=check_chain(store, event))
    if settings.event.format != "ladder":
        return audit_event(root / EVENTS / event.name, store, event, None)
    found = Findings(head=store.head(event.id), problems=check_chain(store, event))
    examiner = LadderExaminer(settings)
    for stored in store.finished_games(event.id):
        found.games += 1
        try:
            record = stored_record(stored)
            examiner.check(record)
        except ValueError as error:
            found.problems.append(f"{STORE}: {error}")
            continue
        wrong = outcome_problem(stored, record)
        if wrong is not None:
            found.problems.append(f"{STORE}: {wrong}")
    found.problems += [f"{STORE}: {problem}" for problem in examiner.end()]
    found.begun = len(store.running_lines(event.id))
    return found
