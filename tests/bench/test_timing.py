"""Alternating rounds."""

import gc
from functools import partial

from bench.timing import Contestant, alternate, medians


def test_everybody_is_run_once_before_it_counts_and_once_a_round() -> None:
    order: list[str] = []
    runs = [Contestant(name, partial(order.append, name), 1) for name in "ab"]
    times = alternate(runs, 3)
    assert "".join(order) == "ab" * 4
    assert list(times) == ["a", "b"]


def test_collections_are_switched_on_again_when_a_run_fails() -> None:
    def fail() -> None:
        if not gc.isenabled():
            raise RuntimeError

    try:
        alternate([Contestant("fails", fail, 1)], 1)
    except RuntimeError:
        assert gc.isenabled()
    else:
        raise AssertionError


def test_a_median_is_the_middle_of_the_rounds() -> None:
    assert medians({"a": [3.0, 1.0, 200.0]}) == {"a": 3.0}
