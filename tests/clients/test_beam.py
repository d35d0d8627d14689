"""The sample bot that sees what two moves of its own do together."""

from __future__ import annotations

import pytest

import sternhalma as sh
from clients.games import opened
from clients.test_search import WINS
from sternhalma_bot.bots import beam, costs, greedy
from sternhalma_bot.turn import Turn

ALONE = "A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/4/3/2/1 A,D A 0,0 -"


def paid(game: sh.Game, seat: int) -> int:
    """What the marbles of *seat* pay in *game*, by the costs of its own position."""
    (lane,) = game.position.seating.lanes_of[seat]
    table = costs.hole_costs(game.position, lane)
    return sum(table[hole] for hole in range(121) if game.position.marbles[lane.colour] >> hole & 1)


@pytest.mark.parametrize(
    "rules",
    ["duel", *(pytest.param(rules, marks=pytest.mark.slow) for rules in ["tara", "corner"])],
)
def test_alone_on_the_board_it_crosses_in_at_most_thirty_moves(rules: str) -> None:
    game = sh.Game.load(f"{rules} {ALONE}", puzzle=True)
    while game.turn is not None:
        game = game.play(sh.PASS) if game.must_pass else game.play(beam.choose(Turn.of(game)))
    assert game.position.counts[0] <= 30


def test_it_gives_up_a_gain_for_a_greater_one_with_the_next_move() -> None:
    patient = 0
    for seed in range(12):
        game = opened("duel", 2, 8, seed)
        totals: list[int] = []
        firsts: list[sh.Move] = []
        for bot in [beam, greedy]:
            first = bot.choose(Turn.of(game))
            firsts.append(first)
            # Both answers are judged as if nobody moved between them.
            after = sh.Game.load(_with_turn(str(game.play(first)), "A"), puzzle=True)
            best = min(paid(after.play(move), 0) for move in after.legal_moves())
            totals.append(best)
        assert totals[0] <= totals[1]
        patient += totals[0] < totals[1] and firsts[0] != firsts[1]
    assert patient > 0


@pytest.mark.parametrize(("rules", "rest"), WINS)
def test_a_win_at_hand_is_taken(rules: str, rest: str) -> None:
    game = sh.Game.load(f"{rules} {rest}", puzzle=True)
    assert game.play(beam.choose(Turn.of(game))).is_over


def test_where_every_move_loses_much_it_still_moves() -> None:
    # Nine marbles are home, but the last hole is D's, so that those inside can only come out.
    board = "1/2/3/4/13/12/11/10/9/10/11/12/13/AAAA/AAA/AA/D"
    game = sh.Game.load(f"duel {board} A,D A 60,60 -", puzzle=True)
    assert beam.choose(Turn.of(game)) in game.legal_moves()


def _with_turn(position: str, letter: str) -> str:
    words = position.split(" ")
    return " ".join([*words[:3], letter, *words[4:]])
