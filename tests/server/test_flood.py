"""How much a peer may say that nobody asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.clock import SECOND
from sternhalma_server.flood import BURST, RATE, FloodGate

TIMES = st.lists(st.integers(0, 10 * SECOND), max_size=400).map(sorted)


def test_a_burst_is_let_through_and_not_one_line_more() -> None:
    gate = FloodGate()
    assert [gate.take(0) for _ in range(BURST + 1)] == [True] * BURST + [False]


def test_the_burst_is_as_large_late_in_the_day() -> None:
    gate, now = FloodGate(), 86_400 * SECOND
    assert [gate.take(now) for _ in range(BURST + 1)] == [True] * BURST + [False]


def test_a_peer_that_keeps_to_the_rate_is_never_refused() -> None:
    gate = FloodGate()
    assert all(gate.take(n * SECOND // RATE) for n in range(10_000))


def test_after_a_burst_the_allowance_comes_back_with_time() -> None:
    gate = FloodGate()
    for _ in range(BURST):
        gate.take(0)
    assert [gate.take(SECOND) for _ in range(RATE + 1)] == [True] * RATE + [False]


def test_a_line_that_is_refused_costs_nothing() -> None:
    gate = FloodGate()
    for _ in range(BURST * 10):
        gate.take(0)
    assert gate.take(SECOND // RATE)


@given(TIMES)
def test_no_stretch_of_time_lets_through_more_than_the_burst_and_the_rate(times: list[int]) -> None:
    gate = FloodGate()
    passed = [now for now in times if gate.take(now)]
    for first, start in enumerate(passed):
        for last, end in enumerate(passed[first:], start=first):
            assert last - first + 1 <= BURST + 1 + (end - start) * RATE // SECOND


@given(TIMES)
def test_a_line_is_refused_only_when_the_bucket_is_empty(times: list[int]) -> None:
    gate, level, before = FloodGate(), BURST * SECOND, 0
    for now in times:
        level = min(BURST * SECOND, level + (now - before) * RATE)
        before = now
        expected = level >= SECOND
        assert gate.take(now) == expected
        level -= SECOND if expected else 0
