"""The ground truth that came with the rules: perft counts and whole games."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sternhalma as sh
from engine.both import BOTH, EngineGame, TextGame
from engine.naive import NaiveGame
from engine.naive_text import NaiveError

FIXTURES: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "fixtures.json").read_text(encoding="utf-8")
)
GAMES: dict[str, list[str]] = {game["name"]: game["moves"] for game in FIXTURES["games"]}
START = "A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D"
ARMY_ALONE = "A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/4/3/2/1"


def perft_cases() -> Iterator[Any]:
    for entry in FIXTURES["perft"]:
        rules_id, board, seats = entry["position"].split(" ")[:3]
        for depth, count in enumerate(entry["counts"], 1):
            yield pytest.param(
                entry["position"],
                depth,
                count,
                id=f"{rules_id} {seats} {board[:12]} depth {depth}",
                marks=[pytest.mark.slow] if depth > 4 else [],
            )


@pytest.mark.parametrize(("position", "depth", "count"), list(perft_cases()))
def test_the_engine_counts_as_many_moves_as_the_fixtures(
    position: str, depth: int, count: int
) -> None:
    assert sh.perft(sh.parse_position(position, puzzle=True), depth) == count


@pytest.mark.parametrize("entry", FIXTURES["perft"], ids=lambda entry: entry["position"][:40])
def test_the_naive_rules_count_as_many_moves_as_the_fixtures(entry: dict[str, Any]) -> None:
    game = NaiveGame.load(entry["position"], puzzle=True)
    counts = entry["counts"][: 2 if entry["counts"][1] < 3000 else 1]
    assert [game.perft(depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("entry", FIXTURES["perft"], ids=lambda entry: entry["position"][:40])
def test_the_positions_of_the_fixtures_are_written_as_they_were_read(entry: dict[str, Any]) -> None:
    text = entry["position"]
    assert sh.format_position(sh.parse_position(text, puzzle=True)) == text


@pytest.mark.parametrize("implementation", BOTH)
@pytest.mark.parametrize("rules_id", ["tara", "duel", "corner"])
def test_one_army_alone_crosses_in_27_moves(implementation: type[TextGame], rules_id: str) -> None:
    game = implementation.load(f"{rules_id} {ARMY_ALONE} A,D A 0,0 -", puzzle=True)
    moves = GAMES["solitaire27"]
    assert len(moves) == 27
    for number, move in enumerate(moves, 1):
        assert game.result() is None
        path = move.split("-")
        assert game.is_legal_path(path), (number, move)
        assert (path[0], path[-1]) in game.moves()
        game.play(move)
        if number < 27:
            assert game.moves() == set()
            game.play("pass")
    result = game.result()
    assert result is not None
    assert result[:3] == ("goal", (1, 2), (10, 0))
    assert (
        game.position_text()
        == f"{rules_id} 1/2/3/4/13/12/11/10/9/10/11/12/13/AAAA/AAA/AA/A " + ("A,D - 27,26 A")
    )


def until_illegal(game: TextGame, moves: list[str]) -> int | None:
    """Play *moves*; the ply of the first illegal one, None if all were played."""
    for ply, move in enumerate(moves, 1):
        assert game.result() is None, ply
        if not game.is_legal_path(move.split("-")):
            with pytest.raises(sh.IllegalMoveError if isinstance(game, EngineGame) else NaiveError):
                game.play(move)
            return ply
        game.play(move)
    return None


@pytest.mark.parametrize("implementation", BOTH)
@pytest.mark.parametrize(
    ("rules_id", "name", "ply"),
    [("corner", "coop34", 13), ("tara", "coop34", 17), ("tara", "coop36", 31)],
)
def test_a_cooperative_game_breaks_off_at_its_illegal_move(
    implementation: type[TextGame], rules_id: str, name: str, ply: int
) -> None:
    assert until_illegal(implementation.start(rules_id, 2), GAMES[name]) == ply


@pytest.mark.parametrize("implementation", BOTH)
@pytest.mark.parametrize(
    ("rules_id", "name", "last", "home"),
    [
        ("duel", "coop34", 34, 10),
        ("duel", "coop36", 36, 10),
        ("corner", "coop36", 34, 9),
    ],
)
def test_a_cooperative_game_is_won_by_the_south_at_its_last_ply(
    implementation: type[TextGame], rules_id: str, name: str, last: int, home: int
) -> None:
    game = implementation.start(rules_id, 2)
    assert until_illegal(game, GAMES[name][:last]) is None
    result = game.result()
    assert result is not None
    reason, places, at_home, _ = result
    assert (reason, places, at_home[1]) == ("goal", (2, 1), home)
    assert game.position_text().endswith(f" A,D - {last // 2},{last // 2} D")


@pytest.mark.parametrize("rules_id", ["tara", "duel", "corner"])
def test_both_implementations_see_the_fixture_games_alike(rules_id: str) -> None:
    for moves in GAMES.values():
        engine, naive = EngineGame.start(rules_id, 2), NaiveGame.start(rules_id, 2)
        for move in moves:
            assert engine.moves() == naive.moves()
            assert engine.position_text() == naive.position_text()
            if not naive.is_legal_path(move.split("-")):
                break
            engine.play(move)
            naive.play(move)
