"""The schedules of formats whose games are all known before the first move."""

from collections.abc import Sequence

from sternhalma_tournament.berger import BergerTable
from sternhalma_tournament.designs import cyclic_design
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import SCHEDULED, Event, entries_of, sides_of
from sternhalma_tournament.gauntlet import gauntlet_table
from sternhalma_tournament.schedule import Schedule


def round_robin(entries: Sequence[Entry], sides: int, cycles: int) -> Schedule:
    """Everybody meets everybody *cycles* times: Berger tables for two sides, designs for more.

    ValueError if there are fewer entries than sides, or fewer than two.
    """
    size = len(entries)
    table = BergerTable(size, cycles) if sides == 2 else cyclic_design(size, sides, cycles)
    return Schedule(tuple(entries), table, cycles)


def gauntlet(
    entries: Sequence[Entry], challengers: Sequence[str], sides: int, cycles: int
) -> Schedule:
    """Each of *challengers*, named, meets everybody else *cycles* times or more.

    ValueError if nobody or too few are left as the field.
    """
    first = [entry for entry in entries if entry.name in challengers]
    field = [entry for entry in entries if entry.name not in challengers]
    table = gauntlet_table(len(entries), len(first), sides)
    return Schedule((*first, *field), table, cycles, len(first))


def schedule_of(event: Event) -> Schedule:
    """All games of *event*, whose format is one of `SCHEDULED`; ValueError for another.

    The order of its file numbers the entries. A match is a round robin of as few entries as can be.
    """
    if event.format not in SCHEDULED:
        raise ValueError(f"expected one of {', '.join(SCHEDULED)}, got {event.format!r}")
    entries, sides = entries_of(event), sides_of(event)
    if event.format == "gauntlet":
        return gauntlet(entries, event.challengers, sides, event.cycles)
    return round_robin(entries, sides, event.cycles)
