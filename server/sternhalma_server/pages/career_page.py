"""The page of a bot of a league: its versions and ratings, and what it did in all events."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from sternhalma_server.charts import Dated, Interval, history_chart, interval_chart
from sternhalma_server.clock import SECOND
from sternhalma_server.pages.event_pages import SHOUTED, Shout, shout
from sternhalma_server.pages.history import Moment
from sternhalma_server.pages.places import EventPlaces
from sternhalma_server.pages.summary import Summary
from sternhalma_server.pages.templates import drawn
from sternhalma_server.pages.views import Linker, Table, dress, table_of
from sternhalma_server.usage import USAGE_ALIGN, USAGE_HEAD, usage_row
from sternhalma_tournament.bot_page import BotPage, bot_page_markdown
from sternhalma_tournament.tables import counts_text
from sternhalma_tournament.tally import Score
from sternhalma_tournament.text import points_text

_EVENTS_HEAD: Final = ("event", "rank", "games", "forfeits")
_OPPONENTS_HEAD: Final = ("opponent", "games", "won", "level", "lost", "points")
_SEATS_HEAD: Final = ("seat", "games", "points", "points a game")


@dataclass(frozen=True, slots=True)
class Part:
    """What a bot did in one event, for the entry that it plays for."""

    summary: Summary
    places: EventPlaces
    entry: str

    @property
    def score(self) -> Score:
        """What it has scored there."""
        return self.summary.tally.scores[self.entry]


def career_values(
    page: BotPage, parts: Sequence[Part], moments: Sequence[Moment], to_bot: Linker
) -> dict[str, Any]:
    """What the template of a bot is given but for its league; *parts* are the events it was in.

    *moments* are what ratings were, *to_bot* leads to the pages of others.
    """
    by_name = {part.summary.stored.name: part for part in parts}

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
    over_time = f"The rating of {page.bot} over time, with 95 % intervals"
    return {
        "page": dress(bot_page_markdown(page), "versions", to),
        "chart": drawn(interval_chart(spans, title, "ratings")),
        "history": drawn(history_chart(_dated(page.bot, moments), over_time, "history")),
        "shouts": list(_shouts(page.bot, parts)),
        "events": _events(parts),
        "opponents": _opponents(parts, to_bot),
        "by_seat": _seats(parts),
        "usage": _usage(page.bot, parts),
    }


def _dated(bot: str, moments: Sequence[Moment]) -> list[Dated]:
    dated: list[Dated] = []
    for moment in moments:
        rating = moment.ratings.get(bot)
        if rating is not None:
            day = datetime.fromtimestamp(moment.at // SECOND, UTC)
            label = f"{day:%Y-%m-%d %H:%M} UTC"
            dated.append(Dated(moment.at / SECOND, label, rating.rating, rating.low, rating.high))
    return dated


def _shouts(bot: str, parts: Sequence[Part]) -> Iterator[Shout]:
    """Its forfeits by event and reason."""
    for part in parts:
        name = part.summary.stored.name
        for (who, reason), found in part.summary.forfeits_by_bot().items():
            if who == bot:
                href = part.places.entry(part.entry)
                yield shout(name, href, reason, found, part.places, SHOUTED)


def _events(parts: Sequence[Part]) -> Table:
    """The events it was in, and where more of each is told."""
    hrefs: Mapping[str, str] = {
        part.summary.stored.name: part.places.entry(part.entry) for part in parts
    }
    rows: list[list[str]] = []
    for part in parts:
        row = next(row for row in part.summary.standings.rows if row.entry == part.entry)
        rank = "" if row.rank is None else str(row.rank)
        name = part.summary.stored.name
        rows.append([name, rank, str(row.games), counts_text(row.forfeits)])

    def to(head: str, text: str) -> str | None:
        return hrefs.get(text) if head == "event" else None

    return table_of("events", _EVENTS_HEAD, rows, "lrrl", to)


def _opponents(parts: Sequence[Part], to_bot: Linker) -> Table:
    """Whom it has met, most often first, and how that went."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for part in parts:
        for (entry, other), met in part.summary.tally.against.items():
            if entry == part.entry:
                sums[other].update(
                    games=met.games,
                    won=met.won,
                    level=met.level,
                    lost=met.lost,
                    half_points=met.half_points,
                )
    rows = [
        [
            other,
            *(str(sums[other][key]) for key in ("games", "won", "level", "lost")),
            points_text(Fraction(sums[other]["half_points"], 2)),
        ]
        for other in sorted(sums, key=lambda other: (-sums[other]["games"], other))
    ]

    def to(head: str, text: str) -> str | None:
        return to_bot("bot", text) if head == "opponent" else None

    return table_of("results by opponent", _OPPONENTS_HEAD, rows, "lrrrrr", to)


def _seats(parts: Sequence[Part]) -> Table:
    """What it has scored from each seat, by how many sides there were."""
    sums: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for part in parts:
        sides = len(part.summary.tally.sides)
        for side, score in part.score.sides.items():
            sums[sides, side].update(games=score.games, half_points=score.half_points)
    rows = [
        [
            f"{side + 1} of {sides}",
            str(one["games"]),
            points_text(Fraction(one["half_points"], 2)),
            f"{one['half_points'] / 2 / one['games']:.3f}" if one["games"] else "",
        ]
        for (sides, side), one in sorted(sums.items())
    ]
    return table_of("results by seat", _SEATS_HEAD, rows, "lrrr")


def _usage(bot: str, parts: Sequence[Part]) -> Table:
    """What it did with its turns, by event."""
    rows = [
        [part.summary.stored.name, *usage_row(bot, part.summary.usages.by_bot[bot])[1:]]
        for part in parts
        if bot in part.summary.usages.by_bot
    ]
    return table_of("time use", ("event", *USAGE_HEAD[1:]), rows, USAGE_ALIGN)
