"""Pages and their parts from the store, which is only read.

All of it is done in one thread, one thing after the other, so nothing here is locked. An event is
added up once and from then on game by game; ratings of a league, which take their time, are fitted
again now and then only.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sternhalma_server.archive import STORE
from sternhalma_server.chronicle import wire_name
from sternhalma_server.folders import LEAGUE
from sternhalma_server.pages.event_pages import EventPages
from sternhalma_server.pages.history import History, Moment
from sternhalma_server.pages.league_pages import BEFORE, EventLine, LeaguePages
from sternhalma_server.pages.places import EventPlaces, event_places, file_name
from sternhalma_server.pages.replays import replay_data
from sternhalma_server.pages.running import Shown
from sternhalma_server.pages.summary import Account, Summary
from sternhalma_server.pages.templates import Templates
from sternhalma_server.rated import rated_games
from sternhalma_server.rating import RatedGames
from sternhalma_server.record import parse_record
from sternhalma_server.rulings import settings_in, stored_event
from sternhalma_server.store import Store, StoredEvent, StoreError
from sternhalma_server.telling import Telling
from sternhalma_server.underway import Underway, game_under_way, games_under_way, late_in
from sternhalma_server.web.following import Following, GapError
from sternhalma_server.web.places import Place
from sternhalma_server.yearbook import rated_in
from sternhalma_tournament.charter import Charter, parse_charter
from sternhalma_tournament.ratings import Ratings

RATED_EVERY: Final = 15.0  # seconds at least between two fits of a league's ratings
REST: Final = 5  # times as long as a fit took, at least, until the next one
TRIES: Final = 20  # looks for a game that has just begun
PAUSE: Final = 0.05  # seconds between two of them


@dataclass(frozen=True, slots=True)
class Scenery:
    """What the watcher knows when a page is made: games that run by event, and how far each is.

    `running` is None while no server can be heard.
    """

    running: Mapping[str, Sequence[Shown]] | None = None
    progress: Mapping[str, str] = field(default_factory=dict[str, str])

    def of(self, event: str) -> Sequence[Shown] | None:
        """The games that run of an event."""
        return None if self.running is None else self.running.get(event, ())


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the store holds: games over and planned by event; `stamp` changes with anything."""

    stamp: int
    league: bool
    games: Mapping[str, tuple[int, int | None]]
    states: Mapping[str, str]


@dataclass(slots=True)
class _Kept:
    """An event that is kept added up."""

    stored: StoredEvent
    account: Account
    summary: Summary


class NoPageError(Exception):
    """A place at which there is no page."""


