"""The table of a season: what the ranks of several events add up to.

Each event gives points for its places. Entries on a shared rank share the places they take, and
with them the points: two on rank 1 of an event have half a first and half a second place each. All
of it is counted in fractions, so that a third is a third.

Who has equal points is separated by events won, by second places, and so on, of the events that
count for each. What is still equal is separated by direct comparison: who was placed above the
other in the events that both played. There all of them count, since an event that was dropped as
the worse one for one entry may have been the best for the other. It is asked only if every two of
those who are level have played in one event, and what it leaves level shares a rank: games against
each other say nothing here, as entries that met in one event need not have met in another.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from sternhalma_tournament.reading import wrong_value
from sternhalma_tournament.scores import half_points
from sternhalma_tournament.standings import Standings
from sternhalma_tournament.tiebreaks import Tier

_POINTS: Final = "a list of whole numbers from 0, none larger than the one before"


class SeasonRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[season]`: the points for each place of an event, and how many events count for an entry."""

    points: Annotated[
        tuple[Annotated[int, Meta(ge=0)], ...], Meta(min_length=1, description=_POINTS)
    ] = (10, 6, 4, 3, 2, 1)
    best: Annotated[int, Meta(ge=1, description="events that count, from 1")] | None = None


def check_season(rules: SeasonRules, where: str) -> None:
    """Refuse *rules* of the file *where* by which a worse place could be worth more."""
    if list(rules.points) != sorted(rules.points, reverse=True):
        raise wrong_value(where, "season.points", _POINTS, list(rules.points))


@dataclass(frozen=True, slots=True)
class SeasonEvent:
    """An event with its table, which is final once the event is `closed`."""

    name: str
    closed: bool
    standings: Standings


@dataclass(frozen=True, slots=True)
class Placing:
    """What one entry got out of one event.

    `rank` is None for an entry that was disqualified or expunged; `places` are the shares of the
    first, second, ... place; `counted` is False for an event that was dropped.
    """

    rank: int | None
    places: tuple[Fraction, ...]
    points: Fraction
    counted: bool
    status: str


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """One line of the table.

    `placings` go with the events of the season, None where the entry did not play. `places` add up
    those that count, up to the last place that anybody took. `direct` is the score of the direct
    comparison, 0 to 1 for an event and another entry, None where it was not asked. `decided_by`
    names what put this row below the one above: "points", "events won", "2nd places", ...,
    "direct comparison", or None for the first row and for a shared rank.
    """

    rank: int | None
    entry: str
    points: Fraction
    places: tuple[Fraction, ...]
    direct: Fraction | None
    placings: tuple[Placing | None, ...]
    decided_by: str | None


@dataclass(frozen=True, slots=True)
class Season:
    """The whole table; `events` are those that count, `left_out` those not closed and not asked."""

    rules: SeasonRules
    events: tuple[SeasonEvent, ...]
    left_out: tuple[str, ...]
    rows: tuple[SeasonRow, ...]

    @property
    def interim(self) -> tuple[str, ...]:
        """The names of events that count and are not closed, so that the table may change."""
        return tuple(event.name for event in self.events if not event.closed)


def season_of(
    events: Sequence[SeasonEvent],
    rules: SeasonRules | None = None,
    *,
    interim: bool = False,
) -> Season:
    """The season of *events* by *rules*; those not closed count only with *interim*.

    ValueError if two events have one name.
    """
    rules = rules or SeasonRules()
    for one, other in combinations(events, 2):
        if one.name == other.name:
            raise ValueError(f"expected events of different names, got {one.name!r} twice")
    counting = tuple(event for event in events if event.closed or interim)
    records = _records(counting, rules)
    tiers, direct = _order(records, rules.points)
    rows: list[SeasonRow] = []
    for tier in tiers:
        rank = len(rows) + 1
        for place, name in enumerate(sorted(tier.names, key=_by_name)):
            decided_by = tier.decided_by if place == 0 else None
            rows.append(records[name].row(rank, direct.get(name), decided_by))
    unranked = sorted(records.keys() - {row.entry for row in rows}, key=_by_name)
    rows += [records[name].row(None, None, None) for name in unranked]
    left_out = tuple(event.name for event in events if event not in counting)
    return Season(rules, counting, left_out, tuple(rows))


def place_criterion(place: int) -> str:
    """The name of the criterion of *place*, from 1.

    >>> [place_criterion(place) for place in (1, 2, 3, 4, 11, 22)]
    ['events won', '2nd places', '3rd places', '4th places', '11th places', '22nd places']
    """
    if place == 1:
        return "events won"
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{place}{'th' if place % 100 in {11, 12, 13} else ends.get(place % 10, 'th')} places"


