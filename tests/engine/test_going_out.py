"""Rules 17 and 18: who goes out, what stays on the board, who is placed where."""

import pytest

import sternhalma as sh
from engine.both import TextGame, position
from engine.scenes import (
    NORTH,
    NORTH_WEST,
    SOUTH,
    SOUTH_BUT_DOOR,
    SOUTH_NINE,
    both,
    ended,
    puzzle,
    tail,
)

# Rules 17 and 18: going out.


@both
@pytest.mark.parametrize(
    ("rules_id", "marbles", "counts", "is_out"),
    [
        ("corner+out40", "A a5 i9; D h9", "39,39", True),
        ("corner+out40", "A a5 i9; D h9", "44,44", True),
        ("corner+out40", "A a5 i9; D h9", "38,38", False),
        ("corner+out40", "A e5 i9; D h9", "39,39", False),
        ("corner+out40", "A e5 i9; D a5 h9", "39,39", False),
        ("corner", "A a5 i9; D h9", "39,39", False),
        ("corner+15+out40", "A e5 i9; D h9", "39,39", False),
        ("corner+15+out40", "A d5 i9; D h9", "39,39", True),
    ],
)
def test_a_player_late_at_home_is_out_after_the_fortieth_turn(
    implementation: type[TextGame], rules_id: str, marbles: str, counts: str, is_out: bool
) -> None:
    game = puzzle(implementation, position(rules_id, marbles, counts=counts))
    assert game.result() is None
    game.play("i9-i10")
    if is_out:
        assert ended(game)[:2] == ("last", (2, 1))
        assert tail(game).endswith(" !A")
    else:
        assert game.result() is None


@both
def test_a_marble_moved_out_with_the_fortieth_turn_is_in_time(
    implementation: type[TextGame],
) -> None:
    game = puzzle(implementation, position("corner+out40", "A d5; D h9", counts="39,39"))
    game.play("d5-e5")
    assert game.result() is None


@both
@pytest.mark.parametrize(
    ("rules_id", "seats"), [("corner+2c+out40", "AB,DE"), ("corner+3c+out40", "ACE,BDF")]
)
def test_a_colour_left_at_home_puts_its_player_out(
    implementation: type[TextGame], rules_id: str, seats: str
) -> None:
    second = seats[1]
    home = {"B": "e13", "C": "j14"}[second]
    others = "; ".join(f"{letter} h{9 + n}" for n, letter in enumerate(seats[3:].replace(",", "")))
    marbles = f"A i9; {second} {home}; {others}"
    text = position(rules_id, marbles, seats=seats, counts="39,39")
    game = puzzle(implementation, text)
    game.play("i9-i8")
    assert tail(game).endswith("!A")


@both
def test_the_late_partner_puts_the_pair_out(implementation: type[TextGame]) -> None:
    north = NORTH.replace("a5 ", "")
    marbles = f"A a5 i9; B i10; C h9; D {north} q13; E h10; F h11"
    counts = "39,39,39,39,39,39"
    text = position("corner+out40+pairs", marbles, seats="A,B,C,D,E,F", counts=counts)
    game = puzzle(implementation, text)
    game.play("i9-i8")
    assert tail(game) == "B 40,39,39,39,39,39 !A,!D"
    board = game.position_text().split(" ")[1].split("/")
    assert (board[0], board[16]) == ("1", "1")
    assert board[3] == "DDDD"


@both
def test_who_is_late_at_home_does_not_finish_with_the_same_turn(
    implementation: type[TextGame],
) -> None:
    # An E marble that is out fills a hole of A's target; A fills the last, with a5 still at home.
    marbles = f"A {SOUTH_BUT_DOOR.removesuffix(' q13')} m10 a5; C i9; E q13"
    text = position("corner+out40", marbles, seats="A,C,E", counts="39,39,39", done="!E")
    game = puzzle(implementation, text)
    game.play("m10-n10")
    assert ended(game)[:2] == ("last", (2, 1, 3))
    assert tail(game) == "- 40,39,39 !E,!A"


