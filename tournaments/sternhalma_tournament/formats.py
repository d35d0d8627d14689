"""From an event file to its scheduler: the one place that knows all formats."""

from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    Expunging,
    LateEntry,
    Withdrawal,
)
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import Event, entries_of, sides_of
from sternhalma_tournament.knockout import KnockoutScheduler
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.scheduler import Scheduler
from sternhalma_tournament.swiss import SwissScheduler


def scheduler_of(event: Event) -> Scheduler:
    """The scheduler of *event*, before its first game."""
    entries, sides = entries_of(event), sides_of(event)
    seats = event.players // sides
    if event.format == "swiss":
        return SwissScheduler(entries, sides, event.rounds or 1, seats, event.seed)
    if event.format == "knockout":
        games = event.games or sides
        return KnockoutScheduler(entries, sides, games, seats, third=event.third_place)
    return LeagueScheduler(schedule_of(event), seats, event.spread)


def apply_amendment(scheduler: Scheduler, amendment: Amendment) -> None:
    """Tell *scheduler* what *amendment* means for games to come; many mean nothing for them.

    ValueError where the format cannot take a late entry, or the entry is not of the event.
    """
    match amendment:
        case LateEntry():
            scheduler.join(Entry(amendment.entry, amendment.bots))
        case Withdrawal():
            scheduler.withdraw(amendment.entry, forfeit=amendment.forfeit)
        case Disqualification() | Expunging():
            scheduler.withdraw(amendment.entry)
        case _:
            pass
