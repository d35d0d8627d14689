"""Standings: who is where, and why.

A pure function of the set of results: neither the order of the games nor the order in which
entries are listed moves anybody, and what the tie-breaks do not separate shares a rank.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final

from sternhalma_tournament.amendments import NO_RULINGS, Amendment, Rulings, late_entries
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.tally import SideScore, Tally
from sternhalma_tournament.tiebreaks import (
    DEFAULT_TIE_BREAKS,
    TieBreak,
    Tier,
    Values,
    separate,
    values_of,
)

_NORMAL_95: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    `tie_breaks` go with the criteria of the table; None where the direct encounter was not asked
    or did not apply. `decided_by` names what put this row below the one above: "points", a
    tie-break, or None for the first row and for a shared rank. `places` is (place, games),
    `forfeits` (reason, games).
    """

    rank: int | None
    entry: str
    half_points: int
    games: int
    byes: int
    wins: int
    places: tuple[tuple[int, int], ...]
    forfeits: tuple[tuple[str, int], ...]
    tie_breaks: tuple[Fraction | None, ...]
    decided_by: str | None
    status: str

    @property
    def points(self) -> Fraction:
        """The points, exactly."""
        return Fraction(self.half_points, 2)


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """Points a game (0 to the number of opponents) from one side's seat, with 95 % bounds."""

    side: int
    games: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standings:
    """The whole table.

    `planned` is the number of games and byes there are to be, while there are more to come;
    `spread` the least and the most games played by an entry that is still in the event; `notes` a
    sentence for each ruling.
    """

    rows: tuple[Row, ...]
    tie_breaks: tuple[TieBreak, ...]
    games: int
    void: int
    planned: int | None
    spread: tuple[int, int]
    seats: tuple[SeatAdvantage, ...]
    notes: tuple[str, ...]


def standings(
    results: Iterable[GameResult],
    entries: Sequence[Entry],
    tie_breaks: Sequence[TieBreak] = DEFAULT_TIE_BREAKS,
    *,
    amendments: Sequence[Amendment] = (),
    bye: int = 2,
    planned: int | None = None,
) -> Standings:
    """The table of *entries* and late entries after *results* and *amendments*.

    *bye* is what a bye is worth in half points. ValueError if a result names somebody else.
    """
    rulings = Rulings.of(amendments)
    late = [ruling.entry for ruling in late_entries(amendments)]
    tally = Tally((*(entry.name for entry in entries), *late), rulings.apply(results), bye)
    return standings_of(tally, tie_breaks, rulings, planned)


def standings_of(
    tally: Tally,
    tie_breaks: Sequence[TieBreak] = DEFAULT_TIE_BREAKS,
    rulings: Rulings = NO_RULINGS,
    planned: int | None = None,
) -> Standings:
    """The table of what *tally* has added up: the way for events of millions of games.

    *rulings* say who is ranked; what they say of results has been applied to the tally before.
    """
    ranked = [name for name in tally.scores if rulings.ranked(name)]
    tiers, direct = _tiers(tally, ranked, tie_breaks)
    columns = [
        direct if name == "direct-encounter" else values_of(name, tally, tuple(tally.scores))
        for name in tie_breaks
    ]
    rows: list[Row] = []
    for tier in tiers:
        rank = len(rows) + 1
        for place, name in enumerate(sorted(tier.names, key=_by_name)):
            decided_by = tier.decided_by if place == 0 else None
            rows.append(_row(tally, name, rank, columns, decided_by, status=rulings.status(name)))
    rows += [
        _row(tally, name, None, columns, None, status=rulings.status(name))
        for name in sorted(tally.scores.keys() - set(ranked), key=_by_name)
    ]
    playing = [name for name in tally.scores if rulings.plays(name)] or ranked
    games = [tally.scores[name].games for name in playing] or [0]
    return Standings(
        rows=tuple(rows),
        tie_breaks=tuple(tie_breaks),
        games=tally.games,
        void=tally.void,
        planned=planned,
        spread=(min(games), max(games)),
        seats=seat_advantages(tally),
        notes=rulings.notes(),
    )


def seat_advantages(tally: Tally) -> tuple[SeatAdvantage, ...]:
    """What each seat is worth; every second seat of a pairs game belongs to the same side."""
    most = len(tally.sides) - 1
    return tuple(seat_advantage(side, sums, most) for side, sums in enumerate(tally.sides))


def _by_name(name: str) -> tuple[str, str]:
    return name.casefold(), name


def _tiers(
    tally: Tally, names: Sequence[str], tie_breaks: Sequence[TieBreak]
) -> tuple[list[Tier], Values]:
    groups: dict[int, list[str]] = {}
    for name in names:
        groups.setdefault(tally.scores[name].half_points, []).append(name)
    tiers: list[Tier] = []
    direct: Values = {}
    for half in sorted(groups, reverse=True):
        inner, used = separate(tally, groups[half], tie_breaks)
        direct |= used.get("direct-encounter", {})
        tiers.append(Tier(inner[0].names, "points" if tiers else None))
        tiers.extend(inner[1:])
    return tiers, direct


def _row(
    tally: Tally,
    name: str,
    rank: int | None,
    columns: Sequence[Values],
    decided_by: str | None,
    *,
    status: str,
) -> Row:
    score = tally.scores[name]
    return Row(
        rank=rank,
        entry=name,
        half_points=score.half_points,
        games=score.games,
        byes=score.byes,
        wins=score.wins,
        places=tuple(sorted(score.places.items())),
        forfeits=tuple(sorted(score.forfeits.items())),
        tie_breaks=tuple(column[name].shown if name in column else None for column in columns),
        decided_by=decided_by,
        status=status,
    )


def seat_advantage(side: int, sums: SideScore, most: int) -> SeatAdvantage:
    """What was scored from one *side*; *most* is the number of opponents in a game."""
    # Two games with everything and two with nothing are added for the bounds (as Agresti and Coull
    # do for proportions), else the bounds of two equal results would have no width at all.
    games = sums.games + 4
    mean = (sums.half_points / 2 + 2 * most) / games
    variance = (sums.squares / 4 + 2 * most * most) / games - mean * mean
    reach = _NORMAL_95 * sqrt(variance / games)
    return SeatAdvantage(
        side=side,
        games=sums.games,
        mean=sums.half_points / 2 / sums.games,
        low=max(0.0, mean - reach),
        high=min(float(most), mean + reach),
    )
