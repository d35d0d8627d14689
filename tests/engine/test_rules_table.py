"""The corner cases that RULES.md lists, asked of the engine and of the naive rules alike."""

import pytest

import sternhalma as sh
from engine.both import BOTH, TextGame, position
from engine.naive_board import naive_board
from engine.naive_text import every_game

HURDLES = "A i9; D i10 j11 j10 h9"
WRITTEN = [
    # star position, path, legal in tara, duel, corner, corner+through
    (HURDLES, "i9-i11-k11-i9", "no no no no"),
    (HURDLES, "i9-i11-k11-i9-g9", "no no yes yes"),
    (HURDLES, "i9-i11-k11-i9-i11", "no no yes yes"),
    ("A n11; D m11 m12", "n11-l11-n13", "yes yes no no"),
    ("A n11; D m11 m12", "n11-l11", "no yes no no"),
    ("A l11; D m11 m10", "l11-n11-l9", "yes yes no no"),
    ("A e8; D e9 f10", "e8-e10", "no yes yes no"),
    ("A e8; D e9 f10", "e8-e10-g10", "yes yes yes yes"),
    ("A e9", "e9-e10", "no yes yes no"),
]
WRITTEN_LONG = [
    ("A i9; D k11 k13 i10", "i9-m13-i13-i7", True),
    ("A i9; D k11 k13", "i9-m13-i13-i5", False),
    ("A i5; D i7", "i5-i9", True),
    ("A i5; D i7", "i5-i8", False),
    ("A i5; D i7", "i5-i10", False),
    ("A i5; D i7 i8", "i5-i9", False),
    ("A i5; D i6 i8", "i5-i7-i9", True),
    ("A i5; D i6 i8", "i5-i11", False),
]
NINE_AND_ONE = "D/DD/DDD/DD2/4D8/12/11/10/4A4/10/11/12/5D7/1AAA/AAA/AA/A"
SEALED = "D/DD/DDD/4/13/12/11/10/9/10/3AA6/4A7/4AA7/AAAA/DAD/DD/1"
SHUT_IN = "A/DD/D1D/4/13/12/11/4DD4/4DDD2/10/11/12/13/AAAA/AAA/AA/D"

both = pytest.mark.parametrize("implementation", BOTH)


@both
@pytest.mark.parametrize("column", [0, 1, 2, 3])
@pytest.mark.parametrize(("marbles", "path", "answers"), WRITTEN)
def test_a_written_path_is_legal_where_the_table_says_so(
    implementation: type[TextGame], column: int, marbles: str, path: str, answers: str
) -> None:
    rules_id = ["tara", "duel", "corner", "corner+through"][column]
    game = implementation.load(position(rules_id, marbles), puzzle=True)
    assert game.is_legal_path(path.split("-")) is (answers.split()[column] == "yes")


@both
@pytest.mark.parametrize("rules_id", ["tara", "duel", "corner"])
def test_a_marble_shut_in_at_the_tip_can_only_pass(
    implementation: type[TextGame], rules_id: str
) -> None:
    game = implementation.load(position(rules_id, "A a5; D b5 b6 c5 c7"), puzzle=True)
    assert game.moves() == set()
    assert not game.is_legal_path(["a5", "b5"])
    assert not game.is_legal_path(["a5", "c5"])
    game.play("pass")
    assert game.position_text().endswith(" D 1,0 -")


@both
@pytest.mark.parametrize("rules_id", ["tara+long", "corner+long"])
@pytest.mark.parametrize(("marbles", "path", "legal"), WRITTEN_LONG)
def test_a_long_hop_is_legal_where_the_table_says_so(
    implementation: type[TextGame], rules_id: str, marbles: str, path: str, legal: bool
) -> None:
    game = implementation.load(position(rules_id, marbles), puzzle=True)
    assert game.is_legal_path(path.split("-")) is legal


@both
def test_a_host_who_moves_home_finishes_the_guest_at_once_in_corner(
    implementation: type[TextGame],
) -> None:
    game = implementation.load(f"corner {NINE_AND_ONE} A,D D 12,11 -")
    assert game.result() is None
    game.play("m10-n10")
    result = game.result()
    assert result is not None
    assert result[:2] == ("goal", (1, 2))
    assert game.position_text().endswith(" A,D - 12,12 A")


