"""The board field kept row by row: it must never differ from the one that is written anew."""

from __future__ import annotations

from random import Random

import pytest

from sternhalma import BoardText, Game, format_position, parse_position
from sternhalma.notation import format_board


@pytest.mark.parametrize(
    ("rules", "players"),
    [("tara", 2), ("corner+long", 6), ("corner+2c", 2), ("halma19", 2), ("halma13", 4)],
)
def test_the_board_kept_row_by_row_is_the_board_written_anew(rules: str, players: int) -> None:
    chance, kept = Random(7), BoardText()
    game = Game.new(rules, players)
    for _ in range(150):
        assert kept.of(game.position) == format_board(game.position)
        moves = game.legal_moves()
        game = game.play(chance.choice(moves)) if moves else game.play("pass")
        if game.is_over:
            break


def test_the_board_kept_row_by_row_follows_a_drop_and_a_jump_to_another_game() -> None:
    kept = BoardText()
    game = Game.new("tara", 6).play("d5-e5")
    assert kept.of(game.position) == format_board(game.position)
    after = game.drop(game.position.seating.seats[3])
    assert kept.of(after.position) == format_board(after.position)
    other = Game.new("tara", 6)
    assert kept.of(other.position) == format_board(other.position)


def test_the_board_kept_row_by_row_needs_no_change_of_marbles() -> None:
    kept, position = BoardText(), Game.new("tara", 2).position
    same = position._replace(marbles=(*position.marbles[:1], *position.marbles[1:]))
    assert kept.of(position) == kept.of(same) == format_board(position)


def test_a_position_text_with_the_board_given_is_the_whole_text() -> None:
    position = Game.new("corner", 3).position
    text = format_position(position, BoardText().of(position))
    assert parse_position(text) == position
