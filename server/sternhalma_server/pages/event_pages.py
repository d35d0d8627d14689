"""The pages of an event: its own, the list of its games, a page for each game and each entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sternhalma_server.chronicle import wire_name
from sternhalma_server.pages.game_page import game_values
from sternhalma_server.pages.places import EventPlaces
from sternhalma_server.pages.running import BOARDS, Running, Shown, frames_of, running_of
from sternhalma_server.pages.summary import Forfeit, GameLine, Summary
from sternhalma_server.pages.templates import Linked, Templates
from sternhalma_server.pages.views import Linker, Table, dress, table_of
from sternhalma_server.record import Record, parse_record
from sternhalma_server.rulings import rulings_on
from sternhalma_server.store import Store
from sternhalma_server.telling import Telling
from sternhalma_server.underway import Underway
from sternhalma_server.usage import USAGE_ALIGN, USAGE_HEAD, Usage, usage_row
from sternhalma_server.verdict import Reason
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.text import counted

Page = tuple[str, str]  # where it lies in the folder, and its text

SHOUTED: Final = 12  # games of one bot's forfeits for one reason; its page has all of them
LISTED: Final = 200  # games in a list; the newest are in one of up to twice as many
_WHERE: Final = re.compile(r"game ([0-9]+), ply ([0-9]+)")
_RUNNING_HEAD: Final = ("game", "seats", "plies")
_GAMES_HEAD: Final = ("game", "seats and places", "ended by", "plies", "forfeits")
_GAMES_ALIGN: Final = "rllrl"


@dataclass(frozen=True, slots=True)
class Shout:
    """The forfeits of a bot for one reason: the games, and how many more there are."""

    bot: str
    href: str | None
    text: str
    games: Sequence[Linked]
    more: int


class EventPages:
    """The pages of the event that *summary* adds up, at *places*.

    *running* are its games that run, those of the summary where nothing is said; *progress* is a
    sentence on how far it is.
    """

    def __init__(
        self,
        templates: Templates,
        summary: Summary,
        places: EventPlaces,
        running: Sequence[Shown] | None = None,
        progress: str = "",
    ) -> None:
        self._templates = templates
        self._summary = summary
        self._places = places
        self._hrefs = _hrefs(summary.entries, places)
        told = [one.telling for one in summary.running]
        self._running = [Shown.of(one) for one in told] if running is None else running
        self._progress = progress

    def pages(self, store: Store) -> Iterator[Page]:
        """Every page, and the record of every game. Raises `StoreError`, `ValueError`."""
        yield self.event()
        for number in range(self.lists + 1):
            yield self.games(number)
        for entry in self._summary.entries:
            yield self.entry(entry)
        for one in self._summary.running:
            yield self.running_game(one)
        # Last, so that a game that has ended since has the page of its end.
        for game in store.finished_games(self._summary.stored.id):
            record = parse_record(game.record)
            name = wire_name(store, self._summary.stored, record.game)
            yield self.game(record, game.said, name)
            yield self._places.record(record.game), game.record

    def event(self) -> Page:
        """The event's own page."""
        return self._page("event.html", self._places.index, self._event())

    def event_parts(self) -> dict[str, str]:
        """The parts of it that may change, by name; without the boards."""
        return self._templates.parts("event.html", self._places.index, **self._event(boards=0))

    @property
    def lists(self) -> int:
        """How many lists of older games there are, beside that of the newest."""
        return max(0, len(self._summary.games) // LISTED - 1)

    def games(self, number: int = 0) -> Page:
        """The list of its newest games, or one of its `lists` of older ones, by a number from 1."""
        return self._page("games.html", self._list_place(number), self._games(number))

    def games_parts(self, number: int = 0) -> dict[str, str]:
        """The parts of it that may change, by name."""
        path = self._list_place(number)
        return self._templates.parts("games.html", path, **self._games(number))

    def entry(self, entry: Entry) -> Page:
        """The page of one of its entries."""
        return self._page("entry.html", self._places.entry(entry.name), self._entry(entry))

    def entry_parts(self, entry: Entry) -> dict[str, str]:
        """The parts of it that may change, by name."""
        path = self._places.entry(entry.name)
        return self._templates.parts("entry.html", path, **self._entry(entry))

    def game(self, record: Record, said: str, name: str | None = None) -> Page:
        """The page of a game that is over; *said* are the lines of its seats as a store has them.

        *name* is what the wire called it, if not by its number. Raises `ValueError` for a record
        whose moves or times cannot be read.
        """
        values = self._game(self._over(record, name), said)
        return self._page("game.html", self._places.game(record.game), values)

    def game_parts(self, record: Record, said: str, name: str | None = None) -> dict[str, str]:
        """The parts of it that may have changed since the game was over. Raises as `game` does."""
        values = self._game(self._over(record, name), said)
        return self._templates.parts("game.html", self._places.game(record.game), **values)

    def running_game(self, game: Underway) -> Page:
        """The page of a game that is still played. Raises as `game` does."""
        values = self._game(game.telling, game.said)
        return self._page("game.html", self._places.game(game.telling.record.game), values)

    def running_parts(self, game: Underway) -> dict[str, str]:
        """The parts of it that may change, by name. Raises as `game` does."""
        values = self._game(game.telling, game.said)
        path = self._places.game(game.telling.record.game)
        return self._templates.parts("game.html", path, **values)

    def _over(self, record: Record, name: str | None) -> Telling:
        return Telling(record, lag=self._summary.settings.lag, name=name)

    def _game(self, telling: Telling, said: str) -> dict[str, Any]:
        record = telling.record
        entries = [player.entry for player in record.players]
        rulings = () if telling.running else self._summary.rulings
        ruled = rulings_on(record.game, entries, rulings)
        return game_values(telling, ruled, said, self._places, self._hrefs)

    def _page(self, template: str, path: str, values: Mapping[str, Any]) -> Page:
        return path, self._templates.page(template, path, **values)

    def _event(self, boards: int = BOARDS) -> dict[str, Any]:
        summary, event = self._summary, self._summary.settings.event
        table, live = summary.table, self._templates.live
        clock = "no clock" if event.clock == "none" else f"clock {event.clock}"
        return {
            "title": event.name,
            "event": event.name,
            "places": self._places,
            "terms": (
                f"{event.format}, {event.rules} with {event.players} players a game,"
                f" {summary.settings.terms.limit} turns each, {clock}"
            ),
            "state": summary.stored.state,
            "shouts": self._shouts(summary.forfeits_by_bot(), most=SHOUTED),
            "progress": self._progress,
            "running": self._boards(boards),
            "unseen": max(0, len(self._running) - BOARDS),
            "frames": frames_of([summary.settings.rules]) if boards and live else [],
            "standings": [] if table is None else dress(table, "standings", self._to()),
            "is_ladder": summary.is_ladder,
            "crosstable": dress(summary.crosstable, "crosstable", self._to()),
            "usage": self._usage(sorted(summary.usages.by_bot)),
            "games": len(summary.games),
            "head": summary.head,
        }

    def _list_place(self, number: int) -> str:
        return self._places.older(number) if number else self._places.games

    def _listed(self, number: int) -> Sequence[GameLine]:
        """The games of a list. Those of older ones are always the same, however many come."""
        begin = LISTED * (number - 1 if number else self.lists)
        return self._summary.games[begin : begin + LISTED if number else None]

    def _games(self, number: int) -> dict[str, Any]:
        event = self._summary.settings.event.name
        return {
            "title": f"games of {event}" if number == 0 else f"games of {event}, list {number}",
            "event": event,
            "places": self._places,
            "number": number,
            "running": self._running_list() if self._running and not number else None,
            "games": self._list(self._listed(number), "games"),
            "older": [
                Linked(_span(self._listed(one)), self._places.older(one))
                for one in range(self.lists, 0, -1)
            ],
        }

    def _entry(self, entry: Entry) -> dict[str, Any]:
        summary = self._summary
        bots = list(dict.fromkeys(entry.bots))
        own = {key: found for key, found in summary.forfeits_by_bot().items() if key[0] in bots}
        games = [game for game in summary.games if not set(bots).isdisjoint(game.bots)]
        return {
            "title": f"{entry.name} in {summary.settings.event.name}",
            "event": summary.settings.event.name,
            "places": self._places,
            "page": dress(summary.entry_text(entry.name), "results", self._to()),
            "versions": [
                f"{bot} plays as version {' and '.join(summary.versions[bot])}"
                for bot in bots
                if bot in summary.versions
            ],
            "shouts": self._shouts(own, most=len(games)),
            "usage": self._usage(bots),
            "games": self._list(games[-LISTED:], "games"),
            "unlisted": max(0, len(games) - LISTED),
        }

    def _list(self, games: Sequence[GameLine], title: str) -> Table:
        """A table of *games*, the newest first: that is what a viewer has come for."""

        def to(head: str, text: str) -> str | None:
            return self._places.game(int(text)) if head == "game" else None

        fallen: dict[int, list[Forfeit]] = {}
        for forfeit in self._summary.forfeits:
            fallen.setdefault(forfeit.game, []).append(forfeit)
        rows = [
            [
                str(game.number),
                ", ".join(_seat(*seat) for seat in game.seats),
                game.reason.value,
                str(game.plies),
                ", ".join(f"{one.bot} {one.reason}" for one in fallen.get(game.number, [])),
            ]
            for game in reversed(games)
        ]
        return table_of(title, _GAMES_HEAD, rows, _GAMES_ALIGN, to)

    def _boards(self, most: int) -> list[Running]:
        return [
            running_of(one, self._places.game(one.number), str(one.number))
            for one in self._running[:most]
        ]

    def _running_list(self) -> Table:
        def to(head: str, text: str) -> str | None:
            return self._places.game(int(text)) if head == "game" else None

        rows = [
            [
                str(one.number),
                ", ".join(f"{seat} {bot}" for seat, bot in one.seats),
                str(one.ply),
            ]
            for one in self._running
        ]
        return table_of("games that run", _RUNNING_HEAD, rows, "rlr", to)

    def _usage(self, bots: Sequence[str]) -> Table:
        usages = self._summary.usages.by_bot
        rows = [usage_row(bot, usages.get(bot, Usage())) for bot in bots]
        return table_of("time use", USAGE_HEAD, rows, USAGE_ALIGN, self._to())

    def _shouts(
        self, forfeits: Mapping[tuple[str, Reason], list[Forfeit]], most: int
    ) -> list[Shout]:
        return [
            shout(bot, self._hrefs.get(bot), reason, found, self._places, most)
            for (bot, reason), found in forfeits.items()
        ]

    def _to(self) -> Linker:
        def to(head: str, text: str) -> str | None:
            if head in {"entry", "bot", "opponent"}:
                return self._hrefs.get(text)
            found = _WHERE.fullmatch(text) if head == "where" else None
            return None if found is None else self._places.game(int(found[1]), int(found[2]))

        return to


def shout(
    who: str,
    href: str | None,
    reason: Reason,
    found: Sequence[Forfeit],
    places: EventPlaces,
    most: int,
) -> Shout:
    """That *who* has forfeited the games *found*, for one reason; *most* of them are named."""
    return Shout(
        bot=who,
        href=href,
        text=f"forfeited {counted(len(found), 'game')} ({reason})",
        games=[
            Linked(f"game {one.game}, ply {one.ply}", places.game(one.game, one.ply))
            for one in found[:most]
        ],
        more=max(0, len(found) - most),
    )


def _hrefs(entries: Sequence[Entry], places: EventPlaces) -> dict[str, str]:
    """The pages of entries, and of bots those of the entry that they play for."""
    hrefs = {bot: places.entry(entry.name) for entry in reversed(entries) for bot in entry.bots}
    return hrefs | {entry.name: places.entry(entry.name) for entry in entries}


def _span(games: Sequence[GameLine]) -> str:
    return f"{games[0].number} to {games[-1].number}"


def _seat(letter: str, bot: str, place: int) -> str:
    return f"{letter} {bot} {place}" if place else f"{letter} {bot}"
