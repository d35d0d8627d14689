"""Losses that left no line behind, seen again at home: by a crash, by silence, by half a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from sternhalma_server import cli
from sternhalma_server.conformance.loss import Loss, Reaction, loss_of
from sternhalma_server.conversation import parse_conversation
from sternhalma_server.verdict import Reason

# It does at its first turn what its argument says.
BOT = """
import os, socket, sys, time
told = {key: os.environ["STERNHALMA_" + key] for key in ("HOST", "PORT", "NAME", "SLOT", "TOKEN")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
server.sendall("login {NAME} slot={SLOT} token={TOKEN} moves=yes\\n".format(**told).encode())
for line in server.makefile():
    if not line.startswith("turn "):
        continue
    game, ply, *more = line.split()[1:]
    move = "move %s %s %s" % (game, ply, more[-1].removeprefix("moves=").split(",")[0])
    match sys.argv[1]:
        case "crash":
            print("thinking", file=sys.stderr)
            raise KeyError("no such opening")
        case "mid-line":
            server.sendall(move[:9].encode())
            sys.exit(3)
        case "stale":
            server.sendall(("move %s %d d5-e5\\n" % (game, int(ply) + 2)).encode())
        case "garbage":
            server.sendall(b"\\xff\\xfe " + b"x" * 5000 + b"\\n")
        case "half":
            server.sendall(move.encode())
        case "good":
            server.sendall((move + "\\n").encode())
"""
EVENT = """\
name = "lost"
rules = "duel"
players = 2
clock = "{clock}"
limit = 2
bots = [
    {{ name = "zoe", command = ["python", "bot.py", "{does}"] }},
    {{ name = "max", command = ["python", "bot.py", "good"] }},
]
"""
Captured = pytest.CaptureFixture[str]


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of an author whose bot has lost."""

    folder: Path
    capsys: Captured

    def lose(self, does: str, clock: str = "60s") -> None:
        """Play a game that is lost at ply 1, by the bot that *does* it, and print its side."""
        text = EVENT.format(does=does, clock=clock)
        (self.folder / "event.toml").write_text(text, encoding="utf-8")
        words = ["run", str(self.folder / "event.toml"), "--out", str(self.folder / "out")]
        assert cli.main(words) == 1
        self.capsys.readouterr()
        assert cli.main(["transcript", str(self.folder / "out"), "1", "--seat", "zoe"]) == 0
        (self.folder / "game.txt").write_text(self.capsys.readouterr().out, encoding="utf-8")

    def replay(self, does: str, *options: str) -> tuple[int, list[str]]:
        """The status and the lines of a replay with a bot that *does* it."""
        words = ["--patience", "1", *options, "--", "python", str(self.folder / "bot.py"), does]
        status = cli.main(["replay", str(self.folder / "game.txt"), *words])
        return status, self.capsys.readouterr().out.splitlines()


@pytest.fixture
def home(tmp_path: Path, capsys: Captured) -> Home:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    return Home(tmp_path, capsys)


def test_a_crash_is_seen_again_with_the_status_and_the_last_words_of_the_program(
    home: Home,
) -> None:
    home.lose("crash")
    status, lines = home.replay("crash", "--patience", "60")
    assert status == 0
    assert lines[0] == "0 lines of the bot, all the same"
    # The server may have started it again, once it was lost or before.
    text = (home.folder / "game.txt").read_text(encoding="utf-8").splitlines()
    turn = next(number for number, line in enumerate(text, 1) if " turn 1 1 " in line)
    assert lines[1].startswith(f"{home.folder}/game.txt, line {turn}, behind turn 1 1 60000 duel ")
    assert lines[2].startswith("there its connection ended before it answered")
    assert lines[3].startswith("here its connection ended after ")
    assert lines[4] == "the loss by disconnect at ply 1 is reproduced"
    assert lines[5] == "the program ended with status 1, it had printed:"
    assert lines[6] == "  thinking"
    assert lines[-1] == "  KeyError: 'no such opening'"


def test_a_crash_that_does_not_come_again_is_said_not_to(home: Home) -> None:
    home.lose("crash")
    status, lines = home.replay("good", "--patience", "60")
    assert status == 1
    assert lines[3].startswith("here it answered 'move 1 1 c5-e5' after ")
    assert lines[4:] == ["the loss by disconnect at ply 1 is not reproduced"]
    status, lines = home.replay("silent")
    assert (status, lines[3]) == (1, "here it gave no answer in 1 s")
    assert lines[4:] == [
        "the loss by disconnect at ply 1 is not reproduced",
        "the program was still running, it had printed nothing",
    ]


def test_silence_is_seen_again(home: Home) -> None:
    home.lose("silent", "200ms")
    status, lines = home.replay("silent")
    assert status == 0
    assert lines[2:] == [
        "there it gave no answer within its 200 ms",
        "here it gave no answer in 1 s",
        "the loss by time at ply 1 is reproduced",
        "the program was still running, it had printed nothing",
    ]
    status, lines = home.replay("crash", "--patience", "60")
    assert status == 1
    assert lines[4] == "the loss by time at ply 1 is not reproduced"


def test_silence_behind_lines_that_answer_nothing_is_seen_again(home: Home) -> None:
    home.lose("stale", "500ms")
    status, lines = home.replay("stale", "--patience", "4")
    assert status == 0
    assert lines[0] in {  # whether it said so before the flag fell is the machine's to say
        "0 lines of the bot, all the same",
        "1 line of the bot, all the same",
    }
    assert lines[2:5] == [
        "there it gave no answer within its 500 ms",
        "here it gave no answer in 4 s",
        "the loss by time at ply 1 is reproduced",
    ]


def test_bytes_that_are_no_line_are_the_same_again(home: Home) -> None:
    home.lose("garbage")
    status, lines = home.replay("garbage", "--patience", "60")
    assert (status, lines) == (
        0,
        ["1 line of the bot, all the same", "the loss by malformed at ply 1 is reproduced"],
    )


def test_a_line_without_its_line_feed_is_seen_again(home: Home) -> None:
    home.lose("half", "400ms")
    there = parse_conversation((home.folder / "game.txt").read_text(encoding="utf-8"))
    loss = loss_of(there)
    assert loss is not None
    assert (loss.reason, loss.is_open, loss.late) == (Reason.TIME, True, None)
    status, lines = home.replay("half", "--patience", "4")
    assert status == 0
    assert lines[3] == "here it sent 'move 1 1 c5-e5' and no line feed in 4 s"
    assert lines[4] == "the loss by time at ply 1 is reproduced"
    if loss.half is not None:  # a slow machine may not have come to it in its time
        assert lines[2] == "there it had sent 'move 1 1 c5-e5' and no line feed"


def test_a_crash_in_the_middle_of_a_line_is_seen_again(home: Home) -> None:
    home.lose("mid-line")
    status, lines = home.replay("mid-line", "--patience", "60")
    assert status == 0
    assert lines[2] == "there it had sent 'move 1 1' and no line feed"
    assert lines[3].endswith(" ms, in the middle of 'move 1 1'")
    assert lines[4:] == [
        "the loss by disconnect at ply 1 is reproduced",
        "the program ended with status 3, it had printed nothing",
    ]


def test_a_loss_is_told_to_programs_in_json(home: Home) -> None:
    home.lose("crash")
    status, (line,) = home.replay("crash", "--json", "--patience", "60")
    facts = json.loads(line)
    assert (status, facts["same"], facts["difference"]) == (0, 0, None)
    assert (facts["loss"]["reason"], facts["loss"]["ply"]) == ("disconnect", 1)
    text = (home.folder / "game.txt").read_text(encoding="utf-8").splitlines()
    assert text[facts["loss"]["line"] - 1].startswith("S 0.000000 turn 1 1 ")
    assert facts["loss"]["reproduced"] is True
    assert facts["program"]["ended"] == "ended with status 1"
    assert "no such opening" in facts["program"]["printed"]


GAME = """\
sternhalma-conversation 1
seat A zoe
S - game 1 duel A seats=A:zoe,D:max limit=2 at_limit=share clock=2s seed=1 draws=no
"""
TURN = "S - turn 1 1 2000 duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 0,0 -\n"


def loss_in(*lines: str) -> Loss | None:
    return loss_of(parse_conversation(GAME + "".join(f"{line}\n" for line in lines)))


def test_a_loss_by_a_line_that_was_said_is_reproduced_by_the_line(home: Home) -> None:
    text = (
        f"{GAME}{TURN}B - move 1 1 c5-e5\nS - error illegal c5-e5: not today\n"
        "S - over 1 illegal places=A:2,D:1 seat=A ply=1 line=move 1 1 c5-e5\n"
    )
    (home.folder / "game.txt").write_text(text, encoding="utf-8")
    assert home.replay("good", "--patience", "60") == (
        0,
        ["1 line of the bot, all the same", "the loss by illegal at ply 1 is reproduced"],
    )


def test_who_had_not_come_and_comes_now_does_not_reproduce_its_loss(home: Home) -> None:
    over = "S - over 1 no-start places=A:2,D:1 seat=A ply=1\n"
    (home.folder / "game.txt").write_text(GAME + over, encoding="utf-8")
    assert home.replay("good", "--patience", "60") == (
        1,
        [
            "0 lines of the bot, all the same",
            "there it had not logged in when its game began, here it has",
            "the loss by no-start at ply 1 is not reproduced",
        ],
    )


def test_an_answer_that_came_too_late_is_held_against_the_clock_at_home_too() -> None:
    over = "S - over 1 time places=A:2,D:1 seat=A ply=1 line=move 1 1 d5-e5"
    loss = loss_in(TURN.strip(), "B - move 1 1 d5-e5", over)
    assert loss is not None
    assert (loss.turn, loss.limit, loss.is_open, loss.late) == (1, 2000, True, "move 1 1 d5-e5")
    assert loss.there == "it answered 'move 1 1 d5-e5', but not within its 2000 ms"
    assert Reaction("answer", 2.5, "move 1 1 d5-e5").repeats(loss) is True
    assert Reaction("answer", 0.5, "move 1 1 d5-e5").repeats(loss) is False
    assert Reaction("silence", 10.0).repeats(loss) is True
    assert Reaction("silence", 1.0).repeats(loss) is None
    assert Reaction("end", 10.0).repeats(loss) is False


def test_only_the_loss_of_the_seat_itself_is_one() -> None:
    assert loss_in("S - over 1 time places=A:1,D:2 seat=D ply=2") is None
    assert loss_in("S - over 1 goal places=A:1,D:2") is None
    out = loss_in("S - out 1 A time ply=7", "S - over 1 goal places=A:3,C:1,E:2")
    assert out == Loss(Reason.TIME, 7, 1)


def test_what_is_waited_for_too_short_a_time_is_not_known(home: Home) -> None:
    text = f"{GAME}{TURN}S - over 1 time places=A:2,D:1 seat=A ply=1\n"
    (home.folder / "game.txt").write_text(text, encoding="utf-8")
    status, lines = home.replay("silent")
    assert status == 1
    assert lines[4] == (
        "whether the loss by time at ply 1 is reproduced is not known: its clock had 2000 ms;"
        " --patience SECONDS waits longer"
    )


def test_who_came_back_and_never_answered_is_not_said_to_have_stayed_away() -> None:
    text = """\
sternhalma-conversation 1
event loop
game 1
seat A zoe
came-back 7
S 0.000000 turn 1 5 3000 duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D A,D A 2,2 -
S 3.250000 over 1 disconnect places=A:2,D:1 seat=A ply=5
"""
    loss = loss_of(parse_conversation(text))
    assert loss is not None
    assert loss.there == (
        "its connection ended before it answered; it came back 7 times and never answered"
    )
    loss = loss_of(parse_conversation(text.replace("came-back 7\n", "")))
    assert loss is not None
    assert loss.there == "its connection ended before it answered, and no answer came over another"
