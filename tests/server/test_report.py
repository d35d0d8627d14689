"""A game told to people: what the report says, line by line."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.conducted import CALM, Chances, Conduct, conducted, table, voided
from server.recorded import KINDS, PATIENT, Kind, recorded
from sternhalma import Game
from sternhalma_server.clock import MILLISECOND, Lag
from sternhalma_server.drawing import draw
from sternhalma_server.record import Out, Ply, Record, format_record, parse_record
from sternhalma_server.replay import replay
from sternhalma_server.report import BECAUSE, report, said_lines
from sternhalma_server.telling import Telling, facts, spoken, wall
from sternhalma_server.verdict import Reason

LAG = Lag(20 * MILLISECOND, 500 * MILLISECOND)

# Game 17 of docs/records.md, with times that are easily added up.
GAME = """\
sternhalma-record 1
event quickstart
game 17
rules corner
terms limit=2 at_limit=share clock=2s
seat A zoe version=1.0 entry=zoe
seat C max version=- entry=maxima
seat E ida version=2.1 entry=ida
start corner A/AA/AAA/AAAA/13/12/11/10/9/E8C/EE7CC/EEE6CCC/EEEE5CCCC/4/3/2/1 A,C,E A 0,0,0 -
1 A d8-e8 opening
2 C k14-k13 charged=12.345 left=2000 sent=1764451826.000000 received=1764451826.012345 late=0.040
slip E illegal ply=3 line=move 17 3 k6-k6
3 E k6-k7 charged=1.250 left=2000 sent=1764451826.012500 received=1764451826.013750 late=0.100
4 A b6-d8-f8 charged=1807.002 left=2000 sent=1764451826.100000 received=1764451827.907002 late=9.000
out C time ply=5 sent=1764451827.908000 waited=2012.500 limit=2000.000 line=move 17 5 l15-k13
5 E j5-k6 charged=3.990 left=2000 sent=1764451829.930000 received=1764451829.933990 late=0.030
end share places=A:1,C:3,E:1 ply=5 final=corner A/A1/AAA/AAA1/7A5/6A5/11/10/9/10/EEE5C2/EEE9/EEEE9/\
4/3/2/1 A,C,E - 2,1,2 !C
"""
SAID = """\
E 1764451825.999000 move 17 3 early
C 1764451826.012345 move 17 2 k14-k13
E 1764451826.013000\x20
"""


def signed(body: str) -> Record:
    return parse_record(f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")


RECORD = signed(GAME)

REPORT = """\
game 17 of quickstart: corner, 3 players, 2 turns each, then level, clock 2s
A zoe 1.0, place 1
C max for maxima, place 3, out at ply 5 by time
E ida 2.1, place 1
over by share, 5 plies: the turn limit was reached, or everybody passed; those unfinished are level
first question at 2025-11-29 21:30:26.000000 UTC; asked and answered are seconds since then,\
 all else is milliseconds

ply  seat  move               charged  left   late     asked  answered
  1  A     d8-e8 by opening
  2  C     k14-k13             12.345  2000  0.040  0.000000  0.012345
E is forgiven at ply 3, illegal: move 17 3 k6-k6
  3  E     k6-k7                1.250  2000  0.100  0.012500  0.013750
  4  A     b6-d8-f8          1807.002  2000  9.000  0.100000  1.907002
C goes out at ply 5 by time: move 17 5 l15-k13
  5  E     j5-k6                3.990  2000  0.030  3.930000  3.933990

why C max lost by time at ply 5:
ply     asked  answered      took  charged  left   late
  2  0.000000  0.012345    12.345   12.345  2000  0.040
  5  1.908000  too late  2012.500