class Shelf:
    """The pages of the event or the league in the folder *root*."""

    def __init__(self, root: Path, templates: Templates) -> None:
        self._root = root
        self._templates = templates
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None  # which file is open
        self._kept: dict[str, _Kept] = {}
        self._before: dict[str, EventLine] = {}  # events that have not begun
        self._order: list[str] = []
        self._charter: Charter | None = None
        self._source = b""  # the file that it is from
        self._rated: tuple[RatedGames, Ratings] | None = None
        self._history: History | None = None
        self._moments: list[Moment] = []
        self._rate_at = 0.0
        self._rated_games = -1
        self._followings: dict[tuple[str, int], Following] = {}
        self._stamp = 0

    def look(self) -> Outlook | None:
        """See what has changed; None while there is no store. Raises `StoreError`, `ValueError`."""
        store = self._opened()
        if store is None:
            return None
        self._look_at_events(store)
        if store.league is not None:
            self._look_at_league(store)
        return Outlook(
            self._stamp,
            self._charter is not None,
            {name: (one.account.games, one.summary.planned) for name, one in self._kept.items()},
            {name: one.stored.state for name, one in self._kept.items()},
        )

    def page(self, path: str, place: Place, scenery: Scenery) -> str:
        """The text of a page or of a record. Raises `NoPageError`, `StoreError`, `ValueError`."""
        store = self._there()
        match place.kind:
            case "league":
                return self._league(scenery).index()[1]
            case "bot":
                return self._league(scenery).bot(self._bot(place))[1]
            case "record":
                return self._record(store, place)
            case _:
                pass
        kept = self._event(place)
        pages = self._event_pages(kept, scenery)
        match place.kind:
            case "index":
                return pages.event()[1]
            case "games":
                if place.number > pages.lists:
                    raise NoPageError(path)
                return pages.games(place.number)[1]
            case "game":
                return self._game_page(store, kept, pages, place)
            case _:
                names = {file_name(entry.name): entry for entry in kept.summary.entries}
                if place.name not in names:
                    raise NoPageError(path)
                return pages.entry(names[place.name])[1]

    def parts(self, place: Place, scenery: Scenery) -> dict[str, str]:
        """What may have changed of a page but that of a game. Raises as `page` does."""
        match place.kind:
            case "league":
                return self._league(scenery).index_parts()
            case "bot":
                return self._league(scenery).bot_parts(self._bot(place))
            case _:
                pass
        kept = self._event(place)
        pages = self._event_pages(kept, scenery)
        match place.kind:
            case "index":
                return pages.event_parts()
            case "games":
                if place.number > pages.lists:
                    raise NoPageError(f"expected at most {pages.lists} lists, got {place.number}")
                return pages.games_parts(place.number)
            case _:
                names = {file_name(entry.name): entry for entry in kept.summary.entries}
                if place.name not in names:
                    raise NoPageError(place.name)
                return pages.entry_parts(names[place.name])

    def name_of(self, place: Place) -> str:
        """The name of the event that a place is of. Raises `NoPageError`."""
        return self._event(place).stored.name

    def steps(self, place: Place, lines: list[str]) -> dict[str, str]:
        """What the page of a running game is to be told of it, as JSON; *lines* were heard.

        Raises as `page` does, and `NoPageError` for a game that is over.
        """
        self._follow(self._there(), self._event(place), place.number)
        self._catch_up(place, lines)
        steps = self._followings[self._key(place)].steps
        return {f"step/{number}": step for number, step in enumerate(steps)}

    def running_parts(self, place: Place) -> dict[str, str]:
        """What may have changed of the page of a running game that is followed."""
        following, kept = self._followings[self._key(place)], self._event(place)
        if following.unproved:
            following.prove(self._from_store(self._there(), kept, place.number))
        pages = self._event_pages(kept, Scenery())
        return {
            name: text
            for name, text in pages.running_parts(following.underway).items()
            if name not in {"moves", "times"}  # told step by step, and at the end
        }

    def over(self, place: Place) -> tuple[dict[str, str], dict[str, Any]] | None:
        """The parts and the data of the page of a game once it is over, None before."""
        store, kept = self._there(), self._event(place)
        game = store.game(kept.stored.id, place.number)
        if game is None:
            return None
        record, name = parse_record(game.record), wire_name(store, kept.stored, place.number)
        pages = self._event_pages(kept, Scenery())
        telling = Telling(record, lag=kept.summary.settings.lag, name=name)
        return pages.game_parts(record, game.said, name), replay_data(telling)

    def forget(self, place: Place) -> None:
        """Nobody follows this game any more."""
        with suppress(NoPageError):
            self._followings.pop(self._key(place), None)

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _opened(self) -> Store | None:
        """The store; opened again where it is another file now, an event that is played anew."""
        path = self._root / STORE
        try:
            found = path.stat()
        except OSError:
            found = None
        file = None if found is None else (found.st_dev, found.st_ino)
        if file == self._file and self._store is not None:
            return self._store
        self.close()
        self._kept.clear()
        self._before.clear()
        self._followings.clear()
        self._charter = None
        self._stamp += 1
        self._file = None
        if file is None:
            return None
        self._store = Store.read(path)
        self._file = file
        return self._store

    def _there(self) -> Store:
        if self._store is None:
            raise NoPageError("expected a store, there is none yet")
        return self._store

    def _look_at_events(self, store: Store) -> None:
        events = store.events() if store.league is not None else [stored_event(store)]
        self._order = [stored.name for stored in events]
        for stored in events:
            kept = self._kept.get(stored.name)
            if stored.state in BEFORE and store.league is not None:
                line = self._before.get(stored.name)
                if line is None or line.stored != stored:
                    self._before[stored.name] = EventLine(stored, settings_in(store, stored))
                    self._stamp += 1
                continue
            self._before.pop(stored.name, None)
            if kept is None or kept.account.source != stored.source:
                account = Account(store, stored)
                account.read(store, stored)
            elif kept.account.read(store, stored) or kept.stored != stored:
                account = kept.account
            else:
                continue
            self._kept[stored.name] = _Kept(stored, account, account.summary(store, stored))
            self._stamp += 1

    def _look_at_league(self, store: Store) -> None:
        source = (self._root / LEAGUE).read_bytes()
        if self._charter is None or source != self._source:
            self._charter, self._source = parse_charter(source, LEAGUE), source
            self._history = History(self._charter)
            self._rated_games = -1
        games = sum(kept.account.games for kept in self._kept.values())
        now = time.monotonic()
        if games != self._rated_games and now >= self._rate_at:
            self._rated = rated_in(store, self._charter)
            self._moments = self._moments_in(store)
            self._rated_games = games
            took = time.monotonic() - now
            self._rate_at = now + took + max(RATED_EVERY, REST * took)
            self._stamp += 1

    def _moments_in(self, store: Store) -> list[Moment]:
        assert self._history is not None
        summaries = [kept.summary for kept in self._kept.values()]
        return self._history.moments(rated_games(store, list(self._kept)), summaries)

    def _event(self, place: Place) -> _Kept:
        if not place.event and self._charter is None:
            for kept in self._kept.values():
                return kept
        for name, kept in self._kept.items():
            if file_name(name) == place.event:
                return kept
        raise NoPageError(f"expected an event that has begun, got {place.event!r}")

    def _key(self, place: Place) -> tuple[str, int]:
        return self._event(place).stored.name, place.number

    def _places(self, name: str) -> EventPlaces:
        return EventPlaces() if self._charter is None else event_places(name)

    def _event_pages(self, kept: _Kept, scenery: Scenery) -> EventPages:
        name = kept.stored.name
        running = scenery.of(name)
        if running is None and kept.stored.state != "closed":
            running = self._left_running(kept)
        return EventPages(
            self._templates,
            kept.summary,
            self._places(name),
            running or (),
            scenery.progress.get(name, ""),
        )

    def _left_running(self, kept: _Kept) -> list[Shown]:
        """The games that a server has left, to go on with them later."""
        store = self._there()
        found = games_under_way(store, kept.stored, kept.account.settings)
        return [Shown.of(one.telling) for one in found]

    def _league(self, scenery: Scenery) -> LeaguePages:
        if self._charter is None:
            raise NoPageError("expected a league")
        lines: list[EventLine] = []
        for name in self._order:
            if name in self._before:
                lines.append(self._before[name])
            elif name in self._kept:
                kept = self._kept[name]
                running = len(scenery.of(name) or ())
                lines.append(EventLine(kept.stored, kept.account.settings, running, kept.summary))
        shown = [one for games in (scenery.running or {}).values() for one in games]
        return LeaguePages(self._templates, self._charter, lines, self._rated, self._moments, shown)

    def _bot(self, place: Place) -> str:
        for name in self._league(Scenery()).bots:
            if file_name(name) == place.name:
                return name
        raise NoPageError(f"expected a bot of the league, got {place.name!r}")

    def _record(self, store: Store, place: Place) -> str:
        game = store.game(self._event(place).stored.id, place.number)
        if game is None:
            raise NoPageError(f"expected a game that is over, got {place.number}")
        return game.record

    def _game_page(self, store: Store, kept: _Kept, pages: EventPages, place: Place) -> str:
        game = store.game(kept.stored.id, place.number)
        if game is None:
            following = self._follow(store, kept, place.number)
            return pages.running_game(following.underway)[1]
        record = parse_record(game.record)
        return pages.game(record, game.said, wire_name(store, kept.stored, record.game))[1]

    def _follow(self, store: Store, kept: _Kept, number: int) -> Following:
        key = kept.stored.name, number
        if key not in self._followings:
            self._followings[key] = Following(self._from_store(store, kept, number))
        return self._followings[key]

    def _from_store(self, store: Store, kept: _Kept, number: int) -> Underway:
        lines = store.running_lines(kept.stored.id).get(number)
        if lines is None:
            raise NoPageError(f"expected a game that has begun, got {number}")
        name = wire_name(store, kept.stored, number)
        late = late_in(store, kept.stored.id)
        return game_under_way(kept.account.settings, late, lines, name)

    def _catch_up(self, place: Place, lines: list[str]) -> None:
        """Hear *lines*, from the store what was before them. The store may be a moment behind."""
        store, kept = self._there(), self._event(place)
        key = self._key(place)
        for _ in range(TRIES):
            try:
                self._followings[key].take(lines)
            except GapError:
                time.sleep(PAUSE)
                self._followings[key] = Following(self._from_store(store, kept, place.number))
            else:
                return
        raise StoreError(f"expected game {place.number} up to what was heard of it")
