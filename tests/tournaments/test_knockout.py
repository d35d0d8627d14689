from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.amendments import Disqualification
from sternhalma_tournament.bracket import (
    Stage,
    bracket_markdown,
    final_places,
    knockout_standings,
    rounds_for,
    seeding,
    stages_of,
)
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.knockout import DECIDERS, KnockoutScheduler
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.standings import standings
from tournaments.results import game


def names(size: int) -> list[Entry]:
    return [Entry(f"n{n}", (f"n{n}",)) for n in range(size)]


def everybody(size: int) -> dict[str, int]:
    return {f"n{n}": 9 for n in range(size)}


def strongest_first(pairing: Pairing) -> GameResult:
    order = sorted(pairing.entries, key=lambda name: int(name[1:]))
    return game(pairing.number, pairing.entries, [order.index(n) + 1 for n in pairing.entries])


def drawn(pairing: Pairing) -> GameResult:
    return game(pairing.number, pairing.entries, [1] * len(pairing.entries))


def play(knockout: KnockoutScheduler, size: int) -> list[Pairing]:
    begun = []
    while pairing := knockout.next(everybody(size)):
        knockout.start(pairing)
        begun.append(pairing)
        knockout.finish(strongest_first(pairing))
    return begun


@settings(deadline=None)
@given(st.integers(2, 20), st.integers(1, 3))
def test_the_strongest_win_and_the_places_follow_the_seeding(size: int, pairs: int) -> None:
    knockout = KnockoutScheduler(names(size), 2, 2 * pairs)
    begun = play(knockout, size)
    assert knockout.done
    places = final_places(list(knockout.matches()))
    assert sorted(name for _, name in places) == sorted(everybody(size))
    assert [name for _, name in places[: min(size, 4)]] == [f"n{n}" for n in range(min(size, 4))]
    assert knockout.games == len(begun) == (size - 1 + (size > 3)) * 2 * pairs


@settings(deadline=None)
@given(st.integers(2, 20))
def test_seats_of_every_match_are_balanced_with_one_opening_a_set(size: int) -> None:
    begun = play(KnockoutScheduler(names(size), 2, 4), size)
    seatings: dict[str, list[tuple[str, ...]]] = {}
    for pairing in begun:
        seatings.setdefault(pairing.opening, []).append(pairing.entries)
    assert all(one == other[::-1] for one, other in seatings.values())


def test_the_best_two_can_meet_in_the_final_only() -> None:
    for rounds in range(1, 7):
        order = seeding(2, rounds)
        assert sorted(order) == list(range(2**rounds))
        assert (order.index(0) < 2 ** (rounds - 1)) != (order.index(1) < 2 ** (rounds - 1))


def test_a_match_begins_when_its_entries_are_known_without_waiting_for_the_round() -> None:
    knockout = KnockoutScheduler(names(8), 2, 2)
    free = everybody(8)
    rounds = Counter[int]()
    while pairing := knockout.next({name: free[name] for name in free if name != "n1"}):
        knockout.start(pairing)
        knockout.finish(strongest_first(pairing))
        rounds[pairing.round] += 1
    # n1's quarter-final waits for n1; the other half of the draw has played its semi-final.
    assert rounds == {1: 6, 2: 2}
    assert knockout.why("n1", {}) == "n1 waits for n1 to connect"
    assert knockout.why("n2", free) == "n2 waits for its opponent in the semi-final 2"
    assert knockout.why("n0", free) == "n0 waits for its opponent in the final"
    assert knockout.why("n7", free) == "n7 is out: n0 won the quarter-final 1"


def test_a_tie_goes_into_further_sets() -> None:
    knockout = KnockoutScheduler(names(2), 2, 2)
    free = everybody(2)
    for _ in range(2):
        pairing = knockout.next(free)
        assert pairing is not None
        knockout.start(pairing)
        knockout.finish(drawn(pairing))
    pairing = knockout.next(free)
    assert pairing is not None
    assert pairing.opening == "n0+n1:1.2"
    play(knockout, 2)
    (final,) = knockout.matches()
    assert (final.winner, final.decided_by, final.games) == ("n0", "points", 4)


