"""What a store says of its event: results, byes and rulings, in the order in which they came.

A ruling of the host is stored beside the results and changes none of them. Whoever reads them in
their order, a server that goes on, a table that is asked for, an audit, comes to the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from sternhalma_server.admission import Known
from sternhalma_server.record import Record, parse_record
from sternhalma_server.results import Results
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.store import Amendment, EventId, Store, StoredEvent, StoredGame, StoreError
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.amendments import Amendment as HostRuling
from sternhalma_tournament.amendments import (
    Annulment,
    Correction,
    Expunging,
    LateEntry,
    late_entries,
    parse_amendment,
)
from sternhalma_tournament.amendments import Rulings as HostRulings
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.scores import BYE, GameResult

RULING: Final = "ruling"  # the kind of the store's amendments that tournaments know


def links(store: Store, event: EventId, after: int = 0) -> Iterator[StoredGame | Amendment]:
    """All that is in the event's chain, in the order of its places, behind place *after*.

    What a server adds while this is read is not missed before a game that came after it.
    """
    made = deque(one for one in store.amendments(event) if one.place > after)
    place = after
    for game in store.finished_games(event, after):
        while place + 1 < game.place:
            if not made:
                made.extend(one for one in store.amendments(event) if one.place > place)
            if not made or made[0].place > game.place:
                break  # a place that nothing has: an audit tells
            place = made[0].place
            yield made.popleft()
        place = game.place
        yield game
    yield from made


def read_amendment(amendment: Amendment) -> GameResult | HostRuling | None:
    """The bye or the ruling that is stored; None for a kind that tables do not know.

    Raises `ValueError`.
    """
    if amendment.kind == BYE:
        try:
            return msgspec.json.decode(amendment.text, type=GameResult)
        except msgspec.MsgspecError as error:
            raise ValueError(f"expected a bye, got {amendment.text!r}: {error}") from None
    return parse_amendment(amendment.text) if amendment.kind == RULING else None


def rulings_of(store: Store, event: EventId) -> list[HostRuling]:
    """All rulings of the host, in their order."""
    return [parse_amendment(one.text) for one in store.amendments(event) if one.kind == RULING]


def rulings_on(
    game: int, entries: Collection[str], rulings: Sequence[HostRuling]
) -> list[HostRuling]:
    """Those of *rulings* that change what *game* between *entries* counts, in their order.

    Rulings on the game are all there, of which the last one counts; of an entry that is expunged,
    and so none of its games counts, the one that holds.
    """
    holding = HostRulings.of(rulings).entries
    expunged = [holding[name] for name in entries if isinstance(holding.get(name), Expunging)]
    return [
        ruling
        for ruling in rulings
        if (isinstance(ruling, Correction | Annulment) and ruling.number == game)
        or any(ruling is one for one in expunged)
    ]


def stored_event(store: Store) -> StoredEvent:
    """The one event of a results folder's store. Raises `StoreError`."""
    events = store.events()
    if store.league is not None:
        example = store.path.parent / "events" / (events[0].name if events else "NAME")
        raise StoreError(
            f"{store.path.parent}: expected the folder of one event, such as {example},"
            " got a league's"
        )
    if len(events) != 1:
        names = ", ".join(event.name for event in events) or "none"
        raise StoreError(f"{store.path}: expected one event, got {names}")
    return events[0]


def settings_in(store: Store, stored: StoredEvent) -> Settings:
    """The settings of an event of *store*, which may lack entries. Raises `EventFileError`."""
    league = store.league is not None
    return settings_of(stored.source, str(store.path), league=league, draft=league)


def read_results(
    store: Store, stored: StoredEvent, watch: Callable[[Record], None] | None = None
) -> tuple[Settings, Results]:
    """An event of *store* and what it comes to; *watch* is shown each record.

    Raises `EventFileError` for an event that has no table: a ladder.
    """
    settings = settings_in(store, stored)
    if settings.event.format == "ladder":
        raise EventFileError(
            f"{stored.name}: expected an event with a table, a ladder has the league's ratings"
        )
    results = Results(settings.event)
    for link in links(store, stored.id):
        if isinstance(link, StoredGame):
            record = parse_record(link.record)
            results.add(record)
            if watch is not None:
                watch(record)
        else:
            enter(results, link)
    return settings, results


def enter(results: Results, amendment: Amendment) -> None:
    """Let *results* heed what was decided. Raises `ValueError`."""
    match read_amendment(amendment):
        case None:
            pass
        case GameResult() as bye:
            results.add_bye(bye)
        case ruling:
            results.amend(ruling)


def late_bots(rulings: Iterable[HostRuling], secrets: Mapping[str, str]) -> tuple[Known, ...]:
    """The bots of late entries as the server's admission wants them.

    *secrets* are the digests of their tokens.
    """
    late: Iterable[LateEntry] = late_entries(rulings)
    return tuple(Known(bot, secrets.get(bot), MAX_SLOT) for one in late for bot in one.bots)
