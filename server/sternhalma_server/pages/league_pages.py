"""The pages of a league: its own, one for each of its bots, and those of all its events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sternhalma_server.careers import careers
from sternhalma_server.charts import Interval, interval_chart
from sternhalma_server.pages.event_pages import EventPages
from sternhalma_server.pages.places import INDEX, EventPlaces, bot_place, event_places
from sternhalma_server.pages.summary import Summary, summary_of
from sternhalma_server.pages.templates import Templates, drawn
from sternhalma_server.pages.views import Table, dress, table_of
from sternhalma_server.rulings import settings_in
from sternhalma_server.store import Store, StoredEvent
from sternhalma_server.yearbook import rated_in, season_in
from sternhalma_tournament.bot_page import BotPage, bot_page_markdown
from sternhalma_tournament.charter import Charter
from sternhalma_tournament.rating_tables import ratings_markdown
from sternhalma_tournament.season_tables import season_markdown
from sternhalma_tournament.tables import counts_text

_BEFORE: Final = frozenset({"created", "open"})  # states in which nothing has been played
_EVENTS_HEAD: Final = ("event", "format", "state", "games", "running", "forfeits")
_OWN_HEAD: Final = ("event", "rank", "games", "forfeits")


@dataclass(frozen=True, slots=True)
class _Played:
    """An event that has begun, and where its pages are."""

    summary: Summary
    places: EventPlaces


def league_pages(store: Store, charter: Charter, templates: Templates) -> Iterator[tuple[str, str]]:
    """The place and the text of every page of the league in *store*.

    Raises `StoreError`, `ValueError`.
    """
    events = store.events()
    begun = [event for event in events if event.state not in _BEFORE]
    played = [_Played(summary_of(store, one), event_places(one.name)) for one in begun]
    rated = rated_in(store, charter)
    pages: Mapping[str, BotPage] = {} if rated is None else careers(*rated)
    by_name = {one.summary.stored.name: one for one in played}

    def to(head: str, text: str) -> str | None:
        return bot_place(text) if head in {"bot", "entry"} and text in pages else None

    values = _league(store, charter, events, by_name)
    season = season_markdown(season_in(store, charter))
    values |= {"season": dress(season, "season", to), "ratings": [], "chart": ""}
    if rated is not None:
        games, ratings = rated
        table = games.table(ratings)
        text = ratings_markdown(table, games.basis(charter.prior))
        rows = [Interval(row.name, row.rating, row.low, row.high) for row in table.rows]
        title = "Ratings with their 95 % intervals"
        values |= {
            "ratings": dress(text, "ratings", to),
            "chart": drawn(interval_chart(rows, title, "ratings")),
        }
    yield INDEX, templates.page("league.html", INDEX, **values)
    for page in pages.values():
        place = bot_place(page.bot)
        yield place, templates.page("bot.html", place, **_career(charter, page, played))
    for one in played:
        yield from EventPages(templates, one.summary, one.places).pages(store)


def _league(
    store: Store, charter: Charter, events: Sequence[StoredEvent], played: Mapping[str, _Played]
) -> dict[str, Any]:
    def to(head: str, text: str) -> str | None:
        return played[text].places.index if head == "event" and text in played else None

    rows = [
        [
            event.name,
            settings_in(store, event).event.format,
            event.state,
            str(store.count(event.id)),
            str(len(store.running_lines(event.id))),
            str(len(played[event.name].summary.forfeits)) if event.name in played else "0",
        ]
        for event in events
    ]
    return {
        "title": charter.name,
        "league": charter.name,
        "events": table_of("events", _EVENTS_HEAD, rows, "lllrrr", to),
    }


def _career(charter: Charter, page: BotPage, played: Sequence[_Played]) -> dict[str, Any]:
    by_name = {one.summary.stored.name: one for one in played}

    def to(head: str, text: str) -> str | None:
        event, _, number = text.rpartition("/")
        if head in {"first game", "last game"} and event in by_name:
            return by_name[event].places.game(int(number))
        return None

    spans = [
        Interval(line.version or "no version told", line.rating, line.low, line.high)
        for line in page.versions
    ]
    title = f"The rating of {page.bot} by version, the oldest first, with 95 % intervals"
    return {
        "title": f"{page.bot} in {charter.name}",
        "league": charter.name,
        "page": dress(bot_page_markdown(page), "versions", to),
        "chart": drawn(interval_chart(spans, title, "ratings")),
        "events": _own_events(page.bot, played),
    }


def _own_events(bot: str, played: Sequence[_Played]) -> Table:
    """The events in which *bot* has played, and where more of each is told."""
    rows: list[list[str]] = []
    hrefs: dict[str, str] = {}
    for one in played:
        entry = next((e for e in one.summary.entries if bot in e.bots), None)
        if entry is None:
            continue
        row = next(row for row in one.summary.standings.rows if row.entry == entry.name)
        name = one.summary.stored.name
        hrefs[name] = one.places.entry(entry.name)
        rank = "" if row.rank is None else str(row.rank)
        rows.append([name, rank, str(row.games), counts_text(row.forfeits)])

    def to(head: str, text: str) -> str | None:
        return hrefs.get(text) if head == "event" else None

    return table_of("events", _OWN_HEAD, rows, "lrrl", to)
