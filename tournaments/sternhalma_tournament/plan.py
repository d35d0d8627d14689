"""What an event will be, said before it begins: how many games, for whom, from which seats."""

from dataclasses import dataclass

from sternhalma_tournament.balance import GroupBalance, balance
from sternhalma_tournament.bracket import rounds_for
from sternhalma_tournament.event import SCHEDULED, Event, entries_of, sides_of
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.roundrobin import schedule_of


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of an event.

    `games` are exact where all are known, else the fewest without byes, withdrawals and ties;
    `games_each` the least and the most of an entry; `groups` say how even a known schedule is;
    `spread` how many games ahead of anybody else an entry may be there.
    """

    entries: int
    sides: int
    games: int
    games_each: tuple[int, int]
    groups: tuple[GroupBalance, ...]
    spread: int | None


def plan_of(event: Event) -> Plan:
    """The plan of *event*; takes the time of one period of its table, not that of all games."""
    entries, sides = len(entries_of(event)), sides_of(event)
    if event.format in SCHEDULED:
        schedule = schedule_of(event)
        groups = balance(schedule)
        each = [count for group in groups for count in group.imbalance.games]
        spread = max(event.spread, schedule.table.spread)
        return Plan(entries, sides, len(schedule), (min(each), max(each)), groups, spread)
    if event.format == "swiss":
        rounds = event.rounds or 1
        byes = -(-rounds * (entries % sides) // entries)
        return Plan(entries, sides, rounds * (entries // sides), (rounds - byes, rounds), (), None)
    games = event.games or sides
    scheduler = scheduler_of(event)
    most = rounds_for(entries, sides) * games
    return Plan(entries, sides, scheduler.games, (games, most), (), None)
