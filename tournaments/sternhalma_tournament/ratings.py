"""Ratings: how strong every entry of a set of games is, how sure that is, and compared with whom.

The scale is Elo: 400 points are odds of ten to one, and only differences mean anything. Without
anchors the ratings of a group have the mean 0; an anchor is an entry whose rating is given, and
then all others are told in its terms.

Ratings compare entries that games connect. Two groups that never met have no difference at all, so
each is rated by itself and ranked by itself. Without a prior the same holds for any part that won
everything, or lost everything, against the rest: its difference is beyond all bounds. What is
left then is fitted as if that part had not been there, which is where the fit tends to.

The prior keeps such differences finite: every entry has drawn so many games against one further
opponent of its group whom nobody else knows. That opponent's strength is fitted too (and costs
nothing without anchors), so that the prior pulls entries together and not to any number.

The intervals come from the Fisher information, the draws of the prior included.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final, Literal

from sternhalma_tournament.bradley_terry import (
    ELO,
    Win,
    connected,
    normal_quantile,
    normal_share,
    seat_can_be_told,
    wins_of,
)
from sternhalma_tournament.plackett_luce import (
    Choice,
    Comparisons,
    FinishingOrder,
    Fit,
    Problem,
    compare,
    maximize,
)

DEFAULT_PRIOR: Final = 1.0
WEAKEST_PRIOR: Final = 1e-6
# Further apart, games that would have to bridge the anchors carry no weight a float could hold.
WIDEST_ANCHORS: Final = 4000.0
HALF_WIDTH: Final = normal_quantile(0.975)  # of a 95 % interval, in standard deviations
# Equal scores give equal ratings but for the last digits of long sums: what these decimals of an
# Elo point do not tell apart shares a rank.
DECIMALS: Final = 6

Mark = Literal["anchor", "won all", "lost all", "apart"]


class RatingError(ValueError):
    """A setting with which nothing can be rated."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One entry's row; *low* and *high* bound the 95 % interval, all three in Elo.

    They are None where the games bound nothing: the entry is alone in its group. *rank* counts
    within *group*, from 1, and equal ratings share it. *mark* says why a row is not to be compared
    with all others: `anchor` (given, not fitted), `won all` and `lost all` (alone for that, without
    a prior), `apart` (any other row that is alone or not in group 1).
    """

    name: str
    games: int
    group: int
    rank: int
    rating: float | None
    low: float | None
    high: float | None
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """What moving first is worth in games of two, in Elo, with its 95 % interval.

    *elo* and its bounds are None where there are no such games, and without a prior where they
    cannot tell the seat from the strengths (see `seat_can_be_told`). *games* counts them.
    """

    games: int
    elo: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Ratings:
    """The table: *rows* by group, and within a group the strongest first.

    Group 1 holds the anchors, if there are any, and is the largest group otherwise.
    """

    rows: tuple[Rating, ...]
    seat: SeatAdvantage | None
    # Elo squared, in the order of the rows; zero across groups.
    covariance: tuple[tuple[float, ...], ...] = field(repr=False)

    def row(self, name: str) -> Rating:
        """The row of one entry; KeyError for one that is not in the table."""
        return self.rows[self._find(name)]

    def superiority(self, one: str, other: str) -> float | None:
        """The likelihood that *one* is stronger than *other*, 0 to 1; None across groups.

        It takes into account that two ratings vary together, which their intervals do not show.
        """
        first, second = self._find(one), self._find(other)
        stronger, weaker = self.rows[first], self.rows[second]
        if stronger.group != weaker.group or stronger.rating is None or weaker.rating is None:
            return None
        difference = stronger.rating - weaker.rating
        variance = (
            self.covariance[first][first]
            + self.covariance[second][second]
            - 2 * self.covariance[first][second]
        )
        if variance <= 0:  # two anchors, or an entry and itself
            return (1 + (difference > 0) - (difference < 0)) / 2
        return normal_share(difference / math.sqrt(variance))

    def _find(self, name: str) -> int:
        for number, row in enumerate(self.rows):
            if row.name == name:
                return number
        raise KeyError(name)


def rate(
    orders: Iterable[FinishingOrder] | Counter[FinishingOrder],
    *,
    prior: float = DEFAULT_PRIOR,
    anchors: Mapping[str, float] | None = None,
    seat_advantage: bool = False,
) -> Ratings:
    """The ratings that all of *orders* together make most likely; their order does not matter.

    *orders* may come counted: many games have few different orders.
    *prior* is the number of draws that every entry starts with, 0 for none. *anchors* gives ratings
    in Elo that stay as they are. With *seat_advantage* games of two also tell what moving first is
    worth. RatingError for a prior or an anchor out of range.

    >>> games = [FinishingOrder(("zoe", "max"), (1, 2))] * 3
    >>> games += [FinishingOrder(("zoe", "max"), (2, 1))]
    >>> [(row.name, round(row.rating or 0)) for row in rate(games, prior=0).rows]
    [('zoe', 95), ('max', -95)]
    """
    anchors = anchors or {}
    if prior != 0 and not WEAKEST_PRIOR <= prior < math.inf:
        raise RatingError(f"expected a prior of 0, or from {WEAKEST_PRIOR}, got {prior!r}")
    for name, elo in anchors.items():
        if not math.isfinite(elo):
            raise RatingError(f"expected a finite rating for anchor {name!r}, got {elo!r}")
    if anchors and max(anchors.values()) - min(anchors.values()) > WIDEST_ANCHORS:
        raise RatingError(
            f"expected anchors within {WIDEST_ANCHORS:g} Elo of each other, got {dict(anchors)!r}"
        )
    games = compare(orders, also=anchors)
    level = sum(anchors.values()) / max(1, len(anchors))
    given = {games.names.index(name): (elo - level) / ELO for name, elo in anchors.items()}
    wins = [*wins_of(games.duels), *_wins_of(games.choices), *_all_level(given)]
    links = [(winner, loser) for winner, loser, _ in wins]
    if prior > 0:
        links += [(loser, winner) for winner, loser in links]
    groups = sorted(
        connected(len(games.names), links),
        key=lambda group: (given.keys().isdisjoint(group), -len(group)),
    )
    played = sum(round(duel.games) for duel in games.duels)
    told = seat_advantage and played > 0 and (prior > 0 or seat_can_be_told(wins))
    problem = _problem(games, groups, given, prior, seat=told)
    fit = _in_elo(maximize(problem), groups, given, level)
    rows = dict(_rows(games, groups, given, fit, wins))
    return Ratings(
        tuple(rows.values()),
        _seat(played, fit, told=told) if seat_advantage else None,
        tuple(tuple(fit.covariance[row][column] for column in rows) for row in rows),
    )


def versioned(bot: str, version: str | None) -> str:
    """The entry's name for a version of a bot; `split_version` parts them again.

    >>> versioned("zoe", "1.10"), versioned("zoe", None)
    ('zoe@1.10', 'zoe')
    """
    return bot if version is None else f"{bot}@{version}"


def split_version(name: str) -> tuple[str, str | None]:
    """The bot and the version that an entry's name `bot@version` tells, None for no version.

    >>> split_version("zoe@1.10"), split_version("zoe")
    (('zoe', '1.10'), ('zoe', None))
    """
    bot, at, version = name.partition("@")
    return bot, version if at else None


def latest_versions(names: Iterable[str]) -> dict[str, str]:
    """The entry that stands for each bot: its latest version among *names*.

    Numbers in a version count as numbers (1.10 is after 1.9), what follows a hyphen is before the
    version itself (2.0-rc1 is before 2.0), and a name without version is before all of them.
    Versions that do not grow, such as hashes, have no latest: any one of them is taken, always the
    same.

    >>> latest_versions(["zoe@1.9", "zoe@1.10", "max"])
    {'max': 'max', 'zoe': 'zoe@1.10'}
    """
    return {split_version(name)[0]: name for name in sorted(names, key=_age)}


def latest(ratings: Ratings) -> dict[str, Rating]:
    """Each bot's line in the table: the row of its latest version, by the bot's name."""
    names = latest_versions(row.name for row in ratings.rows)
    return {bot: ratings.row(name) for bot, name in names.items()}


_Text = tuple[tuple[bool, int, str], ...]


def _age(name: str) -> tuple[str, bool, _Text, bool, _Text, str]:
    """Sorts by bot, then from the oldest version to the latest."""
    bot, version = split_version(name)
    release, hyphen, early = (version or "").partition("-")
    return bot, version is not None, _natural(release), not hyphen, _natural(early), name


def _natural(text: str) -> _Text:
    runs = ((number, "".join(run)) for number, run in groupby(text, str.isdecimal))
    return tuple((number, int(run) if number else 0, run) for number, run in runs)


def _wins_of(choices: Iterable[Choice]) -> Iterable[Win]:
    for winner, losers, _ in choices:
        for loser in losers:
            yield Win(winner, loser, 0)


def _all_level(given: Iterable[int]) -> Iterable[Win]:
    """Anchors need no games between them to be on one scale."""
    for one, other in pairwise(given):
        yield Win(one, other, 0)
        yield Win(other, one, 0)


def _problem(
    games: Comparisons,
    groups: Sequence[Sequence[int]],
    given: Mapping[int, float],
    prior: float,
    *,
    seat: bool,
) -> Problem:
    group_of = {member: number for number, group in enumerate(groups) for member in group}
    size = len(games.names) + len(groups)
    fixed = dict(given)
    if not seat:
        fixed[size] = 0.0
    choices = [
        Choice(winner, near, times)
        for winner, losers, times in games.choices
        if (near := tuple(loser for loser in losers if group_of[loser] == group_of[winner]))
    ]
    for stranger, group in enumerate(groups, start=len(games.names)):
        floating = given.keys().isdisjoint(group)
        if floating or prior == 0:
            fixed[stranger] = 0.0
        if floating and prior == 0:
            fixed[group[0]] = 0.0
        for member in group if prior > 0 else ():
            choices.append(Choice(member, (stranger,), prior / 2))
            choices.append(Choice(stranger, (member,), prior / 2))
    duels = [duel for duel in games.duels if group_of[duel.first] == group_of[duel.second]]
    return Problem(size, fixed, duels, choices, prior)


def _in_elo(
    fit: Fit, groups: Iterable[Sequence[int]], given: Mapping[int, float], level: float
) -> Fit:
    """*fit* in Elo: with anchors around their *level*, else around the mean of each group."""
    strengths = [strength * ELO for strength in fit.strengths]
    covariance = [[entry * ELO**2 for entry in row] for row in fit.covariance]
    for group in groups:
        if not given.keys().isdisjoint(group):
            for member in group:
                strengths[member] += level
            continue
        mean = sum(strengths[member] for member in group) / len(group)
        shared = {
            member: sum(covariance[member][other] for other in group) / len(group)
            for member in group
        }
        whole = sum(shared.values()) / len(group)
        for member in group:
            strengths[member] -= mean
            for other in group:
                covariance[member][other] += whole - shared[member] - shared[other]
    return Fit(strengths, covariance)


def _rows(
    games: Comparisons,
    groups: Sequence[Sequence[int]],
    given: Mapping[int, float],
    fit: Fit,
    wins: Iterable[Win],
) -> Iterable[tuple[int, Rating]]:
    """Every row with its index among the names, in the order of the table."""
    links = {(winner, loser) for winner, loser, _ in wins}
    winners, losers = ({link[side] for link in links} for side in (0, 1))
    for number, group in enumerate(groups, start=1):
        alone = len(group) == 1 and given.keys().isdisjoint(group)
        rank, above = 1, math.inf
        by_strength = sorted(
            group, key=lambda member: (-round(fit.strengths[member], DECIMALS), member)
        )
        for position, member in enumerate(by_strength, start=1):
            mark: Mark | None = None
            if member in given:
                mark = "anchor"
            elif alone and member not in losers:
                mark = "won all"
            elif alone and member not in winners:
                mark = "lost all"
            elif alone or number > 1:
                mark = "apart"
            rating = round(fit.strengths[member], DECIMALS)
            if rating != above:
                rank = position
            above = rating
            half = HALF_WIDTH * math.sqrt(max(0.0, fit.covariance[member][member]))
            yield (
                member,
                Rating(
                    games.names[member],
                    games.games[member],
                    number,
                    rank,
                    None if alone else rating,
                    None if alone else rating - half,
                    None if alone else rating + half,
                    mark,
                ),
            )


def _seat(played: int, fit: Fit, *, told: bool) -> SeatAdvantage:
    if not told:
        return SeatAdvantage(played, None, None, None)
    half = HALF_WIDTH * math.sqrt(fit.covariance[-1][-1])
    elo = fit.strengths[-1]
    return SeatAdvantage(played, elo, elo - half, elo + half)
