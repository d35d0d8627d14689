"""Games that are still played, as a store tells of them while its server runs, or was stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sternhalma import Game
from sternhalma_server.chronicle import wire_name
from sternhalma_server.keeping import Begun
from sternhalma_server.record import Player, Record
from sternhalma_server.recording import recorded
from sternhalma_server.rulings import rulings_of
from sternhalma_server.settings import Settings
from sternhalma_server.store import EventId, Store, StoredEvent
from sternhalma_server.telling import Telling
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import late_entries
from sternhalma_tournament.entries import Entry, bots_by_seat


@dataclass(frozen=True, slots=True)
class Underway:
    """A game so far, and what its seats have said, as a store has it of games that are over."""

    telling: Telling
    said: str


def games_under_way(store: Store, stored: StoredEvent, settings: Settings) -> Iterator[Underway]:
    """All games of the event that have begun and are not over, by number.

    Raises `StoreError`, `ValueError`.
    """
    late = late_in(store, stored.id)
    for number, lines in sorted(store.running_lines(stored.id).items()):
        yield game_under_way(settings, late, lines, wire_name(store, stored, number))


def late_in(store: Store, event: EventId) -> list[Entry]:
    """The entries that came late. Raises `StoreError`, `ValueError`."""
    return [Entry(late.entry, late.bots) for late in late_entries(rulings_of(store, event))]


def game_under_way(
    settings: Settings, late: Sequence[Entry], lines: Iterable[str], name: str
) -> Underway:
    """The game of which the journal has *lines*; *late* are the entries that came late.

    *name* is what the wire calls it. Raises `ValueError` for lines that make no game.
    """
    begun = Begun(lines)
    record = _standing(settings, late, begun)
    said = "".join(f"{line}\n" for line in begun.said)
    return Underway(Telling(record, running=True, lag=settings.lag, name=name), said)


def _standing(settings: Settings, late: Sequence[Entry], begun: Begun) -> Record:
    """The record of a running game as it would be if the game was broken off now."""
    event, pairing = settings.event, begun.pairing
    if pairing is None:
        raise ValueError("expected a game whose beginning is in the journal, got none")
    start = Game.new(
        settings.rules,
        event.players,
        limit=settings.terms.limit,
        at_limit=settings.terms.at_limit,
    )
    letters = [group[0] for group in start.position.seats]
    entries = {entry.name: entry for entry in (*settings.entries, *late)}
    # Whoever plays a ladder is not named in its file.
    meeting = tuple(entries.get(name, Entry(name, (name,))) for name in pairing.entries)
    bots = bots_by_seat(meeting, event.players)
    players = tuple(
        Player(letter, bot, version, pairing.entries[seat % settings.sides])
        for seat, (letter, bot, version) in enumerate(
            zip(letters, bots, begun.versions, strict=True)
        )
    )
    record = Record(
        event=event.name,
        game=pairing.number,
        rules=settings.rules.id,
        limit=settings.terms.limit,
        at_limit=settings.terms.at_limit,
        clock=settings.control.text,
        players=players,
        start=str(start),
        happened=tuple(recorded(letters, event) for event in begun.happened(letters)),
        reason=Reason.ABORTED,
        places=(0,) * len(letters),
        ply=0,
        final=str(start),
    )
    now = Telling(record).game
    return replace(record, ply=now.ply - 1, final=str(now))
