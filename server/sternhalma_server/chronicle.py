"""What a store has of a game that is over, for those who ask about one game or one seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sternhalma_server.conversation import Conversation
from sternhalma_server.record import Record, parse_record
from sternhalma_server.retelling import retell
from sternhalma_server.rulings import settings_in
from sternhalma_server.settings import Settings
from sternhalma_server.store import Store, StoredEvent


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
    game = store.game(stored.id, number)
    if game is None:
        raise ValueError(f"expected a game of {stored.name} that is over, got game {number}")
    record, name = parse_record(game.record), wire_name(store, stored, number)
    return Chronicle(record, game.said, settings_in(store, stored), name)


def wire_name(store: Store, stored: StoredEvent, number: int) -> str:
    """What the wire calls a game: a server with several events at once names the event with it."""
    return str(number) if store.league is None else f"{stored.name}/{number}"