@dataclass(frozen=True, slots=True)
class _Record:
    """The season of one entry."""

    entry: str
    placings: tuple[Placing | None, ...]
    points: Fraction
    places: tuple[Fraction, ...]

    @property
    def ranks(self) -> list[int | None]:
        return [None if one is None else one.rank for one in self.placings]

    @property
    def ranked(self) -> bool:
        return any(self.ranks)

    def row(self, rank: int | None, direct: Fraction | None, decided_by: str | None) -> SeasonRow:
        return SeasonRow(
            rank, self.entry, self.points, self.places, direct, self.placings, decided_by
        )


def _records(events: Sequence[SeasonEvent], rules: SeasonRules) -> dict[str, _Record]:
    by_event = [_placings(event.standings, rules.points) for event in events]
    names = dict.fromkeys(name for placings in by_event for name in placings)
    last = max((len(one.places) for found in by_event for one in found.values()), default=0)
    return {
        name: _record(name, [found.get(name) for found in by_event], rules.best, last)
        for name in names
    }


def _placings(standings: Standings, points: Sequence[int]) -> dict[str, Placing]:
    sharing = Counter(row.rank for row in standings.rows)
    found: dict[str, Placing] = {}
    for row in standings.rows:
        places: tuple[Fraction, ...] = ()
        if row.rank is not None:
            shares = sharing[row.rank]
            places = (Fraction(0),) * (row.rank - 1) + (Fraction(1, shares),) * shares
        won = sum(
            (share * worth for share, worth in zip(places, points, strict=False)), Fraction(0)
        )
        found[row.entry] = Placing(row.rank, places, won, counted=True, status=row.status)
    return found


def _record(entry: str, placings: Sequence[Placing | None], best: int | None, last: int) -> _Record:
    """The record of *entry*, with all beyond its *best* results dropped."""
    ranked = [
        (at, placing)
        for at, placing in enumerate(placings)
        if placing is not None and placing.rank is not None
    ]
    # Of equal points the better place counts, and of equal places the earlier event: the sort
    # leaves those in their order.
    ranked.sort(key=lambda found: (found[1].points, found[1].places), reverse=True)
    counted = dict(ranked[:best])
    places = [
        sum((one.places[place] for one in counted.values() if place < len(one.places)), Fraction(0))
        for place in range(last)
    ]
    return _Record(
        entry,
        tuple(one and replace(one, counted=at in counted) for at, one in enumerate(placings)),
        sum((one.points for one in counted.values()), Fraction(0)),
        tuple(places),
    )


_Values = dict[str, Fraction]
_Criterion = tuple[str, Callable[[Sequence[str]], _Values]]


def _order(records: dict[str, _Record], worth: Sequence[int]) -> tuple[list[Tier], _Values]:
    """The ranked entries in tiers from the top, and the direct comparisons made on the way.

    Only places that are *worth* points separate: to have come last is no more than to have stayed
    away.
    """
    compared: _Values = {}

    def points(group: Sequence[str]) -> _Values:
        return {name: records[name].points for name in group}

    def share_of(place: int) -> Callable[[Sequence[str]], _Values]:
        return lambda group: {name: records[name].places[place - 1] for name in group}

    def direct(group: Sequence[str]) -> _Values:
        values = _direct_comparison([records[name] for name in group])
        compared.update(values)
        return values

    ranked = [name for name, record in records.items() if record.ranked]
    last = len(records[ranked[0]].places) if ranked else 0
    last = min(last, sum(1 for its in worth if its))
    criteria: list[_Criterion] = [
        ("points", points),
        *((place_criterion(place), share_of(place)) for place in range(1, last + 1)),
        ("direct comparison", direct),
    ]
    return (_separate(ranked, criteria) if ranked else []), compared


def _separate(group: Sequence[str], criteria: Sequence[_Criterion]) -> list[Tier]:
    if len(group) < 2 or not criteria:
        return [Tier(tuple(group), None)]
    (criterion, values_of), rest = criteria[0], criteria[1:]
    values = values_of(group)
    orders = sorted(set(values.values()), reverse=True)
    if len(orders) < 2:
        return _separate(group, rest)
    # The last one, the direct comparison, is started again within those it leaves level.
    again = rest or criteria
    tiers: list[Tier] = []
    for order in orders:
        inner = _separate([name for name in group if values[name] == order], again)
        tiers.append(Tier(inner[0].names, criterion if tiers else None))
        tiers.extend(inner[1:])
    return tiers


def _direct_comparison(group: Sequence[_Record]) -> _Values:
    """For each the share of comparisons won, or nothing if two of *group* share no event."""
    values: _Values = {}
    for one in group:
        won = events = 0
        for other in group:
            if other is one:
                continue
            met = [
                half_points(mine, its)
                for mine, its in zip(one.ranks, other.ranks, strict=True)
                if mine is not None and its is not None
            ]
            if not met:
                return {}
            won += sum(met)
            events += len(met)
        values[one.entry] = Fraction(won, 2 * events)
    return values


def _by_name(name: str) -> tuple[str, str]:
    return name.casefold(), name
