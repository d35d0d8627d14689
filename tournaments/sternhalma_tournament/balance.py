"""How even a schedule is: who meets whom, who sits where, who moves just before whom.

What arithmetic leaves uneven is printed, so that nobody has to take evenness on trust.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sternhalma_tournament.schedule import Schedule, Table


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The least and the most of four counts.

    Games of an entry; meetings of two entries; games of an entry in one seat; games in which one
    given entry moves just before another given one.
    """

    games: tuple[int, int]
    meetings: tuple[int, int]
    seats: tuple[int, int]
    neighbours: tuple[int, int]


@dataclass(frozen=True, slots=True)
class GroupBalance:
    """How even things are for one group of entries: all, or in a gauntlet each side of it."""

    name: str
    entries: tuple[str, ...]
    imbalance: Imbalance


def balance(schedule: Schedule) -> tuple[GroupBalance, ...]:
    """How even *schedule* is, by group; reads one period of its table, however long it is.

    Counted are the meetings that the format has: challengers never meet, nor in a gauntlet of two
    sides do entries of the field.
    """
    counts = _counts(schedule)
    everybody = range(counts.size)
    if not schedule.challengers:
        return (_group("all", schedule, counts, everybody, everybody),)
    challengers, field = everybody[: schedule.challengers], everybody[schedule.challengers :]
    rivals = challengers if counts.sides == 2 else everybody
    return (
        _group("challengers", schedule, counts, challengers, field),
        _group("field", schedule, counts, field, rivals),
    )


def seat_counts(schedule: Schedule) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """How many games each entry has in each seat, entries in the order of the schedule."""
    counts = _counts(schedule)
    return tuple(
        (entry.name, tuple(counts.seats[place * counts.sides : (place + 1) * counts.sides]))
        for place, entry in enumerate(schedule.entries)
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    """Flat tables: entry by entry, entry by seat, entry by entry."""

    size: int
    sides: int
    meetings: list[int]
    seats: list[int]
    neighbours: list[int]


def _group(
    name: str, schedule: Schedule, counts: _Counts, group: Sequence[int], rivals: Sequence[int]
) -> GroupBalance:
    size, sides = counts.size, counts.sides
    pairs = [one * size + other for one in group for other in rivals if one != other]
    seats = [counts.seats[one * sides : (one + 1) * sides] for one in group]
    return GroupBalance(
        name=name,
        entries=tuple(schedule.entries[one].name for one in group),
        imbalance=Imbalance(
            games=_range([sum(row) for row in seats]),
            meetings=_range([counts.meetings[pair] for pair in pairs]),
            seats=_range([count for row in seats for count in row]),
            neighbours=_range([counts.neighbours[pair] for pair in pairs]),
        ),
    )


def _counts(schedule: Schedule) -> _Counts:
    size, table = len(schedule.entries), schedule.table
    sides = len(table.seating(0, 0).entries)
    counts = _Counts(size, sides, [0] * size**2, [0] * (size * sides), [0] * size**2)
    laps, rest = divmod(schedule.cycles, table.period)
    for cycle in range(min(table.period, schedule.cycles)):
        _count(table, cycle, laps + (cycle < rest), counts)
    return counts


def _count(table: Table, cycle: int, times: int, counts: _Counts) -> None:
    size, sides = counts.size, counts.sides
    for index in range(table.games):
        entries = table.seating(cycle, index).entries
        for seat, entry in enumerate(entries):
            counts.seats[entry * sides + seat] += times
            counts.neighbours[entries[seat - 1] * size + entry] += times
            for other in entries:
                counts.meetings[entry * size + other] += times


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)
