"""Laws that hold for every position: turning changes nothing, chains keep their parity."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sternhalma as sh
from engine.both import EngineGame
from engine.naive import NaiveGame
from engine.naive_board import Hole, naive_board
from engine.naive_text import Fields, every_game, write_position

GAMES = every_game()
seeds = st.integers(0, 2**32)


def turned_on_the_star(hole: Hole) -> Hole:
    """*hole* turned by 60 degrees clockwise about the middle hole, (9, 9)."""
    down, right = hole[0] - 9, hole[1] - 9
    return 9 + right, 9 + right - down


def turned_on_the_square(hole: Hole) -> Hole:
    """*hole* turned by 90 degrees clockwise."""
    file, rank = hole
    return rank, 17 - file


def turned(fields: Fields) -> Fields:
    """The position turned so that A's marbles are B's in B's place, and so on, the turn too."""
    board = naive_board(fields.rules_id.split("+", maxsplit=1)[0])
    turn_hole = turned_on_the_star if board.is_star else turned_on_the_square
    following = dict(zip(board.letters, board.letters[1:] + board.letters[:1], strict=True))
    marbles = {turn_hole(hole): following[letter] for hole, letter in fields.marbles.items()}
    turn = None if fields.turn is None else (fields.turn + 1) % len(fields.seats)
    return Fields(fields.rules_id, fields.seats, marbles, turn, fields.counts, [], [])


def scattered(rng: Random, rules_id: str, players: int, most: int) -> Fields:
    game = NaiveGame.start(rules_id, players)
    holes = sorted(game.board.holes)
    rng.shuffle(holes)
    colours = "".join(game.seats)
    marbles = {holes.pop(): letter for letter in colours for _ in range(rng.randint(0, most))}
    return Fields(rules_id, game.seats, marbles, rng.randrange(players), game.counts, [], [])


def perfts(fields: Fields, depth: int) -> list[int]:
    position = sh.parse_position(write_position(fields), puzzle=True)
    return [sh.perft(position, d) for d in range(1, depth + 1)]


@pytest.mark.parametrize(
    "rules_id", ["tara", "tara+long", "corner", "corner+long", "corner+through", "corner+pairs"]
)
@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_turning_a_position_of_six_with_its_letters_leaves_perft_unchanged(
    rules_id: str, seed: int
) -> None:
    fields = scattered(Random(seed), rules_id, 6, 5)
    counts = perfts(fields, 2)
    for _ in range(5):
        fields = turned(fields)
        assert perfts(fields, 2) == counts


@pytest.mark.parametrize("rules_id", ["halma13", "halma13+long", "halma13+through"])
@given(seed=seeds)
@settings(max_examples=4, deadline=None)
def test_turning_a_position_of_four_on_the_square_leaves_perft_unchanged(
    rules_id: str, seed: int
) -> None:
    fields = scattered(Random(seed), rules_id, 4, 6)
    counts = perfts(fields, 2)
    for _ in range(3):
        fields = turned(fields)
        assert perfts(fields, 2) == counts


def test_six_turns_bring_every_hole_of_the_star_back() -> None:
    for hole in naive_board("tara").holes:
        place = hole
        for _ in range(6):
            place = turned_on_the_star(place)
            assert place in naive_board("tara").holes
        assert place == hole


@pytest.mark.parametrize(("rules_id", "players"), [("tara", 6), ("corner+long", 2), ("halma19", 2)])
@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_a_chain_keeps_the_parity_of_both_numbers(rules_id: str, players: int, seed: int) -> None:
    text = write_position(scattered(Random(seed), rules_id, players, 8))
    game = sh.Game.load(text, puzzle=True)
    holes = naive_board(rules_id.split("+", maxsplit=1)[0]).by_name
    for move in game.legal_moves():
        path = [holes[name] for name in game.format_move(game.resolve(move)).split("-")]
        row_step, number_step = path[1][0] - path[0][0], path[1][1] - path[0][1]
        is_step = max(abs(row_step), abs(number_step)) == 1
        assert not is_step or len(path) == 2
        if not is_step:
            assert len({(first % 2, second % 2) for first, second in path}) == 1


@pytest.mark.parametrize(("rules_id", "players"), GAMES[::7])
@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_the_full_path_of_a_move_is_legal_as_written_and_the_same_in_both(
    rules_id: str, players: int, seed: int
) -> None:
    text = write_position(scattered(Random(seed), rules_id, players, 8))
    engine, naive = EngineGame.load(text, puzzle=True), NaiveGame.load(text, puzzle=True)
    for origin, end in sorted(naive.moves())[:10]:
        path = engine.full_path(origin, end)
        assert path == naive.full_path(origin, end)
        assert engine.is_legal_path(path)
        assert naive.is_legal_path(path)
