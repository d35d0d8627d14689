"""The sample bots: what all of them keep to, and how good they are."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import sternhalma as sh
from clients.games import at_home, opened, played
from sternhalma_bot.bots import SAMPLES, costs, lookahead, mcts
from sternhalma_bot.turn import Turn

EVERYWHERE = [
    ("tara", 2),
    ("tara", 3),
    ("tara", 4),
    ("tara+long", 6),
    ("duel", 2),
    ("corner", 3),
    ("corner+15", 2),
    ("corner+2c", 2),
    ("corner+3c", 2),
    ("corner+long+pairs", 4),
    ("corner+pairs", 6),
    ("corner+first+out40+through", 4),
    ("halma13", 4),
    ("halma13+out40+pairs", 4),
    ("halma19", 2),
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookahead, "BUDGET", 5_000)
    monkeypatch.setattr(mcts, "BUDGET", 2_000)


@pytest.mark.parametrize("bot", SAMPLES)
@pytest.mark.parametrize(("rules", "players"), EVERYWHERE)
def test_every_sample_plays_legally_under_every_rule_set(
    bot: str, rules: str, players: int
) -> None:
    for plies in [0, 40]:
        game = opened(rules, players, plies, seed=plies, limit=200)
        for _ in range(4):
            if game.turn is not None and not game.must_pass:
                game = game.play(SAMPLES[bot].choose(Turn.of(game)))


@pytest.mark.parametrize("bot", SAMPLES)
def test_the_same_seed_and_turn_get_the_same_answer_whatever_came_before(bot: str) -> None:
    early, late = opened("tara", 2, 6, seed=1), opened("tara", 2, 30, seed=2)

    def answers(order: Sequence[sh.Game], time_left: float | None) -> dict[str, sh.Move]:
        turns = [Turn(str(game), game.ply, 7, time_left) for game in order]
        return {turn.position: SAMPLES[bot].choose(turn) for turn in turns}

    assert answers([early, late], None) == answers([late, early, late], 60.0)


@pytest.mark.parametrize("rules", ["tara", "corner", "halma13"])
def test_greedy_beats_chance(rules: str) -> None:
    for seed in range(4):
        game = opened(rules, 2, 4, seed)
        result = played(game, ["greedy", "random"][:: 1 if seed % 2 else -1]).result
        assert result is not None
        assert result.places[0 if seed % 2 else 1] == 1


@pytest.mark.parametrize(
    ("rules", "players"),
    [("tara", 2), ("corner", 2), ("tara", 6), ("corner", 4), ("halma13", 4), ("corner+2c", 2)],
)
def test_greedy_games_are_finished_not_broken_off(rules: str, players: int) -> None:
    for seed in range(3):
        result = played(opened(rules, players, 4, seed), ["greedy"] * players).result
        assert result is not None
        assert result.end is sh.End.GOAL


@pytest.mark.parametrize("rules", ["tara", "corner", "halma13"])
@pytest.mark.parametrize("bot", [bot for bot in SAMPLES if bot != "random"])
def test_every_sample_but_chance_clears_its_home_and_ends_a_game_by_the_goal(
    bot: str, rules: str
) -> None:
    for side in range(2):
        bots = ["greedy", "greedy"]
        bots[side] = bot
        game = played(opened(rules, 2, 4, seed=side), bots)
        assert game.result is not None
        assert game.result.end is sh.End.GOAL
        assert max(game.position.counts) < game.terms.limit
        assert at_home(game, side) == 0


def test_greedy_leaves_the_start_in_time_where_staying_loses() -> None:
    for seed in range(3):
        game = played(opened("halma19+out40", 2, 4, seed), ["greedy", "random"])
        assert game.result is not None
        assert game.result.places == (1, 2)


def test_of_moves_that_gain_the_same_greedy_takes_the_rearmost() -> None:
    # From the start a hop gains four and a step two; of the hops, those from c7 and c5 start rear.
    move = SAMPLES["greedy"].choose(Turn.of(sh.Game.new("tara")))
    assert sh.STAR.format_hole(move.origin)[0] == "c"


def test_greedy_heads_for_the_gap_along_the_front() -> None:
    # m5 stands at the west end of the row before the target, and n10 is open: five steps.
    board = "1/2/3/4/13/12/11/10/9/10/11/12/A12/1AAA/AAA/AA/A"
    game = sh.Game.load(f"duel {board} A,D A 60,60 -", puzzle=True)
    assert played(game, ["greedy", "greedy"]).position.counts == (65, 64)


def test_a_full_target_costs_least() -> None:
    for rules in ["tara", "corner+15", "halma13", "halma19"]:
        start = sh.Game.new(rules).position
        lane = start.seating.lanes[0]
        table = costs.hole_costs(start, lane)
        inside = [table[hole] for hole in range(len(table)) if lane.fill >> hole & 1]
        outside = [table[hole] for hole in range(len(table)) if not lane.fill >> hole & 1]
        assert max(inside) < min(outside)


def test_the_ladder_prints_who_won() -> None:
    ladder = Path(__file__).parents[2] / "bench" / "ladder.py"
    command = [sys.executable, str(ladder), "greedy", "random", "--games", "2", "--rules", "corner"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert re.search(r"^greedy +2 +2 +1\.000 ", done.stdout, re.MULTILINE)
    assert "ends: goal 2" in done.stdout


def test_the_ladder_plays_programs_over_their_standard_streams(tmp_path: Path) -> None:
    first = tmp_path / "first.py"
    first.write_text(FIRST_MOVE)
    ladder = Path(__file__).parents[2] / "bench" / "ladder.py"
    program = f"{sys.executable} {first}"
    command = [sys.executable, str(ladder), "greedy", program, "--games", "2", "--limit", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert re.search(r"^greedy +2 +2 +1\.000 ", done.stdout, re.MULTILINE)
    assert "ends: at the limit 2" in done.stdout


FIRST_MOVE = """
import sternhalma

input()
print("login first", flush=True)
while True:
    match input().split():
        case ["turn", game, ply, "1000", *position]:
            now = sternhalma.Game.load(" ".join(position))
            print("move", game, ply, now.format_move(now.legal_moves()[0]), flush=True)
"""