It was asked at 1.908000 s and had 2000.000 ms for the move.
Its answer came 2012.500 ms after the question, 12.500 ms too late: move 17 5 l15-k13
Time counts from when the question was handed to the network to when the answer's packet
arrived; how late the server then read it is not in it.
"""


def test_a_game_is_told_in_this_way() -> None:
    replay(RECORD)
    assert "\n".join(report(Telling(RECORD))) + "\n" == REPORT


def test_a_report_as_far_as_a_ply_says_how_the_game_stood() -> None:
    lines = report(Telling(RECORD, upto=3), board=True)
    assert "  3  E     k6-k7               1.250  2000  0.100  0.012500  0.013750" in lines
    assert not any(line.startswith("  4  A") for line in lines)
    assert not any("why C" in line for line in lines)
    game = Telling(RECORD, upto=3).game
    picture = draw(game.position)
    assert lines[-len(picture) - 3 :] == [*picture, "", f"after ply 3: {game}", "ply 4 is A zoe's"]


def test_a_report_as_far_as_no_ply_is_the_start() -> None:
    lines = report(Telling(RECORD, upto=0))
    assert lines[-3:] == ["", f"after ply 0: {RECORD.start}", "ply 1 is A zoe's"]


def test_at_its_end_a_game_stands_as_its_record_says() -> None:
    lines = report(Telling(RECORD), board=True)
    assert lines[-1] == f"after ply 5: {RECORD.final}"


@PATIENT
@given(st.sampled_from(KINDS), st.integers(0, 2**32), st.sampled_from([0.0, 0.2]), st.data())
def test_a_game_can_be_told_as_far_as_any_ply(
    kind: Kind, seed: int, fall: float, data: st.DataObject
) -> None:
    record = recorded(kind, seed, fall=fall, opening=1)
    upto = data.draw(st.integers(0, record.ply))
    game = Telling(record, upto=upto).game
    assert game.ply == upto + 1
    if upto == record.ply:
        assert str(game) == record.final


def test_a_seat_that_said_nothing_is_told_so() -> None:
    silent = signed(GAME.replace(" line=move 17 5 l15-k13", ""))
    lines = report(Telling(silent))
    assert "C goes out at ply 5 by time" in lines
    assert "  5  1.908000   nothing  2012.500" in lines
    assert "No whole line had come 2012.500 ms after the question, when the flag fell." in lines


def test_only_who_lost_without_a_word_is_asked_whether_it_flushes() -> None:
    silent = Telling(signed(GAME.replace(" line=move 17 5 l15-k13", "")))
    before, within = "C 1764451827.000001 ping a\n", "C 1764451828.108000 ping b\n"
    hint = "Does the program flush its output after each line? One that does not"
    assert any(line.startswith(hint) for line in report(silent, said=before))
    heard = report(silent, said=before + within)
    assert not any("flush" in line for line in heard)
    assert "No answer to it had come 2012.500 ms after the question, when the flag fell." in heard
    assert "This had come at 2.108000 s, and answered nothing: ping b" in heard
    assert not any("flush" in line for line in report(Telling(RECORD)))


def test_a_line_that_lacked_its_line_feed_is_shown_as_why_the_flag_fell() -> None:
    silent = signed(GAME.replace(" line=move 17 5 l15-k13", ""))
    said = "A 1764451827.000001 ping\nC 1764451828.108000 move 17 5 l15-k13 <no line feed>\n"
    lines = report(Telling(silent), said=said)
    assert "  5  1.908000      half  2012.500" in lines
    assert any(
        line.startswith("This had come at ")
        and line.endswith(" s, and the line feed never: move 17 5 l15-k13")
        for line in lines
    )


def test_the_limit_is_told_from_when_the_flag_fell() -> None:
    silent = signed(GAME.replace(" line=move 17 5 l15-k13", ""))
    limit = (
        "What counts are the 2000.000 ms. The flag falls a quarter of a second later: what came in"
        " time may be read late."
    )
    assert limit in report(Telling(silent))
    assert limit not in report(Telling(RECORD))


def test_half_a_line_from_before_the_question_is_told_as_such() -> None:
    silent = signed(GAME.replace(" line=move 17 5 l15-k13", ""))
    said = "C 1764451827.907999 move 17 5 l15-k13 <no line feed>\n"
    early = "This had come at 1.907999 s, before it was asked, and the line feed never: move 17 5"
    assert any(line.startswith(early) for line in report(Telling(silent), said=said))


def test_raw_lines_are_told_as_far_as_the_game_is() -> None:
    told = [text for _, _, text in spoken(Telling(RECORD, upto=3), SAID)]
    assert told == ["move 17 3 early", "move 17 2 k14-k13", "", "move 17 3 k6-k7"]
    late = f"{SAID}A 1764451826.099999 ping a\nA 1764451826.100000 ping b\n"
    assert [text for _, _, text in spoken(Telling(RECORD, upto=3), late)] == [*told, "ping a"]
    assert len(spoken(Telling(RECORD, upto=5), late)) == len(spoken(Telling(RECORD), late)) > 5


WAITED = "2012.500 ms"
WRONG = GAME.replace(
    "time ply=5 sent=1764451827.908000 waited=2012.500 limit=2000.000 line=move 17 5 l15-k13",
    "{} ply=5 sent=1764451827.908000 limit=2000.000 line={}",
)


@pytest.mark.parametrize(
    ("reason", "line", "sentences"),
    [
        (
            "illegal",
            "move 17 5 k14-k13",
            [
                "k14-k13: expected a marble of C on k14, there is an empty hole",
                "marbles that may move are on ",
            ],
        ),
        ("malformed", "MOVE 17 5", ["expected "]),
    ],
)
def test_what_was_wrong_with_a_move_is_told(reason: str, line: str, sentences: list[str]) -> None:
    lines = report(Telling(signed(WRONG.format(reason, line))))
    at = lines.index(f"why C max went out by {reason} at ply 5:")
    assert lines[at - 1] == ""
    for told, said in zip(lines[at + 1 :], sentences, strict=True):
        assert told.startswith(said)


def test_of_a_connection_that_ended_it_is_told_how_long_was_waited_for_another() -> None:
    gone = GAME.replace("out C time", "out C disconnect").replace(" line=move 17 5 l15-k13", "")
    lines = report(Telling(signed(gone)))
    assert lines[-3:] == [
        "why C max went out by disconnect at ply 5:",
        "It was asked at 1.908000 s.",
        f"Its connection ended, and {WAITED} after the question no answer had come over any other.",
    ]
    said = "A 1764451826.000000 ping\nC 1764451829.900000 <came back: 7>\n"
    lines = report(Telling(signed(gone)), said=said)
    assert lines[-1] == "It came back 7 times in that turn and never answered."
    left = GAME.replace("out C time", "out C disconnect").replace(
        "line=move 17 5 l15-k13", "line=bye"
    )
    assert report(Telling(signed(left)))[-1] == "It had said that it leaves: bye"


def credited(chances: Chances) -> Record:
    """A game over a network that ended by a clock, after moves that were credited."""
    for seed in range(100):
        record = conducted(table("corner", 2, 9, lag=LAG), seed, in_credit=[0, 1], chances=chances)
        last = record.happened[-1]
        if isinstance(last, Out) and record.ply > 4:
            return record
    raise AssertionError("expected a fall by time")


def test_credit_is_counted_before_an_answer_is_too_late() -> None:
    record = credited(Chances(late=0.2))
    last = record.happened[-1]
    assert isinstance(last, Out)
    lines = report(Telling(record, lag=LAG))
    (had,) = [line for line in lines if line.startswith("It was asked")]
    found = re.search(r"had 2000\.000 ms for the move, and (\d+\.\d+) ms of credit for the", had)
    assert found is not None
    (late,) = [line for line in lines if line.startswith("Its answer came")]
    over = re.search(r", (\d+\.\d+) ms too late: move late$", late)
    assert over is not None
    waited = float(dict(last.evidence)["waited"])
    assert float(over[1]) == pytest.approx(waited - 2000 - float(found[1]), abs=0.002)
    assert "credit" in "\n".join(lines).split("why ")[1]
    assert not any("credit for the" in line for line in report(Telling(record)))


def test_only_the_last_moves_before_a_fall_are_shown_again() -> None:
    for seed in range(100):
        record = conducted(table("corner", 2, 30), seed, chances=Chances(silent=0.05))
        if record.reason is Reason.TIME and record.ply > 20:
            break
    lines = report(Telling(record))
    at = next(i for i, line in enumerate(lines) if line.startswith("why "))
    assert [line.split()[0] for line in lines[at + 1 : at + 8]] == [
        "ply",
        *(str(record.ply + 1 - back) for back in (10, 8, 6, 4, 2, 0)),
    ]


def test_a_fall_without_its_evidence_is_told_as_far_as_it_goes() -> None:
    bare = re.sub(r"(out C time ply=5) .* line=", r"\1 line=", GAME)
    lines = report(Telling(signed(bare)))
    assert lines[-1] == "The record does not say how long it was waited for."


def test_a_draw_that_was_offered_and_agreed_on_is_told() -> None:
    record = recorded(Kind("duel", 2, 5), seed=3, draw_at=3)
    offering = record.happened[1]
    assert isinstance(offering, Ply)
    offering = replace(offering, evidence=(("charged", "1.000"), ("draw", "offer")))
    record = replace(record, happened=(record.happened[0], offering, *record.happened[2:]))
    lines = report(Telling(record))
    assert "a draw is agreed on at ply 3" in lines
    assert any(line.split()[3:] == ["offers", "a", "draw", "1.000"] for line in lines)


def test_a_game_without_a_clock_or_a_question_is_told() -> None:
    record = voided(table("tara", 2, clock="none"))
    assert report(Telling(record)) == [
        "game 1 of cup: tara, 2 players, 3 turns each, then placed by progress, no clock",
        "A zoe",
        "D max 1.0",
        "over by server-fault, 0 plies: the server failed; void, counts for nobody",
        "",
    ]


def test_every_reason_is_told_in_words() -> None:
    assert BECAUSE.keys() == set(Reason)


def test_a_game_that_runs_is_told_so() -> None:
    record = replace(voided(table(), Reason.ABORTED), ply=1)
    lines = report(Telling(record, running=True))
    assert lines[3] == "still running, 1 ply so far"


def test_raw_lines_come_with_the_seconds_since_the_first_question() -> None:
    assert said_lines(Telling(RECORD), SAID) == [
        "-0.001000 E move 17 3 early",
        " 0.012345 C move 17 2 k14-k13",
        " 0.013000 E",
        " 0.013750 E move 17 3 k6-k7",
        " 1.907002 A move 17 4 b6-d8-f8",
        " 3.933990 E move 17 5 j5-k6",
    ]


def test_answers_that_are_no_more_than_their_ply_are_put_back_among_the_raw_lines() -> None:
    short = "E 1764451826.013750 move 17 3 k6-k7 draw=offer\n"
    lines = spoken(Telling(RECORD), short)
    assert [line for line in lines if line[1] == "E"] == [
        ("0.013750", "E", "move 17 3 k6-k7 draw=offer"),
        ("3.933990", "E", "move 17 5 j5-k6"),
    ]


def test_an_answer_that_came_while_its_question_was_under_way_is_not_put_in_twice() -> None:
    ply = RECORD.happened[1]
    assert isinstance(ply, Ply)
    sent = dict(ply.evidence)["sent"]
    times = (("sent", sent), ("received", sent))
    record = replace(RECORD, happened=(RECORD.happened[0], replace(ply, evidence=times)))
    said = "C 1764451825.999990 move 17 2 k14-k13 draw=offer\n"
    assert spoken(Telling(record), said) == [("-0.000010", "C", "move 17 2 k14-k13 draw=offer")]
    assert spoken(Telling(record), "") == [("0.000000", "C", "move 17 2 k14-k13")]


def test_programs_are_told_the_same() -> None:
    told = facts(Telling(RECORD, upto=3), SAID)
    assert json.loads(json.dumps(told)) == told
    assert told["seats"][1] == {
        "seat": "C",
        "bot": "max",
        "version": None,
        "entry": "maxima",
        "place": 3,
        "out": None,
    }
    assert told["first_question"] == "2025-11-29 21:30:26.000000 UTC"
    assert told["happened"][1:3] == [
        {
            "kind": "move",
            "ply": 2,
            "seat": "C",
            "path": "k14-k13",
            "by": None,
            "charged": 12.345,
            "left": 2000,
            "asked": 0.0,
            "answered": 0.012345,
            "late": 0.04,
        },
        {
            "kind": "forgiven",
            "ply": 3,
            "seat": "E",
            "reason": "illegal",
            "line": "move 17 3 k6-k6",
        },
    ]
    assert (told["ply"], told["turn"], told["plies"]) == (3, "A", 5)
    assert told["position"] == str(Telling(RECORD, upto=3).game)
    assert told["said"][0] == {"at": -0.001, "seat": "E", "text": "move 17 3 early"}
    whole = facts(Telling(RECORD))
    assert "said" not in whole
    assert whole["seats"][1]["out"] == "time"
    assert whole["happened"][5]["waited"] == 2012.5


def test_programs_are_told_of_draws_and_of_keys_of_later_versions() -> None:
    record = recorded(Kind("duel", 2, 5), seed=3, draw_at=2)
    evidence = (("left", "-"), ("draw", "offer"), ("zz", "later"))
    first = record.happened[0]
    assert isinstance(first, Ply)
    first = replace(first, evidence=evidence)
    told = facts(Telling(replace(record, happened=(first, *record.happened[1:]))))
    assert (
        told["happened"][0] | {"left": None, "offers_draw": True, "zz": "later"}
        == (told["happened"][0])
    )
    assert told["happened"][1] == {"kind": "draw", "ply": 2}


def test_a_time_of_day_is_told_to_the_microsecond() -> None:
    assert wall(1764451826_000001_999) == "2025-11-29 21:30:26.000001 UTC"


@PATIENT
@given(st.integers(0, 2**32), st.sampled_from(["none", "2s", "1s+5x2s"]), st.booleans())
def test_any_game_of_a_server_can_be_told(seed: int, clock: str, rough: bool) -> None:
    chances = Chances(late=0.1, silent=0.1, wrong=0.1, gone=0.1, absent=0.2) if rough else CALM
    game = Conduct(
        table("corner", 3, 4, clock=clock, lag=LAG, tries=1, opening=1),
        seed,
        in_credit=[0],
        chances=chances,
    )
    record = game.play()
    assert record is not None
    telling = Telling(parse_record(format_record(record)), lag=LAG)
    moves = [h for h in record.happened if isinstance(h, Ply)]
    lines = report(telling, board=True)
    assert sum(line.lstrip()[:1].isdigit() for line in lines) >= len(moves)
    assert Game.load(facts(telling)["position"], limit=record.limit).is_over
