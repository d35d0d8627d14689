"""A rating list: what people are shown of ratings, one row for each bot or for each version.

Every version of a bot is rated by its own games. The list shows the latest one of each bot, as
that is the one to be met next, or all of them; ranks count what is shown.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.ratings import (
    Mark,
    Rating,
    Ratings,
    SeatAdvantage,
    latest,
    latest_versions,
    split_version,
    versioned,
)
from sternhalma_tournament.scores import half_points
from sternhalma_tournament.standings import SeatAdvantage as SeatScore
from sternhalma_tournament.standings import seat_advantage
from sternhalma_tournament.tally import SideScore


@dataclass(frozen=True, slots=True)
class Listed:
    """One row: a version of a bot, None for one without versions, and how it did.

    *rating* and the bounds of its 95 % interval are in Elo, as in `Rating`. *score* is the share of
    the points it could have had, None before its first game. *above_next* is the likelihood that it
    is stronger than the next row, None where the two cannot be compared.
    """

    rank: int
    bot: str
    version: str | None
    rating: float | None
    low: float | None
    high: float | None
    games: int
    score: Fraction | None
    above_next: float | None
    group: int
    mark: Mark | None

    @property
    def name(self) -> str:
        """The bot and its version in words."""
        return self.bot if self.version is None else f"{self.bot} {self.version}"


@dataclass(frozen=True, slots=True)
class RatingList:
    """The rows, group by group and the strongest first, and what the seats were worth.

    *seat* is what moving first is worth in games of two, None where there are none. *scores* are
    the points a game from each seat, by the number of sides that met. *superiority* says for each
    row how likely it is stronger than each other one, None against itself and across groups; it is
    empty where nobody asked.
    """

    rows: tuple[Listed, ...]
    seat: SeatAdvantage | None
    scores: tuple[tuple[int, tuple[SeatScore, ...]], ...]
    superiority: tuple[tuple[float | None, ...], ...]

    @property
    def groups(self) -> int:
        """How many groups there are that no games connect."""
        return max((row.group for row in self.rows), default=0)


def rating_list(
    ratings: Ratings,
    orders: Mapping[FinishingOrder, int],
    *,
    all_versions: bool = False,
    superiority: bool = False,
) -> RatingList:
    """The list of *ratings*, which were made from *orders* and how often each came."""
    shown = {row.name for row in latest(ratings).values()}
    rows = [row for row in ratings.rows if all_versions or row.name in shown]
    scores, seats = _added_up(orders)
    listed: list[Listed] = []
    numbers: dict[int, int] = {}  # of the groups that are shown
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        group = numbers.setdefault(row.group, len(numbers) + 1)
        bot, version = split_version(row.name)
        listed.append(
            Listed(
                rank=_rank(row, rows),
                bot=bot,
                version=version,
                rating=row.rating,
                low=row.low,
                high=row.high,
                games=row.games,
                score=scores.get(row.name),
                above_next=None
                if following is None
                else ratings.superiority(row.name, following.name),
                group=group,
                mark=None if row.mark == "apart" and group == 1 else row.mark,
            )
        )
    seat = ratings.seat
    return RatingList(
        rows=tuple(listed),
        seat=seat if seat is not None and seat.games else None,
        scores=seats,
        superiority=tuple(
            tuple(
                None if row is other else ratings.superiority(row.name, other.name)
                for other in rows
            )
            for row in (rows if superiority else ())
        ),
    )


def find_version(name: str, names: Sequence[str]) -> str | None:
    """Who of *names* (of ratings) is meant by *name*: a bot's latest version, or `NAME VERSION`.

    >>> find_version("zoe", ["zoe@1", "zoe@2"]), find_version("zoe 1", ["zoe@1", "zoe@2"])
    ('zoe@2', 'zoe@1')
    """
    bot, _, version = name.replace("@", " ").partition(" ")
    if version:
        wanted = versioned(bot, version)
        return wanted if wanted in names else None
    return latest_versions(names).get(bot)


def _rank(row: Rating, rows: Sequence[Rating]) -> int:
    """One more than how many shown of the same group are stronger."""
    rating = -math.inf if row.rating is None else row.rating
    return 1 + sum(
        other.group == row.group and other.rating is not None and other.rating > rating
        for other in rows
    )


def _added_up(
    orders: Mapping[FinishingOrder, int],
) -> tuple[dict[str, Fraction], tuple[tuple[int, tuple[SeatScore, ...]], ...]]:
    """The share of the possible points of each entry, every game counting the same; and the points
    a game from each seat, by the number of sides."""
    games: defaultdict[str, int] = defaultdict(int)
    won: dict[int, defaultdict[str, int]] = {}  # half points, by the number of sides
    seats: dict[int, list[SideScore]] = {}
    for order, times in orders.items():
        sides = len(order.entries)
        if sides not in seats:
            won[sides] = defaultdict(int)
            seats[sides] = [SideScore() for _ in range(sides)]
        halves = won[sides]
        for name, place, seat in zip(order.entries, order.places, seats[sides], strict=True):
            # Against itself it is level, which is one half point too many.
            half = sum([half_points(place, other) for other in order.places]) - 1
            games[name] += times
            halves[name] += times * half
            seat.games += times
            seat.half_points += times * half
            seat.squares += times * half * half
    shares = {
        name: sum(
            (Fraction(halves[name], 2 * sides - 2) for sides, halves in won.items()), Fraction(0)
        )
        / played
        for name, played in games.items()
    }
    scores = tuple(
        (sides, tuple(seat_advantage(side, one, sides - 1) for side, one in enumerate(sums)))
        for sides, sums in sorted(seats.items())
    )
    return shares, scores
