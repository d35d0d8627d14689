"""The tables of an event's games: everything about a game that is known before its first turn."""

from __future__ import annotations

from collections.abc import Sequence

from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.opening import number, opening_of
from sternhalma_server.settings import Settings
from sternhalma_tournament.schedule import Pairing


class Layout:
    """Lays the tables of the event of *settings*; *named* if the wire calls games by event too.

    `letters` are the first letters of the seats, in the order of turns.
    """

    def __init__(self, settings: Settings, *, named: bool = False) -> None:
        self._settings = settings
        self._named = named
        self._start = Game.new(
            settings.rules,
            settings.event.players,
            limit=settings.terms.limit,
            at_limit=settings.terms.at_limit,
        )
        self.letters = [group[0] for group in self._start.position.seats]

    def name(self, pairing: Pairing) -> str:
        """What the wire calls a game."""
        return (
            f"{self._settings.event.name}/{pairing.number}" if self._named else str(pairing.number)
        )

    def table(
        self, pairing: Pairing, bots: tuple[str, ...], versions: Sequence[str | None]
    ) -> Table:
        """The table of a game: *bots* and their *versions* by seat."""
        settings, event = self._settings, self._settings.event
        return Table(
            event=event.name,
            game=self.name(pairing),
            rules=settings.rules,
            terms=settings.terms,
            control=settings.control,
            bots=bots,
            entries=tuple(pairing.entries[seat % settings.sides] for seat in range(event.players)),
            versions=tuple(versions),
            seeds=tuple(
                number(f"{event.seed}/{pairing.number}/{letter}") for letter in self.letters
            ),
            opening=opening_of(self._start, event.opening, event.seed, pairing.opening),
            draws=event.draws,
            tries=event.tries,
            lag=settings.lag,
        )
