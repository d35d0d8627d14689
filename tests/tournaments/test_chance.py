from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.chance import Chance


def test_the_stream_is_splitmix64() -> None:
    # Reference values of SplitMix64 from seed 1234567 (the generator's published test vector).
    chance = Chance("")
    chance._state = 1234567
    assert [chance.bits() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(st.text(), st.integers(1, 2**64))
def test_a_bounded_number_stays_below_its_bound(key: str, bound: int) -> None:
    assert 0 <= Chance(key).below(bound) < bound


def test_bounded_numbers_are_about_equally_likely() -> None:
    chance = Chance("fair")
    counts = Counter(chance.below(6) for _ in range(6000))
    assert all(900 < counts[face] < 1100 for face in range(6))


def test_units_fill_the_interval_from_zero_to_one() -> None:
    chance = Chance("unit")
    values = [chance.unit() for _ in range(1000)]
    assert 0 <= min(values) < 0.01
    assert 0.99 < max(values) < 1


@given(st.text(), st.lists(st.integers()))
def test_shuffling_keeps_every_item_and_repeats_itself(key: str, items: list[int]) -> None:
    one, other = items.copy(), items.copy()
    Chance(key).shuffle(one)
    Chance(key).shuffle(other)
    assert sorted(one) == sorted(items)
    assert one == other


def test_a_bound_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a bound from 1"):
        Chance("").below(0)
