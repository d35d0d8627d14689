from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.chance import Chance
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.ladder import LadderScheduler
from sternhalma_tournament.schedule import Pairing, opening_key
from sternhalma_tournament.scores import GameResult
from tournaments.results import game


def ladder(size: int, sides: int = 2, spread: int = 10, seed: int = 0) -> LadderScheduler:
    scheduler = LadderScheduler(sides, spread=spread, seed=seed)
    for name in names(size):
        scheduler.join(Entry(name, (name,)))
    return scheduler


def names(size: int) -> list[str]:
    return [f"n{n}" for n in range(size)]


def next_of(scheduler: LadderScheduler, free: dict[str, int]) -> Pairing:
    pairing = scheduler.next(free)
    assert pairing is not None
    return pairing


def begin(scheduler: LadderScheduler, free: dict[str, int]) -> Pairing:
    pairing = next_of(scheduler, free)
    scheduler.start(pairing)
    return pairing


def play(scheduler: LadderScheduler, free: dict[str, int], games: int) -> list[Pairing]:
    """So many games, one after the other, all won by who moves first."""
    played: list[Pairing] = []
    for _ in range(games):
        pairing = begin(scheduler, free)
        sides = range(1, len(pairing.entries) + 1)
        scheduler.finish(game(pairing.number, pairing.entries, sides))
        played.append(pairing)
    return played


class Hall:
    """A ladder with bots that come, go, get stuck and are renewed, and books kept apart from it."""

    def __init__(self, sides: int, slots: list[int], spread: int, seed: int) -> None:
        self.scheduler = ladder(len(slots), sides, spread, seed)
        self.slots = dict(zip(names(len(slots)), slots, strict=True))
        self.present: set[str] = set()
        self.withdrawn: set[str] = set()
        self.running: list[Pairing] = []
        self.spread = spread
        self.sides = sides
        self.last = 0
        self.over = 0

    def free(self) -> dict[str, int]:
        busy = Counter(name for pairing in self.running for name in pairing.entries)
        return {name: self.slots[name] - busy[name] for name in sorted(self.present)}

    def levels(self) -> dict[str, int]:
        return {name: self.scheduler.level(name) for name in self.present - self.withdrawn}

    def arrive_or_leave(self, name: str) -> None:
        before = self.levels()
        self.present ^= {name}
        self.scheduler.next(self.free())
        after = self.levels()
        # Nobody else's level is touched, and who arrives is among the others or keeps up with them.
        assert all(after[other] == before[other] for other in before.keys() & after.keys())
        if name in after and before:
            low, high = min(before.values()), max(before.values())
            assert low <= after[name] < max(high + 1, low + self.spread)

    def begin(self) -> bool:
        free = self.free()
        pairing = self.scheduler.next(free)
        assert pairing == self.scheduler.next(free)
        levels = self.levels()
        waiting = {name for name in levels if free[name] > 0}
        if pairing is None:
            all_wait = waiting == levels.keys()
            assert not (all_wait and len(waiting) >= self.sides), "all wait and nobody may begin"
            return False
        assert pairing.number == self.last + 1
        assert len(set(pairing.entries)) == len(pairing.entries) == self.sides
        assert waiting.issuperset(pairing.entries)
        lowest = min(levels[name] for name in waiting)
        assert all(levels[name] - lowest < self.spread for name in pairing.entries)
        self.scheduler.start(pairing)
        after = self.levels()
        assert all(after[name] == levels[name] + 1 for name in pairing.entries)
        # Who waits keeps its level, who plays may be lifted, and all are in reach of each other.
        assert all(after[n] == levels[n] for n in waiting.difference(pairing.entries))
        assert all(after[name] >= levels[name] for name in levels)
        assert max(after.values()) - min(after.values()) < self.spread
        self.last = pairing.number
        self.running.append(pairing)
        return True

    def end(self, which: int, how: int) -> None:
        pairing = self.running.pop(which % len(self.running))
        if how == 0:
            self.scheduler.release(pairing.number)
            return
        reason = "server-fault" if how == 1 else "goal"
        places = range(1, self.sides + 1)
        self.scheduler.finish(game(pairing.number, pairing.entries, places, reason=reason))
        self.over += 1


