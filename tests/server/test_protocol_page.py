"""The tables of protocol.md: what comes of a line, and which notes there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from server.conducted import table
from sternhalma import Seat
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.referee import Referee
from sternhalma_server.session import Session
from sternhalma_server.wire import NoteCode, WireError, parse_message

PAGE = (Path(__file__).parents[2] / "protocol.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """The rows of the table whose head begins with *head*."""
    lines = PAGE.split(f"| {head} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


LINES = [(line.strip("`"), comes) for line, comes in rows("line")]


def said_to(referee: Referee, text: str) -> list[str]:
    """What the first seat hears when it answers its first turn by *text*."""
    referee.begin()
    referee.asked(0)
    referee.outbox.clear()
    referee.answer(Seat(0), Line(text, 1, early=False), 1, FloodGate())
    return [line for seat, line in referee.outbox if seat in {None, 0}]


@pytest.mark.parametrize(("line", "comes"), LINES, ids=[line for line, _ in LINES])
def test_what_comes_of_a_line_is_what_the_page_says(line: str, comes: str) -> None:
    referee = Referee(table("duel"))
    heard = said_to(referee, line)
    words = re.findall(r"`([^`]+)`", comes)
    if comes.startswith("played"):
        moved, *notes = heard
        assert moved.startswith("moved 1 1 A d5-e5 ")
        assert [" ".join(note.split()[:2]) for note in notes] == words[1:]
    elif comes.startswith("lost"):
        assert heard[-1].startswith(f"over 1 {words[0]} places=A:2,D:1 ")
    elif comes == "nothing":
        assert heard == []
    else:
        (answer,) = heard
        assert answer.startswith(words[0].removesuffix("..."))
    assert (referee.finished is not None) == comes.startswith("lost")


SPACES = [" move 1 1 d5-e5", "move 1 1 d5-e5 ", "move\t1 1 d5-e5", "move 1  1 d5-e5"]


@pytest.mark.parametrize("line", SPACES, ids=repr)
def test_spaces_that_are_too_many_or_none_lose(line: str) -> None:
    assert said_to(Referee(table("duel")), line)[-1].startswith("over 1 malformed ")


LOSING = [line for line, comes in LINES if comes.startswith("lost")]


@pytest.mark.parametrize("line", LOSING)
def test_what_loses_in_a_turn_loses_before_it_but_for_a_move_that_can_be_read(line: str) -> None:
    referee = Referee(table("duel"))
    referee.begin()
    referee.early(Seat(0), Line(line, 1, early=True), FloodGate())
    is_move = re.fullmatch(r"move 1 1 [^ ]+", line) is not None
    assert (referee.finished is None) == is_move


@pytest.mark.parametrize("line", [*LOSING, *SPACES])
def test_between_games_nothing_is_lost(line: str) -> None:
    session = Session()
    session.accept()
    session.receive(Line(line, 1, early=False), lambda: "waiting")
    told = [" ".join(reply.split()[:2]) for reply in session.replies]
    assert told == [] if line == "bye" else told in (["note stale"], ["error malformed"])


def named(head: str) -> set[str]:
    """The messages that the table with that *head* names."""
    return {
        words.split(" ")[0] for cell, _ in rows(head) for words in re.findall("`([^`]+)`", cell)
    }


def test_the_page_lists_every_message_of_a_bot_and_no_other() -> None:
    with pytest.raises(WireError) as refused:
        parse_message("hello")
    known = str(refused.value).removeprefix("expected a message, ").removesuffix(", got 'hello'")
    assert named("a bot says") == set(known.split(", "))


def test_the_page_names_every_note() -> None:
    assert sorted(code.strip("`") for code, _ in rows("`note` code")) == sorted(get_args(NoteCode))
