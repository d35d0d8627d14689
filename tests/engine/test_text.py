"""Positions and moves as text: what is read, what is written, and everything that is refused."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sternhalma as sh
from engine.naive import NaiveGame
from engine.naive_text import NaiveError, every_game, read_position, write_position
from engine.random_play import choose_start


@pytest.mark.parametrize(("rules_id", "players"), every_game())
def test_a_position_survives_the_round_trip_through_text(rules_id: str, players: int) -> None:
    for seed in range(6):
        text, puzzle = choose_start(Random(f"{rules_id} {seed}"), rules_id, players, 60)
        position = sh.parse_position(text, puzzle=puzzle)
        assert sh.format_position(position) == text
        assert sh.parse_position(sh.format_position(position), puzzle=puzzle) == position
        assert write_position(read_position(text, puzzle)) == text


def test_dots_are_read_as_single_empties_and_never_written() -> None:
    dotted = "tara A/AA/AAA/AAAA/............./12/11/..8/1.7/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
    plain = "tara A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
    assert sh.parse_position(dotted) == sh.parse_position(plain)
    assert sh.format_position(sh.parse_position(dotted)) == plain
    assert write_position(read_position(dotted, puzzle=False)) == plain


START = "tara A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
THREE = NaiveGame.start("corner", 3).position_text()
PAIRS = NaiveGame.start("corner+pairs", 4).position_text()
COLOURS = NaiveGame.start("corner+2c", 2).position_text()
SQUARE = NaiveGame.start("halma19", 2).position_text()

MALFORMED = {
    "five fields": START.removesuffix(" -"),
    "seven fields": START + " -",
    "two spaces": START.replace(" A,D", "  A,D"),
    "a tab": START.replace(" A,D", "\tA,D"),
    "a space before": " " + START,
    "a space after": START + " ",
    "a line end after": START + "\n",
    "nothing": "",
    "unknown rules": START.replace("tara", "salta"),
    "capital rules": START.replace("tara", "Tara"),
    "an option of other rules": START.replace("tara", "tara+through"),
    "options not sorted": THREE.replace("corner", "corner+through+long"),
    "an option twice": THREE.replace("corner", "corner+long+long"),
    "an empty option": THREE.replace("corner", "corner+"),
    "options that exclude each other": COLOURS.replace("+2c", "+15+2c"),
    "a row too few": START.replace("/D ", " "),
    "a row too many": START.replace("/D ", "/D/1 "),
    "an empty row": START.replace("/12/", "//", 1),
    "a row too narrow": START.replace("/13/", "/12/", 1),
    "a row too wide": START.replace("/13/", "/14/", 1),
    "a row much too wide": START.replace("/13/", "/99999999999999999999/", 1),
    "rows of the other board": START.replace(START.split(" ")[1], SQUARE.split(" ")[1]),
    "a run of nothing": START.replace("/13/", "/013/", 1),
    "an empty run": START.replace("/DDDD/", "/D0DDD/"),
    "an empty run alone": START.replace("/9/", "/90/"),
    "a leading zero": START.replace("/9/", "/09/"),
    "a minus": START.replace("/9/", "/-9/"),
    "a digit of another script": START.replace("/9/", "/\N{ARABIC-INDIC DIGIT NINE}/"),
    "a superscript": START.replace("/9/", "/\N{SUPERSCRIPT TWO}7/"),
    "an unknown letter": START.replace("/DDDD/", "/DDDG/"),
    "a small letter": START.replace("/DDDD/", "/dddd/"),
    "a colour without a seat": START.replace("/DDDD/", "/DDDB/"),
    "no seats": START.replace("A,D", "-"),
    "seats of other rules": START.replace("A,D A", "A,C A"),
    "seats out of order": START.replace("A,D A", "D,A A"),
    "five seats": THREE.replace("A,C,E A 0,0,0", "A,B,C,D,E A 0,0,0,0,0"),
    "a seat missing": THREE.replace("A,C,E A 0,0,0", "A,C A 0,0"),
    "two colours where one belongs": COLOURS.replace("corner+2c", "corner"),
    "colours not grouped": COLOURS.replace("AB,DE", "A,B,D,E").replace("0,0", "0,0,0,0"),
    "colours grouped wrongly": COLOURS.replace("AB,DE", "AD,BE"),
    "an unknown mover": START.replace("A,D A", "A,D B"),
    "a mover by a second letter": COLOURS.replace(" A 0,0", " B 0,0"),
    "a group as the mover": COLOURS.replace(" A 0,0", " AB 0,0"),
    "no mover": START.replace("A,D A", "A,D "),
    "a small mover": START.replace("A,D A", "A,D a"),
    "a count too few": START.replace("0,0", "0"),
    "a count too many": START.replace("0,0", "0,0,0"),
    "an empty count": START.replace("0,0", "0,"),
    "a count with a leading zero": START.replace("0,0", "07,7"),
    "a negative count": START.replace("0,0", "-1,0"),
    "a count with a sign": START.replace("0,0", "+1,0"),
    "a count with an underscore": START.replace("0,0", "1_0,0"),
    "a count in another script": START.replace("0,0", "\N{ARABIC-INDIC DIGIT NINE},0"),
    "no done field": START.removesuffix("-"),
    "an unknown finisher": THREE.removesuffix("-") + "B",
    "level ones not in seat order": THREE.removesuffix("-") + "E=C",
    "a finisher twice": THREE.removesuffix("-") + "C,C",
    "a finisher twice at once": THREE.removesuffix("-") + "C=C",
    "a finisher who is out as well": THREE.removesuffix("-") + "C,!C",
    "one who is out twice": THREE.removesuffix("-") + "!C,!C",
    "a finisher after one that is out": THREE.removesuffix("-") + "!C,E",
    "one out level with another": THREE.removesuffix("-") + "!C=E",
    "an empty finisher": THREE.removesuffix("-") + "C,",
    "an empty equal": THREE.removesuffix("-") + "C=",
    "nobody out": THREE.removesuffix("-") + "!",
    "a dash and a finisher": THREE + ",C",
    "a mover that is finished": THREE.removesuffix("-") + "A",
    "a mover that is out": THREE.removesuffix("-") + "!A",
    "a mover that is level with another": THREE.removesuffix("-") + "C=A",
    "one of a pair out alone": PAIRS.removesuffix("-") + "!B",
    "a pair out not in seat order": PAIRS.removesuffix("-") + "!E,!B",
    "two of different pairs out": PAIRS.removesuffix("-") + "!B,!D",
    "a marble too few": START.replace("/DDDD/", "/DDD1/"),
    "a marble too many": START.replace("/9/", "/D8/"),
    "a marble too few on the square": SQUARE.replace("AAAA12", "AAA13"),
    "fifteen where ten belong": NaiveGame.start("corner+15", 2).position_text().replace("+15", ""),
    "a marble too many of one who is out": THREE.replace("/13/", "/C12/", 1).replace(" -", " !C"),
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - rules and position, each its own
        sh.parse_position(text)
    assert isinstance(refused.value, sh.PositionError | sh.RulesError)
    with pytest.raises(NaiveError):
        read_position(text, puzzle=False)


@pytest.mark.parametrize(
    "text",
    [
        START.replace("/DDDD/", "/DDD1/"),
        START.replace("/9/", "/D8/"),
        START.replace("DDDD/DDD/DD/D", "4/3/2/1"),
    ],
)
def test_a_wrong_number_of_marbles_is_read_in_a_puzzle(text: str) -> None:
    assert sh.format_position(sh.parse_position(text, puzzle=True)) == text
    assert write_position(read_position(text, puzzle=True)) == text


@pytest.mark.parametrize(
    "text",
    [
        THREE.replace("/E8C/", "/E9/").removesuffix("-") + "!C",
        PAIRS.replace("/9BBBB/", "/13/").removesuffix("-") + "!B,!E",
        THREE.removesuffix("-") + "C,E",
        THREE.removesuffix("-") + "C=E",
        THREE.removesuffix("-") + "E,!C",
        START.replace("A,D A", "A,D -"),
    ],
)
def test_done_fields_are_read_and_written(text: str) -> None:
    assert sh.format_position(sh.parse_position(text)) == text
    assert write_position(read_position(text, puzzle=False)) == text


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_a_mangled_position_is_read_by_both_or_by_none(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([START, THREE, PAIRS, COLOURS, SQUARE]))
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 2)))
    new = data.draw(st.text("ABCDEF0123456789/,=!-.+ ag", max_size=3))
    mangled = text[:at] + new + text[until:]
    puzzle = data.draw(st.booleans())
    try:
        fields = read_position(mangled, puzzle)
    except NaiveError:
        with pytest.raises((sh.PositionError, sh.RulesError)):
            sh.parse_position(mangled, puzzle=puzzle)
    else:
        assert sh.format_position(sh.parse_position(mangled, puzzle=puzzle)) == write_position(
            fields
        )


ALLOWED_WRITING = ["d5-e5", "D5-E5", "d5-E5", "pass", "PASS", "b5-d5-f7-h9", "q13-a5"]
REFUSED_WRITING = {
    "nothing": "",
    "one hole": "d5",
    "a hyphen alone": "-",
    "no target": "d5-",
    "no origin": "-e5",
    "two hyphens": "d5--e5",
    "a space": "d5 -e5",
    "a space before": " d5-e5",
    "a space after": "d5-e5 ",
    "a line end": "d5-e5\n",
    "a leading zero": "d05-e5",
    "no number": "d-e5",
    "no letter": "5-e5",
    "a hole that is not on the star": "d5-d9",
    "a row that is not on the star": "q13-r13",
    "the number zero": "e0-e1",
    "a number too great": "e1-e18",
    "a great number": "e1-e99999999999999999999",
    "another script": "d\N{ARABIC-INDIC DIGIT FIVE}-e5",
    "a dash": "d5\N{EN DASH}e5",
    "a dotless letter": "\N{LATIN SMALL LETTER DOTLESS I}5-i6",
    "a pass with a hole": "pass-e5",
    "a hole with a pass": "d5-pass",
    "an arrow": "d5>e5",
}


@pytest.mark.parametrize("text", ALLOWED_WRITING)
def test_a_well_written_move_survives_the_round_trip(text: str) -> None:
    game = sh.Game.new("tara")
    assert game.format_move(game.parse_move(text)) == text.lower()


@pytest.mark.parametrize("text", REFUSED_WRITING.values(), ids=REFUSED_WRITING.keys())
def test_an_ill_written_move_is_refused(text: str) -> None:
    with pytest.raises(sh.NotationError):
        sh.Game.new("tara").parse_move(text)


def test_a_path_of_128_holes_is_read_and_one_of_129_refused() -> None:
    game = sh.Game.load(
        "corner 1/2/3/4/13/12/11/10/4AD3/10/11/12/13/4/3/2/1 A,D A 0,0 -", puzzle=True
    )
    there_and_back = ["i9", "i11"] * 65
    longest = there_and_back[:128]
    assert game.is_legal(game.parse_move("-".join(longest)))
    with pytest.raises(sh.NotationError, match="128"):
        game.parse_move("-".join(there_and_back[:129]))
