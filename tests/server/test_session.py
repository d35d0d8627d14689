"""One connection outside of games: a table of states and messages, and what its cells do."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.flood import BURST
from sternhalma_server.framing import Line
from sternhalma_server.session import TABLE, Act, Session, State
from sternhalma_server.wire import Fetch, Login, Message, Watch

# One line of each message.
LINES = {
    "login": "login zoe",
    "watch": "watch all",
    "transcript": "transcript zoe 1",
    "move": "move 1 1 a5-e5",
    "resign": "resign 1",
    "draw": "draw 1 1",
    "undo": "undo 1 1",
    "ping": "ping a",
    "pong": "pong a",
    "why": "why",
    "bye": "bye",
}


IN_PLACE = {"login", "watch", "transcript"}  # what a connection may begin with


def line(text: str, fault: str | None = None) -> Line:
    return Line(text, 0, early=False, fault=fault)


def lobby() -> Session:
    """A session that is logged in."""
    session = Session()
    session.accept()
    return session


def hear(session: Session, *texts: str) -> list[str]:
    """What *session* replies to lines."""
    for text in texts:
        session.receive(line(text), lambda: "because")
    replies, session.replies = session.replies, []
    return replies


@pytest.mark.parametrize("state", [State.GREETED, State.LOBBY])
@pytest.mark.parametrize("message", get_args(Message))
def test_every_state_has_a_cell_for_every_message(state: State, message: type[Message]) -> None:
    assert message in TABLE[state]


def test_every_act_stands_in_the_table() -> None:
    assert {act for row in TABLE.values() for act in row.values()} == set(Act)


def test_a_login_is_handed_back_to_be_judged_and_changes_nothing_yet() -> None:
    session = Session()
    assert session.receive(line("login zoe slot=2"), str) == Login("zoe", slot=2)
    assert session.state is State.GREETED
    assert session.replies == []


def test_an_accepted_login_is_in_the_lobby() -> None:
    assert lobby().state is State.LOBBY


@pytest.mark.parametrize("text", [LINES[k] for k in LINES if k not in {*IN_PLACE, "bye"}])
def test_before_the_login_any_other_message_ends_the_connection(text: str) -> None:
    session = Session()
    assert hear(session, text) == ["bye malformed expected 'login NAME' first"]
    assert session.state is State.CLOSED


def test_before_the_login_a_line_that_cannot_be_read_ends_the_connection() -> None:
    session = Session()
    (reply,) = hear(session, "GET / HTTP/1.1")
    assert reply == "bye malformed expected 'login NAME', or 'watch' or 'transcript', got 'GET'"
    assert session.state is State.CLOSED


def test_a_watcher_is_handed_back_to_be_let_in_like_a_bot() -> None:
    session = Session()
    assert session.receive(line("watch game=7"), lambda: "") == Watch("7")
    assert session.receive(line("transcript zoe 7"), lambda: "") == Fetch("zoe", "7")
    assert session.replies == []


def test_bye_ends_the_connection_without_an_answer() -> None:
    for session in (Session(), lobby()):
        assert hear(session, "bye") == []
        assert session.state is State.CLOSED


@pytest.mark.parametrize(
    ("text", "replies"),
    [
        ("ping hello", ["pong hello"]),
        ("pong hello", []),
        ("why", ["why because"]),
        ("move 1 1 a5-e5", ["note stale no game waits for this"]),
        ("resign 1", ["note stale no game waits for this"]),
        ("draw 1 1", ["note stale no game waits for this"]),
        ("login zoe", ["error malformed expected no second login"]),
        ("watch all", ["error malformed expected no second login"]),
    ],
)
def test_in_the_lobby_a_message_has_its_answer_and_the_session_goes_on(
    text: str, replies: list[str]
) -> None:
    session = lobby()
    assert hear(session, text) == replies
    assert session.state is State.LOBBY


def test_in_the_lobby_a_line_that_cannot_be_read_is_told_and_the_session_goes_on() -> None:
    session = lobby()
    (reply,) = hear(session, "hello?")
    assert reply.startswith("error malformed expected a message, ")
    assert session.state is State.LOBBY


def test_a_line_with_a_fault_is_told_as_what_is_wrong_with_it() -> None:
    session = lobby()
    session.receive(line("ping a", "expected UTF-8"), str)
    assert session.replies == ["error malformed expected UTF-8"]


@pytest.mark.parametrize("text", [LINES[k] for k in LINES if k != "bye"] + ["hello?", "pong a"])
def test_in_the_lobby_lines_that_answer_nothing_are_counted_whatever_they_are(text: str) -> None:
    session = lobby()
    # A second login takes two from the allowance: as a line not asked for, and as a wrong one.
    replies = hear(session, *[text] * (BURST + 1))
    assert replies[-1] == "bye flood expected fewer lines that answer nothing"
    assert session.state is State.CLOSED


def test_a_burst_that_is_allowed_is_answered_line_by_line() -> None:
    assert hear(lobby(), *["ping a"] * BURST) == ["pong a"] * BURST


def test_a_session_that_is_closed_says_nothing_more() -> None:
    session = lobby()
    session.close("server-stops", "later")
    assert hear(session, "ping a", "login zoe", "hello?") == ["bye server-stops later"]


def test_the_first_reason_to_close_is_the_one_that_is_told() -> None:
    session = lobby()
    session.close("flood", "one")
    session.close("event-over", "two")
    assert session.replies == ["bye flood one"]


@given(st.lists(st.text(max_size=40) | st.sampled_from(list(LINES.values())), max_size=80))
def test_whatever_is_said_replies_are_single_lines_and_a_bye_is_the_last(texts: list[str]) -> None:
    session = lobby()
    replies = hear(session, *texts)
    assert all(reply.isprintable() and reply.isascii() for reply in replies)
    byes = [number for number, reply in enumerate(replies) if reply.startswith("bye ")]
    assert byes in ([], [len(replies) - 1])
