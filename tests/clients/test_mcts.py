"""The sample bot that searches by playing on."""

from __future__ import annotations

import random

import pytest

import sternhalma as sh
from clients.games import opened
from clients.test_search import WINS
from sternhalma_bot.bots import SAMPLES, mcts
from sternhalma_bot.turn import Turn


def tree(rules: str = "tara", players: int = 2, plies: int = 20) -> mcts.Tree:
    return mcts.Tree(opened(rules, players, plies, seed=1).position, random.Random(1))


@pytest.mark.parametrize(("rules", "players"), [("tara", 2), ("corner+pairs", 4), ("halma13", 4)])
def test_a_playout_leaves_everything_as_it_was(rules: str, players: int) -> None:
    grown = tree(rules, players)
    table = grown.table
    before = list(table.marbles), table.occupied, dict(table.paid)
    for _ in range(30):
        grown.playout()
    assert (table.marbles, table.occupied, table.paid) == before


def test_every_playout_adds_one_visit_and_one_position() -> None:
    grown = tree()
    for number in range(1, 40):
        grown.playout()
        assert grown.root.visits == number
        assert sum(tally.visits for _, tally, _ in grown.root.children) == number
        assert _size(grown.root) == number + 1


def test_what_is_tried_most_is_what_comes_to_most() -> None:
    grown = tree()
    for _ in range(150):
        grown.playout()
    tallies = [tally for _, tally, _ in grown.root.children]
    most = max(tallies, key=lambda tally: tally.visits)
    assert most.mean >= sum(tally.mean for tally in tallies) / len(tallies)
    assert grown.best() == next(step for step, tally, _ in grown.root.children if tally is most)


def test_two_share_one_point() -> None:
    shares = tree().table.shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert len(set(shares.values())) == 2


def test_partners_share_alike() -> None:
    shares = tree("corner+pairs", 4, 30).table.shares()
    assert shares[0] == shares[2] != shares[1] == shares[3]


@pytest.mark.parametrize(("rules", "rest"), WINS)
def test_a_win_at_hand_is_taken(rules: str, rest: str) -> None:
    game = sh.Game.load(f"{rules} {rest}", puzzle=True)
    assert game.play(mcts.choose(Turn.of(game))).is_over


def test_a_position_that_is_won_is_not_played_on_from() -> None:
    game = sh.Game.load(" ".join(WINS[0]), puzzle=True)
    grown = mcts.Tree(game.position, random.Random(1))
    for _ in range(100):
        grown.playout()
    won = max((node for _, _, node in grown.root.children), key=lambda node: node.visits)
    assert won.visits > 50
    assert not won.children


def test_the_clock_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "BUDGET", 10**9)
    game = opened("tara", 2, 20, seed=1)
    move = mcts.choose(Turn(str(game), game.ply, seed=1, time_left=0.05))
    assert move in game.legal_moves()


def test_playing_on_beats_greed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "BUDGET", 4_000)
    for side in range(2):
        game = opened("tara", 2, 4, seed=side)
        while game.turn is not None:
            name = "mcts" if game.turn == side else "greedy"
            game = game.play(SAMPLES[name].choose(Turn.of(game)))
        assert game.result is not None
        assert game.result.places[side] == 1


def _size(node: mcts.Node) -> int:
    return 1 + sum(_size(after) for _, _, after in node.children)
