"""Tie-breaks: what separates entries with equal points, in the order an event names them.

A criterion gives every member of a tied group a value and the higher value goes first. Whether a
group is separated by strength or by the accident of a sort is what people complain of most, so the
criterion that decided is handed on with the order, and what no criterion separates stays together.

Definitions follow FIDE's Handbook C.07, carried over to more seats by counting every opponent of a
game.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, get_args

from sternhalma_tournament.tally import Tally

TieBreak = Literal[
    "direct-encounter",
    "sonneborn-berger",
    "koya",
    "buchholz",
    "wins",
    "fewest-forfeits",
    "fewest-crashes",
]
TIE_BREAKS: Final[tuple[TieBreak, ...]] = get_args(TieBreak)
DEFAULT_TIE_BREAKS: Final[tuple[TieBreak, ...]] = ("direct-encounter", "sonneborn-berger", "wins")

# In a Swiss everybody meets others, so that how strong they were comes first.
SWISS_TIE_BREAKS: Final[tuple[TieBreak, ...]] = ("buchholz", "direct-encounter", "wins")


@dataclass(frozen=True, slots=True)
class Value:
    """An entry's value by one criterion: what is compared (more is better), and what is shown."""

    order: Fraction
    shown: Fraction


Values = dict[str, Value]
Criterion = Callable[[Tally, Sequence[str]], Values]


@dataclass(frozen=True, slots=True)
class Tier:
    """Entries nothing separates, and the criterion that put them below the tier above."""

    names: tuple[str, ...]
    decided_by: str | None


def values_of(tie_break: TieBreak, tally: Tally, group: Sequence[str]) -> Values:
    """The values of *group* by *tie_break*; empty where the criterion does not apply to it."""
    return _CRITERIA[tie_break](tally, group)


def separate(
    tally: Tally, group: Sequence[str], tie_breaks: Sequence[TieBreak]
) -> tuple[list[Tier], dict[TieBreak, Values]]:
    """The tied *group* in tiers from the top, and the values that were compared on the way.

    The direct encounter is started again within those it leaves tied; the others are asked once.
    """
    used: dict[TieBreak, Values] = {}
    return _separate(tally, group, tie_breaks, used), used


def _separate(
    tally: Tally,
    group: Sequence[str],
    tie_breaks: Sequence[TieBreak],
    used: dict[TieBreak, Values],
) -> list[Tier]:
    if len(group) < 2 or not tie_breaks:
        return [Tier(tuple(group), None)]
    first, rest = tie_breaks[0], tie_breaks[1:]
    values = values_of(first, tally, group)
    used.setdefault(first, {}).update(values)
    orders = sorted({value.order for value in values.values()}, reverse=True)
    if len(orders) < 2:
        return _separate(tally, group, rest, used)
    again = tie_breaks if first == "direct-encounter" else rest
    tiers: list[Tier] = []
    for order in orders:
        level = [name for name in group if values[name].order == order]
        inner = _separate(tally, level, again, used)
        tiers.append(Tier(inner[0].names, first if tiers else None))
        tiers.extend(inner[1:])
    return tiers


def _direct_encounter(tally: Tally, group: Sequence[str]) -> Values:
    """Points against each other if all have met; compared are points a meeting."""
    values: Values = {}
    for name in group:
        met = [tally.meetings(name, other) for other in group if other != name]
        if not all(meetings.games for meetings in met):
            return {}
        half = sum(meetings.half_points for meetings in met)
        games = sum(meetings.games for meetings in met)
        values[name] = Value(Fraction(half, 2 * games), Fraction(half, 2))
    return values


def _sonneborn_berger(tally: Tally, group: Sequence[str]) -> Values:
    """Each opponent's points times the score against that opponent."""
    totals = dict.fromkeys(group, 0)
    for (name, other), meetings in tally.against.items():
        if name in totals:
            totals[name] += tally.scores[other].half_points * meetings.half_points
    return {name: _plain(Fraction(total, 4)) for name, total in totals.items()}


def _koya(tally: Tally, group: Sequence[str]) -> Values:
    """Points against those who made half of their possible points or more."""
    totals = dict.fromkeys(group, 0)
    for (name, other), meetings in tally.against.items():
        rival = tally.scores[other]
        if name in totals and rival.half_points >= rival.opponents:
            totals[name] += meetings.half_points
    return {name: _plain(Fraction(total, 2)) for name, total in totals.items()}


def _buchholz(tally: Tally, group: Sequence[str]) -> Values:
    """The points of all opponents, once for every meeting."""
    totals = dict.fromkeys(group, 0)
    for (name, other), meetings in tally.against.items():
        if name in totals:
            totals[name] += tally.scores[other].half_points * meetings.games
    return {name: _plain(Fraction(total, 2)) for name, total in totals.items()}


def _wins(tally: Tally, group: Sequence[str]) -> Values:
    """Games won alone."""
    return {name: _plain(Fraction(tally.scores[name].wins)) for name in group}


def _fewest_forfeits(tally: Tally, group: Sequence[str]) -> Values:
    return {name: _fewer(sum(tally.scores[name].forfeits.values())) for name in group}


def _fewest_crashes(tally: Tally, group: Sequence[str]) -> Values:
    return {name: _fewer(tally.scores[name].crashes) for name in group}


def _plain(value: Fraction) -> Value:
    return Value(value, value)


def _fewer(count: int) -> Value:
    return Value(Fraction(-count), Fraction(count))


_CRITERIA: Final[dict[TieBreak, Criterion]] = {
    "direct-encounter": _direct_encounter,
    "sonneborn-berger": _sonneborn_berger,
    "koya": _koya,
    "buchholz": _buchholz,
    "wins": _wins,
    "fewest-forfeits": _fewest_forfeits,
    "fewest-crashes": _fewest_crashes,
}
