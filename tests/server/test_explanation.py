"""Why an answer was not played, told to whoever wrote the bot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma import Game
from sternhalma_server.explanation import SHOWN, explain

START = Game.new("duel")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("move 1 1 c5-e7-g9", "c5-e7-g9: hop 2, e7-g9: there is no marble on f8 to hop over"),
        ("move 1 1 a5-c7-e9", "a5-c7-e9: hop 1, a5-c7: c7 is taken"),
        ("move 1 1 a5-e9", "a5-e9: no step and no chain of hops leads from a5 to e9"),
        ("move 1 1 d5-z9", "expected a hole of the star board, got 'z9'"),
        ("move 1 x d5-e5", "expected the ply of the turn in 'move', a number, got 'x'"),
        ("why", "expected a move, got 'why'"),
    ],
)
def test_the_reason_comes_first(line: str, reason: str) -> None:
    assert explain(START, line)[0] == reason


def test_a_long_path_is_cut_before_the_reason_for_it() -> None:
    path = "-".join(["d5", *["e5", "d5"] * 60])
    (reason, _) = explain(START, f"move 1 1 {path}")
    assert reason.endswith("-d5-e5-...: hop 1, d5-e5: a step cannot be part of a chain")
    assert len(reason) < 130


def test_an_illegal_move_is_told_where_its_marble_may_go() -> None:
    assert explain(START, "move 1 1 c5-e7-g9")[1] == "the marble on c5 may go to e5, e7"


def test_a_marble_that_cannot_move_is_told_so() -> None:
    assert explain(START, "move 1 1 a5-e9")[1] == "the marble on a5 has no move now"


def test_who_moves_a_marble_of_another_is_told_which_may_move() -> None:
    (_, instead) = explain(START, "move 1 1 n10-m9")
    assert instead == "marbles that may move are on c5, c6, c7, d5, d6, d7, d8"


def test_a_wrong_way_to_a_hole_that_can_be_reached_is_told_the_right_one() -> None:
    (_, instead) = explain(START, "move 1 1 c5-e5-e7")
    assert instead == "another way leads there, c5-e7; 'c5-e7' finds one by itself"


def test_a_long_list_of_holes_is_cut() -> None:
    game = Game.load(
        "halma19+long 3C12/A3A2A7A/1A2A1AA2C5/16/1C2A11/A10C4/16/4C3C1CC4/AA2CA10/16"
        "/2C8A1C2/12C1AC/13C2/A9C4C/8A1C1C2A/8C6A A,C A 45,45 -"
    )
    (_, instead) = explain(game, "move 1 91 d16-d15")
    assert instead.count(",") == SHOWN - 1
    assert instead.endswith(" more")


def test_a_legal_move_has_nothing_to_explain() -> None:
    assert explain(START, "move 1 1 d5-e5") == []


@given(st.text(max_size=40))
def test_whatever_is_said_some_reason_is_found_unless_it_is_legal(text: str) -> None:
    legal = {START.format_move(move) for move in START.legal_moves()}
    assert (explain(START, f"move 1 1 {text}") == []) == (
        text.partition(" ")[0].lower() in legal
    ) or (" " in text)
