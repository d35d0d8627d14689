"""Rules 9, 12 and 13: passes, what fills a target, and finishing at one moment."""

import pytest

import sternhalma as sh
from engine.both import TextGame, position
from engine.naive_text import NaiveError
from engine.scenes import (
    NORTH,
    SOUTH,
    SOUTH_NINE,
    both,
    ended,
    full_board,
    puzzle,
    tail,
)

# Rule 9: passes.


@both
def test_a_pass_with_a_move_at_hand_is_refused(implementation: type[TextGame]) -> None:
    game = implementation.start("tara", 2)
    with pytest.raises((sh.IllegalMoveError, NaiveError)):
        game.play("pass")


@both
@pytest.mark.parametrize(
    ("rules_id", "reason", "places"),
    [("corner", "share", (1, 1)), ("duel", "share", (1, 1)), ("tara", "progress", (1, 2))],
)
def test_a_round_of_passes_ends_the_game_as_the_limit_does(
    implementation: type[TextGame], rules_id: str, reason: str, places: tuple[int, ...]
) -> None:
    board = full_board("A D D D D D")
    game = puzzle(implementation, f"{rules_id} {board} A,D A 7,7 -")
    assert game.result() is None
    game.play("pass")
    assert game.result() is None
    game.play("pass")
    assert ended(game)[:2] == (reason, places)
    assert tail(game) == "- 8,8 -"


@both
def test_only_those_still_in_need_to_pass(implementation: type[TextGame]) -> None:
    board = full_board("A C C C C E")
    game = puzzle(implementation, f"corner {board} A,C,E A 0,0,0 !E")
    game.play("pass")
    assert tail(game) == "C 1,0,0 !E"
    game.play("pass")
    assert ended(game)[:2] == ("share", (1, 1, 3))


@both
def test_a_move_begins_the_run_of_passes_anew(implementation: type[TextGame]) -> None:
    game = puzzle(implementation, position("corner", "A a5; D b5 b6 c5 c7 i9"))
    for move in ["pass", "i9-i10", "pass", "i10-i9", "pass"]:
        game.play(move)
        assert game.result() is None


# Rule 12: what fills a target.


@both
@pytest.mark.parametrize(
    ("rules_id", "counts", "fills"),
    [
        ("duel", "40,40", False),
        ("tara", "40,40", True),
        ("tara", "30,30", True),
        ("tara", "30,29", False),
        ("corner", "0,0", True),
        ("corner+first", "0,0", True),
        ("corner+out40", "0,0", False),
        ("corner+out40", "39,39", False),
        ("corner+long+through", "0,0", True),
    ],
)
def test_the_hosts_marble_fills_the_guests_target_as_the_rules_say(
    implementation: type[TextGame], rules_id: str, counts: str, fills: bool
) -> None:
    text = position(rules_id, f"A {SOUTH_NINE} i9; D q13 i10", counts=counts)
    assert (puzzle(implementation, text).result() is not None) is fills


@both
@pytest.mark.parametrize(
    ("rules_id", "done", "fills"),
    [
        ("tara", "-", False),
        ("tara", "!B", True),
        ("corner", "-", True),
        ("corner+out40", "-", False),
        ("corner+out40", "!B", True),
        ("corner+pairs", "-", True),
        ("corner+out40+pairs", "-", False),
    ],
)
def test_a_third_ones_marble_fills_a_target_as_the_rules_say(
    implementation: type[TextGame], rules_id: str, done: str, fills: bool
) -> None:
    marbles = f"A {SOUTH_NINE} i9; B q13 i10; D i11; E i12"
    text = position(rules_id, marbles, seats="A,B,D,E", counts="35,35,35,35", done=done)
    home = tail(puzzle(implementation, text)).split(" ")[2]
    assert ("A" in home.split(",")) is fills


@both
def test_a_partners_marble_does_not_fill(implementation: type[TextGame]) -> None:
    marbles = f"A {SOUTH_NINE} i9; B i10; D q13 i11; E i12"
    text = position("corner+pairs", marbles, seats="A,B,D,E")
    assert tail(puzzle(implementation, text)).endswith(" -")
    assert tail(puzzle(implementation, text.replace("+pairs", ""))).endswith(" A")


@both
@pytest.mark.parametrize("rules_id", ["tara", "duel", "corner", "corner+out40"])
def test_a_target_without_an_own_marble_is_never_filled(
    implementation: type[TextGame], rules_id: str
) -> None:
    text = position(rules_id, f"A i9; D {SOUTH}", counts="35,35")
    assert puzzle(implementation, text).result() is None


@both
def test_fifteen_holes_are_to_be_filled_with_fifteen_marbles(
    implementation: type[TextGame],
) -> None:
    ten = position("corner+15", f"A {SOUTH} i9 i10 i11 i12 m9; D a5")
    assert puzzle(implementation, ten).result() is None
    fifteen = position("corner+15", f"A {SOUTH} m9 m10 m11 m12; D m13 a5")
    assert ended(puzzle(implementation, fifteen))[:3] == ("goal", (1, 2), (14, 1))


# Rules 13 and 16: several at one moment.


@both
def test_those_who_finish_at_one_moment_are_ordered_by_how_far_they_came(
    implementation: type[TextGame],
) -> None:
    # c7 and o11 face each other across the middle, so that both have equally far to go.
    south, north = SOUTH.replace("o11 ", ""), NORTH.replace("c7 ", "")
    level = position("tara", f"A {south} c7; D {north} o11", counts="30,30")
    game = puzzle(implementation, level)
    assert tail(game) == "- 30,30 A=D"
    assert ended(game)[:3] == ("goal", (1, 1), (10, 10))
    behind = position("tara", f"A {south} c7 i9; D {north} o11", counts="30,30")
    game = puzzle(implementation, behind)
    assert tail(game) == "- 30,30 D,A"
    assert ended(game)[:3] == ("goal", (2, 1), (9, 10))


@both
def test_partners_who_finish_at_one_moment_are_level(implementation: type[TextGame]) -> None:
    marbles = f"A {SOUTH}; B i9; D {NORTH.replace('a5 ', '')}; E a5"
    game = puzzle(implementation, position("corner+pairs", marbles, seats="A,B,D,E"))
    assert tail(game) == "- 0,0,0,0 A=D"
    assert ended(game)[:3] == ("goal", (1, 2, 1, 2), (10, 0, 9, 0))
