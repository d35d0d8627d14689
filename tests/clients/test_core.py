"""The conversation without a connection."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_bot.core import Core, State
from sternhalma_bot.messages import Bye, Error, Game, Message, Over, Turn
from sternhalma_bot.protocol import ProtocolError

GREETING = "sternhalma 1 line=1024 login=10000 can=moves,draw,watch\nwelcome zoe slot=1\n"
POSITION = "duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
GAME = "game 7 duel A seats=A:zoe,D:max limit=200 at_limit=share clock=2s seed=18 draws=no\n"
TURN = f"turn 7 1 2000 {POSITION}\n"
CONVERSATION = (
    f"{GREETING}\r\n\n{GAME}weather fine\n{TURN}"
    "moved 7 1 A d5-e5 charged=1 left=1999\nover 7 goal places=A:1,D:2\nbye event-over thanks\n"
)


def told(text: str, core: Core | None = None) -> Core:
    core = core or Core("zoe")
    core.receive(text.encode())
    return core


def test_the_login_answers_the_greeting_with_all_that_is_known() -> None:
    core = Core("zoe", slot=3, token="secret", version="1.2", moves=True)
    assert core.outgoing() == b""
    told(GREETING, core)
    assert core.outgoing() == b"login zoe slot=3 version=1.2 moves=yes token=secret\n"
    assert core.outgoing() == b""


def test_a_new_connection_takes_the_place_of_the_old_with_the_key_of_the_welcome() -> None:
    core = told("sternhalma 1\nwelcome zoe slot=3 key=abc\n", Core("zoe", slot=3, version="2"))
    again = told("sternhalma 1\n", core.again())
    assert again.outgoing() == b"login zoe slot=3 version=2 key=abc\n"
    assert (core.welcomed, again.welcomed) == (True, False)


def test_a_goodbye_at_the_door_is_no_welcome() -> None:
    assert not told("sternhalma 1\nbye full too many at the door\n").welcomed


def test_a_server_of_another_version_is_refused() -> None:
    with pytest.raises(ProtocolError, match="version 1, got 2"):
        told("sternhalma 2\n")


@given(st.lists(st.integers(0, len(CONVERSATION)), max_size=20))
def test_it_does_not_matter_how_the_bytes_are_cut(cuts: list[int]) -> None:
    def heard(pieces: Iterable[bytes]) -> list[Message]:
        core = Core("zoe")
        return [message for piece in pieces for message in core.receive(piece)]

    data = CONVERSATION.encode()
    ends = [0, *sorted(cuts), len(data)]
    pieces = [data[a:b] for a, b in pairwise(ends)]
    assert heard(pieces) == heard([data])


def test_a_turn_is_answered_with_its_game_and_ply() -> None:
    core = told(GREETING + GAME + TURN)
    core.outgoing()
    core.answer("d5-e5")
    assert core.outgoing() == b"move 7 1 d5-e5\n"
    assert core.state is State.WAITING


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("draw", b"draw 7 1\n"),
        ("resign", b"resign 7\n"),
        ("undo 3", b"undo 7 3\n"),
        ("d5-e5 draw=offer", b"move 7 1 d5-e5 draw=offer\n"),
    ],
)
def test_other_things_than_moves_are_answers_too(answer: str, line: bytes) -> None:
    core = told(GREETING + GAME + TURN)
    core.outgoing()
    core.answer(answer)
    assert core.outgoing() == line


def test_who_leaves_says_so() -> None:
    core = told(GREETING)
    core.outgoing()
    core.leave()
    assert core.outgoing() == b"bye\n"


def test_where_no_move_is_wanted_an_answer_is_refused() -> None:
    core = told(GREETING + GAME)
    with pytest.raises(ValueError, match="expected a turn to answer with 'd5-e5'"):
        core.answer("d5-e5")


def test_it_remembers_the_game_until_it_is_over() -> None:
    core = told(GREETING + GAME)
    assert isinstance(core.game, Game)
    assert (core.game.id, core.game.seat, core.game.seed, core.game.clock) == ("7", "A", 18, "2s")
    told("over 7 goal places=A:1,D:2\n", core)
    assert core.game is None
    assert core.state is State.LOBBY


def test_a_turn_that_ends_with_its_game_wants_no_answer() -> None:
    core = told(GREETING + GAME + TURN + "over 7 time places=A:2,D:1 seat=A ply=1\n")
    assert core.turn is None


def test_a_game_restated_at_an_earlier_ply_is_believed() -> None:
    core = told(GREETING + GAME + TURN.replace("turn 7 1", "turn 7 9"))
    core.answer("d5-e5")
    told(GAME + TURN, core)
    assert core.turn is not None
    assert core.turn.ply == 1


def test_a_turn_without_a_game_line_can_be_answered() -> None:
    # "A bot that understands one message and answers one can play a whole league."
    core = told(GREETING + TURN)
    core.answer("d5-e5")
    assert core.outgoing().endswith(b"move 7 1 d5-e5\n")


def test_a_bad_answer_opens_the_turn_again_where_a_try_is_left() -> None:
    core = told(GREETING + GAME + TURN)
    core.answer("a5-e9")
    assert core.receive(b"error illegal tries=1 no chain leads there\n") == [
        Error("illegal", "no chain leads there", 1)
    ]
    core.answer("d5-e5")
    assert core.outgoing().endswith(b"move 7 1 a5-e9\nmove 7 1 d5-e5\n")


def test_a_bad_answer_without_tries_opens_nothing() -> None:
    core = told(GREETING + GAME + TURN)
    core.answer("a5-e9")
    told("error illegal no chain leads there\n", core)
    assert core.turn is None


def test_an_offer_stands_until_the_next_answer() -> None:
    core = told(GREETING + GAME + "offer 7 D\n" + TURN)
    assert core.offered
    core.answer("d5-e5")
    assert not core.offered


def test_a_ping_is_answered_with_its_word() -> None:
    core = told(GREETING)
    core.outgoing()
    told("ping abc\n", core)
    assert core.outgoing() == b"pong abc\n"


def test_nothing_is_heard_behind_the_goodbye() -> None:
    core = Core("zoe")
    assert core.receive(b"bye taken-over elsewhere\n" + TURN.encode()) == [
        Bye("taken-over", "elsewhere")
    ]
    assert core.farewell == Bye("taken-over", "elsewhere")
    assert core.turn is None


def test_a_line_as_long_as_the_contract_allows_is_read() -> None:
    moves = ",".join(["d5-e5"] * 10_900)
    line = f"turn 7 1 2000 {POSITION} moves={moves}\n".encode()
    assert 65_000 < len(line) <= 65_536
    core = told(GREETING + GAME)
    for start in range(0, len(line), 1000):
        core.receive(line[start : start + 1000])
    assert isinstance(core.turn, Turn)
    assert len(core.turn.moves) == 10_900


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(ProtocolError, match="at most 65536 bytes"):
        Core("zoe").receive(b"x" * 65_536)


def test_the_end_of_a_game_is_told_as_it_was() -> None:
    *_, last = told(GREETING + GAME).receive(b"over 7 share places=A:1,D:1\n")
    assert last == Over("7", "share", (("A", 1), ("D", 1)))
