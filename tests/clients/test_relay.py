"""What becomes of every line between a program and a server."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_bot.bridge.relay import ProgramError, Relay
from sternhalma_bot.core import Core
from sternhalma_bot.protocol import ProtocolError

GREETING = b"sternhalma 1 line=1024 login=10000 can=moves\n"
WELCOME = b"welcome zoe slot=1 key=abc\n"
GAME = b"game 7 duel A seats=A:zoe,D:max limit=200 at_limit=share clock=2s seed=18 draws=no\n"
START = b"duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
LATER = START.replace(b"0,0", b"1,1")
TURN = b"turn 7 1 2000 " + START + b" moves=c5-e5,d5-e5\n"
NEXT = b"turn 7 3 1900 " + LATER + b" moves=d5-e5,e5-f5\n"
MOVE = b"move 7 1 d5-e5\n"
LOGIN = b"login zoe slot=1 version=2 moves=yes token=secret\n"
BACK = b"login zoe slot=1 version=2 moves=yes token=secret key=abc\n"


def relay(*heard: bytes) -> Relay:
    """A relay on its first connection, whose program has been told what the server said."""
    made = Relay(Core("zoe", 1, "secret", "2", moves=True))
    made.connect()
    hear(made, *heard)
    made.to_server()
    return made


def hear(made: Relay, *lines: bytes) -> bytes:
    """What the program is told when the server says *lines*."""
    for line in lines:
        made.hear(line)
    return made.to_program()


def say(made: Relay, line: bytes) -> bytes:
    """What the server is told when the program says *line*."""
    made.say(line)
    return made.to_server()


def come_back(made: Relay, *heard: bytes) -> bytes:
    """What the program is told on a new connection."""
    made.connect()
    return hear(made, GREETING, WELCOME, *heard)


def test_the_bridge_logs_in_and_the_program_hears_all_but_pings() -> None:
    made = relay()
    lines = [GREETING, WELCOME, GAME, b"weather fine\n", TURN]
    assert hear(made, *lines, b"ping a\n") == b"".join(lines)
    assert made.to_server() == LOGIN + b"pong a\n"


def test_the_login_of_a_program_stays_here() -> None:
    assert say(relay(GREETING), b"login zoe slot=1 token= moves=yes\n") == b""


def test_an_answer_is_handed_on_as_it_is() -> None:
    assert say(relay(GREETING, WELCOME, GAME, TURN), b"move 7 1  D5-E5 mood=good\r\n") == (
        b"move 7 1  D5-E5 mood=good\n"
    )


@pytest.mark.parametrize(
    "line", [b"hello\n", b"move 7 9 d5-e5\n", b"move\n", b"why\n", b"ping x\n"]
)
def test_what_the_server_has_to_judge_is_handed_on_too(line: bytes) -> None:
    assert say(relay(GREETING, WELCOME, GAME, TURN), line) == line


def test_a_turn_that_the_program_thinks_about_is_not_asked_again() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    assert come_back(made, GAME, TURN.replace(b" 2000 ", b" 700 ")) == b""
    assert made.to_server() == BACK
    assert say(made, MOVE) == MOVE


def test_an_answer_that_was_lost_is_sent_again_and_the_program_is_not_bothered() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, MOVE)
    assert come_back(made, GAME, TURN) == b""
    assert made.to_server() == BACK + MOVE


def test_an_answer_given_without_a_connection_waits_for_the_turn() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    made.connect()
    assert say(made, MOVE) == b""
    hear(made, GREETING, WELCOME, GAME)
    assert made.to_server() == BACK
    hear(made, TURN)
    assert made.to_server() == MOVE


def test_an_answer_that_arrived_is_not_sent_again() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, MOVE)
    # It counted, so what comes next is the next turn; the program hears that something was missed.
    assert come_back(made, GAME, NEXT) == GAME + NEXT
    assert made.to_server() == BACK


def test_a_game_that_is_restated_at_an_earlier_ply_is_asked_anew() -> None:
    made = relay(GREETING, WELCOME, GAME, NEXT)
    assert come_back(made, GAME, TURN) == GAME + TURN
    made.to_server()
    assert say(made, b"move 7 3 e5-f5\n") == b"move 7 3 e5-f5\n"  # which the server calls stale
    assert say(made, MOVE) == MOVE


def test_a_restated_game_in_which_others_are_to_move_is_told_with_what_follows() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, MOVE)
    moved = b"moved 7 1 A d5-e5 charged=1 left=2000\n"
    assert come_back(made, GAME) == b""
    assert hear(made, moved) == GAME + moved


def test_another_position_at_the_same_ply_gets_no_answer_that_was_meant_for_the_first() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    other = TURN.replace(START, LATER).replace(b"c5-e5,d5-e5", b"e5-f5,e5-f6")
    assert come_back(made, GAME, other) == GAME + other
    made.to_server()
    assert say(made, MOVE) == b""
    assert say(made, b"move 7 1 e5-f5\n") == b"move 7 1 e5-f5\n"


def test_an_answer_that_fits_the_second_position_at_a_ply_is_handed_on() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    come_back(made, GAME, TURN.replace(START, LATER))
    made.to_server()
    assert say(made, b"move 7 1 D5-d6-e5\n") == b"move 7 1 D5-d6-e5\n"


def test_after_a_bad_answer_with_tries_left_the_next_one_counts() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, b"move 7 1 a5-e9\n")
    error = b"error illegal tries=1 no chain leads there\n"
    assert hear(made, error) == error
    assert come_back(made, GAME, TURN) == b""
    made.to_server()
    assert say(made, MOVE) == MOVE


def test_a_draw_that_was_agreed_on_and_a_resignation_are_answers_too() -> None:
    for line in [b"draw 7 1\n", b"resign 7\n"]:
        made = relay(GREETING, WELCOME, GAME, TURN)
        say(made, line)
        come_back(made, GAME, TURN)
        assert made.to_server() == BACK + line


def test_a_resignation_without_a_connection_is_not_lost() -> None:
    made = relay(GREETING, WELCOME, GAME)
    made.connect()
    assert say(made, b"resign 7\n") == b""
    come_back(made, GAME)
    assert made.to_server() == BACK + b"resign 7\n"


def test_an_answer_to_a_game_that_is_over_is_for_the_server_to_judge() -> None:
    over = b"over 7 time places=A:2,D:1 seat=A ply=1\n"
    made = relay(GREETING, WELCOME, GAME, TURN, over)
    assert say(made, MOVE) == MOVE


def test_a_game_with_the_name_of_one_that_is_over_is_news() -> None:
    made = relay(GREETING, WELCOME, GAME, b"over 7 aborted places=A:0,D:0\n")
    assert hear(made, GAME, TURN) == GAME + TURN


def test_a_goodbye_for_good_is_told_and_one_for_now_is_not() -> None:
    stops, thanks = b"bye server-stops the server is going down\n", b"bye event-over thank you\n"
    made = relay(GREETING, WELCOME)
    assert hear(made, stops) == b""
    assert not made.over
    assert come_back(made, thanks) == thanks
    assert made.over


def test_a_program_that_says_goodbye_has_left() -> None:
    made = relay(GREETING, WELCOME)
    assert say(made, b"bye\n") == b"bye\n"
    assert (made.left, made.over) == (True, True)


@given(st.lists(st.integers(0, 2_000), max_size=20))
def test_it_does_not_matter_how_the_bytes_are_cut(cuts: list[int]) -> None:
    heard = GREETING + WELCOME + GAME + b"\n\r\nweather fine\n" + TURN + b"bye event-over x\n"

    def told(pieces: Iterable[bytes]) -> bytes:
        made = relay()
        return hear(made, *pieces)

    ends = sorted({0, *cuts, len(heard)})
    assert told(heard[a:b] for a, b in itertools.pairwise(ends)) == told([heard])


@given(st.lists(st.sampled_from([MOVE, b"login x\n", b"why\n", b"\n"])), st.data())
def test_nor_how_those_of_the_program_are(lines: list[bytes], data: st.DataObject) -> None:
    said = b"".join(lines)
    cuts = data.draw(st.lists(st.integers(0, len(said)), max_size=9))

    def handed_on(pieces: Iterable[bytes]) -> bytes:
        made = relay(GREETING, WELCOME, GAME, TURN)
        return b"".join(say(made, piece) for piece in pieces)

    ends = sorted({0, *cuts, len(said)})
    assert handed_on(said[a:b] for a, b in itertools.pairwise(ends)) == handed_on([said])


ILLEGAL = b"error illegal a5-e9: no step and no chain of hops leads from a5 to e9\n"


def complained(made: Relay, *lines: bytes) -> list[str]:
    """What there is to complain about when the server says *lines*."""
    hear(made, *lines)
    return made.complaints()


def test_a_line_that_is_refused_is_complained_about_once_and_quoted() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, b"move 7 1 a5-e9\n")
    reason = "a5-e9: no step and no chain of hops leads from a5 to e9"
    assert complained(made, ILLEGAL) == [
        f"the server refused 'move 7 1 a5-e9' as illegal: {reason}"
    ]
    assert made.complaints() == []


@pytest.mark.parametrize(("left", "said"), [(b"1", "1 try left"), (b"2", "2 tries left")])
def test_how_many_tries_are_left_is_said(left: bytes, said: str) -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, b"move 7 1 a5-e9\n")
    (sentence,) = complained(made, b"error illegal tries=" + left + b" no way\n")
    assert sentence == f"the server refused 'move 7 1 a5-e9' as illegal: no way, {said}"


def test_a_note_is_complained_about_with_the_line_that_it_is_about() -> None:
    made = relay(GREETING, WELCOME, GAME)
    for line in [b"move 7 1 d5-e5\n", b"pong x\n", b"ping y\n", b"hello\n"]:
        say(made, line)
    early = b"note early this move was begun before its turn was sent\n"
    assert complained(made, early, b"pong y\n", b"error malformed expected a message\n") == [
        "the server said of 'move 7 1 d5-e5': early, this move was begun before its turn was sent",
        "the server refused 'hello' as malformed: expected a message",
    ]


def test_what_was_answered_is_not_what_is_refused_later() -> None:
    moved = b"moved 7 1 A d5-e5 charged=1 left=2000\n"
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, MOVE)
    hear(made, moved, NEXT)
    say(made, b"resign 7\n")
    hear(made, b"over 7 resign places=A:2,D:1 seat=A ply=3 line=resign 7\n")
    say(made, b"hello\n")
    (sentence,) = complained(made, b"error malformed expected a message\n")
    assert sentence.startswith("the server refused 'hello' as malformed")


def test_a_line_that_nobody_knows_any_more_is_complained_about_all_the_same() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, b"move 7 1 a5-e9\n")
    made.connect()
    assert complained(made, GREETING, WELCOME, ILLEGAL)[0].startswith("the server refused a line")


def test_half_a_line_that_came_too_late_is_told_in_the_words_of_the_server() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    note = b"note unfinished expected a line feed behind 'move 7 1 d5-'\n"
    assert complained(made, note) == ["the server said: expected a line feed behind 'move 7 1 d5-'"]


def test_a_long_line_with_control_characters_is_quoted_in_print_and_cut() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, b"\x1b[2J" + b"x" * 2_000 + b"\n")
    (sentence,) = complained(made, b"error malformed expected a message\n")
    assert sentence.isprintable()
    assert len(sentence) < 250


LOST = b"over 7 time places=A:2,D:1 seat=A ply=1\n"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "nothing came from the program; does it flush its output after each line?"),
        (b"move 7 1 d5-e5", "the program had written 'move 7 1 d5-e5' without a line feed"),
        (b"hello\n", "the program had written lines, but none of them answers this turn"),
        (MOVE, "the program's answer, 'move 7 1 d5-e5', came too late"),
    ],
)
@pytest.mark.parametrize("lost", [LOST, b"out 7 A time ply=1\n"])
def test_a_loss_on_time_is_told_with_what_the_program_had_written(
    said: bytes, why: str, lost: bytes
) -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, said)
    assert complained(made, lost) == [f"game 7 is lost on time at ply 1: {why}"]


@pytest.mark.parametrize("line", [LOST.replace(b"seat=A", b"seat=D"), b"out 7 D time ply=1\n"])
def test_the_loss_of_another_is_not_complained_about(line: bytes) -> None:
    assert complained(relay(GREETING, WELCOME, GAME, TURN), line) == []


def test_what_was_said_to_the_turn_before_is_no_answer_to_the_one_that_is_lost() -> None:
    made = relay(GREETING, WELCOME, GAME, TURN)
    say(made, MOVE)
    hear(made, NEXT)
    (sentence,) = complained(made, LOST.replace(b"ply=1", b"ply=3"))
    assert sentence.startswith("game 7 is lost on time at ply 3: nothing came from the program")


def test_lines_without_end_are_refused() -> None:
    with pytest.raises(ProtocolError, match="at most 65536 bytes"):
        relay().hear(b"x" * 65_536)
    with pytest.raises(ProgramError, match="at most 65536 bytes from the program"):
        relay().say(b"x" * 65_536)


def test_half_a_line_of_a_connection_that_broke_is_forgotten() -> None:
    made = relay(GREETING, WELCOME, GAME, b"turn 7 1 20")
    assert come_back(made, GAME, TURN) == GAME + TURN
