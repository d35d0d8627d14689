"""A match with a test: what its file must say, when it stops, and what rulings make of it."""

from __future__ import annotations

import pytest

from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    Expunging,
    LateEntry,
    Withdrawal,
)
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.event import LEAGUE_FORMATS, Event
from sternhalma_tournament.event_file import parse_event
from sternhalma_tournament.extent import extent_of
from sternhalma_tournament.formats import scheduler_after, scheduler_of
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import Scheduler
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.trial import Trial
from tournaments.results import game
from tournaments.test_formats import event

FREE = {"n0": 8, "n1": 8}
CLAIMS = "elo0 = 0, elo1 = 150, alpha = 0.1, beta = 0.1"


def match(cycles: int = 400, claims: str = CLAIMS) -> Event:
    return event(f'format = "match"\ncycles = {cycles}\nsprt = {{ {claims} }}', bots=2)


def won_by(pairing: Pairing, winner: str | None) -> GameResult:
    """The game as *winner* wins it, or level."""
    places = [1 if winner in {None, name} else 2 for name in pairing.entries]
    return game(pairing.number, pairing.entries, places)


def play(
    cup: Event, winner: str | None = "n0", at_once: int = 1, key: int = 1
) -> tuple[list[GameResult], Scheduler, int]:
    """The match until it stops, and how many games ran at the verdict.

    *winner* wins nine games in ten; of the games that run any one ends first.
    """
    chance, scheduler = Chance(str(key)), scheduler_of(cup)
    running: list[Pairing] = []
    results: list[GameResult] = []
    late = 0
    while not scheduler.done:
        pairing = scheduler.next(FREE) if len(running) < at_once else None
        if pairing is not None:
            scheduler.start(pairing)
            running.append(pairing)
            continue
        over = running.pop(chance.below(len(running)))
        upset = winner is not None and chance.below(10) == 0
        loser = "n1" if winner == "n0" else "n0"
        results.append(won_by(over, loser if upset else winner))
        scheduler.finish(results[-1])
        if not late and scheduler.next(FREE) is None:
            late = len(running)
    return results, scheduler, late


def verdict(cup: Event, results: list[GameResult]) -> str | None:
    trial = Trial.of(cup, results)
    assert trial is not None
    return trial.verdict


@pytest.mark.parametrize(("winner", "claim"), [("n0", "H1"), ("n1", "H0"), (None, "H0")])
def test_a_match_stops_when_its_test_is_decided(winner: str | None, claim: str) -> None:
    cup = match()
    results, scheduler, _ = play(cup, winner)
    assert verdict(cup, results) == claim
    assert len(results) < 200
    assert scheduler.games == len(results)
    assert verdict(cup, results[:-1]) is None, "it stops with the game that decides"


def test_pairs_have_the_seats_swapped_and_one_opening() -> None:
    results = scheduler_of(match())
    for _ in range(10):
        pair: list[Pairing] = []
        for _ in range(2):
            pairing = results.next(FREE)
            assert pairing is not None
            results.start(pairing)
            pair.append(pairing)
        first, second = pair
        assert (first.number % 2, second.number) == (1, first.number + 1)
        assert first.entries == second.entries[::-1]
        assert first.opening == second.opening


def test_what_runs_at_the_verdict_is_played_and_nothing_else_begins() -> None:
    cup = match()
    for key in range(5):
        results, scheduler, late = play(cup, at_once=6, key=key)
        assert late > 0
        assert scheduler.games == len(results)
        assert scheduler.next(FREE) is None
        assert scheduler.why("n0", FREE) == "the match is decided: H1 was accepted"


def test_an_undecided_match_ends_after_the_most_that_is_played() -> None:
    cup = match(cycles=8, claims="elo0 = 0, elo1 = 5")
    results, scheduler, _ = play(cup, None)
    assert (len(results), verdict(cup, results)) == (8, None)
    assert scheduler.games == 8


@pytest.mark.parametrize("key", range(4))
def test_a_match_that_was_stopped_comes_to_the_same_verdict(key: int) -> None:
    cup = match()
    results, _, _ = play(cup, at_once=4, key=key)
    for cut in range(0, len(results) + 1, 3):
        before, after = results[:cut], results[cut:]
        scheduler = scheduler_after(cup, before)
        for result in after:
            scheduler.finish(result)
        assert scheduler.done
        assert scheduler.games == len(results)
    assert verdict(cup, sorted(results, key=lambda one: one.number)) == verdict(cup, results)


def test_games_that_ran_when_it_was_stopped_are_played_though_the_test_is_decided() -> None:
    cup = match()
    results, scheduler, _ = play(cup)
    last = max(result.number for result in results)
    running = schedule_of(cup).pairing(last + 1)
    again = scheduler_after(cup, results, [running])
    assert not again.done
    assert again.games == scheduler.games + 1
    again.finish(won_by(running, "n1"))
    assert again.done


def test_a_released_game_is_not_played_behind_the_verdict() -> None:
    cup = match()
    results, _, _ = play(cup)
    last = max(result.number for result in results)
    scheduler = scheduler_after(cup, results, [schedule_of(cup).pairing(last + 1)])
    scheduler.release(last + 1)
    assert scheduler.done
    assert scheduler.games == len(results)


