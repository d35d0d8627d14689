"""Checking a results folder: whatever was altered, is missing or too many is found and named.

The store is checked first: its chain, then every result in it, as they came. Then every other file
has to be, byte for byte, what the store adds up to. A folder without a store is checked from its
records up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sternhalma_server.archive import EVENT, GAMES, STORE, SUMS, read_record, record_name, sums
from sternhalma_server.derived import (
    Snapshot,
    differences,
    read_moving_snapshot,
    read_snapshot,
    read_text,
    stale,
)
from sternhalma_server.examiner import Examiner
from sternhalma_server.folders import event_folder
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import Record, RecordError, parse_record
from sternhalma_server.results import RESULTS, TABLES
from sternhalma_server.rulings import links
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Amendment, Store, StoredEvent, StoredGame, StoreError
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.text import counted

_SETTLED: Final = frozenset({"paused", "closed"})  # states in which nobody writes to the folder
_LOOKS: Final = 3  # at a chain to which a server adds meanwhile
PAUSE: Final = 1.5  # seconds in which a server writes the tables of what it has stored


@dataclass(slots=True)
class Findings:
    """What an audit came to: how much was checked, and one sentence for each thing wrong.

    `scheduled` is how many games the event has in all, byes among them, `left` how many of them
    are not over and `begun` how many of those have begun; `head` is the head of the store's chain.
    `notes` are sentences on what is not wrong, but as a server leaves it that is not done.
    """

    games: int = 0
    tables: int = 0
    scheduled: int = 0
    left: int = 0
    begun: int = 0
    head: str | None = None
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def audit(root: Path, kept: str | None = None) -> Findings:
    """Check the results folder *root*; whatever is wrong with it is in the findings.

    *kept* is a head that the chain of its store has had: it must still be in it. Raises
    `StoreError` for a store that cannot be read at all.
    """
    folder = event_folder(root)
    if folder is None:
        records = _RecordsAudit(root)
        records.run()
        return records.found
    with Store.read(folder.store) as store:
        try:
            event = folder.stored(store)
        except StoreError as error:
            return Findings(problems=[str(error)])
        return audit_event(root, store, event, kept)


def audit_event(root: Path, store: Store, event: StoredEvent, kept: str | None) -> Findings:
    """Check an event of *store*, no ladder, and what is derived from it in the folder *root*."""
    stored = _StoreAudit(root, store)
    stored.run(event, kept)
    if stored.found.problems and store.league is not None:
        # In a league an event is paused or closed before its last games are over, and the last
        # tables may be written a second after that.
        time.sleep(PAUSE)
        stored = _StoreAudit(root, store)
        stored.run(event, kept)
    return stored.found


def check_chain(store: Store, event: StoredEvent) -> list[str]:
    """What is wrong with the chain of *event*, to which a server may be adding."""
    problems: list[str] = []
    for _ in range(_LOOKS):
        problems = store.check_chain(event.id)
        if not problems:
            break
    return [f"{STORE}: {problem}" for problem in problems]


def has_head(store: Store, event: StoredEvent, kept: str) -> bool:
    """Whether the chain of *event* has, or has had, the head *kept*."""
    return kept == event.digest or kept in (link.chain for link in links(store, event.id))


def lost_head(kept: str) -> str:
    """The sentence that says that *kept* is in no chain."""
    return (
        f"{STORE}: expected {kept} in the chain of results, got it nowhere:"
        " something before it was changed or taken out"
    )


def stored_record(stored: StoredGame) -> Record:
    """The record of a game in the store, which has to be of that game and to agree with what was
    stored in short. Raises `RecordError`."""
    try:
        record = parse_record(stored.record)
    except RecordError as error:
        raise RecordError(f"game {stored.game}, {error}") from None
    if record.game != stored.game:
        raise RecordError(f"game {stored.game}, line 3: expected this game, got {record.game}")
    return record


def outcome_problem(stored: StoredGame, record: Record) -> str | None:
    """What is wrong with what was stored in short beside a record."""
    right = format_outcome(outcome_of(record))
    if stored.outcome in (None, right):
        return None
    return f"game {stored.game}: expected the outcome {right}, got {stored.outcome}"


class _StoreAudit:
    """The audit of a folder with a store; `found` is what it comes to."""

    def __init__(self, root: Path, store: Store) -> None:
        self.found = Findings()
        self._root = root
        self._store = store
        self._unwritten = 0  # records that a server has yet to write as files

    def run(self, event: StoredEvent, kept: str | None) -> None:
        """Check everything; *kept* is a head that must be in the chain."""
        found = self.found
        found.head = self._store.head(event.id)
        found.problems += check_chain(self._store, event)
        if kept is not None and not has_head(self._store, event, kept):
            found.problems.append(lost_head(kept))
        try:
            settings = settings_of(
                event.source, f"{STORE}: {EVENT}", league=self._store.league is not None
            )
        except EventFileError as error:
            found.problems.append(str(error))
            return
        settled, snapshot = self._look(event)
        examiner = Examiner(settings)
        source = event.source.decode("utf-8", "backslashreplace")
        found.problems += differences(EVENT, source, snapshot.text(EVENT))
        self._check_results(event, examiner, snapshot, settled=settled)
        found.scheduled, found.left = examiner.agenda.extent()
        found.begun = len(self._store.running_lines(event.id))

    def _look(self, event: StoredEvent) -> tuple[bool, Snapshot]:
        """Whether nobody writes to the folder, and the derived files.

        They are read before the results, so that what is in them is in the store.
        """
        before = self._moment(event)
        if before[0] in _SETTLED and not self._store.running_lines(event.id):
            snapshot = read_snapshot(self._root)
            if self._moment(event) == before:
                return True, snapshot
        return False, read_moving_snapshot(self._root)

    def _moment(self, event: StoredEvent) -> tuple[str, str]:
        state = next(stored.state for stored in self._store.events() if stored.id == event.id)
        return state, self._store.head(event.id)

    def _check_results(
        self, event: StoredEvent, examiner: Examiner, snapshot: Snapshot, *, settled: bool
    ) -> None:
        """Check every result, as they came, and all that is derived from them."""
        found = self.found
        listed = None if settled else snapshot.listed_games()
        whole = True  # all results could be added up
        latest = decided = 0  # the places of the last game that is listed, and of the last decision
        names: set[str] = set()
        for link in links(self._store, event.id):
            if isinstance(link, Amendment):
                decided = link.place
                try:
                    examiner.amend(link)
                except ValueError as error:
                    whole = False
                    found.problems.append(f"{STORE}: {link.kind} at place {link.place}: {error}")
                continue
            names.add(record_name(link.game))
            counts = listed is None or link.game in listed
            latest = link.place if counts else latest
            whole = self._check_game(link, examiner, counts=counts) and whole
            self._check_record_file(link, settled=settled)
        for name in sorted(f"{GAMES}/{name}" for name in snapshot.records):
            passing = not settled and Path(name).name.startswith(".")
            if name not in names and not passing:
                found.problems.append(f"{name}: expected no file without a game, got one")
        found.games = len(names)
        if self._unwritten:
            found.notes.append(f"not written as files yet: {counted(self._unwritten, 'record')}")
        if whole:
            self._check_tables(examiner, snapshot, settled=settled, newer=decided > latest)

    def _check_game(self, stored: StoredGame, examiner: Examiner, *, counts: bool) -> bool:
        """Check one game of the store; whether it could be added up."""
        problems = self.found.problems
        try:
            record = stored_record(stored)
        except RecordError as error:
            problems.append(f"{STORE}: {error}")
            return False
        wrong = outcome_problem(stored, record)
        if wrong is not None:
            problems.append(f"{STORE}: {wrong}")
        try:
            examiner.check(record)
        except ValueError as error:
            problems.append(f"{STORE}: {error}")
        try:
            examiner.count(record, in_tables=counts)
        except ValueError as error:
            problems.append(f"{STORE}: game {stored.game}: {error}")
            return False
        return True

    def _check_record_file(self, stored: StoredGame, *, settled: bool) -> None:
        name = record_name(stored.game)
        text = read_text(self._root / name)
        if text is None and not settled:
            self._unwritten += 1
            return
        self.found.problems += differences(name, stored.record, text)

    def _check_tables(
        self, examiner: Examiner, snapshot: Snapshot, *, settled: bool, newer: bool
    ) -> None:
        """Hold the list of results, the tables and the digests against what the store gives."""
        found, right = self.found, examiner.files()
        behind = [] if settled or (snapshot.is_whole and not newer) else stale(snapshot, right)
        if behind:
            found.notes.append(f"left by a server in the middle of writing: {', '.join(behind)}")
        elif len(examiner.results) < found.games:
            left = found.games - len(examiner.results)
            found.notes.append(f"the tables are {counted(left, 'game')} behind the store")
        found.tables = len([name for name in TABLES if name not in behind])
        for name, text in right.items():
            if name not in behind:
                found.problems += differences(name, text, snapshot.text(name))


class _RecordsAudit:
    """The audit of a folder without a store; `found` is what it comes to."""

    def __init__(self, root: Path) -> None:
        self.found = Findings()
        self._root = root

    def run(self) -> None:
        """Check everything."""
        found, snapshot = self.found, read_snapshot(self._root)
        source = snapshot.files[EVENT]
        if source is None:
            found.problems.append(f"{EVENT}: expected the event file, got none")
            return
        try:
            settings = settings_of(source, EVENT)
        except EventFileError as error:
            found.problems.append(str(error))
            return
        self._check_event(source, snapshot)
        examiner = Examiner(settings, sits_out=True)
        for number in self._check_names(snapshot):
            self._check_record(number, examiner)
        found.games = len(examiner.results)
        found.scheduled, found.left = examiner.agenda.extent()
        if not found.problems:
            for name, text in examiner.files().items():
                found.problems += differences(name, text, snapshot.text(name))
        found.tables = len(TABLES)

    def _check_event(self, source: bytes, snapshot: Snapshot) -> None:
        """The event file against the digest that was written with the tables."""
        right = sums(source, {}).removesuffix("\n")
        lines = (snapshot.text(SUMS) or "").split("\n")
        written = [line for line in lines if line.endswith(f"  {EVENT}")]
        if written and written != [right]:
            self.found.problems.append(
                f"{EVENT}: expected the digest that {SUMS} lists, {written[0]!r}, got {right!r}"
            )

    def _check_names(self, snapshot: Snapshot) -> list[int]:
        """The records against the list of results; the numbers of those that are in both."""
        problems = self.found.problems
        if snapshot.files[RESULTS] is None:
            problems.append(f"{RESULTS}: expected the list of results, got none")
            return sorted(int(name[:-4]) for name in snapshot.records if name[:-4].isdecimal())
        listed = {record_name(number): number for number in snapshot.listed_games()}
        present = {f"{GAMES}/{name}" for name in snapshot.records}
        for name in sorted(listed.keys() - present):
            problems.append(f"{name}: expected the record that {RESULTS} lists, got no such file")
        for name in sorted(present - listed.keys()):
            problems.append(f"{name}: expected no file that {RESULTS} does not list, got one")
        return sorted(listed[name] for name in listed.keys() & present)

    def _check_record(self, number: int, examiner: Examiner) -> None:
        name = record_name(number)
        try:
            record = read_record(self._root / name)
            if record.game != number:
                raise RecordError(
                    f"line 3: expected the game of this file's name, got {record.game}"
                )
            examiner.check(record)
            examiner.count(record)
        except ValueError as error:
            self.found.problems.append(f"{name}: {error}")
        except OSError as error:
            self.found.problems.append(
                f"{name}: expected a file that can be read: {error.strerror}"
            )
