"""The pages of a league: its own, one for each of its bots, and those of all its events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sternhalma_server.careers import careers
from sternhalma_server.charts import Interval, interval_chart
from sternhalma_server.pages import views
from sternhalma_server.pages.career_page import Part, career_values
from sternhalma_server.pages.event_pages import EventPages, Page
from sternhalma_server.pages.history import History, Moment
from sternhalma_server.pages.places import INDEX, EventPlaces, bot_place, event_places
from sternhalma_server.pages.running import BOARDS, Shown, frames_of, running_of
from sternhalma_server.pages.summary import Summary, summary_of
from sternhalma_server.pages.templates import Templates, drawn
from sternhalma_server.pages.views import Linker, Table, dress, table_of
from sternhalma_server.rated import rated_games
from sternhalma_server.rating import RatedGames
from sternhalma_server.rulings import settings_in
from sternhalma_server.settings import Settings
from sternhalma_server.store import Store, StoredEvent
from sternhalma_server.yearbook import rated_in
from sternhalma_tournament.bot_page import BotPage
from sternhalma_tournament.charter import Charter
from sternhalma_tournament.rating_tables import ratings_markdown
from sternhalma_tournament.ratings import Ratings
from sternhalma_tournament.season import Season, SeasonEvent, season_of
from sternhalma_tournament.season_tables import season_markdown
from sternhalma_tournament.text import counted

BEFORE: Final = frozenset({"created", "open"})  # states in which nothing has been played
_EVENTS_HEAD: Final = ("event", "format", "state", "games", "running", "forfeits")


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event of a league: its settings, its `summary` once it has begun, games that run."""

    stored: StoredEvent
    settings: Settings
    running: int = 0
    summary: Summary | None = None

    @property
    def places(self) -> EventPlaces:
        """Where its pages are."""
        return event_places(self.stored.name)

    @property
    def next(self) -> str:
        """What is to come of it, as a sentence; empty if nothing or nobody knows."""
        name, entered = self.stored.name, counted(len(self.settings.event.bots), "bot")
        planned = None if self.summary is None else self.summary.planned
        left = 0 if self.summary is None or planned is None else planned - len(self.summary.games)
        match self.stored.state:
            case "created":
                return f"{name} is being prepared, {entered} entered so far"
            case "open":
                return f"{name} takes entries, {entered} entered so far"
            case "paused" if left > 0:
                return f"{name} is paused, with {counted(left, 'game')} to go"
            case "running" if left > 0:
                return f"{name} has {counted(left, 'game')} to go"
            case _:
                return ""


