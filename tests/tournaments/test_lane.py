from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.gauntlet import gauntlet_table
from sternhalma_tournament.lane import Lane
from sternhalma_tournament.roundrobin import round_robin
from sternhalma_tournament.schedule import Pairing, Schedule


def names(size: int) -> list[Entry]:
    return [Entry(str(n), (str(n),)) for n in range(size)]


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Round robins and gauntlets of up to nine entries."""
    sides = draw(st.sampled_from([2, 2, 3, 4]))
    size = draw(st.integers(sides, 9))
    cycles = draw(st.integers(1, 3))
    if draw(st.booleans()):
        return round_robin(names(size), sides, cycles)
    challengers = draw(st.integers(1, size - sides + 1))
    table = gauntlet_table(size, challengers, sides)
    return Schedule(tuple(names(size)), table, cycles, challengers)


class Hall:
    """Plays the games of a lane in whatever order the drawn numbers say, and keeps the books."""

    def __init__(self, schedule: Schedule, slots: dict[str, int], spread: int = 2) -> None:
        self.schedule = schedule
        self.lane = Lane(schedule, spread=spread)
        self.slots = slots
        self.present = set(slots)
        self.running: list[Pairing] = []
        self.played = Counter[str]()
        self.ended = Counter[str]()
        self.begun: list[int] = []

    def free(self) -> dict[str, int]:
        busy = Counter(name for pairing in self.running for name in pairing.entries)
        return {name: self.slots[name] - busy[name] for name in self.present}

    def begin(self) -> bool:
        pairing = self.lane.next(self.free())
        if pairing is None:
            return False
        free = self.free()
        assert all(free.get(name, 0) > 0 for name in pairing.entries)
        self.lane.start(pairing)
        self.running.append(pairing)
        self.begun.append(pairing.number)
        self.played.update(pairing.entries)
        return True

    def end(self, which: int) -> None:
        pairing = self.running.pop(which % len(self.running))
        self.lane.finish(pairing.number)
        self.ended.update(pairing.entries)

    def gap(self) -> int:
        """The widest spread in a group, of games begun and of games ended."""
        order = [entry.name for entry in self.schedule.entries]
        cut = self.schedule.challengers
        groups = [group for group in (order[:cut], order[cut:]) if group]
        return max(
            max(counts) - min(counts)
            for played in (self.played, self.ended)
            for counts in ([played[name] for name in group] for group in groups)
        )


SLOTS = st.lists(st.integers(1, 4), min_size=9, max_size=9)
CHOICES = st.lists(st.integers(0, 99), min_size=1, max_size=40)


def slots_of(schedule: Schedule, slots: list[int]) -> dict[str, int]:
    return {entry.name: slots[place] for place, entry in enumerate(schedule.entries)}


@settings(deadline=None, max_examples=150)
@given(schedules(), SLOTS, CHOICES, st.integers(1, 4))
def test_every_game_is_begun_once_and_nobody_gets_further_ahead_than_the_spread(
    schedule: Schedule, slots: list[int], choices: list[int], spread: int
) -> None:
    hall = Hall(schedule, slots_of(schedule, slots), spread)
    step = 0
    while not hall.lane.done:
        # Some numbers leave a free game unbegun for a while, as a server with few cores does.
        choice = choices[step % len(choices)]
        step += 1
        began = (choice % 3 > 0 or not hall.running) and hall.begin()
        assert began or hall.running
        assert hall.gap() <= hall.lane.spread
        if not began:
            hall.end(choice)
            assert hall.gap() <= hall.lane.spread
    assert sorted(hall.begun) == list(range(1, len(schedule) + 1))


@settings(deadline=None, max_examples=150)
@given(schedules(), SLOTS, CHOICES)
def test_whoever_leaves_and_returns_every_game_is_played_in_the_end(
    schedule: Schedule, slots: list[int], choices: list[int]
) -> None:
    hall = Hall(schedule, slots_of(schedule, slots))
    everybody = sorted(hall.slots)
    for choice in choices * 3:
        name = everybody[choice % len(everybody)]
        if choice % 5 == 0:
            hall.present ^= {name}
        before = hall.played.copy()
        here = [other for other in hall.present if other in before]
        if not hall.begin() and hall.running:
            hall.end(choice)
        assert len(here) <= len(everybody)
    hall.present = set(everybody)
    while not hall.lane.done:
        if not hall.begin():
            assert hall.running
            hall.end(0)
    assert sorted(hall.begun) == list(range(1, len(schedule) + 1))


@settings(deadline=None, max_examples=100)
@given(schedules(), CHOICES)
def test_the_present_play_on_without_the_absent(schedule: Schedule, choices: list[int]) -> None:
    hall = Hall(schedule, slots_of(schedule, [2] * 9))
    hall.present -= {"0"}
    while hall.begin() or hall.running:
        if hall.running:
            hall.end(choices[len(hall.begun) % len(choices)])
    others = [pairing for pairing in schedule if "0" not in pairing.entries]
    assert sorted(hall.begun) == [pairing.number for pairing in others]


@settings(deadline=None, max_examples=60)
@given(schedules(), CHOICES, st.integers(0, 8))
def test_the_games_of_a_withdrawn_entry_are_left_out(
    schedule: Schedule, choices: list[int], who: int
) -> None:
    hall = Hall(schedule, slots_of(schedule, [2] * 9))
    name = str(who % len(schedule.entries))
    for choice in choices:
        if not hall.begin() and hall.running:
            hall.end(choice)
    before = [number for number in hall.begun if name in schedule.pairing(number).entries]
    hall.lane.withdraw(name)
    while hall.begin() or hall.running:
        if hall.running:
            hall.end(0)
    after = [number for number in hall.begun if name in schedule.pairing(number).entries]
    assert before == after
    assert hall.lane.done
    assert hall.lane.games == len(hall.begun)


def test_a_withdrawn_entry_may_be_called_for_forfeits() -> None:
    hall = Hall(round_robin(names(4), 2, 1), {"0": 1, "1": 1, "2": 1})
    hall.lane.withdraw("3", forfeit=True)
    hall.slots["3"] = 9
    begun = []
    while pairing := hall.lane.next({"0": 1, "1": 1, "2": 1}):
        hall.lane.start(pairing)
        hall.lane.finish(pairing.number)
        begun.append(pairing.number)
    assert sorted(begun) == [1, 2, 3, 4, 5, 6]


@settings(deadline=None, max_examples=60)
@given(schedules(), CHOICES)
def test_after_a_stop_the_games_go_on_where_they_were(
    schedule: Schedule, choices: list[int]
) -> None:
    hall = Hall(schedule, slots_of(schedule, [3] * 9))
    for choice in choices:
        if not (choice % 3 and hall.begin()) and hall.running:
            hall.end(choice)
    running = {pairing.number for pairing in hall.running}
    again = Lane(schedule)
    again.resume(iter(sorted(set(hall.begun) - running)))
    for pairing in hall.running:
        again.start(pairing)
    hall.lane = again
    while not hall.lane.done:
        if not hall.begin():
            hall.end(0)
        assert hall.gap() <= hall.lane.spread
    assert sorted(hall.begun) == list(range(1, len(schedule) + 1))


def test_asking_twice_gives_the_same_game() -> None:
    lane = Lane(round_robin(names(6), 2, 2))
    free = {str(n): 1 for n in range(6)}
    assert lane.next(free) == lane.next(free)


def test_a_released_game_is_called_again_in_its_place() -> None:
    lane = Lane(round_robin(names(4), 2, 1))
    free = {str(n): 2 for n in range(4)}
    first = lane.next(free)
    assert first is not None
    lane.start(first)
    second = lane.next(free)
    assert second is not None
    lane.start(second)
    lane.release(first.number)
    assert lane.next(free) == first
    assert lane.begun("0") == 0


def test_a_released_game_of_one_who_has_left_is_left_out() -> None:
    lane = Lane(round_robin(names(2), 2, 1))
    first = lane.next({"0": 1, "1": 1})
    assert first is not None
    lane.start(first)
    lane.withdraw("0")
    lane.release(first.number)
    assert lane.done
    assert lane.games == 0


def test_a_game_begins_once() -> None:
    lane = Lane(round_robin(names(4), 2, 1))
    pairing = round_robin(names(4), 2, 1).pairing(2)
    lane.start(pairing)
    with pytest.raises(ValueError, match="expected a game that has not begun"):
        lane.start(pairing)
    with pytest.raises(ValueError, match="expected the number of a running game, got 1"):
        lane.release(1)


def test_ten_million_games_are_there_at_once_and_few_are_held() -> None:
    schedule = round_robin(names(10), 2, 10_000_000 // 45)
    lane = Lane(schedule)
    free = {str(n): 1 for n in range(10)}
    for _ in range(500):
        pairing = lane.next(free)
        assert pairing is not None
        lane.start(pairing)
        lane.finish(pairing.number)
    assert lane.held < 50


def test_an_old_event_goes_on_without_playing_through_it() -> None:
    schedule = round_robin(names(10), 2, 1_000)
    lane = Lane(schedule)
    lane.resume(iter(range(1, 30_011)))
    assert {lane.begun(str(n)) for n in range(10)} == {6002}
    pairing = lane.next({str(n): 1 for n in range(10)})
    assert pairing is not None
    assert pairing.number == 30_011


def lane_of_four() -> tuple[Lane, dict[str, int]]:
    lane = Lane(round_robin([Entry(name, (name,)) for name in ("ann", "bob", "cy", "di")], 2, 1))
    return lane, {"ann": 1, "bob": 1, "cy": 1, "di": 1}


def test_why_names_the_bot_that_is_not_connected() -> None:
    lane, free = lane_of_four()
    del free["di"]
    assert lane.why("di", free) == "di waits for di to connect"


def test_why_names_an_opponent_who_is_not_connected() -> None:
    lane = Lane(round_robin([Entry(name, (name,)) for name in ("ann", "bob")], 2, 1))
    assert lane.why("ann", {"ann": 1}) == "ann waits for bob, who is not connected (game 1)"


def test_why_names_an_opponent_who_is_playing() -> None:
    lane, free = lane_of_four()
    first = lane.next(free)
    assert first is not None
    lane.start(first)  # ann - di
    free |= {"ann": 0, "di": 0}
    second = lane.next(free)
    assert second is not None
    lane.start(second)  # bob - cy
    lane.finish(second.number)
    assert lane.why("cy", free) == "cy waits for di, who is playing (game 3)"
    assert lane.why("ann", free) == "ann waits for a connection of ann to be free"


def test_why_names_who_is_behind_when_the_spread_is_reached() -> None:
    lane, free = lane_of_four()
    first = lane.next(free)
    assert first is not None
    lane.start(first)
    free |= {"ann": 0, "di": 0}
    while pairing := lane.next(free):
        lane.start(pairing)
        lane.finish(pairing.number)
    # bob and cy can only play each other while ann and di are busy with a long game.
    assert lane.begun("bob") <= lane.begun("ann") + 2
    assert "cy waits" in lane.why("cy", free)


def test_why_says_that_all_is_played_or_withdrawn() -> None:
    lane = Lane(round_robin([Entry(name, (name,)) for name in ("ann", "bob")], 2, 1))
    free = {"ann": 1, "bob": 1}
    lane.finish(1)
    assert lane.why("ann", free) == "ann has begun all its games"
    lane.withdraw("ann")
    assert lane.why("ann", free) == "ann is withdrawn"


def test_why_is_asked_of_entries_of_the_event() -> None:
    lane, free = lane_of_four()
    with pytest.raises(ValueError, match="expected an entry of the event, got 'eve'"):
        lane.why("eve", free)


def test_partners_need_a_connection_each() -> None:
    entries = [Entry("solo", ("s",)), Entry("duo", ("a", "b"))]
    lane = Lane(round_robin(entries, 2, 1), seats=2)
    assert lane.next({"s": 1, "a": 1, "b": 1}) is None
    assert (
        lane.why("solo", {"s": 1, "a": 1, "b": 1}) == "solo waits for 2 connections of s to be free"
    )
    assert lane.next({"s": 2, "a": 1, "b": 1}) is not None


def test_two_with_many_connections_play_as_many_games_at_once() -> None:
    hall = Hall(round_robin(names(2), 2, 40), {"0": 16, "1": 16})
    while hall.begin():
        pass
    assert len(hall.running) == 16


def test_nobody_begins_a_third_game_while_somebody_has_ended_none() -> None:
    hall = Hall(round_robin(names(6), 2, 4), dict.fromkeys("012345", 1))
    assert hall.begin()
    slow = hall.running[0]
    while hall.begin() or len(hall.running) > 1:
        if len(hall.running) > 1:
            hall.end(1)
    ended = {name: hall.ended[name] for name in "012345" if name not in slow.entries}
    assert max(ended.values()) == 2
    waiting = next(name for name in ended if ended[name] == 2)
    assert hall.lane.why(waiting, hall.free()).startswith(f"{waiting} waits ")


def test_why_says_who_is_too_far_ahead_of_whom() -> None:
    hall = Hall(round_robin(names(3), 2, 4), dict.fromkeys("012", 4))
    hall.present = {"0", "1"}
    for _ in range(4):
        assert hall.begin()
        hall.end(0)
    hall.present = {"0", "1", "2"}
    assert hall.begin()
    assert hall.lane.why("0", hall.free()) == (
        "0 waits because 0 has begun 4 games, 2 has ended 0, and nobody may get more than 2 ahead"
        " (game 2)"
    )
