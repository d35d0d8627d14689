"""Rules 9 and 12 to 20 one by one: what fills a target, who is placed where, who is skipped."""

import pytest

import sternhalma as sh
from engine.both import BOTH, EngineGame, TextGame, position
from engine.naive import Result
from engine.naive_board import naive_board
from engine.naive_text import NaiveError

SOUTH = "n10 n11 n12 n13 o11 o12 o13 p12 p13 q13"  # the target of A
NORTH = "a5 b5 b6 c5 c6 c7 d5 d6 d7 d8"  # the target of D
SOUTH_WEST = "j5 k5 k6 l5 l6 l7 m5 m6 m7 m8"  # the target of B
NORTH_WEST = "e1 e2 e3 e4 f2 f3 f4 g3 g4 h4"  # the target of C
NORTH_EAST = "e10 e11 e12 e13 f11 f12 f13 g12 g13 h13"  # the target of E
POINTS = {"A": NORTH, "B": NORTH_EAST, "D": SOUTH, "E": SOUTH_WEST, "F": NORTH_WEST}
SOUTH_NINE = SOUTH.removesuffix(" q13")
SOUTH_BUT_DOOR = SOUTH.removeprefix("n10 ")

both = pytest.mark.parametrize("implementation", BOTH)


def puzzle(implementation: type[TextGame], text: str, limit: int | None = None) -> TextGame:
    return implementation.load(text, puzzle=True, limit=limit)


def ended(game: TextGame) -> Result:
    result = game.result()
    assert result is not None, "the game goes on"
    return result


def tail(game: TextGame) -> str:
    """The turn, the counts and the done field."""
    return " ".join(game.position_text().split(" ")[3:])


def full_board(points: str) -> str:
    """A board without an empty hole: the marbles in the points A to F, those of C in the middle."""
    owners = dict(zip("ABCDEF", points.split(), strict=True))
    held = dict.fromkeys(naive_board("tara").by_name, owners["C"])
    for point, names in POINTS.items():
        held |= dict.fromkeys(names.split(), owners[point])
    colours = sorted(set(held.values()))
    marbles = [f"{c} {' '.join(name for name in held if held[name] == c)}" for c in colours]
    return position("tara", "; ".join(marbles)).split(" ")[1]


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


# Rule 14: how a game goes on after a finish.


@both
@pytest.mark.parametrize(
    ("rules_id", "reason", "places"),
    [
        ("tara", "goal", (1, 3, 2)),
        ("corner+first", "goal", (1, 2, 2)),
    ],
)
def test_the_first_finisher_ends_the_game(
    implementation: type[TextGame], rules_id: str, reason: str, places: tuple[int, ...]
) -> None:
    marbles = f"A {SOUTH_BUT_DOOR} m10; C i9; E e10"
    game = puzzle(implementation, position(rules_id, marbles, seats="A,C,E"))
    game.play("m10-n10")
    assert ended(game)[:2] == (reason, places)
    assert tail(game) == "- 1,0,0 A"


@both
def test_those_left_behind_the_first_finisher_may_go_by_progress(
    implementation: type[TextGame],
) -> None:
    marbles = f"A {SOUTH_BUT_DOOR} m10; C i9; E e10"
    text = position("corner+first", marbles, seats="A,C,E")
    game = implementation.load(text, puzzle=True, at_limit="progress")
    game.play("m10-n10")
    assert ended(game)[:2] == ("goal", (1, 3, 2))


@both
def test_corner_plays_on_without_the_finisher_until_one_is_left(
    implementation: type[TextGame],
) -> None:
    east = NORTH_EAST.replace("e10 ", "")
    marbles = f"A {SOUTH_BUT_DOOR} m10; C i9; E {east} e9"
    game = puzzle(implementation, position("corner", marbles, seats="A,C,E"))
    game.play("m10-n10")
    assert game.result() is None
    assert tail(game) == "C 1,0,0 A"
    game.play("i9-i8")
    assert tail(game) == "E 1,1,0 A"
    game.play("e9-e8")
    assert tail(game) == "C 1,1,1 A"
    game.play("i8-i9")
    game.play("e8-e9")
    game.play("i9-i8")
    game.play("e9-e10")
    assert ended(game)[:2] == ("goal", (1, 3, 2))
    assert tail(game) == "- 1,3,3 A,E"


@both
def test_two_colours_must_both_be_home_at_once(implementation: type[TextGame]) -> None:
    one = f"A {SOUTH}; B {SOUTH_WEST.removesuffix(' m8')} i9; D i10; E i11"
    two = f"A {SOUTH}; B {SOUTH_WEST}; D i10; E i11"
    for marbles, finished in [(one, False), (two, True)]:
        game = puzzle(implementation, position("corner+2c", marbles, seats="AB,DE"))
        assert (game.result() is not None) is finished