class LeaguePages:
    """The pages of the league of *charter* beside those of its *events*.

    *rated* are its games and the ratings they give, None before there are any, *moments* what these
    were before; *running* are the games whose boards are shown.
    """

    def __init__(
        self,
        templates: Templates,
        charter: Charter,
        events: Sequence[EventLine],
        rated: tuple[RatedGames, Ratings] | None,
        moments: Sequence[Moment] = (),
        running: Sequence[Shown] = (),
    ) -> None:
        self._templates = templates
        self._charter = charter
        self._events = {event.stored.name: event for event in events}
        self._rated = rated
        self._moments = moments
        self._running = running

    @cached_property
    def bots(self) -> Mapping[str, BotPage]:
        """Who has a page here: every bot that has played a game that is rated."""
        return {} if self._rated is None else careers(*self._rated)

    def index(self) -> Page:
        """The league's own page."""
        return INDEX, self._templates.page("league.html", INDEX, **self._index())

    def index_parts(self) -> dict[str, str]:
        """The parts of it that may change, by name; without the boards."""
        return self._templates.parts("league.html", INDEX, **self._index(boards=0))

    def bot(self, name: str) -> Page:
        """The page of one of its `bots`."""
        place = bot_place(name)
        return place, self._templates.page("bot.html", place, **self._bot(self.bots[name]))

    def bot_parts(self, name: str) -> dict[str, str]:
        """The parts of it that may change, by name."""
        return self._templates.parts("bot.html", bot_place(name), **self._bot(self.bots[name]))

    def _index(self, boards: int = BOARDS) -> dict[str, Any]:
        charter, rated = self._charter, self._rated
        values: dict[str, Any] = {
            "title": charter.name,
            "league": charter.name,
            "events": self._event_table(),
            "next": [line.next for line in self._events.values() if line.next],
            "running": self._boards(boards),
            "frames": self._frames() if boards and self._templates.live else [],
            "season": self._season_parts(),
            "ratings": [],
            "chart": "",
        }
        if rated is not None:
            games, ratings = rated
            table = games.table(ratings)
            text = ratings_markdown(table, games.basis(charter.prior))
            rows = [Interval(row.name, row.rating, row.low, row.high) for row in table.rows]
            title = "Ratings with their 95 % intervals"
            values |= {
                "ratings": dress(text, "ratings", self._to()),
                "chart": drawn(interval_chart(rows, title, "ratings")),
            }
        return values

    def _season(self) -> Season:
        events = [
            SeasonEvent(line.stored.name, line.stored.state == "closed", line.summary.standings)
            for line in self._events.values()
            if line.summary is not None and line.summary.games and not line.summary.is_ladder
        ]
        return season_of(events, self._charter.season)

    def _season_parts(self) -> list[views.Part]:
        """The season as text; a sentence for its table as long as nothing is in that."""
        season = self._season()
        parts = dress(season_markdown(season), "season", self._to())
        if season.rows:
            return parts
        lines = [part for part in parts if part.table is None]
        return [views.Part(text="No event that counts for the season is closed yet."), *lines]

    def _boards(self, most: int) -> list[Any]:
        return [
            running_of(
                one,
                event_places(one.event).game(one.number),
                f"{one.event}/{one.number}",
                one.event,
            )
            for one in self._running[:most]
        ]

    def _frames(self) -> list[Any]:
        return frames_of([event.settings.rules for event in self._events.values()])

    def _event_table(self) -> Table:
        def to(head: str, text: str) -> str | None:
            line = self._events[text] if head == "event" else None
            return None if line is None or line.summary is None else line.places.index

        rows = [
            [
                line.stored.name,
                line.settings.event.format,
                line.stored.state,
                str(0 if line.summary is None else len(line.summary.games)),
                str(line.running),
                str(0 if line.summary is None else len(line.summary.forfeits)),
            ]
            for line in self._events.values()
        ]
        return table_of("events", _EVENTS_HEAD, rows, "lllrrr", to)

    def _to(self) -> Linker:
        def to(head: str, text: str) -> str | None:
            return bot_place(text) if head in {"bot", "entry"} and text in self.bots else None

        return to

    def _bot(self, page: BotPage) -> dict[str, Any]:
        parts = [
            Part(line.summary, line.places, entry.name)
            for line in self._events.values()
            if line.summary is not None
            for entry in line.summary.entries
            if page.bot in entry.bots
        ]
        return career_values(page, parts, self._moments, self._to()) | {
            "title": f"{page.bot} in {self._charter.name}",
            "league": self._charter.name,
        }


def league_pages(store: Store, charter: Charter, templates: Templates) -> Iterator[Page]:
    """The place and the text of every page of the league in *store*.

    Raises `StoreError`, `ValueError`.
    """
    events = [
        EventLine(
            stored,
            settings_in(store, stored),
            len(store.running_lines(stored.id)),
            None if stored.state in BEFORE else summary_of(store, stored),
        )
        for stored in store.events()
    ]
    summaries = [line.summary for line in events if line.summary is not None]
    games = rated_games(store, [line.stored.name for line in events])
    moments = History(charter).moments(games, summaries)
    pages = LeaguePages(templates, charter, events, rated_in(store, charter), moments)
    yield pages.index()
    for bot in pages.bots:
        yield pages.bot(bot)
    for line in events:
        if line.summary is not None:
            yield from EventPages(templates, line.summary, line.places).pages(store)
