from collections import Counter

import pytest

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.roundrobin import gauntlet, round_robin
from sternhalma_tournament.schedule import Pairing
from tournaments.results import game


def names(size: int) -> list[Entry]:
    return [Entry(f"n{n}", (f"n{n}",)) for n in range(size)]


def free(*more: str, size: int = 4) -> dict[str, int]:
    return dict.fromkeys([*(f"n{n}" for n in range(size)), *more], 1)


def play(league: LeagueScheduler, hall: dict[str, int], most: int = 10**6) -> list[Pairing]:
    begun: list[Pairing] = []
    while len(begun) < most and (pairing := league.next(hall)):
        league.start(pairing)
        begun.append(pairing)
        league.finish(game(pairing.number, pairing.entries, range(1, len(pairing.entries) + 1)))
    return begun


def test_a_late_entry_meets_everybody_as_often_as_they_meet_each_other() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 3))
    begun = play(league, free(), most=5)
    league.join(Entry("late", ("late",)))
    begun += play(league, free("late"))
    met = Counter(frozenset(pairing.entries) for pairing in begun)
    assert set(met.values()) == {3}
    assert len(met) == 10
    assert league.done
    assert league.games == len(begun) == 30


def test_late_games_have_the_numbers_behind_all_others() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 1))
    league.join(Entry("late", ("late",)))
    first = league.next(free("late"))
    assert first is not None
    assert first.number == 7
    assert "late" in first.entries


def test_two_late_entries_meet_each_other_but_nobody_who_left_before() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 1))
    league.withdraw("n0")
    league.join(Entry("late", ("late",)))
    league.join(Entry("later", ("later",)))
    begun = play(league, free("late", "later"))
    met = {frozenset(pairing.entries) for pairing in begun}
    assert frozenset({"late", "later"}) in met
    assert not any("n0" in pairing for pairing in met)


def test_with_more_sides_a_late_entry_gets_about_as_many_games() -> None:
    league = LeagueScheduler(round_robin(names(8), 4, 2))
    league.join(Entry("late", ("late",)))
    begun = play(league, free("late", size=8))
    late = sum("late" in pairing.entries for pairing in begun)
    assert late == 8
    assert all("late" in p.entries for p in begun if p.number > 16)


def test_a_stopped_event_with_a_late_entry_goes_on() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 2))
    begun = play(league, free(), most=4)
    league.join(Entry("late", ("late",)))
    begun += play(league, free("late"), most=9)
    again = LeagueScheduler(round_robin(names(4), 2, 2))
    again.join(Entry("late", ("late",)))
    results = [game(p.number, p.entries, (1, 2)) for p in sorted(begun, key=lambda p: p.number)]
    again.resume(results)
    assert again.next(free("late")) == league.next(free("late"))
    begun += play(again, free("late"))
    assert sorted(p.number for p in begun) == list(range(1, 21))


def test_a_late_entry_needs_a_new_name_and_a_format_that_takes_it() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 1))
    with pytest.raises(ValueError, match="expected a new name for a late entry, got 'N1'"):
        league.join(Entry("N1", ("x",)))
    run = LeagueScheduler(gauntlet(names(4), ["n2"], 2, 1))
    with pytest.raises(ValueError, match="expected no late entry in a gauntlet"):
        run.join(Entry("late", ("late",)))


def test_a_gauntlet_names_its_challengers() -> None:
    begun = play(LeagueScheduler(gauntlet(names(4), ["n2"], 2, 2)), free())
    assert len(begun) == 6
    assert all("n2" in pairing.entries for pairing in begun)


def test_a_game_of_another_event_is_refused() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 1))
    with pytest.raises(ValueError, match="expected the number of a game of the event, got 7"):
        league.finish(game(7, ("n0", "n1"), (1, 2)))


def test_a_game_that_ran_when_its_entry_withdrew_still_ends_after_a_stop() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 1))
    league.withdraw("n0")
    league.start(round_robin(names(4), 2, 1).pairing(1))  # n0 - n3
    league.finish(game(1, ("n0", "n3"), (1, 2)))
    assert len(play(league, free())) == 3
    assert league.games == 4


def test_why_asks_the_late_games_first_and_the_others_when_those_are_begun() -> None:
    league = LeagueScheduler(round_robin(names(3), 2, 1))
    league.join(Entry("late", ("late",)))
    assert "game 4" in league.why("late", free("late", size=3))
    assert league.why("late", free(size=3)) == "late waits for late to connect"
    play(league, free("late", size=3), most=3)
    assert "game 1" in league.why("n1", free("late", size=3))
    with pytest.raises(ValueError, match="expected an entry of the event, got 'x'"):
        league.why("x", {})


def test_a_game_can_be_asked_for_by_its_number_before_and_after_it_has_begun() -> None:
    league = LeagueScheduler(round_robin(names(4), 2, 1))
    league.join(Entry("late", ("late",)))
    asked = [league.pairing(number) for number in range(1, 11)]
    assert sorted(play(league, free("late")), key=lambda pairing: pairing.number) == asked
    assert [league.pairing(number) for number in range(1, 11)] == asked
    with pytest.raises(ValueError, match="expected the number of a game of the event, got 11"):
        league.pairing(11)
