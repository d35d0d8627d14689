"""`sternhalma-bot play`, over sockets, in pipes and on a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import sternhalma
from clients.fake_server import FakeServer, Table
from sternhalma_bot.by_hand.advice import SECONDS, advise
from sternhalma_bot.by_hand.opponents import practice
from sternhalma_bot.by_hand.sitting import Sitting
from sternhalma_bot.by_hand.terminal import sit
from sternhalma_bot.cli import main
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Bye
from sternhalma_bot.place import Place
from sternhalma_bot.turn import Turn

PROGRAM = str(Path(sys.executable).parent / "sternhalma-bot")
POSITION = str(sternhalma.Game.new("duel"))
GAME = "game 1 duel A seats=A:you,D:max clock=none"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ["HOST", "PORT", "NAME", "SLOT", "TOKEN"]:
        monkeypatch.delenv(f"STERNHALMA_{word}", raising=False)


class Typist:
    """A terminal at which *typing* says what is typed behind a prompt."""

    def __init__(self, typing: Callable[[str], str | None]) -> None:
        self.typing = typing
        self.shown = ""

    def write(self, text: str) -> None:
        """Show *text*."""
        self.shown += text

    def read(self, prompt: str) -> str | None:
        """What is typed."""
        return self.typing(prompt)


def play(server: FakeServer, typing: Callable[[Sitting, str], str | None]) -> tuple[object, str]:
    """How an evening ended, and what was shown."""
    sitting = Sitting(Core("you"), advise)
    typist = Typist(lambda prompt: typing(sitting, prompt))
    end = sit(sitting, Place("127.0.0.1", server.port, "you"), typist)
    return end, typist.shown


def completed(sitting: Sitting, prompt: str) -> str:
    """Somebody who only presses Tab and Enter, and so plays the last move there is."""
    if ", ply " not in prompt:
        return ""
    marble = [word for word in sitting.complete("", "") if word[-1].isdigit()][-1]
    return sitting.complete("", f"{marble}-")[-1]


@pytest.mark.parametrize("clock", ["none", "2s"])
def test_whole_games_are_played_by_typing(clock: str) -> None:
    tables = [Table(clock=clock), Table("halma13", 4, seat=2, clock=clock)]
    with FakeServer(tables) as server:
        end, shown = play(server, completed)
    assert end == Bye("event-over", "thank you for playing")
    assert len(server.moves) == 10
    assert shown.count(" is over: all turns have been played, ") == 2
    assert "the server says goodbye: thank you for playing\n" in shown


def test_a_connection_that_breaks_is_made_again() -> None:
    with FakeServer([Table(clock="none")], breaks_at=3) as server:
        end, shown = play(server, completed)
    assert isinstance(end, Bye)
    assert "the connection has broken; trying to come back\n" in shown
    assert len(server.moves) == 5


def test_lines_in_pieces_are_put_together() -> None:
    with FakeServer([Table(clock="none", limit=2)], pieces=7) as server:
        assert isinstance(play(server, completed)[0], Bye)


def test_at_the_end_of_the_input_the_person_leaves() -> None:
    def script(server: FakeServer) -> None:
        server.say(GAME)
        server.say(f"turn 1 1 - {POSITION}")
        assert server.hear() == "bye"

    with FakeServer(script=script) as server:
        assert play(server, lambda _sitting, _prompt: None)[0] is None


def test_what_came_while_the_person_typed_is_heard_first() -> None:
    asked, told = threading.Event(), threading.Event()

    def script(server: FakeServer) -> None:
        server.say(GAME)
        server.say(f"turn 1 1 - {POSITION}")
        assert asked.wait(20)
        server.say("over 1 time places=A:2,D:1 seat=A ply=1")
        told.set()
        assert server.hear() == "bye"

    def typing(_sitting: Sitting, prompt: str) -> str | None:
        if ", ply " not in prompt:
            return None
        asked.set()
        assert told.wait(20)
        return "d5-e5"

    with FakeServer(script=script) as server:
        assert "the game is over: type quit" in play(server, typing)[1]


def test_without_a_server_there_is_no_game(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert status("play", "--port", str(port)) == 1
    assert f"you slot 1: 127.0.0.1 port {port}: " in capsys.readouterr().err


def status(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_a_pipe_shows_what_was_read_from_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("moves\nquit\n"))

    def script(server: FakeServer) -> None:
        server.say(GAME)
        server.say(f"turn 1 1 - {POSITION}")
        assert server.hear() == "bye"

    with FakeServer(script=script) as server:
        assert status("play", "--connect", f"127.0.0.1:{server.port}", "--name", "zoe") == 0
    assert server.login == ["login", "zoe", "slot=1"]
    printed = capsys.readouterr().out
    assert "\nA, ply 1> moves\nc5: e5 e7\n" in printed
    assert printed.endswith("\nA, ply 1> quit\n")


def test_the_environment_says_where_unless_something_is_to_be_practised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    with FakeServer([]) as server:
        monkeypatch.setenv("STERNHALMA_PORT", str(server.port))
        assert status("play") == 0
    assert server.login[:2] == ["login", "you"]
    assert status("play", "--limit", "3") == 0
    assert "game 1: tara, 3 turns each; A you, D house-1\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "1", "--rules", "tara"], "expected no --rules=tara: what is played is for"),
        (["--connections", "2"], "expected one connection: a person plays one game at a time"),
        (["--rules", "chess"], "expected a rules id tara, duel, corner, halma13 or halma19"),
        (["--players", "5"], "play: error: players: expected 2, 3, 4 or 6 players"),
        (["--against", "./nobody x"], "cannot start './nobody'"),
        (["--ruels", "tara"], "unknown argument '--ruels', did you mean '--rules'?"),
    ],
)
def test_what_cannot_be_played_is_said_with_status_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("play", *words) == 2
    assert sentence in capsys.readouterr().err


def test_opponents_that_do_not_start_end_it_with_what_they_printed_and_status_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    crash = "import sys; print('first'); sys.exit('no book')"
    assert status("play", "--against", f'{sys.executable} -c "{crash}"') == 2
    captured = capsys.readouterr()
    assert "cannot be started" not in captured.out
    _, _, said = captured.err.partition("play: error: ")
    head, *printed = said.splitlines()
    assert head == (
        "the bots of this practice cannot be started:"
        " house-1 (slot 1) ended with status 1; it printed:"
    )
    assert sorted(printed) == ["  first", "  no book"]


def test_a_practice_is_ended_with_the_person() -> None:
    with practice(["--rules=duel", "--clock=none"]) as own:
        socket.create_connection((own.host, own.port)).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((own.host, own.port))


@pytest.mark.parametrize(
    ("rules", "players", "move"),
    [("tara", "3", "d5-e5"), ("halma19", "2", "c13-d12"), ("corner+pairs", "6", "d5-e5")],
)
def test_sample_bots_are_played_against_under_any_rules(
    rules: str, players: str, move: str
) -> None:
    lines = f"hint\n{move}\nundo\n{move}\nresign\nreplay\n1\nend\nquit\n"
    done = subprocess.run(
        [PROGRAM, "play", "--rules", rules, "--players", players, "--limit", "4"],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "lookahead would play " in done.stdout
    assert "taken back; the game goes on as game 2\n" in done.stdout
    assert "\ngame 2 is over: " in done.stdout
    assert re.search(rf"\nply 1 of \d+: A you: {move}\nreplay 1/\d+> end\n> quit\n", done.stdout)


def test_a_draw_is_offered_to_sample_bots_which_play_on() -> None:
    done = subprocess.run(
        [PROGRAM, "play", "--rules", "duel"],
        input="offer d5-e5\nquit\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "A you: d5-e5\nD house-1: " in done.stdout
    assert "no-draws" not in done.stdout


class Screen:
    """A terminal in which the program runs with *words*, and the person who sits at it."""

    def __init__(self, *words: str) -> None:
        self._person, self._program = pty.openpty()
        self._unread = ""
        self.program = subprocess.Popen(
            [PROGRAM, *words],
            stdin=self._program,
            stdout=self._program,
            stderr=self._program,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "NO_COLOR": ""},
        )

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self._person)
        os.close(self._program)

    def type(self, keys: str) -> None:
        """Press *keys*."""
        os.write(self._person, keys.encode())

    def seen(self, wanted: str) -> str:
        """What is shown until *wanted*."""
        while wanted not in self._unread:
            ready, _, _ = select.select([self._person], [], [], 20)
            assert ready, f"expected {wanted!r}, got {self._unread!r}"
            self._unread += os.read(self._person, 65_536).decode()
        shown, _, self._unread = self._unread.partition(wanted)
        return shown


def test_on_a_terminal_words_are_completed_and_ctrl_c_ends_it() -> None:
    pytest.importorskip("readline")
    with Screen("play", "--rules", "duel") as screen:
        assert "\x1b[1;31mA\x1b[0m" in screen.seen("A, ply 1> ")
        screen.type("hi\t\n")
        screen.seen("lookahead would play ")
        screen.seen("A, ply 1> ")
        screen.type("c7-e9\t\n")
        screen.seen("A you: c7-e9")
        screen.seen("A, ply 3> ")
        assert interrupted(screen.program) == 3


def interrupted(program: subprocess.Popen[bytes]) -> int:
    """The status with which *program* ends at Ctrl-C.

    Python does not heed it in the moment between its prompt and its wait for input, and then only
    with the next key: so it is pressed again, as a person would.
    """
    for _ in range(20):
        program.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return program.wait(1)
    return program.wait(1)


def test_ctrl_d_is_to_leave() -> None:
    with Screen("play", "--rules", "duel") as screen:
        screen.seen("A, ply 1> ")
        screen.type("\x04")
        assert screen.program.wait(20) == 0


@pytest.mark.parametrize(("rules", "players"), [("corner+3c", 2), ("halma13+long", 4)])
def test_advice_does_not_take_long(rules: str, players: int) -> None:
    began = time.monotonic()
    turn = Turn.of(sternhalma.Game.new(rules, players))
    assert turn.game.is_legal(advise(turn))
    assert time.monotonic() - began < 4 * SECONDS  # the machine may be busy


def test_advice_keeps_within_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float | None] = []

    def choose(turn: Turn) -> sternhalma.Move:
        asked.append(turn.time_left)
        return turn.game.legal_moves()[0]

    monkeypatch.setattr("sternhalma_bot.bots.lookahead.choose", choose)
    for left in (None, 60.0, 0.5):
        advise(Turn(POSITION, 1, time_left=left))
    assert asked == [2.0, 2.0, 0.5]


@pytest.mark.slow
def test_a_practice_ends_even_if_the_person_is_killed() -> None:
    with subprocess.Popen(
        [PROGRAM, "play", "--rules", "duel"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as playing:
        assert playing.stdout is not None
        assert b"game 1" in playing.stdout.readline() + playing.stdout.readline()
        children = Path(f"/proc/{playing.pid}/task/{playing.pid}/children").read_text()
        (server,) = map(int, children.split())
        playing.kill()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{server}").exists() and time.monotonic() < deadline:
        select.select([], [], [], 0.2)
    assert not Path(f"/proc/{server}").exists()
