"""Records against the engine: what was really played holds, and whatever else does not."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from server.recorded import KINDS, PATIENT, SEALED, Kind, recorded
from server.test_record import GOLDEN
from sternhalma_server.record import Ply, RecordError, format_record, parse_record
from sternhalma_server.replay import replay
from sternhalma_server.verdict import Reason


def signed(body: str) -> str:
    """*body*, a record without its digest or with a wrong one, with the right one."""
    body = re.sub(r"sha256 .*\n", "", body)
    return f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"


@PATIENT
@given(
    st.sampled_from(KINDS),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.integers(0, 3),
)
def test_the_record_of_a_game_that_was_played_holds(
    kind: Kind, seed: int, fall: float, opening: int
) -> None:
    record = recorded(kind, seed, fall=fall, opening=opening)
    game = replay(record)
    assert str(game) == record.final
    assert replay(parse_record(format_record(record))) == game


@pytest.mark.parametrize("rules", ["tara", "duel", "corner+long", "corner+first+pairs"])
def test_a_game_that_reached_the_goal_holds(rules: str) -> None:
    record = recorded(Kind(rules, 4 if "pairs" in rules else 2, 400), seed=5, forward=True)
    assert record.reason is Reason.GOAL
    replay(record)


def test_a_forced_pass_is_played_by_the_rules() -> None:
    record = recorded(Kind("tara", 2, 3), seed=1, position=SEALED)
    assert record.happened[0] == Ply(1, "A", "pass", "rules")
    replay(record)


def test_a_draw_that_was_agreed_on_holds() -> None:
    record = recorded(Kind("duel", 2, 9), seed=2, draw_at=5)
    assert record.reason is Reason.AGREEMENT
    assert replay(record).result is not None


@pytest.mark.parametrize("void_at", [1, 4])
def test_a_void_game_holds_without_a_result(void_at: int) -> None:
    record = recorded(Kind("tara", 2, 9), seed=2, void_at=void_at)
    assert record.reason.is_void
    assert replay(record).result is None


def test_a_player_put_out_by_the_start_rule_leaves_the_game_at_its_goal() -> None:
    record = recorded(Kind("corner+out40", 2, 200), seed=1)
    assert record.final.endswith(("!A", "!D"))
    assert record.reason is Reason.GOAL
    replay(record)


PLACE_CLASSES = {
    "number of a ply": r"^(\d+) [A-F] ",
    "seat of a ply": r"^\d+ ([A-F]) ",
    "path": r"^\d+ [A-F] (\S+)",
    "rules": r"^rules (\S+)$",
    "limit": r"^terms limit=(\S+)",
    "seat of a player": r"^seat (\S) ",
    "start": r"^start (.+)$",
    "ply of a fall": r"^out . \S+ ply=(\d+)",
    "seat of a fall": r"^out (.) ",
    "places": r"^end \S+ places=(\S+)",
    "last ply": r"^end \S+ places=\S+ ply=(\d+)",
    "final position": r" final=(.+)$",
}


@pytest.mark.parametrize("where", PLACE_CLASSES)
@PATIENT
@given(seed=st.integers(0, 2**32), data=st.data())
def test_an_altered_fact_is_noticed_even_with_a_new_digest(
    where: str, seed: int, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from([k for k in KINDS if k.players > 2]))
    # Whoever goes out takes its marbles along, and with them where another move had put them.
    record = recorded(kind, seed, fall=0.0 if where == "path" else 0.05)
    text = format_record(record)
    spans = [found.span(1) for found in re.finditer(PLACE_CLASSES[where], text, re.MULTILINE)]
    assume(spans)
    assume(record.reason in {Reason.SHARE, Reason.PROGRESS})  # a fall might end it another way
    start, end = data.draw(st.sampled_from(spans))
    at = data.draw(st.integers(start, end - 1))
    new = data.draw(st.sampled_from(sorted(set("0123456789ABCDEFabgipq-/,:=!") - {text[at]})))
    altered = signed(text[:at] + new + text[at + 1 :])
    with pytest.raises(RecordError):
        replay(parse_record(altered))


def complaint(old: str, new: str, text: str = GOLDEN) -> str:
    assert text.count(old) == 1
    record = parse_record(signed(text.replace(old, new)))
    with pytest.raises(RecordError) as error:
        replay(record)
    return str(error.value)


START = "A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
SENTENCES = {
    ("rules duel", "rules tara"): "game 17, line 8: expected rules 'duel', got 'tara'",
    ("limit=2 ", "limit=3 "): (
        "game 17, line 13: expected more plies, the game is not over, got the end by 'share'"
    ),
    ("limit=2 ", "limit=1 "): (
        "game 17, line 11: expected the end, the game is over by 'share', got ply 3"
    ),
    ("at_limit=share", "at_limit=progress"): (
        "game 17, line 13: expected reason 'progress', got 'share'"
    ),
    (f"start duel {START}", f"start duel {START.replace('DDD/DD/D', '3/DD/D')}"): (
        "game 17, line 8: in the board field: expected 10 marbles of D, got 7"
    ),
    (f"start duel {START}", f"start duel {START.replace('/9/', '/8./')}"): (
        f"game 17, line 8: expected start 'duel {START}', got 'duel {START.replace('/9/', '/8./')}'"
    ),
    ("1 A d8-e9", "2 A d8-e9"): "game 17, line 9: expected the turn '1 A', got '2 A'",
    ("1 A d8-e9", "1 D d8-e9"): "game 17, line 9: expected the turn '1 A', got '1 D'",
    ("c6-e8-e10", "c6-e10"): "game 17, line 11: expected the path 'c6-e8-e10', got 'c6-e10'",
    ("c6-e8-e10", "c6-e8-g8"): (
        "game 17, line 11: c6-e8-g8: hop 2, e8-g8: there is no marble on f8 to hop over"
    ),
    ("c6-e8-e10", "c6-z1"): "game 17, line 11: expected a hole of the star board, got 'z1'",
    ("n12-m12", "pass rules"): (
        "game 17, line 12: expected a move, got 'pass': passing is for those who cannot move"
    ),
    ("n12-m12", "n12-m12 rules"): (
        "game 17, line 12: expected 'pass' to be played by the rules, got 'n12-m12'"
    ),
    ("n12-m12", "n12-m12 opening"): (
        "game 17, line 12: expected the opening before the first move of a bot, got it behind"
    ),
    ("end share", "end goal"): "game 17, line 13: expected reason 'share', got 'goal'",
    ("end share places=A:1,D:1", "end aborted places=A:0,D:0"): (
        "game 17, line 13: expected a running game to be void, it was over by 'share'"
    ),
    ("A:1,D:1", "A:1,D:2"): "game 17, line 13: expected places 'A:1,D:1', got 'A:1,D:2'",
    ("ply=4 ", "ply=3 "): "game 17, line 13: expected ply '4', got '3'",
    ("final=duel A/AA/A1A", "final=duel A/AA/AA1"): (
        "game 17, line 13: expected final"
        " 'duel A/AA/A1A/AAA1/8AA3/12/11/10/9/10/11/12/7DD4/DD2/DDD/DD/D A,D - 2,2 -',"
        " got 'duel A/AA/AA1/AAA1/8AA3/12/11/10/9/10/11/12/7DD4/DD2/DDD/DD/D A,D - 2,2 -'"
    ),
    ("4 D n12-m12 charged=886.622 left=2000", "draw agreed ply=5"): (
        "game 17, line 12: expected ply '4', got '5'"
    ),
    ("4 D n12-m12 charged=886.622 left=2000", "out D time ply=3"): (
        "game 17, line 12: expected ply '4', got '3'"
    ),
    ("4 D n12-m12 charged=886.622 left=2000", "out B time ply=4"): (
        "game 17, line 12: expected one of A, D, got 'B'"
    ),
    ("4 D n12-m12 charged=886.622 left=2000", "out D time ply=4"): (
        "game 17, line 13: expected reason 'time', got 'share'"
    ),
    ("end share", "draw agreed ply=5\nend share"): (
        "game 17, line 13: expected the end, the game is over by 'share', got a draw"
    ),
    ("end share", "out A resign ply=5\nend share"): (
        "game 17, line 13: expected the end, the game is over by 'share', got A going out"
    ),
}


@pytest.mark.parametrize("change", SENTENCES)
def test_what_does_not_hold_is_a_sentence_with_game_and_line(change: tuple[str, str]) -> None:
    assert complaint(*change) == SENTENCES[change]


def test_seats_that_the_start_does_not_have_are_named() -> None:
    text = GOLDEN.replace("seat D max", "seat C max").replace("D:1", "C:1")
    with pytest.raises(RecordError) as error:
        replay(parse_record(signed(text)))
    assert str(error.value) == "game 17, line 8: expected seats 'A,D', got 'A,C'"


def test_a_share_of_places_that_the_rules_do_not_know_is_refused() -> None:
    text = format_record(recorded(Kind("tara", 2, 2), seed=1))
    assert complaint("at_limit=progress", "at_limit=share", text) == (
        "game 17, line 8: expected at_limit 'progress' for 'tara', got 'share'"
    )


def test_a_draw_under_rules_without_draws_is_refused() -> None:
    text = format_record(recorded(Kind("corner", 2, 2), seed=1))
    record = parse_record(text)
    last = text.split("\n")[record.line_of(3) - 1]
    assert complaint(last, "draw agreed ply=4", text) == (
        "game 17, line 12: expected rules with a draw by agreement, got 'corner'"
    )


def test_nobody_goes_out_twice() -> None:
    record = recorded(Kind("corner", 3, 9), seed=1, void_at=3)
    text = format_record(record)
    body = text.replace("end ", "out A time ply=3\nout A flood ply=3\nend ", 1)
    with pytest.raises(RecordError, match="game 17, line 13: expected a seat still in, got 'A'"):
        replay(parse_record(signed(body)))


def test_a_pass_that_nobody_is_said_to_have_played_is_refused() -> None:
    text = format_record(recorded(Kind("tara", 2, 3), seed=1, position=SEALED))
    assert complaint("1 A pass rules", "1 A pass", text) == (
        "game 17, line 9: expected 'rules' or 'opening' behind a pass, got no bot's move"
    )
