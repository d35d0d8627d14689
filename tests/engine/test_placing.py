"""Rules 14 to 16, 19 and 20: how a game goes on and ends, and who has which place."""

import pytest

import sternhalma as sh
from engine.both import EngineGame, TextGame, position
from engine.scenes import (
    NORTH,
    NORTH_EAST,
    SOUTH,
    SOUTH_BUT_DOOR,
    SOUTH_WEST,
    both,
    ended,
    puzzle,
    tail,
)

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
