"""From an event file to its scheduler: the one place that knows all formats."""

from collections.abc import Iterable, Sequence

from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Ruling,
    Rulings,
    Withdrawal,
)
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import Event, entries_of, sides_of
from sternhalma_tournament.knockout import KnockoutScheduler
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import Scheduler
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.swiss import SwissScheduler
from sternhalma_tournament.trial import Trial
from sternhalma_tournament.trial_scheduler import TrialScheduler


def scheduler_of(event: Event) -> Scheduler:
    """The scheduler of *event*, before its first game."""
    entries, sides = entries_of(event), sides_of(event)
    seats = event.players // sides
    if event.format == "swiss":
        return SwissScheduler(entries, sides, event.rounds or 1, seats, event.seed)
    if event.format == "knockout":
        games = event.games or sides
        return KnockoutScheduler(entries, sides, games, seats, third=event.third_place)
    trial = Trial.of(event)
    if trial is not None:
        return TrialScheduler(schedule_of(event), trial, seats, event.spread)
    return LeagueScheduler(schedule_of(event), seats, event.spread)


def scheduler_after(
    event: Event, history: Sequence[GameResult | Amendment], running: Iterable[Pairing] = ()
) -> Scheduler:
    """The scheduler of *event* after *history*: results and rulings in the order they came.

    *running* are the games that have begun and not ended. A ruling may change what has been added
    up already, so that a scheduler is made anew after one, in the same way as after a stop.
    ValueError if the history cannot have been: the last ruling in it comes too late.
    """
    scheduler = scheduler_of(event)
    rulings = Rulings.of(one for one in history if isinstance(one, Ruling))
    if isinstance(scheduler, SwissScheduler):
        # What a ruling means there depends on the round.
        for one in history:
            if isinstance(one, GameResult):
                scheduler.resume(rulings.for_pairing([one]))
            else:
                apply_amendment(scheduler, one)
    else:
        for one in history:
            if isinstance(one, Ruling):
                apply_amendment(scheduler, one)
        results = [one for one in history if isinstance(one, GameResult)]
        results.sort(key=lambda result: result.number)
        if isinstance(scheduler, KnockoutScheduler):
            # Who lost against an entry that is expunged later is out all the same.
            rulings = Rulings({}, rulings.games)
        scheduler.resume(rulings.for_pairing(results))
    for pairing in running:
        scheduler.start(pairing)
    return scheduler


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
        case Reinstatement():
            scheduler.reinstate(amendment.entry)
        case _:
            pass
