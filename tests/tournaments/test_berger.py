from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sternhalma_tournament.berger import BergerTable
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.roundrobin import round_robin
from sternhalma_tournament.schedule import Schedule

# FIDE Handbook C.05, annex 1, value by value.
TABLES = {
    4: "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
    6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
    8: (
        "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | "
        "3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1"
    ),
    10: (
        "1-10 2-9 3-8 4-7 5-6 | 10-6 7-5 8-4 9-3 1-2 | 2-10 3-1 4-9 5-8 6-7 | "
        "10-7 8-6 9-5 1-4 2-3 | 3-10 4-2 5-1 6-9 7-8 | 10-8 9-7 1-6 2-5 3-4 | "
        "4-10 5-3 6-2 7-1 8-9 | 10-9 1-8 2-7 3-6 4-5 | 5-10 6-4 7-3 8-2 9-1"
    ),
}


def robin(size: int, cycles: int = 1) -> Schedule:
    return round_robin([Entry(str(n), (str(n),)) for n in range(1, size + 1)], 2, cycles)


def rounds(schedule: Schedule) -> list[list[tuple[str, ...]]]:
    table: dict[int, list[tuple[str, ...]]] = {}
    for pairing in schedule:
        table.setdefault(pairing.round, []).append(pairing.entries)
    return list(table.values())


def written(games: list[list[tuple[str, ...]]]) -> str:
    return " | ".join(" ".join("-".join(game) for game in row) for row in games)


@pytest.mark.parametrize("size", TABLES)
def test_the_tables_are_fides(size: int) -> None:
    assert written(rounds(robin(size))) == TABLES[size]


@pytest.mark.parametrize("size", TABLES)
def test_with_an_odd_number_the_highest_is_the_bye(size: int) -> None:
    expected = [
        [game for game in row.split() if str(size) not in game.split("-")]
        for row in TABLES[size].split(" | ")
    ]
    assert written(rounds(robin(size - 1))) == " | ".join(map(" ".join, expected))


def test_a_double_round_robin_exchanges_two_rounds_and_reverses_the_seats() -> None:
    expected = (
        "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 3-6 4-2 5-1 | 6-5 1-4 2-3 | "
        "6-1 5-2 4-3 | 4-6 3-5 2-1 | 6-2 1-3 5-4 | 5-6 4-1 3-2 | 6-3 2-4 1-5"
    )
    assert written(rounds(robin(6, cycles=2))) == expected


@given(st.integers(2, 24), st.integers(1, 5))
def test_every_two_meet_once_a_cycle_with_seats_as_equal_as_can_be(size: int, cycles: int) -> None:
    games = Counter(pairing.entries for pairing in robin(size, cycles))
    for one in range(1, size + 1):
        for other in range(1, one):
            there, back = games[str(one), str(other)], games[str(other), str(one)]
            assert there + back == cycles
            assert abs(there - back) == cycles % 2


@given(st.integers(2, 24), st.integers(1, 4))
def test_nobody_plays_twice_in_a_round(size: int, cycles: int) -> None:
    for row in rounds(robin(size, cycles)):
        players = [name for game in row for name in game]
        assert len(players) == len(set(players)) == size - size % 2


@given(st.integers(2, 24), st.integers(1, 4))
def test_seats_of_an_entry_differ_by_one_at_most(size: int, cycles: int) -> None:
    first, second = Counter[str](), Counter[str]()
    for pairing in robin(size, cycles):
        first[pairing.entries[0]] += 1
        second[pairing.entries[1]] += 1
    assert all(abs(first[str(n)] - second[str(n)]) <= 1 for n in range(1, size + 1))


@given(st.integers(2, 24), st.integers(1, 4))
def test_nobody_has_one_seat_three_times_running(size: int, cycles: int) -> None:
    # Four entries have three rounds a cycle, too few for FIDE's exchange to help at both ends.
    assume(size != 4 or cycles <= 2)
    seats: dict[str, list[int]] = {}
    for pairing in robin(size, cycles):
        for seat, name in enumerate(pairing.entries):
            seats.setdefault(name, []).append(seat)
    for row in seats.values():
        for three in zip(row, row[1:], row[2:], strict=False):
            assert len(set(three)) == 2


@given(st.integers(2, 12), st.integers(1, 6))
def test_an_opening_serves_both_seatings_and_no_third_game(size: int, cycles: int) -> None:
    seatings: dict[str, list[tuple[str, ...]]] = {}
    for pairing in robin(size, cycles):
        seatings.setdefault(pairing.opening, []).append(pairing.entries)
    for games in seatings.values():
        assert len(games) <= 2
        assert len(set(games)) == len(games)
        assert len({frozenset(game) for game in games}) == 1


@given(st.integers(2, 24), st.integers(1, 4))
def test_nobody_gets_further_ahead_in_order_than_the_table_says(size: int, cycles: int) -> None:
    schedule = robin(size, cycles)
    played = dict.fromkeys((entry.name for entry in schedule.entries), 0)
    for pairing in schedule:
        least = min(played.values())
        for name in pairing.entries:
            played[name] += 1
            assert played[name] - least <= schedule.table.spread


def test_a_game_is_found_by_its_number_alone() -> None:
    schedule = robin(200, cycles=1_000_000)
    assert len(schedule) == 19_900_000_000
    last = schedule.pairing(len(schedule))
    assert (last.cycle, last.round) == (1_000_000, 199_000_000)


def test_numbers_beyond_the_schedule_are_refused() -> None:
    schedule = robin(4)
    for number in (0, 7):
        with pytest.raises(IndexError, match="expected a game from 1 to 6"):
            schedule.pairing(number)


def test_one_entry_is_no_round_robin() -> None:
    with pytest.raises(ValueError, match="expected two entries"):
        BergerTable(1, 1)
