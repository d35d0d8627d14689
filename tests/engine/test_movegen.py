"""The masks and the list of moves are two answers to one question."""

from random import Random

import pytest

import sternhalma as sh
from engine.both import position
from engine.naive_text import every_game


def listed(game: sh.Game) -> list[tuple[int, int]]:
    """The holes of the moves that the masks show, ascending for each colour of the seat."""
    return [
        (origin, target)
        for origin, reach in game.reach().items()
        for target in range(reach.bit_length())
        if reach >> target & 1
    ]


@pytest.mark.parametrize(("rules", "players"), every_game())
def test_the_list_of_moves_is_what_the_masks_show_in_ascending_order(
    rules: str, players: int
) -> None:
    rng = Random(rules)
    game = sh.Game.new(rules, players)
    for _ in range(25):
        moves = game.legal_moves()
        assert [move.path for move in moves] == listed(game)
        if game.is_over:
            break
        game = game.play(rng.choice(moves) if moves else sh.PASS)


def test_a_list_of_moves_belongs_to_who_asked_for_it() -> None:
    game = sh.Game.new("tara")
    game.legal_moves().clear()
    assert len(game.legal_moves()) == 14


@pytest.mark.parametrize("rules", ["tara", "duel", "corner", "halma13", "halma19+long"])
def test_every_full_path_is_allowed_as_it_is_written(rules: str) -> None:
    rng = Random(rules)
    game = sh.Game.new(rules)
    for _ in range(40):
        moves = game.legal_moves()
        for move in moves:
            full = game.resolve(move)
            assert (full.origin, full.target) == (move.origin, move.target)
            assert game.resolve(full) is full
        game = game.play(rng.choice(moves))


@pytest.mark.parametrize(
    ("path", "reason"), [("e9-f9", "taken by a marble of D"), ("e9-e10", "neither start nor")]
)
def test_a_step_onto_a_marble_or_out_of_bounds_is_not_allowed(path: str, reason: str) -> None:
    game = sh.Game.load(position("tara", "A e9; D f9"), puzzle=True)
    with pytest.raises(sh.IllegalMoveError, match=reason):
        game.resolve(game.parse_move(path))
