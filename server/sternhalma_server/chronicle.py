"""What a store has of a game that is over, for those who ask about one game or one seat."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sternhalma_server.conversation import Conversation
from sternhalma_server.outcome import read_outcome
from sternhalma_server.record import Record, parse_record
from sternhalma_server.retelling import retell
from sternhalma_server.rulings import settings_in
from sternhalma_server.settings import Settings
from sternhalma_server.store import Store, StoredEvent

SHOWN: Final = 10  # games of an event that are listed


@dataclass(frozen=True, slots=True)
class Chronicle:
    """A game that is over: its `record`, what its seats `said`, its event's `settings`, and the
    `name` that the wire called it by."""

    record: Record
    said: str
    settings: Settings
    name: str

    @property
    def seats(self) -> Mapping[str, str]:
        """The bot in each seat."""
        return {player.seat: player.bot for player in self.record.players}

    def told_to(self, seat: str) -> Conversation:
        """What *seat* was told and said. Raises `ValueError` for one that is not in the game."""
        return retell(self.record, self.said, self.settings, self.name, seat)


def chronicle_of(store: Store, stored: StoredEvent, number: int) -> Chronicle:
    """Game *number* of the event. Raises `ValueError` for one that is not over, `StoreError`."""
    chronicle = chronicle_in(store, stored, number)
    if chronicle is None:
        sentence = f"expected a game of {stored.name} that is over, got game {number}"
        raise ValueError(f"{sentence}; {there_are(store, [stored])}")
    return chronicle


def chronicle_in(store: Store, stored: StoredEvent, number: int) -> Chronicle | None:
    """Game *number* of the event, None if it is not over. Raises `ValueError`, `StoreError`."""
    game = store.game(stored.id, number)
    if game is None:
        return None
    record, name = parse_record(game.record), wire_name(store, stored, number)
    return Chronicle(record, game.said, settings_in(store, stored), name)


def wire_name(store: Store, stored: StoredEvent, number: int) -> str:
    """What the wire calls a game: a server with several events at once names the event with it."""
    return str(number) if store.league is None else f"{stored.name}/{number}"


def there_are(store: Store, events: Iterable[StoredEvent], bot: str | None = None) -> str:
    """Which games of *events* are over: how many, and the last of them as the wire calls them.

    Of a *bot* they are those that it sat in, each with what it has forfeited that game by, if
    anything. Raises `StoreError`.
    """
    told: list[str] = []
    for event in events:
        count, last = 0, deque[str](maxlen=SHOWN)
        for stored in store.outcomes(event.id):
            outcome = read_outcome(stored.outcome, stored.record)
            if bot is not None and bot not in outcome.bots:
                continue
            count += 1
            seats = zip(outcome.bots, outcome.forfeits, strict=True)
            fault = next((why for name, why in seats if name == bot and why is not None), None)
            name = wire_name(store, event, stored.game)
            last.append(name if fault is None else f"{name} ({fault})")
        if count:
            which = "they are" if count <= SHOWN else f"the last of {count} are"
            told.append(f"{which} {', '.join(reversed(last))}")
    return "; ".join(told) or "there is none yet"
