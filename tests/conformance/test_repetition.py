"""A game of a league repeated at home, from the store to the first line that differs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import trio

from conformance.bad_bots import WRONGS
from sternhalma_server import cli
from sternhalma_server.conformance import StartedBot, listen
from sternhalma_server.conformance.repetition import Repeated, repeat
from sternhalma_server.conversation import Conversation, Utterance, parse_conversation

BOT = Path(__file__).with_name("bad_bots.py")
EVENT = """\
name = "home"
rules = "corner"
players = 2
clock = "10s"
limit = 6
opening = 2
bots = [
    { name = "first", command = ["{python}", "{bot}", "none"] },
    { name = "random", command = "sternhalma-bot random" },
]
"""
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    text = EVENT.replace("{python}", sys.executable).replace("{bot}", str(BOT))
    (folder / "home.toml").write_text(text, encoding="utf-8")
    assert cli.main(["run", str(folder / "home.toml"), "--out", str(folder / "results")]) == 0
    return folder / "results"


def transcript(results: Path, seat: str, capsys: Captured) -> str:
    capsys.readouterr()
    assert cli.main(["transcript", str(results), "1", "--seat", seat]) == 0
    return capsys.readouterr().out


def replayed(file: Path, capsys: Captured, *words: str) -> tuple[int, str]:
    status = cli.main(["replay", str(file), *words])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("seat", ["A", "D", "first", "RANDOM"])
def test_the_bot_of_a_seat_says_the_same_again(
    seat: str, results: Path, tmp_path: Path, capsys: Captured
) -> None:
    text = transcript(results, seat, capsys)
    file = tmp_path / "game.txt"
    file.write_text(text, encoding="utf-8")
    is_first = " first\n" in text[: text.index("\nS ")] + "\n"
    command = [sys.executable, str(BOT), "none"] if is_first else ["sternhalma-bot", "random"]
    assert replayed(file, capsys, "--", *command) == (0, "5 lines of the bot, all the same\n")


def test_the_first_line_that_differs_is_told(
    results: Path, tmp_path: Path, capsys: Captured
) -> None:
    text = transcript(results, "first", capsys)
    file = tmp_path / "game.txt"
    answers = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("B ")]
    lines = text.split("\n")
    right = lines[answers[2] - 1].split(" ", 2)[2]
    wrong = right.rpartition(" ")[0] + " a5-a6"
    lines[answers[2] - 1] = f"B - {wrong}"
    file.write_text("\n".join(lines), encoding="utf-8")
    command = ["--", sys.executable, str(BOT), "none"]
    status, printed = replayed(file, capsys, *command)
    assert status == 1
    first, where, expected, got = printed.splitlines()
    assert first == "2 lines of the bot the same, then"
    assert where.startswith(f"{file}, line {answers[2]}, behind turn 1 ")
    assert (expected, got) == (f"expected {wrong}", f"got {right}")
    status, printed = replayed(file, capsys, "--json", *command)
    told = json.loads(printed)
    assert (status, told["same"]) == (1, 2)
    assert told["difference"]["came"] == right


def test_a_bot_that_ends_is_told_of_in_the_place_of_its_answer(
    results: Path, tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "game.txt"
    file.write_text(transcript(results, "first", capsys), encoding="utf-8")
    code = "import os, socket; s = socket.create_connection(('127.0.0.1', int(os.environ["
    code += "'STERNHALMA_PORT']))); s.sendall(b'login zoe\\n'); s.recv(9)"
    status, printed = replayed(file, capsys, "--", sys.executable, "-c", code)
    assert status == 1
    *_, got, fate = printed.splitlines()
    assert re.fullmatch("got the end of (?:the|its) connection", got)
    assert fate == "the program ended with status 0, it had printed nothing"


def test_with_timing_the_lines_come_no_sooner_than_they_came() -> None:
    lines = (
        Utterance("S", "game 1 duel A seats=A:a,D:b limit=1 clock=none seed=1 draws=no", 0),
        Utterance("S", "weather fine", 300_000_000),
        Utterance("S", "over 1 aborted places=A:0,D:0", 600_000_000),
    )

    async def seconds(*, timing: bool) -> float:
        listener = listen(0)
        bot = StartedBot([sys.executable, str(BOT), WRONGS[0]], Path(), listener, 10)
        lines_with_answer = (
            Utterance(
                "S",
                "turn 1 1 - duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -",
                0,
            ),
            Utterance("B", "move 1 1 c5-e5", 1000),
            *lines,
        )
        began = trio.current_time()
        repeated = await repeat(Conversation(lines_with_answer), bot, 10, timing=timing)
        listener.socket.close()
        assert repeated == Repeated(1)
        return trio.current_time() - began

    assert trio.run(lambda: seconds(timing=True)) > 0.6


def test_a_conversation_of_patterns_goes_on_over_another_connection() -> None:
    text = """\
sternhalma-conversation 1
patterns yes
S - sternhalma 1 line=1024 login=10000 can=moves,draw,watch
B - login <name> ...
S - welcome <name> slot=1 key=k3y
= - the connection breaks
S - sternhalma 1 line=1024 login=10000 can=moves,draw,watch
B - login <name> ...
S - bye event-over thank you
"""

    async def run(sample: list[str]) -> Repeated:
        listener = listen(0)
        try:
            bot = StartedBot(sample, Path(), listener, 10)
            return await repeat(parse_conversation(text), bot, 10)
        finally:
            listener.socket.close()

    assert trio.run(run, ["sternhalma-bot", "random"]) == Repeated(2)
    stays_away = trio.run(run, [sys.executable, str(BOT), "none"])
    assert stays_away.difference is not None
    assert stays_away.difference.line == 6
    assert stays_away.difference.expected == "the bot to come back within 5 s"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{file}"], "expected a command behind --"),
        (["no-such-file", "--", "x"], "no-such-file: expected a conversation: No such file"),
        (["{file}", "--", "x"], "line 1: expected 'sternhalma-conversation 1', got 'hello'"),
    ],
)
def test_what_cannot_be_replayed_is_said_with_status_2(
    words: list[str], sentence: str, tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "file"
    file.write_text("hello\n", encoding="utf-8")
    assert cli.main(["replay", *(word.replace("{file}", str(file)) for word in words)]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["1", "--seat", "B"], "expected a seat of the game, A "),
        (["7", "--seat", "A"], "expected a game of home that is over, got game 7"),
    ],
)
def test_what_has_no_transcript_is_said_with_status_2(
    words: list[str], sentence: str, results: Path, capsys: Captured
) -> None:
    assert cli.main(["transcript", str(results), *words]) == 2
    assert sentence in capsys.readouterr().err