@both
def test_the_marbles_of_one_just_out_fill_a_target_at_once(
    implementation: type[TextGame],
) -> None:
    marbles = f"A a5 i9 e1; C {NORTH_WEST.replace('e1 ', '')}; E i10"
    text = position("corner+out40", marbles, seats="A,C,E", counts="39,39,39")
    game = puzzle(implementation, text)
    assert game.result() is None
    game.play("i9-i8")
    assert ended(game)[:2] == ("goal", (3, 1, 2))
    assert tail(game) == "- 40,39,39 C,!A"


@both
@pytest.mark.parametrize("rules_id", ["tara", "corner"])
def test_who_goes_out_leaves_the_start_point_and_nothing_else(
    implementation: type[TextGame], rules_id: str
) -> None:
    marbles = "A a5 d6 e6 n10; C c5 i9; E i10"
    game = puzzle(implementation, position(rules_id, marbles, seats="A,C,E", turn="C"))
    game.drop(0)
    expected = position(rules_id, "A e6 n10; C c5 i9; E i10", seats="A,C,E", turn="C", done="!A")
    assert game.position_text() == expected
    game.play("i9-i8")
    game.play("i10-i11")
    assert tail(game) == "C 0,1,1 !A"


@both
def test_the_later_out_is_placed_higher_and_the_last_one_left_first(
    implementation: type[TextGame],
) -> None:
    game = implementation.start("tara", 4)
    game.drop(2)
    assert tail(game) == "A 0,0,0,0 !D"
    game.drop(0)
    assert tail(game) == "B 0,0,0,0 !D,!A"
    assert game.result() is None
    game.drop(3)
    assert ended(game)[:2] == ("last", (3, 1, 4, 2))
    assert tail(game) == "- 0,0,0,0 !D,!A,!E"


@both
def test_who_drops_out_of_turn_leaves_the_turn_where_it_is(
    implementation: type[TextGame],
) -> None:
    game = implementation.start("corner", 3)
    game.drop(1)
    assert tail(game) == "A 0,0,0 !C"
    game.play("d5-e5")
    assert tail(game) == "E 1,0,0 !C"


@both
def test_a_drop_can_finish_the_player_to_move(implementation: type[TextGame]) -> None:
    # Under `out40` the E marble in A's target fills it once E is out.
    marbles = f"A {SOUTH_NINE}; B i9; D i10; E q13 i11"
    text = position("corner+out40", marbles, seats="A,B,D,E", counts="4,4,4,4")
    game = puzzle(implementation, text)
    assert tail(game) == "A 4,4,4,4 -"
    game.drop(3)
    assert tail(game) == "B 4,4,4,4 A,!E"


@both
def test_in_tara_a_drop_ends_the_wait_for_thirty_turns(implementation: type[TextGame]) -> None:
    marbles = f"A {SOUTH_NINE}; B i9; D q13 i10; E i11"
    text = position("tara", marbles, seats="A,B,D,E", counts="30,30,30,29", turn="E")
    game = puzzle(implementation, text)
    assert game.result() is None
    game.drop(3)
    assert ended(game)[:3] == ("goal", (1, 2, 3, 4), (10, 0, 0, 0))


@both
def test_a_pair_goes_out_with_the_partner_who_has_finished(
    implementation: type[TextGame],
) -> None:
    marbles = f"A {SOUTH}; B i9; C h9; D i10; E i11; F h10"
    text = position("corner+pairs", marbles, seats="A,B,C,D,E,F", turn="B", done="A")
    game = puzzle(implementation, text)
    game.drop(3)
    assert tail(game) == "B 0,0,0,0,0,0 !A,!D"
    game.drop(4)
    assert ended(game)[:2] == ("last", (3, 2, 1, 3, 2, 1))
    assert tail(game) == "- 0,0,0,0,0,0 !A,!D,!B,!E"


@both
def test_nobody_goes_out_twice(implementation: type[TextGame]) -> None:
    game = implementation.start("corner", 3)
    game.drop(1)
    with pytest.raises(ValueError, match="seat"):
        game.drop(1)
    game.drop(0)
    with pytest.raises(ValueError, match=r"seat|over"):
        game.drop(2)


def test_resigning_is_going_out() -> None:
    game = sh.Game.new("tara", players=3)
    for seat in range(3):
        assert game.resign(sh.Seat(seat)) == game.drop(sh.Seat(seat))