@both
def test_each_point_needs_a_marble_of_its_own_colour(implementation: type[TextGame]) -> None:
    marbles = f"A {SOUTH} {SOUTH_WEST}; B i9; D i10; E i11"
    assert puzzle(implementation, position("corner+2c", marbles, seats="AB,DE")).result() is None
    marbles = f"A {SOUTH} {SOUTH_WEST.removesuffix(' m8')}; B m8; D i10; E i11"
    game = puzzle(implementation, position("corner+2c", marbles, seats="AB,DE"))
    assert ended(game)[:3] == ("goal", (1, 2), (11, 0))


@both
def test_partners_finish_at_two_times_and_the_finished_one_is_skipped(
    implementation: type[TextGame],
) -> None:
    north = NORTH.replace("d5 ", "")
    marbles = f"A {SOUTH_BUT_DOOR} m10; B i9; D {north} e6; E i12"
    game = puzzle(implementation, position("corner+pairs", marbles, seats="A,B,D,E"))
    game.play("m10-n10")
    assert tail(game) == "B 1,0,0,0 A"
    game.play("i9-i10")
    game.play("e6-e5")
    game.play("i12-i11")
    assert tail(game) == "B 1,1,1,1 A"
    game.play("i10-i9")
    game.play("e5-d5")
    assert ended(game)[:2] == ("goal", (1, 2, 1, 2))
    assert tail(game) == "- 1,2,2,1 A,D"


@both
def test_the_first_pair_not_the_first_partner_ends_a_game_that_stops_at_the_first(
    implementation: type[TextGame],
) -> None:
    north = NORTH.replace("d5 ", "")
    marbles = f"A {SOUTH}; B i9; C i10; D {north} e5; E i12; F h9"
    text = position("corner+first+pairs", marbles, seats="A,B,C,D,E,F", turn="D")
    game = puzzle(implementation, text)
    assert tail(game) == "D 0,0,0,0,0,0 A"
    game.play("e5-d5")
    assert ended(game)[:2] == ("goal", (1, 2, 2, 1, 2, 2))


@both
def test_a_finishers_marbles_fill_another_target(implementation: type[TextGame]) -> None:
    # A is done; the A marble on f11 stands in the target of E.
    lacking = f"A {SOUTH} f11; C i9; E e10 e11 e12 f12 f13 g12 g13 h13 e9"
    for marbles, finished in [(lacking, False), (f"{lacking} e13", True)]:
        text = position("corner", marbles, seats="A,C,E", turn="C", done="A")
        assert tail(puzzle(implementation, text)).endswith("A,E") is finished


# Rule 15: the limit.


@both
@pytest.mark.parametrize(
    ("rules_id", "limit"), [("tara", 200), ("duel", 200), ("corner", 200), ("halma19", 400)]
)
def test_the_limit_of_the_rules_is_reached_when_all_have_had_their_turns(
    implementation: type[TextGame], rules_id: str, limit: int
) -> None:
    halma = rules_id == "halma19"
    seats, marbles = ("A,C", "A h8; C i9") if halma else ("A,D", "A i9; D h9")
    text = position(rules_id, marbles, seats=seats, turn=seats[2], counts=f"{limit},{limit - 1}")
    game = puzzle(implementation, text)
    assert game.result() is None
    origin, end = min(game.moves())
    game.play(f"{origin}-{end}")
    assert ended(game)[0] == ("progress" if rules_id == "tara" else "share")
    early = text.replace(f"{limit},{limit - 1}", f"{limit - 1},{limit - 1}")
    game = puzzle(implementation, early)
    game.play(f"{origin}-{end}")
    assert game.result() is None


@both
def test_a_finish_on_the_last_turn_beats_the_limit(implementation: type[TextGame]) -> None:
    marbles = f"A i9; D {NORTH.replace('d5 ', '')} e5"
    text = position("corner", marbles, turn="D", counts="7,6")
    game = puzzle(implementation, text, limit=7)
    game.play("e5-d5")
    assert ended(game)[:2] == ("goal", (2, 1))


@both
def test_a_finish_on_the_last_turn_leaves_the_limit_to_the_others(
    implementation: type[TextGame],
) -> None:
    marbles = f"A i9; C i10; E {NORTH_EAST.replace('e10 ', '')} e9"
    text = position("corner", marbles, seats="A,C,E", turn="E", counts="7,7,6")
    game = puzzle(implementation, text, limit=7)
    game.play("e9-e10")
    assert ended(game)[:2] == ("share", (2, 2, 1))
    assert tail(game) == "- 7,7,7 E"