def test_a_ruling_can_take_the_verdict_back_and_the_match_goes_on() -> None:
    cup = match()
    results, _, _ = play(cup)
    last = max(results, key=lambda result: result.number)
    history: list[GameResult | Amendment] = [
        *results,
        Annulment(reason="power cut", number=last.number),
    ]
    scheduler = scheduler_after(cup, history)
    assert not scheduler.done
    pairing = scheduler.next(FREE)
    assert pairing is not None
    assert pairing.number == last.number + 1
    extent = extent_of(cup)
    extent.rule([history[-1]], results)  # type: ignore[list-item]
    assert extent.games == cup.cycles


def test_a_correction_counts_for_the_test() -> None:
    cup = match(cycles=40)
    results, _, _ = play(cup, None)
    fixed: list[Amendment] = [
        Correction(reason="wrong", number=one.number, places=_for_n0(one)) for one in results
    ]
    assert verdict(cup, results) == "H0"
    corrected = scheduler_after(cup, [*results, *fixed])
    assert corrected.done == (len(results) >= 2 * _pairs_to_win(cup))
    assert not corrected.why("n0", FREE).endswith("H0 was accepted")


def _for_n0(result: GameResult) -> tuple[int, ...]:
    return tuple(1 if name == "n0" else 2 for name in result.entries)


def _pairs_to_win(cup: Event) -> int:
    """After how many pairs that n0 wins the test is decided."""
    schedule = schedule_of(cup)
    return next(
        pairs
        for pairs in range(1, cup.cycles)
        if verdict(cup, [won_by(schedule.pairing(n), "n0") for n in range(1, 2 * pairs + 1)])
    )


def test_who_leaves_ends_the_match_without_a_verdict() -> None:
    cup = match()
    played = [won_by(schedule_of(cup).pairing(number), None) for number in (1, 2)]
    for ruling in (Withdrawal(reason="r", entry="n1"), Expunging(reason="r", entry="n1")):
        scheduler = scheduler_after(cup, [*played, ruling])
        assert scheduler.next(FREE) is None
        assert scheduler.done


def test_a_match_with_a_test_takes_no_late_entry() -> None:
    with pytest.raises(ValueError, match=r"expected no late entry in a match with \[sprt\]"):
        scheduler_after(match(), [LateEntry(reason="r", entry="n2", bots=("n2",))])


@pytest.mark.parametrize(
    ("more", "bots", "expected"),
    [
        ("cycles = 4\nsprt = { elo0 = 0, elo1 = 5 }", 3, "sprt: expected this key only with"),
        ('format = "match"\nsprt = { elo0 = 0, elo1 = 5 }', 2, "cycles: expected an even number"),
        (
            'format = "match"\ncycles = 4\nsprt = { elo0 = 5, elo1 = 5 }',
            2,
            "sprt: expected elo0 < elo1",
        ),
        (
            'format = "match"\ncycles = 4\nsprt = { elo0 = 0, elo1 = 5, alpha = 0.5, beta = 0.5 }',
            2,
            "sprt: expected alpha and beta above 0",
        ),
        (
            'format = "match"\ncycles = 4\nsprt = { elo0 = 0, elo1 = 5, model = "elo" }',
            2,
            "sprt.model: expected 'logistic' or 'normalized', got 'elo'",
        ),
        (
            'format = "match"\ncycles = 4\nsprt = { elo0 = 0 }',
            2,
            "sprt.elo1: expected a number of Elo points, got no such key",
        ),
        (
            'format = "match"\ncycles = 4\nsprt = { elo0 = "a", elo1 = 5 }',
            2,
            "sprt.elo0: expected a number of Elo points, got 'a'",
        ),
    ],
)
def test_a_test_that_makes_no_sense_is_refused(more: str, bots: int, expected: str) -> None:
    with pytest.raises(EventFileError) as caught:
        event(more, bots=bots)
    assert f"cup.toml: {expected}" in str(caught.value)


def test_a_test_is_for_two_sides() -> None:
    with pytest.raises(EventFileError, match="sprt: expected this table only where two sides meet"):
        event('format = "match"\ncycles = 4\nsprt = { elo0 = 0, elo1 = 5 }', bots=3, players=3)


def test_pairs_of_bots_can_be_tested_against_each_other() -> None:
    cup = event(
        'format = "match"\ncycles = 4\nsprt = { elo0 = 0, elo1 = 5 }\n'
        'pairs = [{ name = "x", bots = ["n0", "n1"] }, { name = "y", bots = ["n2", "n3"] }]',
        bots=4,
        players=4,
        rules="corner+pairs",
    )
    trial = Trial.of(
        cup, [game(1, ("x", "y", "x", "y"), (1, 2, 1, 2)), game(2, "yxyx", (2, 1, 2, 1))]
    )
    assert trial is not None
    assert trial.state.counts == (0, 0, 0, 0, 1)
    assert trial.state.tested == "x"


def test_a_match_that_lacks_entries_yet_has_no_trial() -> None:
    text = 'name = "cup"\nrules = "tara"\nplayers = 2\nclock = "2s"\nformat = "match"\ncycles = 4\n'
    text += 'sprt = { elo0 = 0, elo1 = 5 }\nbots = [{ name = "n0" }]\n'
    draft = parse_event(text.encode(), "cup.toml", LEAGUE_FORMATS, draft=True)
    with pytest.raises(ValueError, match=r"expected two entries in a match with \[sprt\]"):
        Trial.of(draft)