HALLS = st.integers(2, 4).flatmap(
    lambda sides: st.builds(
        Hall,
        st.just(sides),
        st.lists(st.integers(1, 3), min_size=sides, max_size=9),
        st.integers(2, 5),
        st.integers(0, 99),
    )
)
STEPS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 99), st.integers(0, 7)), min_size=20, max_size=150
)


@settings(deadline=None, max_examples=100)
@given(HALLS, STEPS)
def test_nobody_begins_a_game_too_far_ahead_whoever_comes_leaves_or_is_renewed(
    hall: Hall, steps: list[tuple[int, int, int]]
) -> None:
    everybody = sorted(hall.slots)
    for step, which, how in steps:
        name = everybody[which % len(everybody)]
        if step <= 2:
            hall.arrive_or_leave(name)
        elif step == 3 and how == 0:
            hall.scheduler.renew(name, str(which))
        elif step == 3 and how == 1:
            (hall.withdrawn.discard if name in hall.withdrawn else hall.withdrawn.add)(name)
            turn = hall.scheduler.withdraw if name in hall.withdrawn else hall.scheduler.reinstate
            turn(name)
        elif step <= 5 and hall.running:
            hall.end(which, how)
        else:
            hall.begin()
        assert hall.scheduler.why(name, hall.free()).startswith(name)
        assert hall.scheduler.games == len(hall.running) + hall.over
        assert not hall.scheduler.done


def test_a_number_is_not_used_again_after_a_game_that_was_not_played() -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    first = begin(scheduler, free)
    scheduler.release(first.number)
    assert scheduler.games == 0
    assert begin(scheduler, free).number == 2
    with pytest.raises(ValueError, match="expected the number of a running game, got 1"):
        scheduler.release(1)


@settings(deadline=None, max_examples=60)
@given(HALLS, st.lists(st.tuples(st.integers(0, 2), st.integers(0, 99)), min_size=80, max_size=160))
def test_nobody_begins_games_without_end_while_another_waits(
    hall: Hall, steps: list[tuple[int, int]]
) -> None:
    hall.present = set(hall.slots)
    seen = {name: Counter[str]() for name in hall.slots}  # games begun while it waited
    for step, which in steps:
        if (step == 0 and hall.running) or not hall.begin():
            hall.end(which, how=2)
            continue
        entries = hall.running[-1].entries
        for name, free in hall.free().items():
            if name in entries or not free:
                seen[name].clear()
            else:
                seen[name].update(entries)
        # At first it may be so far ahead of another, and in the end so far behind.
        assert all(
            games <= 2 * (hall.spread - 1) for one in seen.values() for games in one.values()
        )