@both
def test_the_limit_waits_for_nobody_who_is_out(implementation: type[TextGame]) -> None:
    marbles = "A i9; C i10; E i11"
    text = position("corner", marbles, seats="A,C,E", counts="7,7,6", turn="E")
    game = puzzle(implementation, text, limit=7)
    game.drop(2)
    assert ended(game)[:2] == ("share", (1, 1, 3))


@pytest.mark.parametrize("at_limit", ["share", "progress"])
def test_the_places_of_tara_go_by_progress_and_cannot_be_shared_at_the_limit(
    at_limit: str,
) -> None:
    if at_limit == "progress":
        assert EngineGame.start("tara", 2, at_limit="progress").result() is None
    else:
        with pytest.raises(sh.RulesError, match="progress"):
            EngineGame.start("tara", 2, at_limit="share")


# Rule 16: how far everybody has come.


@both
def test_level_players_share_a_place_and_the_next_is_left_out(
    implementation: type[TextGame],
) -> None:
    # One step nearer for A; B and D level; E furthest.
    marbles = "A m10; B i7; D g9; E e1"
    text = position("tara", marbles, seats="A,B,D,E", counts="9,9,9,9")
    game = puzzle(implementation, text, limit=9)
    reason, places, home, distance = ended(game)
    assert (reason, home) == ("progress", (0, 0, 0, 0))
    assert distance[1] == distance[2]
    assert places == (1, 2, 2, 4)


@both
def test_more_marbles_home_go_before_a_smaller_distance(implementation: type[TextGame]) -> None:
    text = position("tara", "A n10 a5; D e5 e6", counts="9,9")
    assert ended(puzzle(implementation, text, limit=9)) == ("progress", (1, 2), (1, 0), (13, 2))


@both
def test_partners_are_measured_and_placed_together(implementation: type[TextGame]) -> None:
    marbles = "A n10 i9; B j5 j6; D i8 i10; E e10 e9"
    text = position("corner+pairs", marbles, seats="A,B,D,E", counts="9,9,9,9")
    game = implementation.load(text, puzzle=True, limit=9, at_limit="progress")
    reason, places, home, _ = ended(game)
    assert (reason, places, home) == ("progress", (2, 1, 2, 1), (1, 1, 0, 1))


@both
def test_fifteen_are_measured_to_the_fifteen_holes(implementation: type[TextGame]) -> None:
    game = puzzle(implementation, position("corner+15", "A l9 m9 n10 a5; D i9"))
    assert game.home_and_distance(0) == (2, 1 + 12)
    game = puzzle(implementation, position("corner", "A l9 m9 n10 a5; D i9"))
    assert game.home_and_distance(0) == (1, 2 + 1 + 13)


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


# Rules 19 and 20.


@both
def test_an_agreed_draw_is_shared(implementation: type[TextGame]) -> None:
    game = implementation.start("duel", 2)
    game.play("d5-e5")
    game.agree()
    assert ended(game)[:2] == ("agreement", (1, 1))
    assert tail(game) == "- 1,0 -"


@both
@pytest.mark.parametrize("rules_id", ["tara", "corner"])
def test_a_draw_is_not_agreed_on_but_in_duel(implementation: type[TextGame], rules_id: str) -> None:
    game = implementation.start(rules_id, 2)
    with pytest.raises(ValueError, match="agree"):
        game.agree()


@both
def test_a_loaded_position_hands_the_turn_on_if_the_mover_has_finished(
    implementation: type[TextGame],
) -> None:
    marbles = f"A {SOUTH}; C i9; E i10"
    game = puzzle(implementation, position("corner", marbles, seats="A,C,E"))
    assert tail(game) == "C 0,0,0 A"


@both
def test_nobody_goes_out_by_loading_alone(implementation: type[TextGame]) -> None:
    game = puzzle(implementation, position("corner+out40", "A a5 i9; D h9", counts="40,40"))
    assert game.result() is None


@both
@pytest.mark.parametrize(
    ("rules_id", "reason", "places"),
    [("tara", "progress", (1, 2)), ("duel", "share", (1, 1)), ("corner", "share", (1, 1))],
)
def test_a_position_loaded_as_over_without_a_finisher_ended_at_the_limit(
    implementation: type[TextGame], rules_id: str, reason: str, places: tuple[int, ...]
) -> None:
    text = position(rules_id, "A n10; D i9", turn="-", counts="9,9")
    game = puzzle(implementation, text)
    assert ended(game)[:2] == (reason, places)
    assert game.position_text() == text