def test_what_stays_tied_goes_to_fewer_forfeits_and_then_to_the_better_seed() -> None:
    for faults, winner, decided_by in (
        ((None, None), "n0", "seeding"),
        (("time", None), "n1", "forfeits"),
    ):
        knockout = KnockoutScheduler(names(2), 2, 2)
        while pairing := knockout.next(everybody(2)):
            knockout.start(pairing)
            at = pairing.entries.index("n0")
            forfeits = (faults[0], None) if at == 0 else (None, faults[0])
            knockout.finish(game(pairing.number, pairing.entries, (1, 1), forfeits))
        (final,) = knockout.matches()
        assert (final.winner, final.decided_by) == (winner, decided_by)
        assert final.games == 2 + 2 * DECIDERS


def test_who_meets_a_withdrawn_entry_wins_by_walkover() -> None:
    knockout = KnockoutScheduler(names(4), 2, 2)
    knockout.withdraw("n0")
    play(knockout, 4)
    states = list(knockout.matches())
    assert (states[0].winner, states[0].decided_by) == ("n3", "walkover")
    assert [name for _, name in final_places(states)] == ["n1", "n3", "n2", "n0"]


def test_a_match_that_was_won_stays_won_when_its_winner_withdraws() -> None:
    knockout = KnockoutScheduler(names(4), 2, 2)
    for _ in range(4):
        pairing = knockout.next(everybody(4))
        assert pairing is not None
        knockout.start(pairing)
        knockout.finish(strongest_first(pairing))
    knockout.withdraw("n0")
    semi, _, final, _ = knockout.matches()
    assert (semi.winner, semi.decided_by) == ("n0", "points")
    assert (final.winner, final.decided_by) == ("n1", "walkover")


def test_a_walkover_stands_when_the_other_withdraws_as_well() -> None:
    knockout = KnockoutScheduler(names(4), 2, 2)
    knockout.withdraw("n3")
    knockout.withdraw("n0")
    semi, *_ = knockout.matches()
    assert (semi.winner, semi.decided_by) == ("n0", "walkover")


def test_a_game_that_runs_while_an_entry_withdraws_still_counts() -> None:
    knockout = KnockoutScheduler(names(4), 2, 2)
    free = everybody(4)
    running = []
    for _ in range(2):
        pairing = knockout.next(free)
        assert pairing is not None
        knockout.start(pairing)
        running.append(pairing)
    knockout.withdraw("n0")
    assert next(knockout.matches()).winner is None
    for pairing in running:
        knockout.finish(strongest_first(pairing))
    assert next(knockout.matches()).winner == "n0"


def test_games_of_a_walkover_are_not_counted_as_to_come() -> None:
    knockout = KnockoutScheduler(names(4), 2, 2)
    knockout.withdraw("n0")
    assert knockout.games == 6  # the semi-final of the others, the final, the third place
    played = play(knockout, 4)
    assert knockout.games == len(played) == 4  # n0 has lost the match for the third place too


def test_a_game_of_others_than_the_winners_before_is_refused() -> None:
    knockout = KnockoutScheduler(names(4), 2, 2)
    begun = play(knockout, 4)
    final = next(p for p in begun if p.round == 2 and "n0" in p.entries)
    again = KnockoutScheduler(names(4), 2, 2)
    with pytest.raises(ValueError, match="expected nobody yet and nobody yet in the final, got n"):
        again.start(final)


def test_the_forfeits_of_a_withdrawn_entry_may_be_called() -> None:
    knockout = KnockoutScheduler(names(2), 2, 2)
    knockout.withdraw("n0", forfeit=True)
    assert knockout.next({"n1": 1}) is not None


def test_after_a_stop_the_matches_go_on() -> None:
    whole = KnockoutScheduler(names(8), 2, 2)
    results = []
    for _ in range(9):
        pairing = whole.next(everybody(8))
        assert pairing is not None
        whole.start(pairing)
        results.append(strongest_first(pairing))
        whole.finish(results[-1])
    again = KnockoutScheduler(names(8), 2, 2)
    again.resume(sorted(results, key=lambda result: result.number))
    assert again.next(everybody(8)) == whole.next(everybody(8))
    assert list(again.matches()) == list(whole.matches())


