"""What a bot had begun for another game is not asked for again, and does not hide what differs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sternhalma_server import cli
from sternhalma_server.conformance.leftover import begun_before, leftovers
from sternhalma_server.conversation import parse_conversation

# It plays its first legal move, behind what its argument says.
BOT = """
import os, socket, sys
host, port, name = (os.environ["STERNHALMA_" + key] for key in ("HOST", "PORT", "NAME"))
server = socket.create_connection((host, int(port)))
server.sendall("login {} moves=yes\\n".format(name).encode())
for line in server.makefile():
    if line.startswith("turn "):
        game, ply, *more = line.split()[1:]
        move = more[-1].removeprefix("moves=").split(",")[0]
        before = sys.argv[1].replace("|", "\\n")
        server.sendall("{}move {} {} {}\\n".format(before, game, ply, move).encode())
"""
START = "duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -"
HEAD = """\
sternhalma-conversation 1
event late
game 3
seat A zoe
S 0.000000 game 3 duel A seats=A:zoe,D:max limit=5 at_limit=share clock=3s seed=1 draws=no
"""
ASKED = f"S 0.000000 turn 3 1 3000 {START}\n"
ANSWERED = "B 1.704583 move 3 1 c5-e5\nS 1.704718 moved 3 1 A c5-e5 charged=1704.582 left=3000\n"
OVER = "S 1.704718 over 3 aborted places=A:0,D:0\n"
LATE = "B 1.704583 move 2 8 l15-h11\n"
NOTE = "S 1.704718 note early this move was begun before its turn was sent\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    file = tmp_path / "bot.py"
    file.write_text(BOT, encoding="utf-8")
    return file


def replayed(text: str, bot: Path, before: str, capsys: Captured, *more: str) -> tuple[int, str]:
    file = bot.with_name("game.txt")
    file.write_text(text, encoding="utf-8")
    command = [*more, "--", sys.executable, str(bot), before]
    return cli.main(["replay", str(file), *command]), capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        HEAD + LATE + ASKED + NOTE + ANSWERED + OVER,
        HEAD + ASKED + LATE + ANSWERED + NOTE + OVER,
        HEAD + ASKED + ANSWERED + LATE + NOTE + OVER,
    ],
)
def test_an_answer_to_the_game_before_need_not_come_again(
    text: str, bot: Path, capsys: Captured
) -> None:
    status, printed = replayed(text, bot, "", capsys)
    number = text.split("\n").index(LATE.rstrip("\n")) + 1
    assert printed.splitlines() == [
        "1 line of the bot, all the same",
        f"line {number} had answered nothing and need not come again: move 2 8 l15-h11",
    ]
    assert status == 0


def test_a_bot_that_says_again_what_answered_nothing_says_the_same(
    bot: Path, capsys: Captured
) -> None:
    text = HEAD + ASKED + LATE + ANSWERED + NOTE + OVER
    status, printed = replayed(text, bot, "move 2 8 l15-h11|", capsys)
    assert (status, printed) == (0, "2 lines of the bot, all the same\n")


def test_what_answers_nothing_and_was_not_said_there_is_a_difference(
    bot: Path, capsys: Captured
) -> None:
    text = HEAD + ASKED + LATE + ANSWERED + NOTE + OVER
    status, printed = replayed(text, bot, "move 2 9 l15-h11|", capsys, "--json")
    told = json.loads(printed)
    assert (status, told["difference"]["came"]) == (1, "move 2 9 l15-h11")
    assert told["left_over"] == [7]


def test_what_was_in_front_of_an_answer_without_a_line_feed_is_told(
    bot: Path, capsys: Captured
) -> None:
    glued = "move 2 3 a5-c5move 3 1 c5-e5"
    text = HEAD + ASKED + f"B 0.1 {glued}\nS 0.1 over 3 malformed places=A:2,D:1\n"
    status, printed = replayed(text.replace("0.1 ", "0.100000 "), bot, "", capsys)
    assert status == 1
    assert printed.splitlines()[-3:] == [
        f"expected {glued}",
        "got move 3 1 c5-e5",
        f"'{glued[:14]}' in front of it was left over from game 2 and had come without a line feed",
    ]


def test_only_what_is_whole_behind_a_rest_is_told_as_behind_one() -> None:
    assert begun_before("pong x7move 3 1 a", "move 3 1 a", "3") == (
        "'pong x7' in front of it had come without a line feed"
    )
    for expected, came, game in [
        ("move 3 1 a", "move 3 1 b", "3"),
        ("x", "", "3"),
        ("xy", "y", None),
    ]:
        assert begun_before(expected, came, game) is None


def test_a_conversation_of_no_game_has_no_leftovers() -> None:
    text = HEAD + LATE + ASKED + NOTE + ANSWERED + OVER
    assert leftovers(parse_conversation(text)) == {1}
    assert leftovers(parse_conversation(text.replace("game 3\nseat", "seat", 1))) == frozenset()


def test_an_answer_that_came_before_its_turn_and_is_noted_is_left_over() -> None:
    text = HEAD + ASKED + "B 0.000000 move 3 1 c5-e5\n" + NOTE + ANSWERED + OVER
    assert leftovers(parse_conversation(text)) == {2}
