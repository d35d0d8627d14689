"""How the ratings of a league came to be what they are: what they were after so many games.

They are fitted again after 8 games, then after nearly twice as many each time, and after all of
them. Those moments stay the same while a league grows, so what was fitted once is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sternhalma_server.pages.summary import Summary
from sternhalma_server.rated import RatedGame
from sternhalma_tournament.charter import Charter
from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.rating_list import find_version
from sternhalma_tournament.ratings import Rating, rate, split_version

_FIRST: Final = 8  # games
_GROWTH: Final = 1.8


@dataclass(frozen=True, slots=True)
class Moment:
    """After so many *games*, the last of them begun *at* (nanoseconds of wall time): the rating of
    each bot in the version that it played last."""

    at: int
    games: int
    ratings: Mapping[str, Rating]


class History:
    """The moments of the league of *charter*."""

    def __init__(self, charter: Charter) -> None:
        self._charter = charter
        self._known: dict[int, tuple[int, Moment]] = {}  # by games, with what tells them apart

    def moments(self, games: Iterable[RatedGame], summaries: Iterable[Summary]) -> list[Moment]:
        """The moments, the last one after all of *games*; *summaries* say when they began.

        Raises `RatingError`.
        """
        begun = {
            (summary.stored.name, game.number): game.at
            for summary in summaries
            for game in summary.games
        }
        told: list[tuple[int, FinishingOrder]] = []
        orders: dict[FinishingOrder, FinishingOrder] = {}  # many games have few different orders
        last: dict[str, int] = {}  # when the last game of an event began, for those nobody came to
        for game in games:
            at = begun.get((game.event, game.number)) or last.get(game.event, 0)
            last[game.event] = at
            if game.left_out is None:
                order = FinishingOrder(game.sides, game.places)
                told.append((at, orders.setdefault(order, order)))
        told.sort(key=lambda one: one[0])
        return [self._moment(told[:count]) for count in _counts(len(told))]

    def _moment(self, told: list[tuple[int, FinishingOrder]]) -> Moment:
        count, at = len(told), told[-1][0]
        # A ruling changes what counts: then it is not the same moment any more.
        mark = hash(tuple(order for _, order in told))
        known = self._known.get(count)
        if known is not None and known[0] == mark:
            return known[1]
        counted = Counter(order for _, order in told)
        names = sorted({name for order in counted for name in order.entries})
        found = {find_version(bot, names): elo for bot, elo in self._charter.anchors.items()}
        anchors = {name: elo for name, elo in found.items() if name is not None}
        ratings = rate(counted, prior=self._charter.prior, anchors=anchors, seat_advantage=True)
        rows = {row.name: row for row in ratings.rows}
        latest = {split_version(name)[0]: name for _, order in told for name in order.entries}
        moment = Moment(at, count, {bot: rows[name] for bot, name in latest.items()})
        self._known[count] = mark, moment
        return moment


def _counts(games: int) -> list[int]:
    """After how many games ratings are looked at, all of them last.

    >>> _counts(30)
    [8, 14, 25, 30]
    """
    counts: list[int] = []
    count = float(_FIRST)
    while int(count) < games:
        counts.append(int(count))
        count *= _GROWTH
    return [*counts, games] if games else []
