"""The pictures, character by character."""

from __future__ import annotations

import re

import pytest

from sternhalma import Position, Rules, parse_position
from sternhalma_server.drawing import draw

STAR = """\
             a5 A a5
            b5 A A b6
           c5 A A A c7
          d5 A A A A d8
 e1 . . . . . . . . . . . . . e13
  f2 . . . . . . . . . . . . f13
   g3 . . . . . . . . . . . g13
    h4 . . . . . . . . . . h13
     i5 . . . . . . . . . i13
    j5 . . . . . . . . . . j14
   k5 . . . . . . . . . . . k15
  l5 . . . . . . . . . . . . l16
 m5 . . . . . . . . . . . . . m17
         n10 D D D D n13
          o11 D D D o13
           p12 D D p13
            q13 D q13
"""

ONE_OF_EACH = """\
             a5 A a5
            b5 . . b6
           c5 . . . c7
          d5 . . . . d8
 e1 F . . . . . . . . . . . B e13
  f2 . . . . . . . . . . . . f13
   g3 . . . . . . . . . . . g13
    h4 . . . . . . . . . . h13
     i5 . . . . . . . . . i13
    j5 . . . . . . . . . . j14
   k5 . . . . . . . . . . . k15
  l5 . . . . . . . . . . . . l16
 m5 E . . . . . . . . . . . C m17
         n10 . . . . n13
          o11 . . . o13
           p12 . . p13
            q13 D q13
"""

SQUARE = """\
   a b c d e f g h i j k l m n o p
16 A A A A A . . . . . . . . . . . 16
15 A A A A A . . . . . . . . . . . 15
14 A A A A . . . . . . . . . . . . 14
13 A A A . . . . . . . . . . . . . 13
12 A A . . . . . . . . . . . . . . 12
11 . . . . . . . . . . . . . . . . 11
10 . . . . . . . . . . . . . . . . 10
 9 . . . . . . . . . . . . . . . . 9
 8 . . . . . . . . . . . . . . . . 8
 7 . . . . . . . . . . . . . . . . 7
 6 . . . . . . . . . . . . . . . . 6
 5 . . . . . . . . . . . . . . C C 5
 4 . . . . . . . . . . . . . C C C 4
 3 . . . . . . . . . . . . C C C C 3
 2 . . . . . . . . . . . C C C C C 2
 1 . . . . . . . . . . . C C C C C 1
   a b c d e f g h i j k l m n o p
"""

PUZZLE = "corner A/2/3/4/F11B/12/11/10/9/10/11/12/E11C/4/3/2/D A,B,C,D,E,F A 0,0,0,0,0,0 -"


def lines(text: str) -> list[str]:
    return text.splitlines()


def test_the_star_of_a_game_for_two() -> None:
    assert draw(Position.start(Rules.parse("tara"), 2)) == lines(STAR)


def test_every_point_of_the_star_lies_where_its_letter_says() -> None:
    assert draw(parse_position(PUZZLE, puzzle=True)) == lines(ONE_OF_EACH)


def test_the_square_has_files_and_ranks_along_its_edges() -> None:
    assert draw(Position.start(Rules.parse("halma19"), 2)) == lines(SQUARE)


@pytest.mark.parametrize(("rules", "players"), [("tara", 6), ("halma13", 4)])
def test_colour_changes_nothing_but_the_colour(rules: str, players: int) -> None:
    position = Position.start(Rules.parse(rules), players)
    coloured = draw(position, colour=True)
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured]
    assert plain == draw(position)
    assert coloured != plain


def test_each_letter_has_a_colour_of_its_own() -> None:
    text = "\n".join(draw(Position.start(Rules.parse("tara"), 6), colour=True))
    colours = dict(re.findall(r"\x1b\[1;(\d+)m([A-F])", text))
    assert sorted(colours.values()) == list("ABCDEF")


def test_an_empty_point_shows_whose_point_it_is() -> None:
    empty = draw(parse_position(PUZZLE, puzzle=True), colour=True)
    full = draw(Position.start(Rules.parse("tara"), 6), colour=True)
    assert empty[1].count("\x1b[31m.") == 2
    assert full[1].count("\x1b[1;31mA") == 2
