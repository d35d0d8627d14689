"""The schedule of a round robin, for any number of sides."""

from collections.abc import Sequence

from sternhalma_tournament.berger import BergerTable
from sternhalma_tournament.designs import cyclic_design
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import Event, entries_of, sides_of
from sternhalma_tournament.schedule import Schedule


def round_robin(entries: Sequence[Entry], sides: int, cycles: int) -> Schedule:
    """Everybody meets everybody *cycles* times: Berger tables for two sides, designs for more.

    ValueError if there are fewer entries than sides, or fewer than two.
    """
    size = len(entries)
    table = BergerTable(size, cycles) if sides == 2 else cyclic_design(size, sides, cycles)
    return Schedule(tuple(entries), table, cycles)


def schedule_of(event: Event) -> Schedule:
    """All games of *event*; the order of its file numbers the entries."""
    return round_robin(entries_of(event), sides_of(event), event.cycles)
