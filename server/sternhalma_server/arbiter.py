"""The host's rulings: withdrawals, corrections and the like, checked, stored and heeded.

A ruling has to make sense before it is written down, for nothing that is written down is taken
back: a wrong one is followed by another. To a server that plays the event it is told through the
control socket and takes effect at once; otherwise it is written into the store, and the next run
heeds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import trio

from sternhalma_server.admission import Known
from sternhalma_server.archive import create_archive, write_tables
from sternhalma_server.keeping import Begun, StoreKeeper
from sternhalma_server.observer import Observer
from sternhalma_server.results import Results
from sternhalma_server.rulings import RULING, read_results
from sternhalma_server.seats import Lobby
from sternhalma_server.settings import Settings
from sternhalma_server.shard import shard_of
from sternhalma_server.store import EventId, Store, StoredEvent
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import MAX_SLOT, NAME
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    LateEntry,
    Reinstatement,
    Ruling,
    Rulings,
    Withdrawal,
    check_game,
    format_amendment,
    sentence_of,
)
from sternhalma_tournament.formats import scheduler_after
from sternhalma_tournament.scheduler import Scheduler
from sternhalma_tournament.scores import GameResult

MAX_REASON: Final = 500  # characters: it stands in a line of a table


@dataclass(frozen=True, slots=True)
class Ruled:
    """What became of a ruling: a sentence for each thing that the host should know."""

    sentences: tuple[str, ...]


class Conduct(Protocol):
    """Whoever conducts an event, as far as rulings go (`Director`)."""

    def has_withdrawn(self, entry: str) -> bool:
        """Whether a bot of *entry* is withdrawn because it did not come to its games."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """Begin no games meanwhile, and do not end."""
        ...

    def scheduler_after(self, history: Sequence[GameResult | Amendment]) -> Scheduler:
        """The scheduler after *history*; ValueError if its last ruling comes too late."""
        ...

    def heed(self, ruling: Amendment, history: Sequence[GameResult | Amendment]) -> None:
        """Let a ruling take effect, the last one in *history*."""
        ...


class Arbiter:
    """Takes rulings on an event while it is played."""

    def __init__(
        self,
        settings: Settings,
        results: Results,
        keeper: StoreKeeper,
        store: Store,
        event: EventId,
        observer: Observer,
    ) -> None:
        self._settings = settings
        self._results = results
        self._keeper = keeper
        self._store = store
        self._event = event
        self._observer = observer
        self._ruling = trio.Lock()

    async def rule(
        self, ruling: Amendment, token: str | None, director: Conduct, lobby: Lobby | None
    ) -> Ruled:
        """Store *ruling* and let it take effect; *token* is the digest of a late bot's token.

        No *lobby* where a late bot can log in already, being one of a league. Raises `ValueError`
        for a ruling that makes no sense.
        """
        async with self._ruling:
            missed = isinstance(ruling, Reinstatement) and director.has_withdrawn(ruling.entry)
            check_ruling(self._settings, self._results, ruling, missed=missed)
            with director.held():
                now = director.scheduler_after([*self._results.history, ruling])
                if isinstance(ruling, LateEntry) and token is not None:
                    await trio.to_thread.run_sync(
                        self._store.set_secret, self._event, ruling.entry, token
                    )
                await self._keeper.keep_ruling(ruling)
                director.heed(ruling, self._results.history)
            if isinstance(ruling, LateEntry) and lobby is not None:
                lobby.invite(Known(ruling.entry, token, MAX_SLOT))
        sentences = [sentence_of(ruling)]
        if now.done:
            sentences.append("no game is left to play: the event is over now")
        elif _leaves_too_few(self._settings, self._results):
            sentences.append("no more games are begun: the event is over when those that run are")
        for sentence in sentences:
            self._observer.tell(sentence)
        return Ruled(tuple(sentences))


def rule_stored(
    store: Store, stored: StoredEvent, root: Path, ruling: Amendment, token: str | None
) -> Ruled:
    """Write *ruling* on an event that is not being played into its *store*.

    Its tables, in the folder *root*, are written anew. Raises `ValueError` for a ruling that makes
    no sense, `StoreError`, `OSError`.
    """
    shard = shard_of(store, stored.id)
    if shard is not None:
        raise ValueError(
            f"expected the whole event, got shard {shard}: rule when its shards are merged"
        )
    settings, results = read_results(store, stored)
    check_ruling(settings, results, ruling)
    running = [Begun(lines).pairing for lines in store.running_lines(stored.id).values()]
    scheduler = scheduler_after(
        settings.event,
        [*results.history, ruling],
        [pairing for pairing in running if pairing is not None],
    )
    if isinstance(ruling, LateEntry) and token is not None:
        store.set_secret(stored.id, ruling.entry, token)
    store.amend(stored.id, RULING, format_amendment(ruling))
    results.amend(ruling)
    sentences = [sentence_of(ruling)]
    if stored.state == "closed" and not scheduler.done:
        store.set_state(stored.id, "paused")
        if store.league is None:
            sentences.append("there are games to come: run the event again to play them")
        else:
            start = f"sternhalma event {store.path.parent} start {stored.name}"
            sentences.append(
                f"there are games to come: the event is paused now, {start!r} plays them"
            )
    create_archive(root, stored.source)
    write_tables(root, results.files())
    return Ruled(tuple(sentences))


def _leaves_too_few(settings: Settings, results: Results) -> bool:
    """Whether too few still play for one more game, and nobody's games are forfeited."""
    rulings = Rulings.of(one for one in results.history if isinstance(one, Ruling))
    entries = {entry.name for entry in settings.entries} | rulings.entries.keys()
    forfeits = any(isinstance(one, Withdrawal) and one.forfeit for one in rulings.entries.values())
    playing = sum(map(rulings.plays, entries))
    return playing < settings.sides and not forfeits and settings.event.format != "knockout"


