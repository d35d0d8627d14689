"""The scheduler of some games of an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.listed import REACH, ListedScheduler
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import Scheduler
from sternhalma_tournament.scores import GameResult

ENTRIES = [Entry(name, (name,)) for name in ("a", "b", "c", "d")]
PAIRINGS = [
    Pairing(number, tuple(names), 1, 1, "")
    for number, names in ((2, "ab"), (4, "ac"), (6, "cd"), (8, "bd"))
]
ALL = dict.fromkeys("abcd", 1)


def result(pairing: Pairing) -> GameResult:
    return GameResult(pairing.number, pairing.entries, (1, 2), (None, None), "goal", 9)


def listed() -> ListedScheduler:
    return ListedScheduler(PAIRINGS, len(PAIRINGS), ENTRIES)


def test_games_begin_in_their_order_as_soon_as_their_bots_are_free() -> None:
    scheduler: Scheduler = listed()
    assert scheduler.next(ALL) == PAIRINGS[0]
    scheduler.start(PAIRINGS[0])
    assert scheduler.next(ALL | {"a": 0, "b": 0}) == PAIRINGS[2]
    scheduler.start(PAIRINGS[2])
    assert scheduler.next(dict.fromkeys("abcd", 0)) is None
    assert scheduler.next(ALL) == PAIRINGS[1]


def test_all_is_done_when_every_game_has_ended() -> None:
    scheduler = listed()
    for pairing in PAIRINGS:
        assert not scheduler.done
        assert scheduler.next(ALL) == pairing
        scheduler.start(pairing)
        scheduler.finish(result(pairing))
    assert scheduler.done
    assert scheduler.next(ALL) is None
    assert scheduler.games == 4


def test_games_that_have_ended_before_are_left_out() -> None:
    scheduler = listed()
    scheduler.resume([result(PAIRINGS[0]), result(PAIRINGS[3])])
    assert scheduler.next(ALL) == PAIRINGS[1]
    scheduler.start(PAIRINGS[1])
    scheduler.finish(result(PAIRINGS[1]))
    assert scheduler.next(ALL) == PAIRINGS[2]
    scheduler.start(PAIRINGS[2])
    scheduler.finish(result(PAIRINGS[2]))
    assert scheduler.done


def test_a_game_that_was_running_at_a_stop_does_not_begin_a_second_time() -> None:
    scheduler = listed()
    scheduler.start(PAIRINGS[1])
    scheduler.start(PAIRINGS[0])
    assert scheduler.next(ALL) == PAIRINGS[2]


def test_a_game_that_failed_is_played_again() -> None:
    scheduler = listed()
    scheduler.start(PAIRINGS[0])
    scheduler.release(2)
    assert scheduler.next({"a": 1, "b": 1}) == PAIRINGS[0]


def test_no_more_games_are_held_than_so_many() -> None:
    seen: list[int] = []

    def endless() -> Iterator[Pairing]:
        for number in count(1):
            seen.append(number)
            yield Pairing(number, ("a", "b"), 1, 1, "")

    scheduler = ListedScheduler(endless(), 1 << 40, ENTRIES)
    assert scheduler.next({"c": 1}) is None
    assert len(seen) == REACH


def test_it_says_whom_an_entry_waits_for() -> None:
    scheduler = listed()
    assert scheduler.why("a", {"b": 1}) == "a waits for a to connect"
    assert scheduler.why("a", ALL) == "a waits for games of this part of the event"


def test_no_ruling_is_made_on_a_part() -> None:
    scheduler = listed()
    rules: list[Callable[[], None]] = [
        lambda: scheduler.withdraw("a", forfeit=True),
        lambda: scheduler.reinstate("a"),
        lambda: scheduler.join(Entry("a", ("a",))),
    ]
    for rule in rules:
        with pytest.raises(ValueError, match="a ruling on a whole event, got one on 'a'"):
            rule()
