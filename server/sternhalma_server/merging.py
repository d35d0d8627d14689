"""Stores of one event made into one: what shards have played, or anybody else with that file.

A game is stored once, under its number. So it does not matter how often or in which order stores
are merged, nor that they overlap, as long as they agree. Everything is looked at before anything is
written, as `verify` would look at it: stores that do not belong together leave no trace in each
other, and no game gets in that would be found wrong later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sternhalma_server.archive import STORE, create_archive, record_name, write_record, write_tables
from sternhalma_server.audit import outcome_problem, stored_record
from sternhalma_server.examiner import Examiner
from sternhalma_server.hosting import check_same
from sternhalma_server.lock import StoreLock
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.proof import check_said
from sternhalma_server.record import Record, RecordError, parse_record
from sternhalma_server.results import Results
from sternhalma_server.rulings import enter, links, settings_in, stored_event
from sternhalma_server.settings import Settings
from sternhalma_server.shard import SHARD, check_divisible, shard_of
from sternhalma_server.store import (
    EventId,
    FinishedGame,
    Store,
    StoredEvent,
    StoredGame,
    StoreError,
)
from sternhalma_tournament.formats import scheduler_after

AT_ONCE: Final = 64  # games written in one transaction


class MergeError(Exception):
    """Stores that do not belong together; one sentence."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge has come to: games that are *new* in the store, and *games* in it.

    `left` is how many games of the event are still to be played, `head` the head of its chain.
    """

    event: str
    new: int
    games: int
    left: int
    head: str


@dataclass(frozen=True, slots=True)
class _Source:
    """A store to be merged."""

    path: Path
    store: Store
    event: StoredEvent


def merge(out: Path, folders: Sequence[Path]) -> Merged:
    """Put the games of the results *folders*, or stores, of one event into the folder *out*.

    It may be there already, with games of the same event. Raises `MergeError`, `StoreError`,
    `EventFileError`, `ArchiveError`, `LockedError`, and `OSError` for files that cannot be written:
    the store is whole then, and the rest is written when it is merged again.
    """
    with ExitStack() as stack:
        sources = [_opened(path, stack) for path in folders]
        first = sources[0]
        settings = settings_in(first.store, first.event)
        check_divisible(settings, str(first.path))
        for source in sources[1:]:
            _check_same_event(first, source)
        there = _Survey()
        if (out / STORE).exists():
            target = _opened(out, stack)
            _check_same_event(first, target)
            shard = shard_of(target.store, target.event.id)
            if shard is not None:
                raise MergeError(f"{out}: expected a folder for the whole event, got shard {shard}")
            there.look_at(target)
        found = _Survey(there, Examiner(settings))
        for source in sources:
            _check_no_rulings(source)
            found.look_at(source)
        return _write(out, settings, found.new)


def _opened(path: Path, stack: ExitStack) -> _Source:
    file = path / STORE if path.is_dir() else path
    if not file.is_file():
        raise MergeError(f"expected a results folder or its store, got {str(path)!r}")
    store = stack.enter_context(Store.read(file))
    return _Source(path, store, stored_event(store))


def _check_same_event(first: _Source, other: _Source) -> None:
    if other.event.name != first.event.name:
        raise MergeError(
            f"{other.path}: expected results of the event {first.event.name!r} as in"
            f" {first.path}, got {other.event.name!r}"
        )
    if other.event.source != first.event.source:
        raise MergeError(
            f"{other.path}: expected results of the event file in {first.path},"
            f" SHA-256 {first.event.digest}, got {other.event.digest}"
        )


def _check_no_rulings(source: _Source) -> None:
    for amendment in source.store.amendments(source.event.id):
        if amendment.kind != SHARD:
            raise MergeError(
                f"{source.path}: expected results and nothing else, got a {amendment.kind}:"
                " what is ruled has to be ruled on the merged event"
            )


class _Survey:
    """What is in stores, one after the other, and whether they agree; and in those *before*.

    `new` are the stores in which those games are that are not in stores before, by number. Those
    are shown to *examiner*.
    """

    def __init__(self, before: _Survey | None = None, examiner: Examiner | None = None) -> None:
        self.new: dict[int, _Source] = {}
        self._examiner = examiner
        self._digests: dict[int, tuple[str, Path]] = {}
        self._programs: dict[str, tuple[str, Path]] = {}
        if before is not None:
            self._digests |= before._digests
            self._programs |= before._programs

    def look_at(self, source: _Source) -> None:
        """Take note of a store. Raises `MergeError`."""
        problems = source.store.check_chain(source.event.id)
        if problems:
            raise MergeError(f"{source.path}: {problems[0]}")
        for game in source.store.finished_games(source.event.id):
            digest = hashlib.sha256(f"{game.digest}\n{game.said}".encode()).hexdigest()
            if game.game not in self._digests:
                self._digests[game.game] = digest, source.path
                self.new[game.game] = source
                try:
                    record = self._checked(game)
                except RecordError as error:
                    raise MergeError(f"{source.path}: {error}") from None
                self._look_at_programs(source, record)
            known, where = self._digests[game.game]
            if known != digest:
                raise MergeError(
                    f"{source.path}: expected the result of game {game.game} that is in {where},"
                    " got another one: each game is played once"
                )

    def _checked(self, game: StoredGame) -> Record:
        """The record of a game. Raises `RecordError` if `verify` would find it wrong."""
        record = stored_record(game)
        if self._examiner is not None:
            self._examiner.check(record)
            check_said(record, game.said)
            problem = outcome_problem(game, record)
            if problem is not None:
                raise RecordError(problem)
        return record

    def _look_at_programs(self, source: _Source, record: Record) -> None:
        for player in record.players:
            if player.program is None:
                continue
            known, where = self._programs.setdefault(player.bot, (player.program, source.path))
            if known != player.program:
                raise MergeError(
                    f"{source.path}: expected the program of {player.bot!r} that played in {where},"
                    f" {known}, got {player.program} in game {record.game}"
                )


def _write(out: Path, settings: Settings, new: dict[int, _Source]) -> Merged:
    """Write the games that are *new* into the store, in the order of their numbers."""
    create_archive(out, settings.source)
    with StoreLock(out / STORE), Store.open(out / STORE) as store:
        stored = store.event(settings.event.name)
        if stored is None:
            event = store.add_event(settings.event.name, settings.source)
        else:
            check_same(stored, settings)
            event = stored.id
        waiting: list[FinishedGame] = []
        for game in _games(new):
            waiting.append(game)
            if len(waiting) == AT_ONCE:
                store.write(event, "", waiting)
                waiting = []
        if waiting:
            store.write(event, "", waiting)
        results = _derive(out, settings, store, event)
        rest = scheduler_after(settings.event, results.history)
        store.set_state(event, "closed" if rest.done else "paused")
        to_come = results.planned_games - len(results)
        return Merged(
            settings.event.name, len(new), len(results), max(0, to_come), store.head(event)
        )


def _games(new: dict[int, _Source]) -> Iterator[FinishedGame]:
    for number in sorted(new):
        source = new[number]
        game = source.store.game(source.event.id, number)
        if game is None:
            raise StoreError(f"{source.path}: expected game {number} as a moment ago, got none")
        outcome = game.outcome or format_outcome(outcome_of(parse_record(game.record)))
        yield FinishedGame(number, game.record, game.said, outcome)


def _derive(out: Path, settings: Settings, store: Store, event: EventId) -> Results:
    """Write what is derived from the store, and say what it adds up to."""
    results = Results(settings.event)
    for link in links(store, event):
        if isinstance(link, StoredGame):
            record = parse_record(link.record)
            results.add(record)
            if not (out / record_name(record.game)).exists():
                write_record(out, record)
        else:
            enter(results, link)
    write_tables(out, results.files())
    return results
