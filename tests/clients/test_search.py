"""The search of the bot that looks ahead."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import sternhalma as sh
from clients.games import opened, played
from sternhalma.board import holes_of
from sternhalma_bot.bots import army, costs, lookahead
from sternhalma_bot.bots.search import INFINITE, WIN, OutOfBudget, Search
from sternhalma_bot.turn import Turn


def search(game: sh.Game, budget: int = 10**9, **keys: Any) -> Search:
    assert game.turn is not None
    settings: dict[str, Any] = {"width": 10**6, "impatience": 0, "stop": lambda: False}
    return Search(game.position, game.turn, budget=budget, **(settings | keys))


def plain(game: sh.Game, depth: int) -> int:
    """The score that a search of *depth* must find: with the engine's games, and nothing left out.

    For two players with one colour each.
    """
    seating = game.position.seating
    tables = [costs.hole_costs(game.position, lanes[0]) for lanes in seating.lanes_of]

    def lead(now: sh.Game, mover: int) -> int:
        paid = [
            sum(tables[seat][hole] for hole in holes_of(now.position.own(seat)))
            for seat in seating.seats
        ]
        return paid[1 - mover] - paid[mover]

    def value(now: sh.Game, left: int) -> int:
        mover = now.turn
        assert mover is not None
        before = lead(now, mover)
        best = before if left == 1 else -INFINITE
        for after in map(now.play, now.legal_moves()):
            reached = lead(after, mover)
            if reached - before < -army.SLACK:
                continue
            if left == 1:
                best = max(best, reached)
            else:
                best = max(best, WIN + left if after.is_over else -value(after, left - 1))
        return best

    return value(game, depth)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rules", ["duel", "corner"])
def test_pruning_and_the_table_change_no_score(rules: str, seed: int) -> None:
    game = opened(rules, 2, 10, seed)
    searching = search(game)
    score = searching.cost_of(1) - searching.cost_of(0)
    assert searching.search(0, 3, -INFINITE, INFINITE, score) == plain(game, 3)


def test_a_search_leaves_the_position_as_it_was() -> None:
    game = opened("corner", 4, 30, seed=5)
    searching = search(game, width=8)
    searching.search(0, 3, -INFINITE, INFINITE, 0)
    assert searching.marbles == list(game.position.marbles)
    assert searching.occupied == game.position.occupied


def test_the_budget_ends_a_search() -> None:
    searching = search(opened("tara", 2, 20, seed=1), budget=50)
    with pytest.raises(OutOfBudget):
        searching.search(0, 4, -INFINITE, INFINITE, 0)


def test_the_brake_ends_a_search_and_a_move_is_still_found() -> None:
    asked = itertools.count()
    game = opened("tara", 2, 20, seed=1)
    searching = search(game, stop=lambda: next(asked) >= 3)
    assert searching.best(lambda _steps: None) in game.legal_moves()
    assert next(asked) == 4


WINS: list[tuple[str, str]] = [
    ("duel", "1/2/3/4/13/12/2D8/10/9/10/11/12/4A8/1AAA/AAA/AA/A A,D A 60,60 -"),
    # In tara the host's marble counts from the thirtieth turn on.
    ("tara", "1/2/3/4/13/12/2D8/10/9/10/11/12/4A8/1AAA/AAA/AA/D A,D A 60,60 -"),
]


@pytest.mark.parametrize(("rules", "rest"), WINS)
def test_a_win_at_hand_is_taken(rules: str, rest: str) -> None:
    game = sh.Game.load(f"{rules} {rest}", puzzle=True)
    assert game.play(lookahead.choose(Turn.of(game))).is_over


def test_two_that_look_ahead_do_not_wait_for_each_other_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # This opening once ended in both moving a marble to and fro up to the turn limit.
    monkeypatch.setattr(lookahead, "BUDGET", 6_000)
    result = played(opened("tara", 2, 4, seed=15), ["lookahead"] * 2).result
    assert result is not None
    assert result.end is sh.End.GOAL


def test_looking_ahead_beats_greed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookahead, "BUDGET", 3_000)
    won = 0
    for seed in range(4):
        result = played(opened("tara", 2, 4, seed // 2), _seats(seed)).result
        assert result is not None
        won += result.places[seed % 2] == 1
    assert won >= 3


def _seats(number: int) -> list[str]:
    return ["lookahead", "greedy"] if number % 2 == 0 else ["greedy", "lookahead"]


def test_costs_and_armies_agree() -> None:
    game = opened("corner+2c", 2, 20, seed=9)
    position = game.position
    lanes: Iterator[sh.Lane] = iter(position.seating.lanes_of[game.turn or 0])
    paid = sum(
        costs.hole_costs(position, lane)[hole]
        for lane in lanes
        for hole in holes_of(position.marbles[lane.colour])
    )
    assert search(game).cost_of(0) == paid
