"""What a check finds out about bots that are wrong, and how it tells."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from conformance.bad_bots import WRONGS
from sternhalma_server import cli
from sternhalma_server.conformance import STEPS, UnexpectedError
from sternhalma_server.conformance.talk import Talk

BOT = Path(__file__).with_name("bad_bots.py")


def checked(
    capsys: pytest.CaptureFixture[str], wrong: str, only: str, *options: str
) -> tuple[int, str]:
    command = ["--", sys.executable, str(BOT), wrong]
    status = cli.main(["check", "--patience", "3", "--only", only, *options, *command])
    return status, capsys.readouterr().out


def failed(printed: str) -> list[str]:
    return [line.split()[1] for line in printed.splitlines() if line.startswith("FAILED")]


def test_a_bot_that_is_not_wrong_passes(capsys: pytest.CaptureFixture[str]) -> None:
    status, printed = checked(capsys, "none", "login,lines.joined,odd,slots,end")
    assert status == 0, printed


@pytest.mark.parametrize(
    ("wrong", "only", "finds"),
    [
        ("packets", "lines.pieces,lines.across,clocks.none", ["lines.pieces", "lines.across"]),
        ("illegal", "rules.halma13,clocks.none", ["rules.halma13"]),
        ("slotless", "login.environment,slots,login.line", ["login.environment", "slots.two"]),
        ("stubborn", "login.refused,returns.taken-over", ["login.refused", "returns.taken-over"]),
        ("memory", "games.opening,clocks.none", ["games.opening"]),
        ("mute", "login.line", ["login.line"]),
        ("unflushed", "login.line,clocks.none", ["clocks.none"]),
    ],
)
def test_what_is_wrong_is_found_and_nothing_else(
    wrong: str, only: str, finds: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status, printed = checked(capsys, wrong, only)
    assert wrong in WRONGS
    assert (status, sorted(failed(printed))) == (1, sorted(finds)), printed


def test_the_report_of_a_bad_bot_says_what_was_sent_what_came_and_what_was_expected(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, printed = checked(capsys, "illegal", "games.opening")
    assert status == 1
    lines = [line.strip() for line in printed.splitlines()]
    assert lines[0].startswith("FAILED  games.opening")
    assert any(" S turn 1 4 10000 corner " in line for line in lines)
    assert any(line.endswith(" B move 1 4 d5-e5") for line in lines)
    assert "expected 'move 1 4 PATH' with a legal move" in lines
    assert "got d5-e5: expected a marble of D on d5, there is a marble of A" in lines
    assert lines[-1] == "0 of 1 required steps passed; 0 of 0 advisory steps passed"


def test_a_bot_that_says_nothing_is_asked_whether_it_flushes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, printed = checked(capsys, "unflushed", "clocks.none")
    assert status == 1
    assert "got nothing within 3 s; does the program flush its output after each line?" in printed
    status, printed = checked(capsys, "mute", "login.line")
    assert status == 1
    assert "flush" not in printed


async def silence(pieces: list[bytes], pause: float | None) -> tuple[list[str], str]:
    """What is noted of a conversation in which *pieces* are sent to nobody, and what came."""
    ours, theirs = socket.socketpair()
    noted: list[str] = []
    with ours, theirs:
        ours.setblocking(False)
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(ours))
        talk = Talk(stream, lambda side, text: noted.append(f"{side} {text}"), patience=0.01)
        await talk.say_pieces(pieces, pause)
        with pytest.raises(UnexpectedError) as problem:
            await talk.hear("an answer")
    return noted, problem.value.came


async def test_the_conversation_shows_that_lines_came_in_pieces_and_asks_about_it() -> None:
    noted, came = await silence([b"no", b"te hel", b"lo\n"], 0.0)
    assert noted == ["S note hello", "- this is sent in 3 packets"]
    assert came == (
        "nothing within 0.01 s; does the program flush its output after each line?"
        " the lines came in 3 packets: does it cut what it reads at line feeds?"
    )


async def test_a_bot_that_is_silent_to_several_lines_at_once_is_asked_whether_it_cuts_them() -> (
    None
):
    _, came = await silence([b"note one\n", b"note two\n"], None)
    assert came.endswith(
        "? the lines came 2 in one packet: does it cut what it reads at line feeds?"
    )
    _, came = await silence([b"note one\n"], None)
    assert came.endswith("does the program flush its output after each line?")


def test_the_check_ends_when_nothing_has_come_to_five_steps_in_a_row(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, printed = checked(capsys, "unflushed", "clocks,lines")
    assert status == 1
    names = failed(printed)
    assert len(names) == 5
    *_, reason, steps, ended, summary = printed.splitlines()
    hint = "does the program flush its output after each line?"
    assert reason == f"5 steps got nothing within 3 s; {hint}"
    assert steps.strip() == ", ".join(names)
    assert ended == "nothing came to 5 steps in a row, so the others are not tried"
    assert summary.endswith(" steps not tried")


def test_the_check_ends_when_nobody_has_come_to_five_steps_in_a_row(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["check", "--listen", "0", "--patience", "1", "--only", "lines,games"]
    assert cli.main(words) == 1
    printed = capsys.readouterr().out
    assert len(failed(printed)) == 5
    assert "5 steps got nobody within 1 s\n" in printed


def test_a_bot_that_leaves_after_its_first_game_is_told_that_others_follow(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, printed = checked(capsys, "one-game", "lines.notes,lines.unknown-messages")
    assert status == 1
    (got,) = [line.strip() for line in printed.splitlines() if line.startswith("        got ")]
    assert "; the program ended with status 0; the step before had ended with 'over 1 " in got
    assert got.endswith("a bot plays game after game on one connection, until it is told 'bye'")


def test_an_interrupted_check_sums_up_what_was_tried() -> None:
    words = ["check", "--patience", "3600", "--only", "login.line,clocks.none", "--"]
    program = Path(sys.executable).with_name("sternhalma")
    command = [str(program), *words, sys.executable, str(BOT), "unflushed"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("ok ")
        process.send_signal(signal.SIGINT)  # the second step never ends by itself
        rest = process.stdout.read()
    assert process.returncode == 3
    summary = "1 of 1 required steps passed; 0 of 0 advisory steps passed; 1 step not tried"
    assert rest.splitlines()[-1] == summary


def test_the_report_in_json_has_every_step_with_its_conversation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, printed = checked(capsys, "illegal", "games.opening,clocks.none", "--json")
    told = json.loads(printed)
    assert (status, told["passed"]) == (1, False)
    good, bad = told["steps"]
    assert (good["name"], good["level"], good["result"]) == ("clocks.none", "required", "passed")
    assert "expected" not in good
    assert (bad["result"], bad["came"].split(":")[0]) == ("failed", "d5-e5")
    said = [(line["from"], line["text"].split(" ")[0]) for line in bad["conversation"]]
    assert said == [
        ("server", "game"),
        ("server", "moved"),
        ("server", "moved"),
        ("server", "moved"),
        ("server", "turn"),
        ("bot", "move"),
    ]
    assert all(line["at"] >= 0 for line in bad["conversation"])


def test_a_program_that_crashes_fails_with_what_it_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such opening book')"]
    assert cli.main(["check", "--only", "login.line", "--", *command]) == 1
    printed = capsys.readouterr().out
    assert "got ended with status 1, it printed 'no such opening book'" in printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "expected a command behind -- or --listen PORT, one of the two"),
        (["--listen", "0", "--", "x"], "expected a command behind -- or --listen PORT"),
        (["--listen", "0", "--stdio"], "argument --stdio: expected a command behind --"),
        (["--", "no-such-program"], "cannot start 'no-such-program'"),
        (["--only", "lines.piece", "--", "x"], "did you mean lines.pieces?"),
    ],
)
def test_what_cannot_be_checked_is_said_with_status_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_what_stands_behind_the_hyphens_is_the_bots_even_if_it_looks_like_an_option(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = "import sys; sys.exit(' '.join(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--json", "--only", "-5"]
    assert cli.main(["check", "--only", "login.line", "--", *command]) == 1
    assert "it printed '--json --only -5'" in capsys.readouterr().out


def test_the_steps_are_listed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--list"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == [step.name for step in STEPS]
    assert len({step.name for step in STEPS}) == len(STEPS) >= 40


CRASHING = """
import os, socket, sys
told = {word: os.environ[f"STERNHALMA_{word}"] for word in ("HOST", "PORT", "NAME", "SLOT")}
server = socket.create_connection((told["HOST"], int(told["PORT"])))
token = os.environ.get("STERNHALMA_TOKEN", "none")
server.sendall(f"login {told['NAME']} slot={told['SLOT']} token={token}\\n".encode())
for line in server.makefile():
    if line.startswith("turn "):
        sys.exit("oops, no idea")
"""


def test_what_a_crashing_bot_had_printed_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", "--only", "games.first-seat", "--", sys.executable, "-c", CRASHING]
    assert cli.main(words) == 1
    printed = capsys.readouterr().out
    assert "the program ended with status 1, it printed 'oops, no idea'" in printed