@both
@pytest.mark.parametrize("counts", ["30,29", "31,29", "200,199"])
def test_a_host_who_moves_home_finishes_the_guest_in_tara_after_thirty_turns(
    implementation: type[TextGame], counts: str
) -> None:
    game = implementation.load(f"tara {NINE_AND_ONE} A,D D {counts} -")
    game.play("m10-n10")
    result = game.result()
    assert result is not None
    assert result[:3] == ("goal", (1, 2), (10, 8))


@both
@pytest.mark.parametrize("counts", ["29,28", "29,29", "30,28", "29,40"])
def test_a_host_who_moves_home_finishes_nobody_in_tara_before_thirty_turns(
    implementation: type[TextGame], counts: str
) -> None:
    game = implementation.load(f"tara {NINE_AND_ONE} A,D D {counts} -")
    game.play("m10-n10")
    assert game.result() is None
    assert game.position_text().endswith(" -")


@both
def test_a_target_full_of_both_armies_counts_in_tara_when_the_thirtieth_turn_is_had(
    implementation: type[TextGame],
) -> None:
    game = implementation.load(f"tara {NINE_AND_ONE} A,D D 29,28 -")
    for move in ["m10-n10", "i9-i10", "d6-d7"]:
        assert game.result() is None
        game.play(move)
    result = game.result()
    assert result is not None
    assert result[:3] == ("goal", (1, 2), (10, 8))


@both
@pytest.mark.parametrize("counts", ["12,11", "30,29", "100,99"])
def test_a_host_who_moves_home_finishes_nobody_in_duel(
    implementation: type[TextGame], counts: str
) -> None:
    game = implementation.load(f"duel {NINE_AND_ONE} A,D D {counts} -")
    game.play("m10-n10")
    assert game.result() is None


@both
@pytest.mark.parametrize("rules_id", ["tara", "duel", "corner"])
def test_a_fortress_keeps_the_tip_shut_whatever_the_guest_tries(
    implementation: type[TextGame], rules_id: str
) -> None:
    fortress = "D o11 o13 p12 p13"
    entered = set()
    for hole in sorted(naive_board("tara").by_name):
        if hole in f"{fortress} q13".split():
            continue
        marbles = f"A {hole} a5; {fortress}"
        game = implementation.load(position(rules_id, marbles), puzzle=True)
        entered |= {end for origin, end in game.moves() if origin == hole}
    assert "q13" not in entered
    assert {"o12", "n10", "n13"} <= entered


@both
def test_the_limit_of_tara_favours_the_fortress(implementation: type[TextGame]) -> None:
    game = implementation.load(f"tara {SEALED} A,D D 200,199 -", puzzle=True)
    assert game.result() is None
    game.play("c5-d5")
    result = game.result()
    assert result is not None
    assert result[:3] == ("progress", (2, 1), (5, 6))


@both
def test_the_fortress_loaded_at_the_limit_is_placed_by_progress(
    implementation: type[TextGame],
) -> None:
    result = implementation.load(f"tara {SEALED} A,D D 200,200 -").result()
    assert result is not None
    assert result[:3] == ("progress", (2, 1), (5, 6))


@both
def test_the_locked_marbles_must_pass_in_tara(implementation: type[TextGame]) -> None:
    game = implementation.load(f"tara {SHUT_IN} A,D A 5,5 -")
    assert game.result() is None
    assert game.moves() == set()
    game.play("pass")
    assert game.position_text().endswith(" A,D D 6,5 -")


@both
def test_without_a_lock_the_same_marbles_have_14_moves_in_duel(
    implementation: type[TextGame],
) -> None:
    game = implementation.load(f"duel {SHUT_IN} A,D A 5,5 -")
    assert len(game.moves()) == 14
    assert not game.is_legal_path(["pass"])


@both
def test_with_the_tip_held_by_the_host_the_guest_has_finished_on_loading_in_corner(
    implementation: type[TextGame],
) -> None:
    game = implementation.load(f"corner {SHUT_IN} A,D A 5,5 -")
    assert game.position_text() == f"corner {SHUT_IN} A,D - 5,5 A"
    result = game.result()
    assert result is not None
    assert result[:3] == ("goal", (1, 2), (9, 4))


@both
@pytest.mark.parametrize(("rules_id", "players"), every_game())
def test_nobody_has_finished_at_the_start(
    implementation: type[TextGame], rules_id: str, players: int
) -> None:
    start = implementation.start(rules_id, players).position_text()
    for count in ("0", "30"):
        words = start.split(" ")
        words[4] = ",".join([count] * players)
        game = implementation.load(" ".join(words))
        assert game.result() is None
        assert game.position_text() == " ".join(words)


