"""Pictures of positions, for whoever plays by hand."""

from __future__ import annotations

import re

import pytest

import sternhalma
from sternhalma import Hole
from sternhalma.board import mask_of
from sternhalma_bot.by_hand.picture import Marks, draw

EVERY = [("tara", 6), ("duel", 2), ("corner+15", 2), ("halma19", 2), ("halma13", 4)]


@pytest.mark.parametrize(("rules", "players"), EVERY)
def test_every_hole_has_its_character(rules: str, players: int) -> None:
    position = sternhalma.Game.new(rules, players).position
    rows = ["".join(re.findall(r"(?<= )[A-F.](?= |$)", line)) for line in draw(position)]
    board = position.seating.board
    names = [["".join(position.letter_at(hole) or "." for hole in row)] for row in board.rows]
    assert [row for row in rows if row][: len(names)] == [row for (row,) in names]


def test_a_row_of_the_star_stands_between_its_neighbours() -> None:
    lines = draw(sternhalma.Game.new("duel").position)
    assert lines[0] == "             a5 A a5"
    assert lines[1] == "            b5 A A b6"
    assert lines[4] == " e1 . . . . . . . . . . . . . e13"


def test_the_square_has_files_and_ranks_along_its_edges() -> None:
    lines = draw(sternhalma.Game.new("halma13").position)
    assert lines[0] == lines[-1] == "   a b c d e f g h i j k l m n o p"
    assert lines[1] == "16 A A A A . . . . . . . . . . . . 16"
    assert lines[16] == " 1 . . . . . . . . . . . . C C C C 1"


def test_a_hole_to_go_to_is_a_star() -> None:
    game = sternhalma.Game.new("halma13")
    hole = game.rules.board.parse_hole("e16")
    assert draw(game.position, Marks(goals=mask_of([hole])))[1].startswith("16 A A A A * . ")


def test_without_colour_there_is_nothing_but_ascii() -> None:
    marks = Marks(mask_of([Hole(60)]), mask_of([Hole(0)]))
    for line in draw(sternhalma.Game.new("tara", 6).position, marks):
        assert line.isascii()
        assert line.isprintable()


def test_with_colour_the_same_is_shown() -> None:
    marks = Marks(mask_of([Hole(60)]), mask_of([Hole(0)]))
    position = sternhalma.Game.new("tara", 6).position
    coloured = draw(position, marks, colour=True)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == draw(position, marks)
    assert len(set(re.findall(r"\x1b\[1;(3\d)m[A-F]", "".join(coloured)))) == 6
