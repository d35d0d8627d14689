"""How many games there are to be is the same whoever asks, and right when the event is over."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.amendments import (
    Amendment,
    Disqualification,
    Expunging,
    LateEntry,
    Reinstatement,
    Rulings,
    Withdrawal,
)
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.event import Event, entries_of
from sternhalma_tournament.extent import Extent, extent_of, games_with
from sternhalma_tournament.formats import scheduler_after, scheduler_of
from sternhalma_tournament.knockout import KnockoutScheduler
from sternhalma_tournament.roundrobin import round_robin, schedule_of
from sternhalma_tournament.schedule import Pairing, Schedule
from sternhalma_tournament.scheduler import Scheduler, bye_result
from sternhalma_tournament.scores import BYE, GameResult
from tournaments.results import game, shared_places
from tournaments.test_formats import event

FORMATS = [
    ("cycles = 2", 6, 2),
    ("cycles = 3", 7, 3),
    ("", 9, 4),
    ('format = "gauntlet"\nchallengers = ["n3", "n4"]\ncycles = 3', 7, 2),
    ('format = "gauntlet"\nchallengers = ["n3"]', 7, 4),
    ('format = "match"\ncycles = 40\nsprt = { elo0 = 0, elo1 = 200, alpha = 0.2 }', 2, 2),
    ('format = "swiss"\nrounds = 5', 9, 2),
    ('format = "swiss"\nrounds = 4', 10, 3),
    ('format = "knockout"\ngames = 2', 7, 2),
    ('format = "knockout"', 9, 3),
]


def ended(pairing: Pairing, chance: Chance) -> GameResult:
    if len(pairing.entries) == 1:
        return bye_result(pairing)
    return game(
        pairing.number, pairing.entries, shared_places([chance.below(4) for _ in pairing.entries])
    )


def ruled(cup: Event, chance: Chance, amendments: list[Amendment]) -> Amendment | None:
    """A ruling that makes sense after *amendments*."""
    rulings = Rulings.of(amendments)
    late = [one.entry for one in amendments if isinstance(one, LateEntry)]
    names = [entry.name for entry in entries_of(cup)] + late
    name = names[chance.below(len(names))]
    status = rulings.entries.get(name)
    kinds: list[Amendment] = [
        Disqualification(reason="r", entry=name),
        Expunging(reason="r", entry=name),
    ]
    if status is None or isinstance(status, LateEntry):
        kinds += [Withdrawal(reason="r", entry=name)]
        kinds += [Withdrawal(reason="r", entry=name, forfeit=True)]
        takes = cup.format in {"round-robin", "swiss"}
        kinds += [
            LateEntry(reason="r", entry=f"late{len(late)}", bots=(f"late{len(late)}",))
        ] * takes
    elif cup.format != "knockout":
        kinds += [Reinstatement(reason="r", entry=name)]
    return kinds[chance.below(len(kinds))]


def play(cup: Event, key: int) -> tuple[list[GameResult | Amendment], Scheduler]:
    """*cup* to its end, games ending in any order and rulings coming at any time."""
    chance = Chance(str(key))
    history: list[GameResult | Amendment] = []
    amendments: list[Amendment] = []
    running: list[Pairing] = []
    scheduler = scheduler_of(cup)
    free = dict.fromkeys([f"n{n}" for n in range(20)] + [f"late{n}" for n in range(9)], 9)
    while not scheduler.done or running:
        if chance.below(12) == 0 and len(amendments) < 5:
            ruling = ruled(cup, chance, amendments)
            if ruling is not None:
                history.append(ruling)
                amendments.append(ruling)
                scheduler = scheduler_after(cup, history, running)
        pairing = scheduler.next(free) if len(running) < 3 else None
        if pairing is not None:
            scheduler.start(pairing)
            running.append(pairing)
        elif running:
            pairing = running.pop(chance.below(len(running)))
            result = ended(pairing, chance)
            history.append(result)
            scheduler.finish(result)
    return history, scheduler


def told_in_order(cup: Event, history: list[GameResult | Amendment]) -> Extent:
    """The extent of *cup*, told each result and each ruling when it came."""
    extent = extent_of(cup)
    amendments: list[Amendment] = []
    results: list[GameResult] = []
    for one in history:
        if isinstance(one, GameResult):
            results.append(one)
            extent.enter(one)
        else:
            amendments.append(one)
            extent.rule(amendments, results)
    return extent


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(FORMATS), st.integers(0, 2**32))
def test_at_the_end_there_are_as_many_games_as_count(
    chosen: tuple[str, int, int], key: int
) -> None:
    cup = event(*chosen)
    history, _ = play(cup, key)
    results = [one for one in history if isinstance(one, GameResult)]
    amendments = [one for one in history if not isinstance(one, GameResult)]
    extent = told_in_order(cup, history)
    counted = list(Rulings.of(amendments).apply(results))
    assert extent.games == len(counted)
    assert extent.byes == sum(result.reason == BYE for result in counted)
    if any(isinstance(one, LateEntry) for one in amendments):
        return  # from when on they play hangs on when they came
    again = extent_of(cup)
    again.rule(amendments, ())
    for result in sorted(results, key=lambda result: result.number):
        again.enter(result)
    assert again.games == extent.games, "in whatever order it is told"


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(FORMATS), st.integers(0, 2**32), st.data())
def test_before_the_end_there_are_more_than_were_played(
    chosen: tuple[str, int, int], key: int, data: st.DataObject
) -> None:
    cup = event(*chosen)
    history, _ = play(cup, key)
    part = history[: data.draw(st.integers(0, len(history)))]
    results = [one for one in part if isinstance(one, GameResult)]
    amendments = [one for one in part if not isinstance(one, GameResult)]
    extent = told_in_order(cup, part)
    counted = list(Rulings.of(amendments).apply(results))
    if not scheduler_after(cup, part).done:
        assert extent.games > len(counted)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(FORMATS), st.integers(0, 2**32))
def test_a_scheduler_made_anew_from_the_history_has_nothing_left_either(
    chosen: tuple[str, int, int], key: int
) -> None:
    cup = event(*chosen)
    history, _ = play(cup, key)
    assert scheduler_after(cup, history).done


@settings(deadline=None)
@given(st.integers(2, 9), st.integers(1, 7), st.sets(st.integers(0, 8), max_size=4), st.data())
def test_games_with_somebody_are_counted_without_going_through_them(
    size: int, cycles: int, chosen: set[int], data: st.DataObject
) -> None:
    sides = data.draw(st.integers(2, min(size, 4)))
    whole = round_robin(entries_of(event(bots=size)), sides, cycles)
    most = data.draw(st.integers(1, len(whole)))
    schedule = Schedule(whole.entries, whole.table, cycles, before=10, most=most)
    names = {f"n{n}" for n in chosen}
    there = sum(not names.isdisjoint(pairing.entries) for pairing in schedule)
    assert games_with(schedule, names) == there


def test_ten_million_games_are_counted_at_once() -> None:
    schedule = schedule_of(event("cycles = 222222", bots=10))
    assert games_with(schedule, ["n3"]) == 222222 * 9


def test_a_reinstated_entry_plays_the_games_that_were_left_out() -> None:
    cup = event("cycles = 2", bots=4)
    history: list[GameResult | Amendment] = [
        game(1, ("n0", "n3"), (1, 2)),
        Withdrawal(reason="r", entry="n0"),
        game(2, ("n1", "n2"), (1, 2)),
        Reinstatement(reason="r", entry="n0"),
    ]
    scheduler = scheduler_after(cup, history)
    played = 0
    while pairing := scheduler.next(dict.fromkeys(("n0", "n1", "n2", "n3"), 1)):
        scheduler.start(pairing)
        scheduler.finish(game(pairing.number, pairing.entries, (1, 2)))
        played += 1
    assert played == 10


def test_a_reinstatement_that_would_change_a_match_that_was_played_on_is_refused() -> None:
    cup = event('format = "knockout"\ngames = 2', bots=4)
    scheduler = scheduler_of(cup)
    scheduler.withdraw("n0")
    history: list[GameResult | Amendment] = [Withdrawal(reason="r", entry="n0")]
    while pairing := scheduler.next(dict.fromkeys(("n0", "n1", "n2", "n3"), 1)):
        scheduler.start(pairing)
        result = game(pairing.number, pairing.entries, (1, 2))
        history.append(result)
        scheduler.finish(result)
    with pytest.raises(ValueError, match="expected nobody yet and n1 in the final, got n3 and n1"):
        scheduler_after(cup, [*history, Reinstatement(reason="r", entry="n0")])
    assert isinstance(scheduler, KnockoutScheduler)