@both
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_targets_of_three_players_are_three_empty_points(
    implementation: type[TextGame], seat: int
) -> None:
    points = {
        "D": "n10 n11 n12 n13 o11 o12 o13 p12 p13 q13",
        "F": "e1 e2 e3 e4 f2 f3 f4 g3 g4 h4",
        "B": "e10 e11 e12 e13 f11 f12 f13 g12 g13 h13",
    }
    letter, target = "ACE"[seat], "DFB"[seat]
    start = implementation.start("corner", 3)
    assert start.home_and_distance(seat)[0] == 0
    held = points[target].split()
    assert not {end for _, end in start.moves()} & set(held)
    others = {"A": "i5", "C": "i6", "E": "i7"}
    marbles = "; ".join(
        f"{owner} {' '.join(held) if owner == letter else hole}" for owner, hole in others.items()
    )
    game = implementation.load(position("corner", marbles, seats="A,C,E"), puzzle=True)
    assert game.home_and_distance(seat) == (10, 0)
    assert game.position_text().endswith(f" {letter}")


@both
@pytest.mark.parametrize(
    ("rules_id", "marbles", "path"),
    [
        ("corner", "A d7; D d8", "d7-d9-d7"),
        ("corner", "A d7; D d8 e9", "d7-d9-f9"),
        ("corner+long", "A p12; D q13", "p12-r14-p12"),
        ("corner", "A q13; D n13", "q13-o13-q13"),
        ("halma19", "A o8; C p8", "o8-q8-o8"),
        ("halma19", "A o8; C p8 a8", "o8-b8"),
        ("halma19", "A o8; C p8 a9", "o8-a9"),
        ("halma19", "A o8; C p8 a7", "o8-a7"),
        ("halma19", "A h15; C h16 h1", "h15-h1"),
        ("halma19", "A h15; C h16", "h15-h17-h15"),
    ],
)
def test_a_hop_over_the_edge_and_back_is_refused(
    implementation: type[TextGame], rules_id: str, marbles: str, path: str
) -> None:
    seats = "A,C" if rules_id.startswith("halma") else "A,D"
    game = implementation.load(position(rules_id, marbles, seats=seats), puzzle=True)
    assert not game.is_legal_path(path.split("-"))


@both
def test_a_marble_at_the_edge_of_the_square_moves_no_further_than_its_neighbours(
    implementation: type[TextGame],
) -> None:
    game = implementation.load(
        position("halma19", "A p8; C o8 o9 o7 p9 p7", seats="A,C"), puzzle=True
    )
    assert {end for _, end in game.moves()} == {"n8", "n10", "n6", "p10", "p6"}


@pytest.mark.parametrize(
    ("rules_id", "origin", "unreached"),
    [
        ("tara", "i9", ["e6", "m10", "i9", "e11", "k15"]),
        ("duel", "i9", ["e6", "m10", "i9", "b6"]),
        ("corner", "i9", ["e6", "m10", "i9", "b6"]),
        ("corner+long", "i9", ["e6", "m10", "i9", "b6"]),
        ("halma19+long", "g7", ["d12", "b2", "g7"]),
    ],
)
def test_a_destination_that_cannot_be_reached_answers_at_once(
    rules_id: str, origin: str, unreached: list[str]
) -> None:
    # A hurdle on every hole but those a chain can land on: the chain may go round in so many ways
    # that a search which tried path after path would not come back.
    holes = naive_board(rules_id.split("+", maxsplit=1)[0]).by_name
    hurdles = [
        name
        for name, (first, second) in holes.items()
        if not (first % 2 == second % 2 == 1) and name not in unreached
    ]
    seats = "A,C" if rules_id.startswith("halma") else "A,D"
    host = seats[-1]
    text = position(rules_id, f"A {origin}; {host} {' '.join(hurdles)}", seats=seats)
    game = sh.Game.load(text, puzzle=True)
    assert len(game.legal_moves()) > 20
    board = game.rules.board
    for name in unreached:
        assert game.find_path(board.parse_hole(origin), board.parse_hole(name)) is None
        assert not game.is_legal(sh.Move((board.parse_hole(origin), board.parse_hole(name))))