@settings(deadline=None, max_examples=60)
@given(st.integers(3, 4), st.integers(0, 3), st.lists(st.integers(0, 9), max_size=40))
def test_a_ladder_that_was_stopped_goes_on_as_if_it_had_not_been(
    sides: int, more: int, how: list[int]
) -> None:
    first, again = ladder(sides + more, sides), ladder(sides + more, sides)
    free = dict.fromkeys(names(sides + more), 1)
    results: list[GameResult] = []
    for kind in how:
        pairing = begin(first, free)
        places = range(1, sides + 1) if kind % 2 else range(sides, 0, -1)
        reason = "goal" if kind else "server-fault"
        results.append(game(pairing.number, pairing.entries, places, reason=reason))
        first.finish(results[-1])
    running = begin(first, free)
    again.resume(results[: len(how) // 2])
    again.resume(results[len(how) // 2 :])
    again.start(running)
    assert again.games == first.games == len(how) + 1
    assert again.next(free) == first.next(free)
    assert all(again.strength(name) == first.strength(name) for name in free)


@given(st.permutations(names(5)), st.permutations(names(5)))
def test_the_games_depend_on_no_order_in_which_bots_are_named(
    joined: list[str], listed: list[str]
) -> None:
    scheduler = LadderScheduler(2, seed=3)
    for name in joined:
        scheduler.join(Entry(name, (name,)))
    as_ever = play(ladder(5, seed=3), dict.fromkeys(names(5), 1), 12)
    assert play(scheduler, dict.fromkeys(listed, 1), 12) == as_ever


def test_another_seed_is_another_ladder() -> None:
    free = dict.fromkeys(names(6), 1)
    assert play(ladder(6, seed=1), free, 9) != play(ladder(6, seed=2), free, 9)


def test_two_play_the_same_opening_again_with_seats_swapped_and_then_another() -> None:
    first, second, third, fourth = play(ladder(2), dict.fromkeys(names(2), 1), 4)
    assert first.entries == second.entries[::-1]
    assert first.opening == second.opening == f"n0+n1:{first.number}"
    assert third.entries == fourth.entries[::-1]
    assert third.opening == fourth.opening != first.opening


def test_a_return_is_played_before_a_game_against_anybody_else() -> None:
    scheduler = ladder(2)
    (first,) = play(scheduler, {"n0": 1, "n1": 1}, 1)
    for name in ("late", "later"):
        scheduler.join(Entry(name, (name,)))
    play(scheduler, {"late": 1, "later": 1}, 2)
    # All but one need a game less, and strangers would teach as much.
    second = begin(scheduler, {"n0": 1, "n1": 1, "later": 1})
    assert second.entries == first.entries[::-1]
    assert second.opening == first.opening


def test_no_game_is_the_return_of_one_that_still_runs() -> None:
    scheduler = ladder(2)
    hall = {"n0": 2, "n1": 2}
    first, second = begin(scheduler, hall), begin(scheduler, hall)
    assert second.opening != first.opening
    for pairing in (second, first):
        scheduler.finish(game(pairing.number, pairing.entries, (1, 2)))
    for before in (first, second):
        again = begin(scheduler, hall)
        assert (again.entries, again.opening) == (before.entries[::-1], before.opening)


def test_after_a_stop_no_game_waits_for_its_return_but_seats_are_made_up_for() -> None:
    scheduler = ladder(2)
    (first,) = play(scheduler, {"n0": 1, "n1": 1}, 1)
    again = ladder(2)
    again.resume([game(1, first.entries, (1, 2))])
    second = next_of(again, {"n0": 1, "n1": 1})
    assert second.entries == first.entries[::-1]
    assert second.opening == "n0+n1:2"


def test_a_new_version_plays_no_return_of_a_game_of_the_old_one() -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    scheduler.renew("n0", "1")
    (first,) = play(scheduler, free, 1)
    scheduler.renew("n0", "2")
    second = next_of(scheduler, free)
    assert second.opening != first.opening


def test_a_first_game_of_the_old_version_waits_for_no_return() -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    scheduler.renew("n0", "1")
    first = begin(scheduler, free)
    scheduler.renew("n0", "2")
    scheduler.finish(game(first.number, first.entries, (1, 2)))
    assert next_of(scheduler, free).opening == "n0+n1:2"


def test_a_return_that_was_not_played_is_not_to_come_for_the_next_version() -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    scheduler.renew("n0", "1")
    play(scheduler, free, 1)
    second = begin(scheduler, free)
    scheduler.renew("n0", "2")
    scheduler.release(second.number)
    assert next_of(scheduler, free).opening == "n0+n1:3"


def test_a_return_that_was_not_played_is_still_to_come() -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    (first,) = play(scheduler, free, 1)
    scheduler.release(begin(scheduler, free).number)
    second = begin(scheduler, free)
    assert (second.entries, second.opening) == (first.entries[::-1], first.opening)


@pytest.mark.parametrize("games", [0, 1])
def test_a_void_game_is_no_part_of_a_pair_and_takes_its_first_game_with_it(games: int) -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    before = {pairing.opening for pairing in play(scheduler, free, games)}
    void = begin(scheduler, free)
    scheduler.finish(game(void.number, void.entries, (1, 1), reason="aborted"))
    first, second = play(scheduler, free, 2)
    assert first.opening == second.opening not in before | {void.opening}


def every_opening_explained(games: list[Pairing]) -> bool:
    """Each game has its own opening, or is the only return of one before it."""
    firsts: dict[str, Pairing] = {}
    for pairing in games:
        if pairing.opening == opening_key(pairing.entries, str(pairing.number)):
            firsts[pairing.opening] = pairing
        else:
            first = firsts.pop(pairing.opening, None)
            if first is None or first.entries != pairing.entries[::-1]:
                return False
    return True


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=60))
def test_whatever_happens_every_opening_is_explained_by_the_games_that_were_played(
    steps: list[tuple[int, int]],
) -> None:
    scheduler, hall = ladder(3), Counter(dict.fromkeys(names(3), 2))
    running: list[Pairing] = []
    results: list[GameResult] = []
    played: list[Pairing] = []
    for step, which in steps:
        pairing = scheduler.next(hall)
        if step == 0:
            # The server stops and goes on.
            scheduler = ladder(3)
            scheduler.resume(sorted(results, key=lambda result: result.number))
            for one in running:
                scheduler.start(one)
        elif step == 1:
            scheduler.renew(f"n{which % 3}", str(which))
        elif step < 6 and running:
            ended = running.pop(which % len(running))
            hall.update(ended.entries)
            if step == 2:
                scheduler.release(ended.number)
                continue
            reason = "aborted" if step == 3 else "goal"
            results.append(game(ended.number, ended.entries, (1, 2), reason=reason))
            scheduler.finish(results[-1])
            played.append(ended)
        elif pairing is not None:
            scheduler.start(pairing)
            running.append(pairing)
            hall.subtract(pairing.entries)
    assert every_opening_explained(sorted(played, key=lambda pairing: pairing.number))


@pytest.mark.parametrize("sides", [2, 3, 4, 6])
def test_seats_stay_balanced_for_each_bot(sides: int) -> None:
    seats = {name: [0] * sides for name in names(13)}
    free = dict.fromkeys(seats, 1)
    running: list[Pairing] = []
    scheduler, chance = ladder(13, sides), Chance("seats")
    for _ in range(900):
        pairing = scheduler.next(free)
        if pairing is None or chance.below(3) == 0 < len(running):
            pairing = running.pop(chance.below(len(running)))
            free.update((name, free[name] + 1) for name in pairing.entries)
            if chance.below(4) == 0:
                scheduler.release(pairing.number)
                for seat, name in enumerate(pairing.entries):
                    seats[name][seat] -= 1
                continue
            places = [chance.below(3) for _ in range(sides)]
            scheduler.finish(game(pairing.number, pairing.entries, places))
            continue
        scheduler.start(pairing)
        running.append(pairing)
        for seat, name in enumerate(pairing.entries):
            seats[name][seat] += 1
            free[name] -= 1
    assert max(max(counts) - min(counts) for counts in seats.values()) <= 3


def test_memory_does_not_grow_with_the_number_of_games() -> None:
    scheduler = ladder(3)
    free = dict.fromkeys(names(3), 1)
    played = play(scheduler, free, 10_000)
    at_ten_thousand = scheduler.held
    scheduler.resume(
        game(number, played[number % 1000].entries, (1, 2)) for number in range(10_001, 100_001)
    )
    assert scheduler.games == 100_000
    assert scheduler.held <= at_ten_thousand + 3 < 120


def test_a_newcomer_goes_first_and_starts_level_with_the_lowest() -> None:
    scheduler = ladder(6)
    free = dict.fromkeys(names(6), 1)
    play(scheduler, free, 301)
    scheduler.join(Entry("late", ("late",)))
    assert "late" in begin(scheduler, free | {"late": 1}).entries
    lowest = min(scheduler.level(name) for name in free)
    assert scheduler.level("late") == lowest + 1 > 90


def test_a_new_version_needs_games_first_and_is_unsure_around_its_predecessor() -> None:
    scheduler = ladder(6)
    free = dict.fromkeys(names(6), 1)
    scheduler.renew("n3", "1")
    play(scheduler, free, 300)
    before = scheduler.strength("n3")
    scheduler.renew("n3", "1")
    assert scheduler.strength("n3") == before
    scheduler.renew("n3", "2")
    after = scheduler.strength("n3")
    assert after.mean == before.mean
    assert after.deviation > 3 * before.deviation
    assert all("n3" in pairing.entries for pairing in play(scheduler, free, 5))


def test_a_game_of_the_old_version_tells_nothing_about_the_new_one() -> None:
    scheduler = ladder(2)
    free = dict.fromkeys(names(2), 1)
    scheduler.renew("n0", "1")
    pairing = begin(scheduler, free)
    scheduler.renew("n0", "2")
    unsure, other = scheduler.strength("n0"), scheduler.strength("n1")
    scheduler.finish(game(pairing.number, pairing.entries, (1, 2)))
    assert scheduler.strength("n0") == unsure
    assert scheduler.strength("n1") != other


def test_who_comes_back_has_nothing_to_catch_up_and_is_not_caught_up_with() -> None:
    scheduler = ladder(5)
    free = dict.fromkeys(names(5), 1)
    play(scheduler, free, 10)
    without = {name: 1 for name in free if name != "n0"}
    play(scheduler, without, 200)
    play(scheduler, free, 1)
    levels = [scheduler.level(name) for name in free]
    assert max(levels) - min(levels) < 10
    scheduler.next({"n0": 1, "n1": 1})
    play(scheduler, {"n0": 1, "n1": 1}, 100)
    play(scheduler, free, 1)
    levels = [scheduler.level(name) for name in free]
    assert max(levels) - min(levels) < 10


def test_a_new_connection_buys_no_games() -> None:
    scheduler = ladder(3, spread=3)
    begin(scheduler, {"n0": 1, "n1": 2, "n2": 2})
    # Whoever plays its only game is the lowest and holds the others back.
    hall = {"n0": 0, "n1": 1, "n2": 1}
    while scheduler.next(hall):
        begin(scheduler, hall)
    level = scheduler.level("n1")
    scheduler.next({"n0": 0, "n2": 1})
    assert scheduler.next(hall) is None
    assert scheduler.level("n1") == level


def test_one_meets_nearly_everybody_even_if_some_are_closer() -> None:
    scheduler = ladder(12)
    free = dict.fromkeys(names(12), 1)
    met = Counter(frozenset(pairing.entries) for pairing in play(scheduler, free, 12 * 22))
    assert len(met) > 50  # of 66
    assert max(met.values()) <= 10


def test_a_spread_of_one_cannot_be_promised_and_is_two() -> None:
    assert len(play(ladder(3, spread=1), dict.fromkeys(names(3), 1), 9)) == 9


def test_an_entry_on_two_seats_needs_two_connections_and_counts_once() -> None:
    scheduler = LadderScheduler(2, seats=2)
    scheduler.join(Entry("x", ("x",)))
    scheduler.join(Entry("y", ("y", "z")))
    assert scheduler.next({"x": 1, "y": 1, "z": 1}) is None
    assert (
        scheduler.why("x", {"x": 1, "y": 1, "z": 1}) == "x waits for 2 connections of x to be free"
    )
    assert scheduler.next({"x": 2, "y": 1}) is None
    pairing = begin(scheduler, {"x": 2, "y": 1, "z": 1})
    one, other = pairing.entries
    scheduler.finish(game(1, (one, other, one, other), (1, 3, 1, 3)))
    assert scheduler.strength(one).mean > 0 > scheduler.strength(other).mean
    assert begin(scheduler, {"x": 2, "y": 1, "z": 1}).entries == (other, one)


def test_nobody_waits_for_an_entry_with_too_few_connections_for_any_game() -> None:
    scheduler = LadderScheduler(2, seats=2)
    for name in names(3):
        scheduler.join(Entry(name, (name,)))
    assert len(play(scheduler, {"n0": 2, "n1": 2, "n2": 1}, 50)) == 50


def test_nobody_waits_for_a_bot_that_something_else_keeps_busy() -> None:
    scheduler = ladder(4)
    free = dict.fromkeys(names(4), 1)
    play(scheduler, free, 4)
    assert all("n0" not in one.entries for one in play(scheduler, free | {"n0": 0}, 60))
    play(scheduler, free, 1)
    assert scheduler.level("n0") > 20


def play_beside(scheduler: LadderScheduler, most: int, **others: int) -> int:
    """How many games n0 and n1 play one after the other, with *others* connected too."""
    hall = {"n0": 1, "n1": 1}
    for games in range(most):
        pairing = scheduler.next(hall | others)
        if pairing is None:
            return games
        scheduler.start(pairing)
        scheduler.finish(game(pairing.number, pairing.entries, (1, 2)))
    return most


def test_two_do_not_play_each_other_for_ever_while_others_are_playing() -> None:
    scheduler = ladder(4)
    running = begin(scheduler, {"n2": 1, "n3": 1})
    assert play_beside(scheduler, 40, n2=0, n3=0) == 4
    assert scheduler.why("n0", {"n0": 1, "n1": 1, "n2": 0, "n3": 0}) == (
        "n0 waits for opponents: n2 (playing game 1) and n3 (playing game 1)"
    )
    scheduler.finish(game(1, running.entries, (1, 2)))
    play(scheduler, {"n2": 1, "n3": 1}, 1)  # its return
    mixed = begin(scheduler, dict.fromkeys(names(4), 1)).entries
    assert set(mixed) not in ({"n0", "n1"}, {"n2", "n3"})


def test_a_return_is_played_even_by_two_who_should_rather_wait_for_others() -> None:
    scheduler = ladder(4)
    begin(scheduler, {"n2": 1, "n3": 1})
    scheduler.release(begin(scheduler, {"n0": 1, "n1": 1}).number)
    assert play_beside(scheduler, 40, n2=0, n3=0) == 4
    assert scheduler.next({"n0": 1, "n1": 1, "n2": 0, "n3": 0}) is None


def test_two_play_each_other_for_ever_if_nobody_else_is_there() -> None:
    scheduler = ladder(4)
    begin(scheduler, {"n2": 1, "n3": 1})
    assert play_beside(scheduler, 40) == 40
    assert play_beside(ladder(4), 40, n2=0, n3=0) == 40


def test_a_slow_bot_sets_the_pace_of_nobody() -> None:
    scheduler = ladder(5, spread=3)
    begin(scheduler, {"n3": 1, "n4": 1})
    hall = {"n0": 1, "n1": 1, "n2": 1, "n3": 0, "n4": 0}
    assert len(play(scheduler, hall, 100)) == 100
    # It has not fallen out of reach either, to be owed a hundred games.
    levels = [scheduler.level(name) for name in names(5)]
    assert max(levels) - min(levels) < 3


def test_a_game_that_ran_when_the_server_stopped_keeps_its_number() -> None:
    scheduler = ladder(4)
    running = begin(scheduler, dict.fromkeys(names(4), 1))
    others = sorted(set(names(4)).difference(running.entries))
    again = ladder(4)
    again.resume([game(5, others, (1, 2))])
    again.start(running)
    assert next_of(again, dict.fromkeys(others, 1)).number == 6


def test_who_has_withdrawn_is_not_called_until_reinstated() -> None:
    scheduler = ladder(3)
    free = dict.fromkeys(names(3), 1)
    scheduler.withdraw("n1", forfeit=True)
    assert all("n1" not in pairing.entries for pairing in play(scheduler, free, 20))
    assert scheduler.why("n1", free) == "n1 is withdrawn"
    scheduler.reinstate("n1")
    assert "n1" in next_of(scheduler, free).entries


def test_what_is_not_of_the_ladder_is_refused() -> None:
    scheduler = ladder(3)
    with pytest.raises(ValueError, match="expected a new name for an entry, got 'N1'"):
        scheduler.join(Entry("N1", ("x",)))
    with pytest.raises(ValueError, match="expected bots that are in no entry, got 'n2' in"):
        scheduler.join(Entry("x", ("n2",)))
    for call in (scheduler.strength, scheduler.level, scheduler.withdraw, scheduler.reinstate):
        with pytest.raises(ValueError, match="expected an entry of the ladder, got 'x'"):
            call("x")
    with pytest.raises(ValueError, match="expected an entry of the ladder, got 'x'"):
        scheduler.finish(game(1, ("n0", "x"), (1, 2)))
    with pytest.raises(ValueError, match="expected 2 different entries, got"):
        scheduler.finish(game(1, ("n0", "n0"), (1, 1)))
    assert scheduler.games == 0
    pairing = begin(scheduler, dict.fromkeys(names(3), 1))
    with pytest.raises(ValueError, match="expected the number of a game to come, got"):
        scheduler.start(pairing)
    with pytest.raises(ValueError, match=r"expected the entries of .*, got"):
        scheduler.finish(game(1, pairing.entries[::-1], (1, 2)))
    with pytest.raises(ValueError, match="expected two sides or more, got 1"):
        LadderScheduler(1)


def test_why_names_what_an_author_waits_for() -> None:
    scheduler = ladder(4, spread=3)
    assert scheduler.why("n0", {}) == "n0 waits for n0 to connect"
    assert scheduler.why("n0", {"n0": 1}) == "n0 waits for 1 more to connect or to be free"
    first = begin(scheduler, {"n0": 1, "n1": 1})
    assert first.number == 1
    assert (
        scheduler.why("n0", {"n0": 0, "n1": 0})
        == "n0 waits for a connection of n0 to be free (playing game 1)"
    )
    hall = {"n0": 0, "n1": 0, "n2": 1}
    assert (
        scheduler.why("n2", hall)
        == "n2 waits for opponents: n0 (playing game 1) and n1 (playing game 1)"
    )
    hall = {"n0": 0, "n2": 1, "n3": 1}
    number = next_of(scheduler, hall).number
    assert (
        scheduler.why("n2", hall) == f"n2 may begin game {number} as soon as the server has room"
        " for it"
    )
    with pytest.raises(ValueError, match="expected an entry of the ladder, got 'x'"):
        scheduler.why("x", {})


def test_why_tells_who_is_too_far_ahead_of_whom() -> None:
    scheduler = ladder(4, spread=3)
    hall = dict.fromkeys(names(4), 1)
    play(scheduler, hall, 6)
    sentences: list[str] = []
    for version in range(5):
        # A new version needs games more than anybody.
        scheduler.renew("n2", str(version))
        sentences.append(scheduler.why("n2", hall))
        play(scheduler, hall, 1)
    sentence = next(one for one in sentences if "may begin" not in one)
    assert sentence.startswith("n2 waits, being 2 games ahead of n")
    assert sentence.endswith(", who may play: nobody may get 3 ahead")


def test_why_tells_who_goes_first() -> None:
    scheduler = ladder(3)
    free = dict.fromkeys(names(3), 1)
    pairing = next_of(scheduler, free)
    (third,) = set(free).difference(pairing.entries)
    one, other = sorted(pairing.entries)
    sentence = scheduler.why(third, free)
    assert sentence in {
        f"{third} waits while a game of {one} and {other} goes first",
        f"{third} waits while a game of {other} and {one} goes first",
    }
