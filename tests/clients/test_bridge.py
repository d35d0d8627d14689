"""`sternhalma-bot bridge`: a program on standard streams, at a server far away."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
import trustme
from trio.testing import MockClock, memory_stream_pair

import sternhalma as sh
from clients.fake_server import PATIENCE, FakeServer, Table
from sternhalma_bot.bridge.relay import Relay
from sternhalma_bot.bridge.shell import Streams, relayed
from sternhalma_bot.cli import main
from sternhalma_bot.core import Core
from sternhalma_bot.place import Place

HOST = "127.0.0.1"
PROGRAM = """
import sys
for line in sys.stdin:
    message, *words = line.split()
    if message == "turn":
        moves = next(word[6:] for word in words if word.startswith("moves="))
        print("move", *words[:2], moves.split(",")[0], flush=True)
    if message in ("error", "bye"):
        print(line, end="", file=sys.stderr, flush=True)
"""
BOT = Path(sys.executable).parent / "sternhalma-bot"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ["HOST", "PORT", "NAME", "SLOT", "TOKEN"]:
        monkeypatch.delenv(f"STERNHALMA_{word}", raising=False)


def bridged(
    port: int, *options: str, program: Sequence[str] = (sys.executable, "-c", PROGRAM)
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BOT, "bridge", "--connect", f"{HOST}:{port}", "--name", "zoe", *options, "--", *program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_program_without_a_connection_of_its_own_plays_whole_games() -> None:
    with FakeServer([Table(), Table("tara", 3, seat=1, limit=3)]) as server:
        done = bridged(server.port)
    assert (done.returncode, done.stderr) == (0, "bye event-over thank you for playing\n")
    assert server.login == ["login", "zoe", "slot=1", "moves=yes"]
    assert len(server.moves) == 8


@pytest.mark.parametrize("ply", [1, 5])
def test_it_comes_back_when_the_connection_breaks_and_the_program_does_not_notice(ply: int) -> None:
    with FakeServer([Table()], breaks_at=ply) as broken:
        done = bridged(broken.port)
    assert done.returncode == 0
    assert "without a goodbye, trying again" in done.stderr
    with FakeServer([Table()]) as whole:
        bridged(whole.port)
    assert broken.moves == whole.moves


def test_it_speaks_tls(tmp_path: Path) -> None:
    ca = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert(HOST).configure_cert(context)
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with FakeServer([Table()], tls=context, breaks_at=3) as server:
        assert bridged(server.port, "--ca", str(tmp_path / "ca.pem")).returncode == 0


def test_several_connections_are_several_programs() -> None:
    logins: list[str] = []

    def serve() -> None:
        listener.settimeout(PATIENCE)
        connections = [listener.accept()[0] for _ in range(2)]
        for connection in connections:
            with connection, connection.makefile() as stream:
                connection.sendall(b"sternhalma 1\n")
                logins.append(stream.readline())
                connection.sendall(b"welcome zoe\nbye event-over thanks\n")

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        port = listener.getsockname()[1]
        done = bridged(port, "--slot", "3", "--connections", "2", "--no-moves")
        thread.join()
    assert done.returncode == 0
    assert done.stderr.count("bye event-over thanks") == 2
    assert sorted(logins) == ["login zoe slot=3\n", "login zoe slot=4\n"]


def test_a_program_finds_its_place_in_the_environment_and_no_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    told = (
        "import json, os, sys\n"
        "told = {k: v for k, v in os.environ.items() if k.startswith('STERNHALMA_')}\n"
        "sys.stdin.read()\n"
        "sys.exit(json.dumps(told))"
    )
    with FakeServer() as server:
        done = bridged(
            server.port,
            "--token-file",
            str(tmp_path / "token"),
            program=[sys.executable, "-c", told],
        )
    assert server.login[-1] == "token=secret"
    assert json.loads(done.stderr) == {
        "STERNHALMA_HOST": HOST,
        "STERNHALMA_PORT": str(server.port),
        "STERNHALMA_NAME": "zoe",
        "STERNHALMA_SLOT": "1",
        "STERNHALMA_TOKEN": "",
    }
    assert done.returncode == 0


def test_a_program_that_ends_in_the_middle_is_told_with_status_one() -> None:
    def script(server: FakeServer) -> None:
        with pytest.raises(EOFError):
            server.hear()

    with FakeServer(script=script, farewell="") as server:
        done = bridged(server.port, program=["bash", "-c", "read -r greeting"])
    assert done.stderr == "zoe slot 1: the program ended before the event\n"
    assert done.returncode == 1


def test_what_the_server_refuses_is_told_to_whoever_started_the_bridge() -> None:
    def script(server: FakeServer) -> None:
        server.say(f"turn 7 1 2000 {sh.Game.new('duel')} moves=c5-e5,c5-e7")
        assert server.hear() == "move 7 1 a5-e9"
        server.say("error illegal tries=1 a5-e9: no step and no chain of hops leads there")

    # A program that reads nothing but its turns.
    program = (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('turn'): print('move 7 1 a5-e9', flush=True)\n"
    )
    with FakeServer(script=script) as server:
        done = bridged(server.port, program=[sys.executable, "-c", program])
    assert done.stderr == (
        "zoe slot 1: the server refused 'move 7 1 a5-e9' as illegal: "
        "a5-e9: no step and no chain of hops leads there, 1 try left\n"
    )


def test_a_refusal_is_told_to_both_with_status_one() -> None:
    with FakeServer(farewell="bye bad-token expected the token of 'zoe'") as server:
        done = bridged(server.port)
    assert done.returncode == 1
    assert sorted(done.stderr.splitlines()) == [
        "bye bad-token expected the token of 'zoe'",
        "zoe slot 1: the server said: expected the token of 'zoe'",
    ]


def test_nobody_listening_is_told_with_status_one() -> None:
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    done = bridged(port)
    assert done.returncode == 1
    assert f"zoe slot 1: {HOST} port {port}: " in done.stderr


def test_a_program_that_does_not_end_is_ended() -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    with FakeServer() as server:
        assert bridged(server.port, program=[sys.executable, "-c", stubborn]).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_bridge_and_its_program(number: signal.Signals) -> None:
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(PATIENCE)
        port = listener.getsockname()[1]
        program = [sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit('input ended')"]
        command = [
            str(BOT),
            "bridge",
            "--connect",
            f"{HOST}:{port}",
            "--name",
            "zoe",
            "--",
            *program,
        ]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            connection, _ = listener.accept()
            with connection:
                process.send_signal(number)
                _, printed = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert printed == "input ended\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--connect", "h:1", "--name", "zoe"], "expected the program behind --, got nothing"),
        (["--connect", "h:1", "--name", "zoe", "--"], "expected the program behind --"),
        (["--connect", "h:1", "--name", "z", "--", "/no/bot"], "started, got '/no/bot'"),
        (["--connect", "7121", "--name", "zoe", "--", "cat"], "expected HOST:PORT or"),
        (["--connect", "::1:7121", "--name", "zoe", "--", "cat"], "[ADDRESS]:PORT, got '::1:7121'"),
        (["--connect", "h:x", "--name", "zoe", "--", "cat"], "from 1 to 65535 for port, got 'x'"),
        (["--name", "zoe", "--", "cat"], "expected the server's port"),
        (["--connect", "h:1", "--", "cat"], "expected the bot's name"),
        (["--conect", "h:1", "--", "cat"], "'--conect', did you mean '--connect'?"),
        (["--patience", "long", "--port", "1", "--name", "z", "--", "cat"], "for patience"),
    ],
)
def test_bad_input_is_told_with_status_two(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bridge", *arguments])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_the_command_is_suggested_where_it_is_mistyped(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["brigde", "--port", "1"])
    assert "did you mean 'bridge'?" in capsys.readouterr().err


class Scene:
    """A bridge between a program and servers that the test plays, on a clock of its own."""

    def __init__(self, patience: float = 30.0) -> None:
        self.place = Place("far", 1, "zoe", patience=patience)
        self.dialled: list[float] = []
        self.servers: list[trio.StapledStream[Any, Any]] = []
        self.down_until = 0.0
        self.status: int | None = None
        ours, theirs = memory_stream_pair()
        self.program = ours
        self._streams = Streams(theirs, theirs)

    async def dial(self, _place: Place) -> trio.abc.Stream:
        self.dialled.append(trio.current_time())
        if trio.current_time() < self.down_until:
            raise ConnectionRefusedError("connection refused")
        ours, theirs = memory_stream_pair()
        self.servers.append(ours)
        await ours.send_all(b"sternhalma 1\nwelcome zoe key=abc\n")
        return theirs

    async def run(self) -> None:
        relay = Relay(Core("zoe", moves=True))
        self.status = await relayed(relay, self.place, self._streams, self.dial)


TURN = f"turn 7 1 2000 {sh.Game.new('duel')}\n".encode()


async def test_it_knocks_again_and_again_but_not_all_the_time(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(scene.run)
        await trio.testing.wait_all_tasks_blocked()
        scene.down_until = trio.current_time() + 20
        await scene.servers[0].aclose()
        await trio.sleep(29)
        await scene.servers[1].send_all(b"bye event-over thanks\n")
    assert scene.status == 0
    assert 8 <= len(scene.dialled) <= 40
    assert "trying again" in capsys.readouterr().err


async def test_patience_runs_out(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(patience=5)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(scene.run)
        await trio.testing.wait_all_tasks_blocked()
        scene.down_until = trio.current_time() + 100
        await scene.servers[0].aclose()
    assert scene.status == 1
    assert scene.dialled[-1] == pytest.approx(5)
    assert capsys.readouterr().err.endswith("zoe slot 1: far port 1: connection refused\n")


async def test_a_server_that_accepts_and_says_nothing_is_no_server(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene()

    async def mute(_place: Place) -> trio.abc.Stream:
        ours, theirs = memory_stream_pair()
        scene.servers.append(ours)
        return theirs

    scene.dial = mute  # type: ignore[method-assign]
    await scene.run()
    assert scene.status == 1
    assert "expected a welcome within 10 seconds, got none" in capsys.readouterr().err


async def test_an_answer_given_without_a_connection_arrives_with_the_next(
    autojump_clock: MockClock,
) -> None:
    scene = Scene()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(scene.run)
        await trio.testing.wait_all_tasks_blocked()
        await scene.servers[0].send_all(TURN)
        await trio.testing.wait_all_tasks_blocked()
        scene.down_until = trio.current_time() + 3
        await scene.servers[0].aclose()
        await trio.sleep(1)
        await scene.program.send_all(b"move 7 1 d5-e5\n")
        await trio.sleep(20)
        server = scene.servers[1]
        await server.send_all(TURN)
        await trio.testing.wait_all_tasks_blocked()
        assert await server.receive_some() == (
            b"login zoe slot=1 moves=yes key=abc\nmove 7 1 d5-e5\n"
        )
        await server.send_all(b"bye event-over thanks\n")
    told = await scene.program.receive_some()
    assert told.count(TURN) == 1


async def test_a_program_that_ends_between_connections_is_noticed_at_once(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(scene.run)
        await trio.testing.wait_all_tasks_blocked()
        scene.down_until = trio.current_time() + 100
        await scene.servers[0].send_all(b"bye server-stops the server is going down\n")
        await trio.sleep(1)
        await scene.program.send_stream.aclose()
    assert scene.status == 1
    assert trio.current_time() == pytest.approx(1)
    assert "the program ended before the event" in capsys.readouterr().err


async def test_a_program_that_says_goodbye_is_let_go(autojump_clock: MockClock) -> None:
    scene = Scene()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(scene.run)
        await trio.testing.wait_all_tasks_blocked()
        await scene.program.send_all(b"bye\n")
        await scene.program.send_stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert (await scene.servers[0].receive_some()).endswith(b"bye\n")
        await scene.servers[0].aclose()
    assert scene.status == 0


async def test_a_bridge_and_a_program_that_are_ended_together_end_without_a_traceback() -> None:
    ours, theirs = memory_stream_pair()
    server, here = memory_stream_pair()
    await server.send_all(b"sternhalma 1\nwelcome zoe key=abc\n")

    async def dial(_place: Place) -> trio.abc.Stream:
        return here

    with trio.CancelScope() as scope:

        class Ending(trio.abc.ReceiveStream):
            """What a program says that ends in the moment in which the bridge is told to."""

            async def receive_some(self, max_bytes: int | None = None) -> bytes:
                await trio.testing.wait_all_tasks_blocked()
                scope.cancel()
                return b""

            async def aclose(self) -> None:
                await theirs.aclose()

        relay = Relay(Core("zoe", moves=True))
        place = Place("far", 1, "zoe", patience=30.0)
        await relayed(relay, place, Streams(Ending(), theirs), dial)
    assert scope.cancelled_caught
    await ours.aclose()
    await server.aclose()