def check_ruling(
    settings: Settings, results: Results, ruling: Amendment, *, missed: bool = False
) -> None:
    """Raise `ValueError` unless *ruling* makes sense after *results*.

    *missed* tells that the server has withdrawn the entry itself, whose bots did not come. Whether
    a ruling comes too late for the format is for its scheduler.
    """
    check_reason(ruling.reason)
    history = [one for one in results.history if isinstance(one, Ruling)]
    late = [one for one in history if isinstance(one, LateEntry)]
    known = [entry.name for entry in settings.entries] + [one.entry for one in late]
    match ruling:
        case Correction() | Annulment():
            check_game(ruling, results.result(ruling.number))
            check_not_annulled(history, ruling)
            for word in ruling.forfeits or () if isinstance(ruling, Correction) else ():
                check_forfeit(word)
        case LateEntry():
            _check_late(settings, [*known, *(bot for one in late for bot in one.bots)], ruling)
        case _:
            if ruling.entry not in known:
                raise ValueError(f"expected an entry of the event, got {ruling.entry[:40]!r}")
            check_status(Rulings.of(history), ruling, missed=missed)


def check_reason(reason: str) -> None:
    """Raise `ValueError` unless *reason* can stand in a line of a table."""
    if not (reason.strip() and reason.isprintable() and len(reason) <= MAX_REASON):
        raise ValueError(
            f"expected a reason of one line, 1 to {MAX_REASON} characters, got {reason[:40]!r}"
        )


def check_forfeit(word: str | None) -> None:
    """Raise `ValueError` unless *word* is a reason for which a seat forfeits a game, or None."""
    reasons = [reason.value for reason in Reason if reason.is_forfeit]
    if word is not None and word not in reasons:
        raise ValueError(f"expected - or one of {', '.join(reasons)}, got {word[:40]!r}")


def _check_late(settings: Settings, taken: Sequence[str], ruling: LateEntry) -> None:
    if not NAME.fullmatch(ruling.entry):
        raise ValueError(
            "expected a name of 1 to 32 letters, digits, dots, underscores or hyphens,"
            f" the first a letter or digit, got {ruling.entry[:40]!r}"
        )
    if ruling.bots != (ruling.entry,):
        raise ValueError(f"expected one bot with the name of its entry, got {ruling.bots!r}")
    names = {name.casefold() for name in (*taken, *(bot.name for bot in settings.event.bots))}
    if ruling.entry.casefold() in names:
        raise ValueError(f"expected a new name for a late entry, got {ruling.entry!r}")


def check_not_annulled(history: Iterable[Amendment], ruling: Correction | Annulment) -> None:
    """Raise `ValueError` for an annulment of a game that does not count already."""
    annulled = isinstance(Rulings.of(history).games.get(ruling.number), Annulment)
    if annulled and isinstance(ruling, Annulment):
        raise ValueError(f"expected a game that is not annulled already, got {ruling.number}")


def check_status(rulings: Rulings, ruling: Amendment, *, missed: bool) -> None:
    """Raise `ValueError` for a ruling on an entry that is out already, unless it goes further.

    *missed* as in `check_ruling`.
    """
    if isinstance(ruling, Correction | Annulment | LateEntry):
        return
    status = rulings.entries.get(ruling.entry)
    out = status is not None and not isinstance(status, LateEntry)
    if isinstance(ruling, Reinstatement) and not out and not missed:
        raise ValueError(f"expected an entry that is out, got {ruling.entry!r}, which plays")
    if out and (isinstance(ruling, Withdrawal) or type(ruling) is type(status)):
        word = rulings.status(ruling.entry)
        raise ValueError(f"expected an entry that is not {word} already, got {ruling.entry!r}")
