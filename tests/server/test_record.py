"""The text of a record: one way to write it, and no way to alter it unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.recorded import KINDS, PATIENT, Kind, recorded
from sternhalma_server.record import (
    Out,
    Ply,
    Record,
    RecordError,
    format_record,
    parse_record,
)
from sternhalma_server.verdict import Reason

GOLDEN = """\
sternhalma-record 1
event cup
game 17
rules duel
terms limit=2 at_limit=share clock=2s
seat A zoe version=2.1-rc+5 entry=zoe
seat D max version=1.0 entry=max
start duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -
1 A d8-e9 charged=1643.782 left=2000
2 D n13-m13 charged=1558.460 left=2000 credit=0.5 late=0
3 A c6-e8-e10 charged=192.499 left=2000
4 D n12-m12 charged=886.622 left=2000
end share places=A:1,D:1 ply=4 final=duel A/AA/A1A/AAA1/8AA3/12/11/10/9/10/11/12/7DD4/DD2/DDD/DD/D \
A,D - 2,2 -
sha256 12ec1d4d64f995dea9bd7fa48809e68eb7f4b9593c1389dad4aea430e015b959
"""

seeds = st.integers(0, 2**32)
records = st.builds(
    lambda kind, seed, fall, opening: recorded(kind, seed, fall=fall, opening=opening),
    st.sampled_from(KINDS),
    seeds,
    st.sampled_from([0.0, 0.1]),
    st.integers(0, 3),
)
printable = st.characters(min_codepoint=32, max_codepoint=126)


def test_a_record_is_written_in_this_way_and_no_other() -> None:
    record = recorded(Kind("duel", 2, 2), seed=1)
    assert format_record(record) == GOLDEN
    assert GOLDEN.endswith(f"sha256 {record.digest}\n")


@PATIENT
@given(records)
def test_a_record_survives_the_round_trip_through_text(record: Record) -> None:
    text = format_record(record)
    assert text.isascii()
    assert parse_record(text) == record


def test_draws_and_void_games_survive_the_round_trip() -> None:
    for record in [
        recorded(Kind("duel", 2, 5), seed=3, draw_at=4),
        recorded(Kind("corner", 3, 4), seed=3, void_at=5),
    ]:
        assert parse_record(format_record(record)) == record


def test_keys_of_later_versions_are_kept_as_they_are() -> None:
    record = recorded(Kind("duel", 2, 2), seed=1)
    ply = Ply(1, "A", "d8-e9", None, (("charged", "1.000"), ("sent", "17"), ("zz_9", "a,b=c")))
    later = replace(record, happened=(ply, *record.happened[1:]))
    assert parse_record(format_record(later)) == later


def test_the_time_charged_is_read_in_nanoseconds() -> None:
    assert Ply(1, "A", "d8-e9", None, (("charged", "1643.782"),)).charged == 1_643_782_000
    assert Ply(1, "A", "d8-e9").charged is None


def test_every_single_character_counts() -> None:
    record = recorded(Kind("corner", 3, 3), seed=8, fall=0.15, opening=1)
    assert any(isinstance(happening, Out) for happening in record.happened)
    text = format_record(record)
    for at, old in enumerate(text):
        for new in {"0", "A", " ", "\n"} - {old}:
            with pytest.raises(RecordError):
                parse_record(text[:at] + new + text[at + 1 :])
        with pytest.raises(RecordError):
            parse_record(text[:at] + text[at + 1 :])


@PATIENT
@given(records, st.data())
def test_no_character_can_be_altered_added_or_removed(record: Record, data: st.DataObject) -> None:
    text = format_record(record)
    at = data.draw(st.integers(0, len(text) - 1))
    new = data.draw(st.one_of(st.just(""), printable, st.sampled_from("\n\r\té\0")))
    cut = data.draw(st.integers(0, 1))
    altered = text[:at] + new + text[at + cut :]
    if altered != text:
        with pytest.raises(RecordError, match=r"^line \d+: expected "):
            parse_record(altered)


@PATIENT
@given(records, st.data())
def test_no_line_can_be_removed_doubled_or_moved(record: Record, data: st.DataObject) -> None:
    lines = format_record(record).splitlines(keepends=True)
    a = data.draw(st.integers(0, len(lines) - 1))
    b = data.draw(st.integers(0, len(lines) - 1).filter(lambda b: lines[b] != lines[a]))
    swapped = list(lines)
    swapped[a], swapped[b] = lines[b], lines[a]
    for altered in [lines[:a] + lines[a + 1 :], [*lines[: a + 1], *lines[a:]], swapped]:
        with pytest.raises(RecordError):
            parse_record("".join(altered))


DIGEST = "12ec1d4d64f995dea9bd7fa48809e68eb7f4b9593c1389dad4aea430e015b959"
SENTENCES = {
    ("record 1", "record 2"): "line 1: expected 'sternhalma-record 1', got 'sternhalma-record 2'",
    ("event cup", "event c/p"): "line 2: expected 'event NAME', got 'event c/p'",
    ("game 17", "game 017"): "line 3: expected 'game NUMBER', got 'game 017'",
    ("rules duel", "rules Duel"): "line 4: expected 'rules ID', got 'rules Duel'",
    ("limit=2 ", "limit=0 "): (
        "line 5: expected 'terms limit=TURNS at_limit=share|progress clock=CLOCK',"
        " got 'terms limit=0 at_limit=share clock=2s'"
    ),
    ("seat A zoe", "seat A -zoe"): (
        "line 6: expected 'seat LETTER BOT version=VERSION entry=ENTRY',"
        " got 'seat A -zoe version=2.1-rc+5 entry=zoe'"
    ),
    ("D A 0,0 -\n", "D A 0,0\n"): (
        "line 8: expected 'start POSITION', got"
        " 'start duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0'"
    ),
    ("1 A d8-e9 ", "1 A d8 e9 "): (
        "line 9: expected 'PLY SEAT PATH [opening|rules] [KEY=VALUE ...]',"
        " got '1 A d8 e9 charged=1643.782 left=2000'"
    ),
    ("charged=1643.782", "charged=1643.78"): (
        "line 9: expected milliseconds in 'charged', got '1643.78'"
    ),
    ("left=2000 credit", "left=02000 credit"): (
        "line 10: expected milliseconds in 'left', got '02000'"
    ),
    ("credit=0.5 late=0", "credit=0.5 credit=0"): (
        "line 10: expected KEY=VALUE, each key once, got 'credit=0'"
    ),
    ("credit=0.5", "line=0.5"): "line 10: expected KEY=VALUE, each key once, got 'line=0.5'",
    ("4 D n12-m12 charged=886.622 left=2000", "out D goal ply=4"): (
        "line 12: expected 'out SEAT REASON ply=PLY [KEY=VALUE ...] [line=TEXT]',"
        " got 'out D goal ply=4'"
    ),
    ("4 D n12-m12 charged=886.622 left=2000", "draw agreed"): (
        "line 12: expected 'draw agreed ply=PLY', got 'draw agreed'"
    ),
    ("places=A:1,D:1", "places=D:1,A:1"): (
        "line 13: expected places of the seats A,D, got 'D:1,A:1'"
    ),
    (f"sha256 {DIGEST}\n", ""): "line 14: expected 'sha256 DIGEST' and a line feed, got the end",
    (f"{DIGEST}\n", DIGEST): (
        f"line 14: expected 'sha256 DIGEST' and a line feed, got 'sha256 {DIGEST}'"
    ),
    (f"{DIGEST}\n", f"{DIGEST}\n\n"): "line 15: expected the end behind the digest, got more",
    ("c6-e8-e10", "c6-e8-g8"): (
        "line 14: expected sha256"
        " f27b92fcacf5418762c360a5113cd20e136ba183c14f01e86b0f52914d8a13ff"
        f" of the lines before, got {DIGEST}"
    ),
}


@pytest.mark.parametrize("change", SENTENCES)
def test_what_is_wrong_with_a_record_is_a_sentence_with_its_line(change: tuple[str, str]) -> None:
    old, new = change
    assert GOLDEN.count(old) == 1
    with pytest.raises(RecordError) as error:
        parse_record(GOLDEN.replace(old, new))
    assert str(error.value) == SENTENCES[change]


def test_an_end_that_names_no_reason_is_refused() -> None:
    with pytest.raises(RecordError, match=r"^line 13: expected 'end REASON places=SEAT:PLACE,"):
        parse_record(GOLDEN.replace("end share", "end nothing"))


@pytest.mark.parametrize("line", ["a\nb", "é", "\t", "\x7f"])
def test_a_last_line_that_would_break_the_record_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="expected printable ASCII in the last line"):
        Out("A", Reason.ILLEGAL, 1, (), line)


def test_nobody_goes_out_by_reaching_the_goal() -> None:
    with pytest.raises(ValueError, match="expected a reason that puts a seat out, got 'goal'"):
        Out("A", Reason.GOAL, 1)


@pytest.mark.parametrize("pair", [("a b", "1"), ("a", "1 2"), ("", "1"), ("A", "1"), ("ply", "1")])
def test_evidence_that_would_break_the_record_is_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="expected KEY=VALUE"):
        Ply(1, "A", "d8-e9", None, (pair,))


def test_a_program_that_is_known_stands_behind_the_entry_of_its_seat() -> None:
    record = parse_record(GOLDEN)
    first, second = record.players
    known = replace(record, players=(replace(first, program="0a" * 32), second))
    text = format_record(known)
    assert f"entry={first.entry} program={'0a' * 32}\n" in text
    assert parse_record(text) == known
    assert known.digest != record.digest


@pytest.mark.parametrize("program", ["0A" * 32, "0a" * 31, "-", ""])
def test_a_program_is_a_digest_or_is_not_there(program: str) -> None:
    record = parse_record(GOLDEN)
    wrong = replace(record.players[0], program=program)
    with pytest.raises(RecordError, match="line 6: expected 'seat"):
        parse_record(format_record(replace(record, players=(wrong, record.players[1]))))
