import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    Disqualification,
    Expunging,
    LateEntry,
    Withdrawal,
)
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.event import FORMATS, Event, entries_of, sides_of
from sternhalma_tournament.event_file import parse_event
from sternhalma_tournament.formats import apply_amendment, scheduler_after, scheduler_of
from sternhalma_tournament.knockout import KnockoutScheduler
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.plan import plan_of
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.scheduler import bye_result
from sternhalma_tournament.scores import GameResult, bye_half_points
from sternhalma_tournament.standings import standings
from sternhalma_tournament.swiss import SwissScheduler
from sternhalma_tournament.tables import standings_markdown
from tournaments.results import game, shared_places


def event(more: str = "", bots: int = 8, players: int = 2, rules: str = "tara") -> Event:
    head = f'name = "cup"\nrules = "{rules}"\nplayers = {players}\nclock = "2s"\n{more}\n'
    tables = "".join(f'[[bots]]\nname = "n{n}"\nremote = true\n' for n in range(bots))
    return parse_event((head + tables).encode(), "cup.toml", FORMATS)


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ("", LeagueScheduler),
        ('format = "gauntlet"\nchallengers = ["n3"]', LeagueScheduler),
        ('format = "swiss"\nrounds = 3', SwissScheduler),
        ('format = "knockout"\ngames = 4', KnockoutScheduler),
    ],
)
def test_every_format_has_its_scheduler(more: str, kind: type) -> None:
    assert isinstance(scheduler_of(event(more)), kind)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(
        [
            ("cycles = 2", 5, 2, "tara"),
            ("", 7, 3, "tara"),
            ("cycles = 2", 6, 4, "corner+pairs"),
            ("", 9, 6, "tara"),
            ('format = "gauntlet"\nchallengers = ["n3", "n4"]', 7, 4, "tara"),
            ('format = "match"\ncycles = 8', 2, 2, "duel"),
            ('format = "match"\ncycles = 80\nsprt = { elo0 = 0, elo1 = 200 }', 2, 2, "tara"),
            ('format = "swiss"\nrounds = 4', 9, 2, "tara"),
            ('format = "swiss"\nrounds = 3', 10, 4, "tara"),
            ('format = "knockout"\ngames = 2', 7, 2, "tara"),
            ('format = "knockout"', 9, 3, "tara"),
        ]
    ),
    st.integers(0, 2**32),
)
def test_every_format_is_played_to_its_end_and_has_a_table(
    chosen: tuple[str, int, int, str], key: int
) -> None:
    more, bots, players, rules = chosen
    cup = event(more, bots, players, rules)
    scheduler = scheduler_of(cup)
    sides = sides_of(cup)
    chance = Chance(str(key))
    free = {bot.name: players // sides for bot in cup.bots}
    results: list[GameResult] = []
    while pairing := scheduler.next(free):
        scheduler.start(pairing)
        if len(pairing.entries) == 1:
            results.append(bye_result(pairing))
        else:
            keys = [chance.below(3) for _ in range(sides)] * (players // sides)
            entries = pairing.entries * (players // sides)
            results.append(game(pairing.number, entries, shared_places(keys)))
        scheduler.finish(results[-1])
    assert scheduler.done
    assert scheduler.games == len(results)
    table = standings(
        results, entries_of(cup), cup.tie_breaks, bye=bye_half_points(sides), planned=len(results)
    )
    byes = sum(len(result.entries) == 1 for result in results)
    assert table.games == len(results) - byes
    whole = table.games * sides * (sides - 1) + byes * bye_half_points(sides)
    assert sum(row.half_points for row in table.rows) == whole
    assert standings_markdown(table)


def test_a_match_is_a_round_robin_of_two() -> None:
    duel = event('format = "match"\ncycles = 10', bots=2)
    assert len(schedule_of(duel)) == 10
    assert scheduler_of(duel).games == 10


def test_a_caller_names_the_formats_it_can_conduct() -> None:
    text = 'name = "a"\nrules = "tara"\nplayers = 2\nclock = "2s"\nformat = "swiss"\nrounds = 1\n'
    text += "".join(f'[[bots]]\nname = "n{n}"\nremote = true\n' for n in range(4))
    with pytest.raises(EventFileError, match="format: expected one of round-robin, got 'swiss'"):
        parse_event(text.encode(), "cup.toml")


@pytest.mark.parametrize(
    ("more", "bots", "expected"),
    [
        ("rounds = 3", 8, "rounds: expected this key only with format 'swiss', got 'round-robin'"),
        ('format = "swiss"', 8, "rounds: expected rounds, from 1, got no such key"),
        ('format = "swiss"\nrounds = 8', 8, "rounds: expected at most 7, so that nobody"),
        ('format = "swiss"\nrounds = 2\ncycles = 2', 8, "cycles: expected this key only with"),
        ('format = "match"', 3, "format: expected 2 entries for a match, got 3"),
        ('format = "gauntlet"', 4, "challengers: expected a challenger or more, and at least 1"),
        ('format = "gauntlet"\nchallengers = ["x"]', 4, "challengers[1]: expected the name of an"),
        ('format = "gauntlet"\nchallengers = ["n0", "n1"]', 2, "challengers: expected a"),
        ('format = "knockout"\ngames = 3', 4, "games: expected a multiple of 2, the seats of a"),
        ('format = "ladder"', 4, "format: expected an event with an end, a ladder needs a league"),
        ("spread = 0", 4, "spread: expected games anybody may be ahead, from 1, got 0"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(more: str, bots: int, expected: str) -> None:
    with pytest.raises(EventFileError) as caught:
        event(more, bots)
    assert str(caught.value).startswith(f"cup.toml: {expected}")


def test_a_knockout_of_four_needs_a_power_of_four() -> None:
    with pytest.raises(EventFileError, match=r"format: expected 4, 16, 64, \.\.\. entries"):
        event('format = "knockout"', bots=8, players=4)


def test_a_swiss_asks_first_how_strong_the_opponents_were() -> None:
    assert event('format = "swiss"\nrounds = 3').tie_breaks[0] == "buchholz"
    chosen = event('format = "swiss"\nrounds = 3\ntie_breaks = ["wins"]')
    assert chosen.tie_breaks == ("wins",)


def test_the_plan_of_a_round_robin_says_how_even_it_is() -> None:
    plan = plan_of(event("cycles = 2", bots=7, players=3))
    assert (plan.entries, plan.sides, plan.games, plan.games_each) == (7, 3, 14, (6, 6))
    (group,) = plan.groups
    assert group.imbalance.meetings == (2, 2)
    assert group.imbalance.seats == (2, 2)
    assert plan.spread == 3


def test_the_plan_of_ten_million_games_is_there_at_once() -> None:
    plan = plan_of(event("cycles = 222222", bots=10))
    assert plan.games == 9_999_990
    assert plan.games_each == (1_999_998, 1_999_998)


def test_the_plan_of_a_gauntlet_tells_the_groups_apart() -> None:
    plan = plan_of(event('format = "gauntlet"\nchallengers = ["n3"]\ncycles = 2', bots=5))
    challengers, field = plan.groups
    assert challengers.entries == ("n3",)
    assert challengers.imbalance.games == (8, 8)
    assert field.imbalance.games == (2, 2)
    assert field.imbalance.seats == (1, 1)
    assert plan.games_each == (2, 8)


def test_the_plans_of_a_swiss_and_a_knockout_give_what_is_known() -> None:
    swiss = plan_of(event('format = "swiss"\nrounds = 3', bots=7))
    assert (swiss.games, swiss.games_each) == (9, (2, 3))
    knockout = plan_of(event('format = "knockout"\ngames = 2', bots=8))
    assert (knockout.games, knockout.games_each) == (16, (2, 6))


def test_rulings_reach_the_scheduler() -> None:
    scheduler = scheduler_of(event(bots=4))
    for ruling in (
        LateEntry(reason="came late", entry="late", bots=("late",)),
        Withdrawal(reason="went home", entry="n0"),
        Disqualification(reason="cheated", entry="n1"),
        Expunging(reason="no program", entry="n2"),
        Annulment(reason="power cut", number=1),
    ):
        apply_amendment(scheduler, ruling)
    free = dict.fromkeys(("n0", "n1", "n2", "n3", "late"), 1)
    only = scheduler.next(free)
    assert only is not None
    assert set(only.entries) == {"late", "n3"}
    scheduler.start(only)
    assert scheduler.next(free) is None


def test_a_corrected_result_counts_for_the_next_round_of_a_swiss() -> None:
    swiss = event('format = "swiss"\nrounds = 2', bots=4)
    free = dict.fromkeys(("n0", "n1", "n2", "n3"), 1)
    scheduler = scheduler_of(swiss)
    history: list[GameResult | Amendment] = []
    while pairing := scheduler.next(free):
        if pairing.round == 2:
            break
        scheduler.start(pairing)
        result = game(pairing.number, pairing.entries, (1, 2))
        history.append(result)
        scheduler.finish(result)
    first, second = (one.entries for one in history if isinstance(one, GameResult))
    after = scheduler_after(swiss, history).next(free)
    assert after is not None
    assert set(after.entries) in ({first[0], second[0]}, {first[1], second[1]})
    history.append(Correction(reason="colours", number=1, places=(2, 1)))
    after = scheduler_after(swiss, history).next(free)
    assert after is not None
    assert set(after.entries) in ({first[1], second[0]}, {first[0], second[1]})


def test_games_that_run_are_not_called_again_after_a_ruling() -> None:
    cup = event("cycles = 2", bots=4)
    free = dict.fromkeys(("n0", "n1", "n2", "n3"), 1)
    scheduler = scheduler_of(cup)
    running = scheduler.next(free)
    assert running is not None
    again = scheduler_after(cup, [Withdrawal(reason="r", entry=running.entries[0])], [running])
    begun = []
    while pairing := again.next(free):
        again.start(pairing)
        begun.append(pairing)
        again.finish(game(pairing.number, pairing.entries, (1, 2)))
    assert running not in begun
    assert not again.done
    again.finish(game(running.number, running.entries, (1, 2)))
    assert again.done
