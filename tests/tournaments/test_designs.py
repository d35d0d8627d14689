import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_tournament.balance import Imbalance, balance
from sternhalma_tournament.blocks import DIFFERENCE_SETS, Distances, find_blocks
from sternhalma_tournament.designs import cyclic_design, turned
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.roundrobin import round_robin
from sternhalma_tournament.schedule import Schedule

SIZES = st.integers(3, 6).flatmap(lambda sides: st.tuples(st.integers(sides, 16), st.just(sides)))


def design(size: int, sides: int, cycles: int = 1) -> Schedule:
    return round_robin([Entry(str(n), (str(n),)) for n in range(size)], sides, cycles)


def imbalance(schedule: Schedule) -> Imbalance:
    (group,) = balance(schedule)
    return group.imbalance


def counted(schedule: Schedule) -> Imbalance:
    """The imbalance by counting every game, without periods."""
    names = [entry.name for entry in schedule.entries]
    sides = len(schedule.pairing(1).entries)
    meetings = {(a, b): 0 for a in names for b in names if a != b}
    before = dict.fromkeys(meetings, 0)
    seats = {(a, seat): 0 for a in names for seat in range(sides)}
    for pairing in schedule:
        for seat, name in enumerate(pairing.entries):
            seats[name, seat] += 1
            before[pairing.entries[seat - 1], name] += 1
            for other in pairing.entries:
                if other != name:
                    meetings[name, other] += 1
    games = {a: sum(seats[a, seat] for seat in range(sides)) for a in names}
    return Imbalance(
        *((min(c.values()), max(c.values())) for c in (games, meetings, seats, before)),
    )


@pytest.mark.parametrize(("size", "sides"), DIFFERENCE_SETS)
def test_difference_sets_are_exact_in_meetings_and_seats(size: int, sides: int) -> None:
    found = imbalance(design(size, sides))
    assert found.meetings == (1, 1)
    assert len(set(found.seats)) == 1


@pytest.mark.parametrize(
    ("size", "sides", "games", "meetings"),
    [(10, 6, 30, (10, 10)), (8, 4, 16, (3, 4)), (12, 3, 48, (2, 3)), (16, 4, 80, (4, 4))],
)
def test_the_search_reaches_the_known_bounds(
    size: int, sides: int, games: int, meetings: tuple[int, int]
) -> None:
    blocks = find_blocks(size, sides, games // size, ())
    found = Distances(size, blocks).meetings()
    assert (min(found), max(found)) == meetings


@settings(deadline=None, max_examples=60)
@given(SIZES, st.integers(1, 4))
def test_everybody_meets_everybody_and_sits_in_every_seat_equally_often(
    numbers: tuple[int, int], cycles: int
) -> None:
    found = counted(design(*numbers, cycles))
    assert found.meetings[0] >= cycles
    assert found.seats[0] == found.seats[1]


@settings(deadline=None, max_examples=40)
@given(SIZES)
def test_meetings_of_one_cycle_differ_by_two_at_most(numbers: tuple[int, int]) -> None:
    least, most = imbalance(design(*numbers)).meetings
    assert most - least <= 2


@settings(deadline=None, max_examples=40)
@given(SIZES, st.integers(1, 9))
def test_the_imbalance_read_from_one_period_is_that_of_all_games(
    numbers: tuple[int, int], cycles: int
) -> None:
    schedule = design(*numbers, cycles)
    assert imbalance(schedule) == counted(schedule)


@settings(deadline=None, max_examples=40)
@given(SIZES, st.integers(1, 12))
def test_no_game_is_repeated_with_the_same_seats_and_opening(
    numbers: tuple[int, int], cycles: int
) -> None:
    games = [(pairing.entries, pairing.opening) for pairing in design(*numbers, cycles)]
    assert len(set(games)) == len(games)


def test_all_seatings_of_a_meeting_share_an_opening() -> None:
    # Seven entries in threes: one perfect block, so a second cycle is the first with seats turned.
    schedule = design(7, 3, cycles=2)
    meetings: dict[str, list[tuple[str, ...]]] = {}
    for pairing in schedule:
        meetings.setdefault(pairing.opening, []).append(pairing.entries)
    assert len(meetings) == 7
    assert all(len(set(games)) == 2 == len(games) for games in meetings.values())


def test_later_laps_turn_the_seats_through_all_rotations_and_mirror_images() -> None:
    assert len({turned((0, 1, 3, 9), lap) for lap in range(8)}) == 8


@settings(deadline=None, max_examples=40)
@given(SIZES, st.integers(1, 4))
def test_nobody_gets_further_ahead_in_order_than_the_table_says(
    numbers: tuple[int, int], cycles: int
) -> None:
    schedule = design(*numbers, cycles)
    played = dict.fromkeys((entry.name for entry in schedule.entries), 0)
    for pairing in schedule:
        least = min(played.values())
        for name in pairing.entries:
            played[name] += 1
            assert played[name] - least <= schedule.table.spread


def test_the_same_numbers_give_the_same_design() -> None:
    assert cyclic_design(11, 4, 3) == cyclic_design(11, 4, 3)


@pytest.mark.parametrize(("size", "sides", "cycles"), [(3, 4, 1), (4, 2, 1), (4, 3, 0)])
def test_a_design_that_cannot_be_is_refused(size: int, sides: int, cycles: int) -> None:
    with pytest.raises(ValueError, match="expected 3 sides or more"):
        cyclic_design(size, sides, cycles)
