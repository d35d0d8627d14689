"""How long to think."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sternhalma as sh
from sternhalma_bot import Clock, Deadline, Turn, parse_clock

POSITION = str(sh.Game.new("duel"))
SECONDS = st.floats(0.001, 100_000)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("2s", Clock(move=2)),
        ("250ms", Clock(move=0.25)),
        ("1.5h", Clock(move=5400)),
        ("60s+0.5s", Clock(base=60, increment=0.5)),
        ("1m+500ms", Clock(base=60, increment=0.5)),
        ("60s+5x2s", Clock(base=60, period=2)),
    ],
)
def test_every_kind_of_clock_is_read(text: str, clock: Clock) -> None:
    assert parse_clock(text) == clock


@pytest.mark.parametrize("text", ["none", "", "2", "2s+", "60s+5x", "-2s", "2s 3s", "²s"])
def test_what_is_no_clock_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="expected a clock such as") as caught:
        parse_clock(text)
    assert repr(text) in str(caught.value)


def test_a_clock_for_each_move_is_used_whole() -> None:
    assert parse_clock("2s").budget(left=1.8) == 1.8


def test_a_player_without_base_has_a_period_for_each_move_and_no_more() -> None:
    clock = parse_clock("60s+5x2s")
    assert clock.budget(left=6, periods=3) == 2
    assert clock.budget(left=66, periods=3) == 2 + 2  # a thirtieth of the minute, and the period


@given(SECONDS, SECONDS, SECONDS, st.integers(-1, 200))
def test_a_budget_is_never_more_than_what_is_left(
    base: float, increment: float, left: float, moves_to_go: int
) -> None:
    for clock in [Clock(move=base), Clock(base=base, increment=increment), Clock(base=base)]:
        assert 0 < clock.budget(left, moves_to_go=moves_to_go) <= left


@given(SECONDS, SECONDS, st.integers(1, 20), st.integers(1, 200))
def test_a_budget_loses_no_period(
    base: float, period: float, periods: int, moves_to_go: int
) -> None:
    clock = Clock(base=base, period=period)
    left = base + periods * period
    assert clock.budget(left, periods, moves_to_go) <= left - (periods - 1) * period + 1e-6


def test_a_turn_keeps_a_margin_for_the_way() -> None:
    assert Turn(POSITION, 1, time_left=2.0, clock=Clock(move=2)).budget() == 1.95
    assert Turn(POSITION, 1, time_left=0.02, clock=Clock(move=2)).budget() == 0.01


def test_a_turn_under_a_clock_that_nobody_knows_spares_its_time() -> None:
    assert Turn(POSITION, 1, time_left=60.0).budget(moves_to_go=20, margin=0) == 3


def test_a_turn_without_a_clock_has_no_budget_and_its_deadline_never_comes() -> None:
    turn = Turn(POSITION, 1)
    assert turn.budget() is None
    assert not turn.deadline().passed
    assert turn.deadline().left == math.inf


def test_a_deadline_counts_from_the_arrival_of_the_turn() -> None:
    now = [10.0]
    turn = Turn(POSITION, 1, time_left=2.0, clock=Clock(move=2), arrived=9.0)
    deadline = turn.deadline(now=lambda: now[0])
    assert deadline.left == pytest.approx(0.95)
    assert not deadline.passed
    now[0] = 10.95
    assert deadline.passed
    assert deadline.left == 0


def test_a_deadline_can_be_told_its_seconds() -> None:
    now = [10.0]
    turn = Turn(POSITION, 1)
    assert turn.deadline(0.5, now=lambda: now[0]).at == 10.5
    assert Deadline(at=11.0, now=lambda: now[0]).left == 1.0
