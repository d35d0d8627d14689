from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.ladder import LadderScheduler
from sternhalma_tournament.schedule import Pairing
from tournaments.results import game


def ladder(size: int, sides: int = 2, spread: int = 10, seed: int = 0) -> LadderScheduler:
    scheduler = LadderScheduler(sides, spread=spread, seed=seed)
    for name in names(size):
        scheduler.join(Entry(name, (name,)))
    return scheduler


def names(size: int) -> list[str]:
    return [f"n{n}" for n in range(size)]


def begin(scheduler: LadderScheduler, free: dict[str, int]) -> Pairing:
    pairing = scheduler.next(free)
    assert pairing is not None
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
        if pairing is None:
            able = [name for name in levels if free[name] > 0]
            idle = all(free[name] > 0 for name in levels)
            assert not (idle and len(able) >= self.sides), "all are free and nobody may begin"
            return False
        assert pairing.number == self.last + 1
        assert len(set(pairing.entries)) == len(pairing.entries) == self.sides
        assert all(free[name] > 0 for name in pairing.entries)
        lowest = min(levels.values())
        assert all(levels[name] - lowest < self.spread for name in pairing.entries)
        self.scheduler.start(pairing)
        assert self.levels() == {
            name: level + (name in pairing.entries) for name, level in levels.items()
        }
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


@settings(deadline=None, max_examples=150)
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