def test_a_released_game_is_called_again() -> None:
    knockout = KnockoutScheduler(names(2), 2, 2)
    first = knockout.next(everybody(2))
    assert first is not None
    knockout.start(first)
    assert knockout.next(everybody(2)) != first
    knockout.release(first.number)
    assert knockout.next(everybody(2)) == first


@pytest.mark.parametrize(("sides", "rounds"), [(3, 2), (4, 2), (6, 1)])
def test_with_more_sides_the_winner_of_each_group_goes_on(sides: int, rounds: int) -> None:
    size = sides**rounds
    knockout = KnockoutScheduler(names(size), sides, sides)
    begun = play(knockout, size)
    assert knockout.done
    places = final_places(list(knockout.matches()))
    assert places[0] == (1, "n0")
    assert len(places) == size
    assert len(begun) == sides * (size - 1) // (sides - 1)
    seats = Counter((name, seat) for p in begun for seat, name in enumerate(p.entries))
    assert len({seats["n0", seat] for seat in range(sides)}) == 1


def test_the_bracket_shows_what_decided() -> None:
    knockout = KnockoutScheduler(names(3), 2, 2)
    play(knockout, 3)
    assert bracket_markdown(knockout.matches()) == (
        "| match        | entries | points | games | winner | decided by |\n"
        "| ------------ | ------- | ------ | ----: | ------ | ---------- |\n"
        "| semi-final 1 | n0      |        |     0 | n0     | bye        |\n"
        "| semi-final 2 | n1 - n2 | 2 - 0  |     2 | n1     | points     |\n"
        "| final        | n0 - n1 | 2 - 0  |     2 | n0     | points     |\n"
    )


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected 4, 16, 64, \.\.\. entries"):
        rounds_for(8, 4)
    with pytest.raises(ValueError, match="expected 2 or more entries"):
        rounds_for(1, 2)
    with pytest.raises(ValueError, match="expected games a match to be a multiple of 2, got 3"):
        KnockoutScheduler(names(4), 2, 3)
    with pytest.raises(ValueError, match="expected no late entry in a knockout"):
        KnockoutScheduler(names(4), 2, 2).join(Entry("x", ("x",)))


def test_before_the_end_who_is_still_in_shares_the_first_place() -> None:
    knockout = KnockoutScheduler(names(8), 2, 2)
    for _ in range(10):  # the quarter-finals, and the first semi-final
        pairing = knockout.next(everybody(8))
        assert pairing is not None
        knockout.start(pairing)
        knockout.finish(strongest_first(pairing))
    assert stages_of(list(knockout.matches())) == [
        Stage(("n0", "n1", "n2"), None),
        Stage(("n3",), "semi-final"),
        Stage(("n4", "n5", "n6", "n7"), "quarter-final"),
    ]


def test_a_table_of_a_knockout_says_in_which_match_or_round_somebody_was_put_below() -> None:
    knockout = KnockoutScheduler(names(9), 2, 2)
    results = []
    while pairing := knockout.next(everybody(9)):
        knockout.start(pairing)
        results.append(strongest_first(pairing))
        knockout.finish(results[-1])
    ruling = Disqualification(reason="two programs", entry="n1")
    table = standings(results, names(9), amendments=[ruling])
    placed = knockout_standings(table, list(knockout.matches()))
    assert [(row.rank, row.entry, row.decided_by) for row in placed.rows] == [
        (1, "n0", None),
        (2, "n2", "semi-final"),
        (3, "n3", "match for the third place"),
        (4, "n4", "quarter-final"),
        (4, "n5", None),
        (4, "n6", None),
        (4, "n7", None),
        (8, "n8", "round 1"),
        (None, "n1", None),
    ]
    assert placed.tie_breaks == ()
    assert placed.notes == ("n1: disqualified (two programs)",)
