"""The same bot by every flavour of the kit: a plain loop, trio, asyncio."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import trio
import trustme

import sternhalma as sh
import sternhalma_bot
from clients.fake_server import PATIENCE, FakeServer, Table
from sternhalma_bot import Turn, on_asyncio, on_trio
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.messages import Game
from sternhalma_bot.place import Trust

HOST = "127.0.0.1"
RANDOM = SAMPLES["random"].choose  # which another process can import
Call = Callable[..., Any]


class Flavour:
    """`play`, `run` and `seat` of one flavour, called alike."""

    def __init__(self, module: Any, start: Callable[[Call], Any], sleep: Call) -> None:
        self._module, self._start, self.sleep = module, start, sleep
        self.seat: Call = module.seat
        self.module: str = module.__name__

    def play(self, *arguments: object, **options: object) -> Any:
        return self._start(partial(self._module.play, *arguments, **options))

    def run(self, *arguments: object, **options: object) -> Any:
        return self._start(partial(self._module.run, *arguments, **options))


PLAIN = Flavour(sternhalma_bot, lambda call: call(), lambda _seconds: None)
TRIO = Flavour(on_trio, trio.run, trio.sleep)
ASYNCIO = Flavour(on_asyncio, lambda call: asyncio.run(call()), asyncio.sleep)
ALL = pytest.mark.parametrize("kit", [PLAIN, TRIO, ASYNCIO], ids=["plain", "trio", "asyncio"])
AWAITING = pytest.mark.parametrize("kit", [TRIO, ASYNCIO], ids=["trio", "asyncio"])


def accepted(listener: socket.socket) -> socket.socket:
    """The next connection; a client that does not come or hangs fails the test."""
    listener.settimeout(PATIENCE)
    connection, _ = listener.accept()
    connection.settimeout(PATIENCE)
    return connection


def first(turn: Turn) -> sh.Move:
    return turn.game.legal_moves()[0]


class Counting:
    """A bot with a memory: it counts its turns, and tells its games."""

    made: list[Counting]

    def __init__(self) -> None:
        self.turns = 0
        self.games: list[Game] = []
        Counting.made.append(self)

    def new_game(self, game: Game) -> None:
        self.games.append(game)

    def choose(self, turn: Turn) -> sh.Move:
        self.turns += 1
        return first(turn)


@pytest.fixture(autouse=True)
def _nothing_made() -> None:
    Counting.made = []


@ALL
def test_a_function_is_a_bot(kit: Flavour) -> None:
    with FakeServer([Table()]) as server:
        assert kit.play(first, HOST, server.port, "zoe").code == "event-over"
    assert len(server.moves) == 5


@ALL
def test_an_object_is_a_bot_and_is_told_of_each_game(kit: Flavour) -> None:
    bot = Counting()
    with FakeServer([Table("tara", limit=3), Table("corner", 3, seat=2)]) as server:
        kit.play(bot, HOST, server.port, "zoe")
    assert [(game.rules, game.seat) for game in bot.games] == [("tara", "A"), ("corner", "E")]
    assert bot.turns == 8


@ALL
def test_a_class_is_a_bot_and_is_made_for_the_connection(kit: Flavour) -> None:
    with FakeServer([Table()]) as server:
        kit.play(Counting, HOST, server.port, "zoe")
    (bot,) = Counting.made
    assert bot.turns == 5


@ALL
def test_all_flavours_play_the_same_game(kit: Flavour) -> None:
    with FakeServer([Table(seed=5)], pieces=7) as server:
        kit.play(RANDOM, HOST, server.port, "zoe")
    with FakeServer([Table(seed=5)]) as plain:
        PLAIN.play(RANDOM, HOST, plain.port, "zoe")
    assert server.moves == plain.moves


@ALL
def test_options_say_who_it_is(kit: Flavour) -> None:
    with FakeServer() as server:
        kit.play(first, HOST, server.port, "zoe", slot=4, token="secret", version="2.0")
    assert server.login == ["login", "zoe", "slot=4", "version=2.0", "token=secret"]


@ALL
def test_a_turn_tells_its_clock_and_when_it_came(kit: Flavour) -> None:
    turns: list[Turn] = []

    def choose(turn: Turn) -> sh.Move:
        turns.append(turn)
        return first(turn)

    with FakeServer([Table(limit=1), Table(limit=1, clock="none")]) as server:
        kit.play(choose, HOST, server.port, "zoe")
    timed, untimed = turns
    assert timed.budget() == 1.95
    assert 0 < timed.deadline().left < 1.95
    assert untimed.budget() is None


@ALL
@pytest.mark.parametrize("ply", [1, 5])
def test_a_bot_whose_connection_breaks_comes_back_and_plays_on_and_says_so(
    kit: Flavour, ply: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer([Table()], breaks_at=ply) as server:
        assert kit.run(first, HOST, server.port, "zoe") == 0
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("zoe slot 1: ")
    assert said.endswith(", trying again")
    assert [line for line in server.heard if line.startswith("login")] == [
        "login zoe slot=1",
        "login zoe slot=1 key=k1",
    ]


@ALL
def test_a_bot_that_was_never_let_in_does_not_come_back(kit: Flavour) -> None:
    with (
        pytest.raises(EOFError),  # the peer waits for a login that is not asked for
        FakeServer(before="sternhalma 9") as server,
        pytest.raises(sternhalma_bot.protocol.ProtocolError, match="got 9"),
    ):
        kit.play(first, HOST, server.port, "zoe")


@ALL
def test_the_mistake_of_a_bot_comes_through_as_it_is(kit: Flavour) -> None:
    def forgetful(_turn: Turn) -> str:
        raise FileNotFoundError("book.bin")

    with (
        pytest.raises(EOFError),  # the peer waits for a move in vain
        FakeServer([Table()]) as server,
        pytest.raises(FileNotFoundError, match=r"book\.bin"),
    ):
        kit.play(forgetful, HOST, server.port, "zoe")


@ALL
def test_what_is_no_answer_is_refused_in_a_sentence(kit: Flavour) -> None:
    with (
        pytest.raises(EOFError),
        FakeServer([Table()]) as server,
        pytest.raises(TypeError, match="expected a move or its text from the bot, got None"),
    ):
        kit.play(lambda _turn: None, HOST, server.port, "zoe")


def test_a_bot_that_awaits_is_told_which_flavour_it_wants() -> None:
    class Later:
        def __await__(self) -> None:
            raise NotImplementedError

    with (
        pytest.raises(EOFError),
        FakeServer([Table()]) as server,
        pytest.raises(TypeError, match=r"seat it with sternhalma_bot\.on_trio or"),
    ):
        PLAIN.play(lambda _turn: Later(), HOST, server.port, "zoe")


@ALL
def test_after_an_illegal_answer_with_a_try_left_a_legal_move_is_played(
    kit: Flavour, capsys: pytest.CaptureFixture[str]
) -> None:
    game = sh.Game.new("duel")

    def script(server: FakeServer) -> None:
        server.say("game 1 duel A seed=3")
        server.say(f"turn 1 1 2000 {game}")
        assert server.hear() == "move 1 1 a5-e9"
        server.say("error illegal tries=1 a5-e9: no chain of hops leads there")
        assert game.is_legal(game.parse_move(server.hear().split()[3]))

    with FakeServer(script=script) as server:
        assert kit.run(lambda _turn: "a5-e9", HOST, server.port, "zoe") == 0
    assert "illegal: a5-e9: no chain" in capsys.readouterr().err


@ALL
def test_a_refusal_is_told_on_stderr_with_status_one(
    kit: Flavour, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(farewell="bye bad-token the token is wrong") as server:
        assert kit.run(first, HOST, server.port, "zoe") == 1
    assert capsys.readouterr().err == "zoe slot 1: the server said: the token is wrong\n"


@ALL
def test_a_bot_that_finds_the_door_full_at_first_is_told_so_at_once(
    kit: Flavour, capsys: pytest.CaptureFixture[str]
) -> None:
    before = "sternhalma 1\nbye full too many at the door"
    with FakeServer(before=before, farewell="") as server:
        assert kit.run(first, HOST, server.port, "zoe") == 1
    assert capsys.readouterr().err == "zoe slot 1: the server said: too many at the door\n"


@ALL
def test_nobody_listening_is_told_with_status_one(
    kit: Flavour, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    assert kit.run(first, HOST, port, "zoe") == 1
    assert f"zoe slot 1: {HOST} port {port}: " in capsys.readouterr().err


@ALL
def test_a_bot_seats_itself_by_its_command_line(kit: Flavour) -> None:
    with FakeServer([Table()]) as server, pytest.raises(SystemExit) as ended:
        kit.seat(first, ["--connect", f"{HOST}:{server.port}", "--name", "zoe"])
    assert ended.value.code == 0


@AWAITING
def test_a_bot_may_await_before_it_answers_and_before_a_game(kit: Flavour) -> None:
    class Patient:
        async def new_game(self, game: Game) -> None:
            await kit.sleep(0)

        async def choose(self, turn: Turn) -> sh.Move:
            await kit.sleep(0)
            return first(turn)

    with FakeServer([Table()]) as server:
        assert kit.run(Patient, HOST, server.port, "zoe") == 0
    assert len(server.moves) == 5


@AWAITING
def test_a_thinking_bot_answers_pings_and_stops_when_its_turn_is_over(kit: Flavour) -> None:
    events: list[str] = []

    async def choose(turn: Turn) -> str:
        events.append(f"asked {turn.ply}")
        try:
            if turn.ply == 1:
                await kit.sleep(PATIENCE)
        finally:
            events.append(f"done {turn.ply}")
        return "d5-e5"

    def script(server: FakeServer) -> None:
        server.say("game 1 duel A seed=3")
        server.say(f"turn 1 1 2000 {sh.Game.new('duel')}")
        server.say("ping abc")
        assert server.hear() == "pong abc"
        server.say("over 1 time places=A:2,D:1 seat=A ply=1")
        server.say("game 2 duel A seed=3")
        server.say("ping def")
        assert server.hear() == "pong def"
        server.say(f"turn 2 3 2000 {sh.Game.new('duel')}")
        assert server.hear() == "move 2 3 d5-e5"

    with FakeServer(script=script) as server:
        assert kit.run(choose, HOST, server.port, "zoe") == 0
    assert events == ["asked 1", "done 1", "asked 3", "done 3"]


@AWAITING
def test_the_end_of_the_event_ends_a_bot_that_thinks(kit: Flavour) -> None:
    async def choose(turn: Turn) -> str:
        await kit.sleep(PATIENCE)
        return "d5-e5"

    def script(server: FakeServer) -> None:
        server.say(f"turn 1 1 2000 {sh.Game.new('duel')}")

    with FakeServer(script=script) as server:
        assert kit.run(choose, HOST, server.port, "zoe") == 0


@ALL
def test_an_interrupted_bot_ends_with_status_three_and_no_traceback(kit: Flavour) -> None:
    code = f"import {kit.module}\n{kit.module}.seat(lambda turn: turn.game.legal_moves()[0])"
    with socket.create_server((HOST, 0)) as listener:
        place = ["--connect", f"{HOST}:{listener.getsockname()[1]}", "--name", "zoe"]
        command = [sys.executable, "-c", code, *place]
        with (
            subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process,
            accepted(listener),
        ):
            process.send_signal(signal.SIGINT)
            _, printed = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed) == (3, "")


@AWAITING
def test_the_mistake_of_one_connection_ends_the_others(kit: Flavour) -> None:
    async def choose(turn: Turn) -> str:
        raise ZeroDivisionError

    def serve() -> None:
        with accepted(listener) as one, accepted(listener) as other:
            for connection in [one, other]:
                connection.sendall(b"sternhalma 1\n")
                connection.recv(1000)
            one.sendall(f"turn 1 1 2000 {sh.Game.new('duel')}\n".encode())
            one.recv(1000)
            other.recv(1000)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ZeroDivisionError):
            kit.run(choose, HOST, listener.getsockname()[1], "zoe", connections=2)
        thread.join()


@ALL
def test_several_connections_play_at_once_and_the_worst_end_counts(kit: Flavour) -> None:
    logins: list[str] = []

    def serve(farewells: list[str]) -> None:
        # All of them are at the table before the first is let go.
        connections = [accepted(listener) for _ in farewells]
        streams = [connection.makefile() for connection in connections]
        for connection in connections:
            connection.sendall(b"sternhalma 1\n")
        logins.extend(stream.readline() for stream in streams)
        for connection, stream, farewell in zip(connections, streams, farewells, strict=True):
            connection.sendall(f"{farewell}\n".encode())
            stream.close()
            connection.close()

    for farewells, expected in [
        (["bye event-over thanks"] * 3, 0),
        (["bye event-over thanks", "bye in-use that slot is taken", "bye event-over thanks"], 1),
    ]:
        logins.clear()
        with socket.create_server((HOST, 0)) as listener:
            thread = threading.Thread(target=serve, args=(farewells,))
            thread.start()
            port = listener.getsockname()[1]
            assert kit.run(RANDOM, HOST, port, "zoe", slot=3, connections=3) == expected
            thread.join()
        assert sorted(logins) == [f"login zoe slot={slot}\n" for slot in [3, 4, 5]]


@AWAITING
def test_each_connection_has_a_bot_of_its_own_where_it_is_a_class(kit: Flavour) -> None:
    def serve() -> None:
        for _ in range(2):
            with accepted(listener) as connection:
                connection.sendall(b"sternhalma 1\nbye event-over thanks\n")
                connection.recv(1000)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        kit.run(Counting, HOST, listener.getsockname()[1], "zoe", connections=2)
        thread.join()
    assert len(Counting.made) == 2


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, str]:
    """What a server speaks TLS with, and the file of who vouches for it."""
    ca = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert(HOST).configure_cert(context)
    path = tmp_path_factory.mktemp("tls") / "ca.pem"
    ca.cert_pem.write_to_path(str(path))
    return context, str(path)


@ALL
def test_every_flavour_speaks_tls(kit: Flavour, secured: tuple[ssl.SSLContext, str]) -> None:
    context, ca = secured
    with FakeServer([Table()], tls=context, breaks_at=3) as server:
        assert kit.run(first, HOST, server.port, "zoe", tls=Trust(ca)) == 0
    with FakeServer([Table()], tls=context) as server:
        assert kit.play(first, HOST, server.port, "zoe", tls=Trust(ca).context())


@ALL
def test_a_server_that_nobody_vouches_for_is_left_with_a_sentence(
    kit: Flavour, secured: tuple[ssl.SSLContext, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(OSError), FakeServer(tls=secured[0]) as server:  # noqa: PT011
        assert kit.run(first, HOST, server.port, "zoe", tls=Trust()) == 1
    assert "certificate verify failed" in capsys.readouterr().err


def test_several_processes_speak_tls_too(secured: tuple[ssl.SSLContext, str]) -> None:
    context, ca = secured

    def serve() -> None:
        for _ in range(2):
            with context.wrap_socket(accepted(listener), server_side=True) as connection:
                connection.sendall(b"sternhalma 1\nbye event-over thanks\n")
                connection.recv(1000)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        port = listener.getsockname()[1]
        assert PLAIN.run(RANDOM, HOST, port, "zoe", connections=2, tls=Trust(ca)) == 0
        thread.join()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"slot": 65}, "expected a slot from 1 to 64, got 65"),
        ({"slot": 60, "connections": 6}, "from 1 to 5 connections from slot 60 on, got 6"),
    ],
)
def test_a_slot_that_no_server_has_is_refused(options: dict[str, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        PLAIN.run(first, HOST, 1, "zoe", **options)


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("cli", {"trio", "asyncio"}),
        ("on_asyncio", {"trio"}),
        ("on_trio", {"asyncio"}),
    ],
)
def test_no_flavour_needs_another(module: str, absent: set[str]) -> None:
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({absent}))\n"  # as if they were not installed
        f"import sternhalma_bot.{module}\n"
        "assert not {'sternhalma_server', 'msgspec', 'rich'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == 0
