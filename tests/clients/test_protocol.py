"""The server's lines as values."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_bot.messages import (
    Bye,
    Error,
    Game,
    Greeting,
    Message,
    Moved,
    Note,
    Offer,
    Out,
    Over,
    Ping,
    Pong,
    Turn,
    Welcome,
    Why,
)
from sternhalma_bot.protocol import ProtocolError, parse_message

POSITION = "duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
LINES: list[tuple[str, Message]] = [
    (
        "sternhalma 1 line=1024 login=10000 can=moves,draw,watch",
        Greeting(1, 1024, 10000, frozenset({"moves", "draw", "watch"})),
    ),
    ("sternhalma 1", Greeting(1)),
    ("welcome zoe slot=2", Welcome("zoe", 2)),
    ("welcome zoe slot=2 key=abc", Welcome("zoe", 2, "abc")),
    (
        "game 7 duel D seats=A:zoe,D:max limit=200 at_limit=share clock=2s seed=18 draws=no",
        Game("7", "duel", "D", (("A", "zoe"), ("D", "max")), 200, "share", "2s", 18, draws=False),
    ),
    ("game 7 duel D draws=yes", Game("7", "duel", "D", draws=True)),
    ("game 7 duel D draws=no undo=yes", Game("7", "duel", "D", undo=True)),
    (f"turn 7 1 2000 {POSITION}", Turn("7", 1, 2000, POSITION)),
    (f"turn 7 1 - {POSITION} moves=c5-e5,c5-e7", Turn("7", 1, None, POSITION, ("c5-e5", "c5-e7"))),
    ("moved 7 1 A c5-e7 charged=3 left=1997", Moved("7", 1, "A", "c5-e7", 3, 1997)),
    ("moved 7 1 A pass charged=0 left=- by=rules", Moved("7", 1, "A", "pass", 0, None, "rules")),
    (
        "moved 7 1 A c5-e7 charged=12.345 credit=3.5 left=1997 periods=2",
        Moved("7", 1, "A", "c5-e7", 12.345, 1997, None, 3.5, 2),
    ),
    ("out 7 B resign", Out("7", "B", "resign")),
    ("over 7 goal places=A:1,D:2", Over("7", "goal", (("A", 1), ("D", 2)))),
    (
        "over 7 illegal places=A:2,D:1 seat=A ply=1 line=move 1 1 a5-e9 seat=D line=x",
        Over("7", "illegal", (("A", 2), ("D", 1)), "A", 1, "move 1 1 a5-e9 seat=D line=x"),
    ),
    ("offer 7 D", Offer("7", "D")),
    ("note early that was before its turn", Note("early", "that was before its turn")),
    ("error illegal no chain leads there", Error("illegal", "no chain leads there")),
    ("error illegal tries=2 no chain", Error("illegal", "no chain", 2)),
    ("ping abc", Ping("abc")),
    ("pong abc", Pong("abc")),
    ("why the event is waiting for max", Why("the event is waiting for max")),
    ("bye event-over thank you", Bye("event-over", "thank you")),
    ("bye event-over", Bye("event-over", "")),
]


@pytest.mark.parametrize(("line", "message"), LINES, ids=[line[:20] for line, _ in LINES])
def test_every_message_of_the_contract_is_read(line: str, message: Message) -> None:
    assert parse_message(line) == message


@pytest.mark.parametrize("line", ["", "weather fine", "turns 1 2", "SternHalma 1"])
def test_a_message_that_is_not_known_is_none(line: str) -> None:
    assert parse_message(line) is None


def test_the_page_lists_every_message_of_a_server_that_is_read_here() -> None:
    page = (Path(__file__).parents[2] / "protocol.md").read_text(encoding="utf-8")
    cells = re.findall(
        "^\\| ([^|]+) \\|", page.split("| the server says |")[1].split("\n## ")[0], re.MULTILINE
    )
    listed = {words.split(" ")[0] for cell in cells for words in re.findall("`([^`]+)`", cell)}
    # `position` is told to watchers, which nobody is here.
    assert listed == {*(line.split(" ")[0] for line, _ in LINES), "position"}


def test_keys_that_are_not_known_are_passed_over() -> None:
    assert parse_message("welcome zoe mood=good slot=3 x") == Welcome("zoe", 3)


@pytest.mark.parametrize(
    "line",
    [
        "sternhalma one",
        "game 7 duel",
        "game 7 duel A limit=many",
        f"turn 7 first 2000 {POSITION}",
        "turn 7 1 2000 duel A/AA A,D A",
        "moved 7 1 A",
        "over 7 goal places=A:first",
    ],
)
def test_a_known_message_that_makes_no_sense_is_refused_and_quoted(line: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_message(line)
    assert repr(line) in str(caught.value)


@given(st.text())
def test_no_line_brings_the_reader_down(text: str) -> None:
    for word in ["", *(line.split()[0] + " " for line, _ in LINES)]:
        with suppress(ProtocolError):
            parse_message(word + text)
