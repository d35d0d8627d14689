"""Whether and when a bot tries again."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_bot.comeback import FIRST, LONGEST, Comeback
from sternhalma_bot.messages import Bye

LOST = ConnectionError("lost")
THANKS = Bye("event-over", "thank you for playing")
STOPS = Bye("server-stops", "the server is going down")


def tries(comeback: Comeback, start: float = 0.0) -> list[float]:
    """The pauses from a loss at *start* until patience runs out, all tries in vain."""
    pauses: list[float] = []
    now, welcomed = start, True
    while True:
        try:
            pause = comeback.after(LOST, welcomed=welcomed, now=now)
        except ConnectionError:
            return pauses
        assert not isinstance(pause, Bye)
        pauses.append(pause)
        now, welcomed = now + pause, False


def test_a_goodbye_is_for_good() -> None:
    assert Comeback().after(THANKS, welcomed=True, now=0.0) == THANKS


def test_who_was_never_let_in_does_not_come_back() -> None:
    with pytest.raises(ConnectionError):
        Comeback().after(LOST, welcomed=False, now=0.0)


def test_who_was_turned_away_at_a_full_door_at_first_is_told_so() -> None:
    full = Bye("full", "too many at the door")
    assert Comeback().after(full, welcomed=False, now=0.0) == full


def test_without_patience_nobody_comes_back() -> None:
    with pytest.raises(ConnectionError):
        Comeback(patience=0).after(LOST, welcomed=True, now=5.0)


@given(st.integers(), st.floats(0.5, 100), st.floats(0, 1e6))
def test_tries_fill_the_patience_and_no_more(seed: int, patience: float, start: float) -> None:
    pauses = tries(Comeback(patience, random.Random(seed)), start)
    assert sum(pauses) == pytest.approx(patience)
    assert all(0 <= pause <= LONGEST for pause in pauses)
    assert pauses[0] <= FIRST


def test_pauses_differ_from_bot_to_bot() -> None:
    pauses = {tries(Comeback(30, random.Random(seed)))[3] for seed in range(20)}
    assert len(pauses) == 20


def test_a_server_that_stops_is_waited_for() -> None:
    comeback = Comeback(patience=10)
    assert isinstance(comeback.after(STOPS, welcomed=True, now=0.0), float)
    assert isinstance(comeback.after(LOST, welcomed=False, now=9.0), float)
    assert comeback.after(LOST, welcomed=False, now=10.0) == STOPS


def test_a_goodbye_before_a_better_connection_is_forgotten() -> None:
    comeback = Comeback(patience=10)
    comeback.after(STOPS, welcomed=True, now=0.0)
    comeback.after(LOST, welcomed=True, now=100.0)
    with pytest.raises(ConnectionError):
        comeback.after(LOST, welcomed=False, now=110.0)


def test_a_connection_that_breaks_again_and_again_is_tried_less_and_less_often() -> None:
    comeback = Comeback(rng=random.Random(1))
    now, pauses = 0.0, []
    for _ in range(40):
        pause = comeback.after(LOST, welcomed=True, now=now)
        assert not isinstance(pause, Bye)
        pauses.append(pause)
        now += pause + 0.1
    assert sum(pauses[-20:]) > 20 * LONGEST / 3


def test_a_connection_that_held_begins_anew_with_the_pauses() -> None:
    comeback = Comeback(rng=random.Random(1))
    for now in range(10):
        comeback.after(LOST, welcomed=True, now=float(now))
    pause = comeback.after(LOST, welcomed=True, now=3600.0)
    assert not isinstance(pause, Bye)
    assert pause <= FIRST
