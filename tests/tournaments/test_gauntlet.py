from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.gauntlet import gauntlet_table
from sternhalma_tournament.schedule import Schedule


def gauntlet(challengers: int, field: int, sides: int = 2, cycles: int = 1) -> Schedule:
    size = challengers + field
    entries = tuple(Entry(str(n), (str(n),)) for n in range(size))
    return Schedule(entries, gauntlet_table(size, challengers, sides), cycles, challengers)


DUELS = st.tuples(st.integers(1, 9), st.integers(1, 9))
GROUPS = st.sampled_from([3, 4, 6]).flatmap(
    lambda sides: st.tuples(st.integers(1, 3), st.integers(sides - 1, 9), st.just(sides))
)


@given(DUELS, st.integers(1, 4))
def test_every_challenger_meets_everybody_of_the_field_once_a_cycle(
    numbers: tuple[int, int], cycles: int
) -> None:
    challengers, field = numbers
    met = Counter(frozenset(pairing.entries) for pairing in gauntlet(*numbers, cycles=cycles))
    assert met == Counter(
        {
            frozenset({str(one), str(challengers + other)}): cycles
            for one in range(challengers)
            for other in range(field)
        }
    )


@given(DUELS, st.integers(1, 4))
def test_seats_of_everybody_differ_by_one_at_most(numbers: tuple[int, int], cycles: int) -> None:
    seats = Counter[tuple[str, int]]()
    for pairing in gauntlet(*numbers, cycles=cycles):
        seats.update((name, seat) for seat, name in enumerate(pairing.entries))
    for name in map(str, range(sum(numbers))):
        assert abs(seats[name, 0] - seats[name, 1]) <= 1


@settings(deadline=None)
@given(GROUPS)
def test_after_as_many_cycles_as_seats_everybody_had_every_seat_equally_often(
    numbers: tuple[int, int, int],
) -> None:
    challengers, field, sides = numbers
    schedule = gauntlet(challengers, field, sides, cycles=sides * 2)
    seats = Counter[tuple[str, int]]()
    for pairing in schedule:
        seats.update((name, seat) for seat, name in enumerate(pairing.entries))
    for name in map(str, range(challengers + field)):
        assert len({seats[name, seat] for seat in range(sides)}) == 1


@settings(deadline=None)
@given(GROUPS)
def test_a_game_has_one_challenger_who_meets_the_whole_field(
    numbers: tuple[int, int, int],
) -> None:
    challengers, field, sides = numbers
    met = Counter[tuple[str, str]]()
    for pairing in gauntlet(challengers, field, sides):
        (one,) = (name for name in pairing.entries if int(name) < challengers)
        met.update((one, name) for name in pairing.entries if name != one)
    assert len(met) == challengers * field


@settings(deadline=None)
@given(st.one_of(DUELS.map(lambda pair: (*pair, 2)), GROUPS), st.integers(1, 3))
def test_nobody_gets_further_ahead_of_the_own_group_than_the_table_says(
    numbers: tuple[int, int, int], cycles: int
) -> None:
    schedule = gauntlet(*numbers, cycles=cycles)
    groups = [
        {str(n): 0 for n in range(numbers[0])},
        {str(n): 0 for n in range(numbers[0], numbers[0] + numbers[1])},
    ]
    for pairing in schedule:
        for played in groups:
            least = min(played.values())
            for name in set(played) & set(pairing.entries):
                played[name] += 1
                assert played[name] - least <= schedule.table.spread


@settings(deadline=None)
@given(st.one_of(DUELS.map(lambda pair: (*pair, 2)), GROUPS), st.integers(1, 7))
def test_no_game_is_repeated_with_the_same_seats_and_opening(
    numbers: tuple[int, int, int], cycles: int
) -> None:
    games = [(pairing.entries, pairing.opening) for pairing in gauntlet(*numbers, cycles=cycles)]
    assert len(set(games)) == len(games)


@pytest.mark.parametrize(("size", "challengers", "sides"), [(3, 0, 2), (2, 2, 2), (4, 2, 4)])
def test_a_gauntlet_without_both_groups_is_refused(size: int, challengers: int, sides: int) -> None:
    with pytest.raises(ValueError, match="expected a challenger and a field of at least"):
        gauntlet_table(size, challengers, sides)
