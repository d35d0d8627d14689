"""The pages of a league's bots: the versions of each in a row, with what each has shown."""

from __future__ import annotations

from collections import defaultdict

from sternhalma_server.rating import RatedGames
from sternhalma_tournament.bot_page import BotPage, VersionLine, bot_page
from sternhalma_tournament.rating_list import RatingList
from sternhalma_tournament.ratings import Ratings, split_version


def careers(
    rated: RatedGames, ratings: Ratings, table: RatingList | None = None
) -> dict[str, BotPage]:
    """The page of every bot that has played a game of *rated*, by name.

    *ratings* are of these games; *table* is their list with all versions, where it is made already.
    """
    table = table or rated.table(ratings, all_versions=True)
    rows = {(row.bot, row.version): row for row in table.rows}
    versions: defaultdict[str, list[str]] = defaultdict(list)
    for name in rated.first:
        versions[split_version(name)[0]].append(name)
    pages: dict[str, BotPage] = {}
    for bot, names in versions.items():
        lines: list[VersionLine] = []
        for number, name in enumerate(names):
            version = split_version(name)[1]
            row = rows[bot, version]
            lines.append(
                VersionLine(
                    version=version,
                    games=row.games,
                    score=row.score,
                    rating=row.rating,
                    low=row.low,
                    high=row.high,
                    first=rated.first[name],
                    last=rated.last[name],
                    above_last=ratings.superiority(name, names[number - 1]) if number else None,
                )
            )
        pages[bot] = bot_page(bot, lines)
    return pages
