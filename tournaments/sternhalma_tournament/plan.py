"""What an event will be, said before it begins: how many games, for whom, from which seats."""

from dataclasses import dataclass

from sternhalma_tournament.balance import GroupBalance, balance, seat_counts
from sternhalma_tournament.bracket import rounds_for
from sternhalma_tournament.event import SCHEDULED, Event, entries_of, sides_of
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.knockout import KnockoutScheduler
from sternhalma_tournament.roundrobin import schedule_of


@dataclass(frozen=True, slots=True)
class Leg:
    """Games that all may be played side by side, and the most of them that an entry plays."""

    games: int
    games_each: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of an event.

    `games` are exact where all are known, else the fewest without byes, withdrawals and ties;
    `games_each` the least and the most of an entry; `legs` are played one after the other.
    `groups` say how even a known schedule is, `seats` how many games each entry has from each
    side's seats, `spread` how many games ahead of anybody else an entry may be there.
    """

    entries: int
    sides: int
    games: int
    games_each: tuple[int, int]
    legs: tuple[Leg, ...]
    groups: tuple[GroupBalance, ...] = ()
    seats: tuple[tuple[str, tuple[int, ...]], ...] = ()
    spread: int | None = None


def plan_of(event: Event) -> Plan:
    """The plan of *event*; takes the time of one period of its table, not that of all games."""
    entries, sides = len(entries_of(event)), sides_of(event)
    if event.format in SCHEDULED:
        return _scheduled(event)
    if event.format == "swiss":
        rounds = event.rounds or 1
        byes = -(-rounds * (entries % sides) // entries)
        legs = (Leg(entries // sides, 1),) * rounds
        return Plan(entries, sides, rounds * (entries // sides), (rounds - byes, rounds), legs)
    games = event.games or sides
    scheduler = scheduler_of(event)
    assert isinstance(scheduler, KnockoutScheduler)
    rounds = rounds_for(entries, sides)
    matches = list(scheduler.matches())
    legs = tuple(
        Leg(games * sum(len(m.entries) == sides for m in matches if m.round == round_), games)
        for round_ in range(1, rounds + 1)
    )
    return Plan(entries, sides, scheduler.games, (games, rounds * games), legs)


def _scheduled(event: Event) -> Plan:
    schedule = schedule_of(event)
    groups = balance(schedule)
    each = [count for group in groups for count in group.imbalance.games]
    return Plan(
        entries=len(schedule.entries),
        sides=sides_of(event),
        games=len(schedule),
        games_each=(min(each), max(each)),
        legs=(Leg(len(schedule), max(each)),),
        groups=groups,
        seats=seat_counts(schedule),
        spread=max(event.spread, schedule.table.spread),
    )
