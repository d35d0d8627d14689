"""What is played again after a worker was lost, and who is to blame."""

from __future__ import annotations

from itertools import combinations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.losses import Company, Losses
from sternhalma_server.pace import MOST, TASK, Pace
from sternhalma_tournament.schedule import Pairing


def game(number: int, entries: str) -> Pairing:
    return Pairing(number, tuple(entries), 1, 1, "")


def doom(losses: Losses, *games: Pairing) -> None:
    for company in Company:
        losses.lose(games, company)
    losses.again.clear()
    losses.alone.clear()


def test_what_was_lost_in_company_is_played_one_to_a_task_and_then_while_nothing_else_is() -> None:
    losses, games = Losses(), [game(1, "ab"), game(2, "cd")]
    losses.lose(games, Company.TASK)
    assert list(losses.again) == games
    losses.lose([losses.again.popleft()], Company.OTHERS)
    assert list(losses.alone) == games[:1]
    assert not losses.doomed
    losses.lose([losses.alone.popleft()], Company.NOBODY)
    assert losses.doomed == {1: games[0]}


def test_one_game_names_nobody() -> None:
    losses = Losses()
    doom(losses, game(1, "ab"))
    assert losses.suspect is None


def test_two_that_meet_nobody_else_are_not_told_apart() -> None:
    losses = Losses()
    doom(losses, *(game(number, "ab") for number in range(1, 9)))
    assert losses.suspect is None


def test_the_entry_that_two_doomed_games_have_in_common_is_named() -> None:
    losses = Losses()
    doom(losses, game(1, "ab"), game(5, "ca"))
    assert losses.suspect == "a"


def test_its_games_are_freed_and_mark_nobody_any_more() -> None:
    losses = Losses()
    doom(losses, game(1, "ab"), game(2, "ac"), game(3, "bc"))
    assert losses.suspect is None
    doom(losses, game(4, "ad"))
    assert losses.suspect == "a"
    assert [freed.number for freed in losses.name("a")] == [1, 2, 4]
    assert list(losses.doomed) == [3]
    assert losses.suspect is None


def test_a_second_one_is_found_behind_the_first() -> None:
    losses = Losses()
    doom(losses, game(1, "ax"), game(2, "ab"), game(3, "ac"), game(4, "bx"))
    assert losses.suspect == "a"
    losses.name("a")
    doom(losses, game(5, "cx"))
    assert losses.suspect == "x"


@given(st.integers(4, 9), st.randoms(use_true_random=False))
def test_whoever_loses_every_worker_is_the_only_one_ever_named(field: int, chance: Random) -> None:
    names = "abcdefghi"[:field]
    games = [game(n, "".join(pair)) for n, pair in enumerate(combinations(names, 2))]
    chance.shuffle(games)
    losses = Losses()
    named: list[str] = []
    for one in games:
        if "a" in one.entries:
            doom(losses, one)
        if losses.suspect is not None:
            named.append(losses.suspect)
            losses.name(losses.suspect)
    assert set(named) == {"a"}


def test_the_first_tasks_are_single_games_and_later_ones_last_seconds() -> None:
    pace = Pace()
    assert pace.size == 1
    sizes: list[int] = []
    for _ in range(6):
        pace.note(pace.size, 0.1 * pace.size)
        sizes.append(pace.size)
    assert sizes[0] == 8
    assert sizes[-1] == round(TASK / 0.1)


def test_long_games_are_tasks_by_themselves_and_quick_ones_never_too_many() -> None:
    pace = Pace()
    pace.note(1, 3600.0)
    assert pace.size == 1
    for _ in range(20):
        pace.note(pace.size, 0.0)
    assert pace.size == MOST


def test_the_last_games_are_shared_by_all_cores() -> None:
    pace = Pace()
    for _ in range(20):
        pace.note(pace.size, 0.0)
    assert pace.share(10_000, 2) == MOST
    assert pace.share(800, 2) == 200
    assert pace.share(100, 2) == MOST // 4
    assert Pace().share(0, 8) == 1
