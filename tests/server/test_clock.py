"""Clocks as plain arithmetic: what a move may take, and what is left after it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.clock import (
    MILLISECOND,
    SECOND,
    Budget,
    ClockError,
    Lag,
    TimeControl,
    milliseconds,
    parse_clock,
    parse_duration,
)

TEXTS = st.sampled_from(["2s", "10ms", "60s+0.5s", "1m+0s", "3s+2x1.5s", "0s+5x2s", "1h+1x1m"])


def spent(text: str, *charges: float) -> list[int | None]:
    """The limits in milliseconds before the first and after every move of *charges* seconds."""
    control = parse_clock(text)
    budget = control.start()
    limits = [control.limit(budget)]
    for charge in charges:
        budget = control.spend(budget, round(charge * SECOND))
        limits.append(control.limit(budget))
    return [None if limit is None else limit // MILLISECOND for limit in limits]


def test_a_clock_for_each_move_is_whole_again_after_it() -> None:
    assert spent("2s", 1.9, 2.0, 0) == [2000, 2000, 2000, 2000]


def test_without_a_clock_there_is_no_limit_whatever_a_move_takes() -> None:
    assert spent("none", 100_000) == [None, None]


def test_an_increment_is_added_after_the_move_and_not_before() -> None:
    assert spent("3s+0.5s", 3.0, 0.5) == [3000, 500, 500]


def test_time_not_used_is_kept_with_an_increment() -> None:
    assert spent("3s+0.5s", 0.1, 0.1) == [3000, 3400, 3800]


def test_with_byo_yomi_base_and_all_periods_are_the_limit() -> None:
    assert spent("60s+5x2s") == [70_000]


def test_a_move_within_the_base_costs_no_period() -> None:
    assert spent("10s+3x2s", 10.0) == [16_000, 6000]


@pytest.mark.parametrize(
    ("over", "periods_left"),
    [(0.001, 3), (2.0, 3), (2.001, 2), (4.0, 2), (4.001, 1), (6.0, 1)],
)
def test_a_period_is_lost_when_it_is_used_up_and_kept_when_the_move_ends_in_it(
    over: float, periods_left: int
) -> None:
    assert spent("10s+3x2s", 10 + over) == [16_000, periods_left * 2000]


def test_a_period_not_used_up_is_whole_for_the_next_move() -> None:
    assert spent("0s+2x2s", 1.9, 1.9, 2.1, 1.9, 2.0) == [4000, 4000, 4000, 2000, 2000, 2000]


@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=20))
def test_what_is_left_is_never_negative_whatever_moves_take(text: str, parts: list[int]) -> None:
    control = parse_clock(text)
    budget = control.start()
    for part in parts:
        limit = control.limit(budget)
        assert limit is not None
        assert limit >= 0
        budget = control.spend(budget, limit * part // 10_000)
        assert budget.main >= 0
        assert budget.periods >= 0


@given(TEXTS, st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_longer_move_never_leaves_more(text: str, one: int, other: int) -> None:
    control = parse_clock(text)
    budget = control.start()
    limit = control.limit(budget)
    assert limit is not None
    short, long = sorted([limit * one // 10_000, limit * other // 10_000])

    def after(charged: int) -> int:
        left = control.limit(control.spend(budget, charged))
        assert left is not None
        return left

    assert after(short) >= after(long)


@given(st.integers(1, 10**12))
def test_byo_yomi_loses_as_many_periods_as_the_formula_of_the_design(over: int) -> None:
    control = TimeControl("", base=SECOND, periods=10**9, period=2 * SECOND)
    after = control.spend(control.start(), SECOND + over)
    # periods lost by a move: max(0, ceil(over / period) - 1)
    whole, rest = divmod(over, 2 * SECOND)
    assert after == Budget(0, 10**9 - max(0, whole + (rest > 0) - 1))


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1ms", MILLISECOND),
        ("0.001ms", 1000),
        ("0.1s", 100 * MILLISECOND),
        ("2s", 2 * SECOND),
        ("1.5m", 90 * SECOND),
        ("1h", 3600 * SECOND),
        ("9999999h", 9_999_999 * 3600 * SECOND),
    ],
)
def test_a_duration_is_read_exactly(text: str, nanoseconds: int) -> None:
    assert parse_clock(text) == TimeControl(text, per_move=True, base=nanoseconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "2 s",
        "-2s",
        "2S",
        "2s+",
        "+2s",
        "2s+2",
        "1e3s",
        "2.0001s",
        "\u0662s",
        "0s",
        "2s+0x2s",
        "2s+1x0s",
        "2s+x2s",
        "2s+1.5x2s",
        "2s+1x2s+1s",
        "2s\n",
        "None",
        "12345678s",
    ],
)
def test_a_clock_that_cannot_be_read_is_refused_with_what_came(text: str) -> None:
    with pytest.raises(ClockError) as caught:
        parse_clock(text)
    assert str(caught.value).startswith("expected ")
    assert repr(text) in str(caught.value)


def test_a_clock_that_gives_no_time_for_the_first_move_is_refused() -> None:
    with pytest.raises(ClockError, match=r"'0s\+1s'"):
        parse_clock("0s+1s")


@given(st.integers(0, 10**15))
def test_what_was_charged_is_written_to_the_microsecond_and_never_rounded_up(charge: int) -> None:
    whole, point, part = milliseconds(charge).partition(".")
    assert point == "."
    assert len(part) == 3
    assert (int(whole) * 1000 + int(part)) * 1000 == charge - charge % 1000


@pytest.mark.parametrize(
    ("text", "nanoseconds"), [("0s", 0), ("500ms", 500 * MILLISECOND), ("1.5m", 90 * SECOND)]
)
def test_a_wait_is_read_like_a_clocks_time(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize("text", ["", "5", "-1s", "2s+1s", "forever", "2s "])
def test_a_wait_that_cannot_be_read_is_refused_with_what_came(text: str) -> None:
    with pytest.raises(ClockError, match=r"expected a time such as '500ms', '2s' or '5m', got"):
        parse_duration(text)


LAGS = st.builds(Lag, st.integers(0, SECOND), st.integers(0, 5 * SECOND))


@given(LAGS, st.lists(st.integers(0, 3 * SECOND), max_size=30))
def test_credit_for_lag_stays_within_the_bucket_and_the_bucket_within_its_cap(
    lag: Lag, times: list[int]
) -> None:
    bucket, given_in_all = lag.cap, 0
    for elapsed in times:
        credit = lag.credit(elapsed, bucket)
        assert 0 <= credit <= min(elapsed, bucket)
        bucket = lag.refill(bucket, credit)
        assert 0 <= bucket <= lag.cap
        given_in_all += credit
    assert given_in_all <= lag.cap + len(times) * lag.per_move


def test_lag_is_told_in_milliseconds_a_move_and_at_most() -> None:
    assert Lag(50 * MILLISECOND, 2 * SECOND).text == "50/2000"
