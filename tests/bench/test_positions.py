"""The saved positions and the game of random moves."""

import pytest
from bench.positions import COUNT, FILE, KINDS, load, make_one, random_game

import sternhalma as sh


@pytest.mark.parametrize(("rules", "seats"), KINDS)
def test_there_are_as_many_positions_of_each_kind_as_the_bench_says(rules: str, seats: int) -> None:
    positions = load(rules, seats)
    assert len(positions) == COUNT
    assert {len(position.seats) for position in positions} == {seats}


@pytest.mark.parametrize("number", [0, COUNT - 1])
@pytest.mark.parametrize(("kind", "first"), list(zip(KINDS, range(0, 600, COUNT), strict=True)))
def test_the_saved_positions_are_those_that_the_seed_gives(
    kind: tuple[str, int], first: int, number: int
) -> None:
    saved = FILE.read_text().splitlines()[first + number]
    assert saved == make_one(*kind, number)


def test_nobody_has_finished_in_a_saved_position() -> None:
    for position in load("tara", 2):
        assert not sh.Game.from_position(position).is_over


def test_positions_can_be_read_under_other_rules() -> None:
    (first, *_) = load("tara", 2, as_rules="corner+long")
    assert first.rules.id == "corner+long"


def test_the_game_of_random_moves_can_be_played_by_its_paths() -> None:
    game = sh.Game.new("duel", limit=50)
    for path in random_game("duel", 60):
        game = game.play(path)
        assert game.last is not None
        assert game.format_move(game.last) == path
    assert not game.is_over
