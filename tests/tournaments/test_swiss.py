from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import bye_result
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.swiss import SwissScheduler
from tournaments.results import game, shared_places


def names(size: int) -> list[Entry]:
    return [Entry(f"n{n}", (f"n{n}",)) for n in range(size)]


def everybody(size: int) -> dict[str, int]:
    return {f"n{n}": 1 for n in range(size)}


def decided(pairing: Pairing, key: int = 0) -> GameResult:
    """A result for *pairing*: the lower number wins, or with *key* whoever that says."""
    if len(pairing.entries) == 1:
        return bye_result(pairing)
    order = sorted(pairing.entries, key=lambda name: (int(name[1:]) * (key + 1)) % 11)
    return game(
        pairing.number, pairing.entries, shared_places([order.index(n) for n in pairing.entries])
    )


def play_round(swiss: SwissScheduler, free: dict[str, int], key: int = 0) -> list[Pairing]:
    """Begin everything that may begin, then end it."""
    begun = []
    while pairing := swiss.next(free):
        swiss.start(pairing)
        begun.append(pairing)
    for pairing in begun:
        swiss.finish(decided(pairing, key))
    return begun


@settings(deadline=None, max_examples=60)
@given(st.integers(4, 17), st.integers(0, 10))
def test_nobody_meets_twice_and_everybody_plays_every_round(size: int, key: int) -> None:
    rounds = min(5, size // 2)
    swiss = SwissScheduler(names(size), 2, rounds)
    met = Counter[frozenset[str]]()
    byes = Counter[str]()
    seats = Counter[str]()
    for round_ in range(1, rounds + 1):
        begun = play_round(swiss, everybody(size), key)
        assert sorted(n for p in begun for n in p.entries) == sorted(everybody(size))
        assert {pairing.round for pairing in begun} == {round_}
        for pairing in begun:
            if len(pairing.entries) == 1:
                byes[pairing.entries[0]] += 1
            else:
                met[frozenset(pairing.entries)] += 1
                seats[pairing.entries[0]] += 1
                seats[pairing.entries[1]] -= 1
    assert swiss.done
    assert max(met.values()) == 1
    assert max(byes.values(), default=0) <= 1
    assert sum(byes.values()) == rounds * (size % 2)
    assert max(map(abs, seats.values())) <= 2


def test_winners_meet_winners() -> None:
    swiss = SwissScheduler(names(8), 2, 3)
    first = play_round(swiss, everybody(8))
    won = {min(p.entries, key=lambda name: int(name[1:])) for p in first}
    second = play_round(swiss, everybody(8))
    assert all(len(won.intersection(pairing.entries)) in {0, 2} for pairing in second)


def test_a_round_waits_for_the_round_before() -> None:
    swiss = SwissScheduler(names(4), 2, 2)
    free = everybody(4)
    one = swiss.next(free)
    assert one is not None
    swiss.start(one)
    two = swiss.next(free)
    assert two is not None
    swiss.start(two)
    swiss.finish(decided(one))
    assert swiss.next(free) is None
    waiting = one.entries[0]
    assert swiss.why(waiting, free) == (
        f"{waiting} waits for the end of round 1: games still to end: 1"
    )
    swiss.finish(decided(two))
    third = swiss.next(free)
    assert third is not None
    assert third.round == 2


def test_inside_a_round_the_order_is_free() -> None:
    swiss = SwissScheduler(names(4), 2, 1)
    free = everybody(4)
    first = swiss.next(free)
    assert first is not None
    del free[first.entries[0]]
    other = swiss.next(free)
    assert other is not None
    assert not set(other.entries) & set(first.entries)
    assert swiss.why(first.entries[1], free) == (
        f"{first.entries[1]} waits for {first.entries[0]}, who is not connected "
        f"(game {first.number})"
    )


@settings(deadline=None, max_examples=40)
@given(st.integers(4, 11), st.integers(1, 3), st.integers(0, 16), st.booleans())
def test_after_a_stop_the_rounds_go_on_with_nobody_met_twice(
    size: int, rounds: int, stop: int, running: bool
) -> None:
    rounds = min(rounds, size // 2)
    whole = SwissScheduler(names(size), 2, rounds, seed=3)
    games: list[Pairing] = []
    while pairing := whole.next(everybody(size)):
        whole.start(pairing)
        games.append(pairing)
        whole.finish(decided(pairing))
    stop = min(stop, len(games))
    again = SwissScheduler(names(size), 2, rounds, seed=3)
    again.resume(decided(pairing) for pairing in games[:stop])
    begun = games[:stop]
    if running and stop < len(games):
        begun.append(games[stop])
        again.start(games[stop])
        again.finish(decided(games[stop]))
    while pairing := again.next(everybody(size)):
        again.start(pairing)
        begun.append(pairing)
        again.finish(decided(pairing))
    assert again.done
    assert len(begun) == len(games) == again.games
    met = Counter(frozenset(pairing.entries) for pairing in begun if len(pairing.entries) == 2)
    assert max(met.values()) == 1


def test_with_the_whole_round_begun_a_stop_changes_nothing() -> None:
    whole = SwissScheduler(names(6), 2, 3, seed=1)
    first = play_round(whole, everybody(6))
    again = SwissScheduler(names(6), 2, 3, seed=1)
    again.resume([decided(pairing) for pairing in first])
    assert again.next(everybody(6)) == whole.next(everybody(6))


def test_a_withdrawn_entry_is_not_paired_any_more() -> None:
    swiss = SwissScheduler(names(6), 2, 3)
    play_round(swiss, everybody(6))
    swiss.withdraw("n0")
    begun = play_round(swiss, everybody(6))
    assert all("n0" not in pairing.entries for pairing in begun)
    assert sum(len(pairing.entries) == 1 for pairing in begun) == 1


def test_the_opponent_of_one_who_withdraws_before_the_game_is_paired_anew() -> None:
    swiss = SwissScheduler(names(4), 2, 1)
    first = swiss.next(everybody(4))
    assert first is not None
    swiss.withdraw(first.entries[0])
    begun = play_round(swiss, everybody(4))
    assert sorted(len(pairing.entries) for pairing in begun) == [1, 2]


def test_a_late_entry_plays_from_the_next_round_on_and_has_no_bye_for_the_last() -> None:
    swiss = SwissScheduler(names(4), 2, 2)
    first = swiss.next(everybody(4))
    assert first is not None
    swiss.start(first)
    swiss.join(Entry("n9", ("n9",)))
    free = everybody(4) | {"n9": 1}
    rest = play_round(swiss, free)
    swiss.finish(decided(first))
    assert all("n9" not in pairing.entries for pairing in rest)
    assert any("n9" in pairing.entries for pairing in play_round(swiss, free))


def test_releasing_the_last_game_of_a_round_does_not_end_the_round() -> None:
    swiss = SwissScheduler(names(4), 2, 2)
    begun = [swiss.next(everybody(4))]
    assert begun[0] is not None
    swiss.start(begun[0])
    swiss.finish(decided(begun[0]))
    last = swiss.next(everybody(4))
    assert last is not None
    swiss.start(last)
    swiss.release(last.number)
    assert swiss.round == 1
    assert swiss.next(everybody(4)) == last


def test_a_released_game_is_called_again() -> None:
    swiss = SwissScheduler(names(4), 2, 1)
    first = swiss.next(everybody(4))
    assert first is not None
    swiss.start(first)
    swiss.release(first.number)
    assert swiss.next(everybody(4)) == first


def test_games_counts_rounds_to_come() -> None:
    swiss = SwissScheduler(names(6), 2, 3)
    assert swiss.games == 9
    play_round(swiss, everybody(6))
    assert swiss.games == 9


def test_a_game_that_is_not_of_this_round_is_refused() -> None:
    swiss = SwissScheduler(names(4), 2, 2)
    first = swiss.next(everybody(4))
    assert first is not None
    swiss.start(first)
    with pytest.raises(ValueError, match="expected a game of round 1"):
        swiss.start(first)
    with pytest.raises(ValueError, match="expected a game of round 1"):
        swiss.finish(game(7, first.entries, (1, 2)))


@pytest.mark.parametrize("sides", [3, 4])
def test_more_sides_make_groups_of_equals(sides: int) -> None:
    size = sides * 4 + 1
    swiss = SwissScheduler(names(size), sides, 3)
    met = Counter[frozenset[str]]()
    for _ in range(3):
        begun = play_round(swiss, everybody(size))
        assert sorted(len(p.entries) for p in begun) == [1] + [sides] * 4
        met.update(frozenset((a, b)) for p in begun for a in p.entries for b in p.entries if a < b)
    assert max(met.values()) <= 2


def test_too_few_entries_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 4 entries or more and a round"):
        SwissScheduler(names(3), 4, 1)


def rest(swiss: SwissScheduler, size: int) -> list[Pairing]:
    """What may begin now, in order; nothing of it has begun afterwards."""
    begun: list[Pairing] = []
    while pairing := swiss.next(everybody(size)):
        swiss.start(pairing)
        begun.append(pairing)
    for pairing in begun:
        swiss.release(pairing.number)
    return begun


@settings(deadline=None, max_examples=60)
@given(st.integers(4, 13), st.integers(0, 20), st.integers(0, 3), st.randoms())
def test_after_a_stop_a_round_goes_on_as_it_was_paired(
    size: int, over: int, running: int, chance: Random
) -> None:
    swiss, begun = SwissScheduler(names(size), 2, 3), list[Pairing]()
    results: list[GameResult] = []
    while len(results) < over or len(begun) < running:
        pairing = swiss.next(everybody(size))
        if pairing is not None:
            swiss.start(pairing)
            begun.append(pairing)
        if not begun or (pairing is None and len(results) >= over):
            break
        if len(results) < over and (pairing is None or chance.random() < 0.5):
            ended = begun.pop(chance.randrange(len(begun)))
            results.append(decided(ended))
            swiss.finish(results[-1])
    again = SwissScheduler(names(size), 2, 3)
    again.resume(results)
    for pairing in begun:
        again.start(pairing)
    assert rest(again, size) == rest(swiss, size)
