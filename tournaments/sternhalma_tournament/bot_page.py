"""A bot's page in a league: its versions in a row, each with what it has shown.

An author wants to know above all whether the last change has helped. So each version has a line of
its own, the oldest first, and where it is known how likely it is stronger than the one before: two
intervals may overlap and yet leave no doubt.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sternhalma_tournament.tables import json_text
from sternhalma_tournament.text import (
    cell_text,
    counted,
    fixed_text,
    interval_text,
    markdown_table,
    percent_text,
)


@dataclass(frozen=True, slots=True)
class VersionLine:
    """What one version has shown; *version* is None for games before any was told.

    *score* is the share of the points it could have had, None before its first game. *rating* and
    the bounds of its 95 % interval are in Elo, None where games tell nothing. *first* and *last*
    are the numbers of its games, or whatever else names them in its league, None without games.
    *above_last* is the likelihood that it is stronger than the version before, None if unknown.
    """

    version: str | None
    games: int
    score: Fraction | None
    rating: float | None
    low: float | None
    high: float | None
    first: int | str | None
    last: int | str | None
    above_last: float | None = None


@dataclass(frozen=True, slots=True)
class BotPage:
    """The page of *bot*: its versions, the oldest first and the one it plays now last."""

    bot: str
    versions: tuple[VersionLine, ...]

    @property
    def games(self) -> int:
        """The games of all versions."""
        return sum(line.games for line in self.versions)


def bot_page(bot: str, versions: Iterable[VersionLine]) -> BotPage:
    """The page of *bot* with *versions*, oldest first; ValueError if one comes twice."""
    page = BotPage(bot, tuple(versions))
    known: set[str | None] = set()
    for line in page.versions:
        if line.version in known:
            raise ValueError(f"expected each version of {bot!r} once, got {line.version!r} again")
        known.add(line.version)
    return page


def bot_page_markdown(page: BotPage) -> str:
    """The page as Markdown; below a heading, so that pages may be put together."""
    rows = [
        [
            line.version or "",
            str(line.games),
            percent_text(None if line.score is None else float(line.score)),
            fixed_text(line.rating, 0),
            interval_text(line.low, line.high),
            percent_text(line.above_last),
            "" if line.first is None else str(line.first),
            "" if line.last is None else str(line.last),
        ]
        for line in page.versions
    ]
    head = ["version", "games", "score", "rating", "95 % interval", "above the last"]
    table = markdown_table([*head, "first game", "last game"], rows, "lrrrlrrr")
    return f"# {cell_text(page.bot)}\n\n{_summary(page)}\n\n{table}"


def bot_page_json(page: BotPage) -> str:
    """The page as JSON in a fixed order; numbers that are not whole are decimal texts."""
    return json_text(
        {
            "bot": page.bot,
            "games": page.games,
            "versions": [
                {
                    "version": line.version,
                    "games": line.games,
                    "score": None if line.score is None else fixed_text(float(line.score), 4),
                    "rating": fixed_text(line.rating, 1) or None,
                    "low": fixed_text(line.low, 1) or None,
                    "high": fixed_text(line.high, 1) or None,
                    "above_last": fixed_text(line.above_last, 4) or None,
                    "first_game": line.first,
                    "last_game": line.last,
                }
                for line in page.versions
            ],
        }
    )


def _summary(page: BotPage) -> str:
    versions = counted(len(page.versions), "version")
    text = f"{versions}, {counted(page.games, 'game')}"
    if not page.versions or page.versions[-1].rating is None:
        return f"{text}."
    now = page.versions[-1]
    interval = interval_text(now.low, now.high)
    return f"{text}; rated {fixed_text(now.rating, 0)} now{f' ({interval})' if interval else ''}."
