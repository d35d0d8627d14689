"""The sync runner against a scripted peer."""

from __future__ import annotations

import socket
import sys
import threading
from dataclasses import dataclass, field
from subprocess import run as run_program

import pytest

import sternhalma as sh
from clients.fake_server import FakeServer, Table
from sternhalma_bot import Turn, play, run
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.messages import Bye, Game
from sternhalma_bot.protocol import ProtocolError

HOST = "127.0.0.1"


def first(turn: Turn) -> sh.Move:
    return turn.game.legal_moves()[0]


@dataclass
class Listener:
    """A bot that remembers what it was told."""

    games: list[Game] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    def new_game(self, game: Game) -> None:
        self.games.append(game)

    def choose(self, turn: Turn) -> str:
        self.turns.append(turn)
        return turn.game.format_move(first(turn))


def test_a_function_is_a_bot() -> None:
    with FakeServer([Table()]) as server:
        assert play(first, HOST, server.port, "zoe") == Bye("event-over", "thank you for playing")
    assert len(server.moves) == 5


def test_an_object_is_a_bot_and_is_told_of_each_game() -> None:
    bot = Listener()
    with FakeServer([Table("tara", limit=3), Table("corner", 3, seat=2)]) as server:
        play(bot, HOST, server.port, "zoe")
    assert [(game.rules, game.seat) for game in bot.games] == [("tara", "A"), ("corner", "E")]
    assert len(bot.turns) == 8


def test_a_module_is_a_bot() -> None:
    from sternhalma_bot.bots import random_bot

    with FakeServer([Table()]) as server:
        assert run(random_bot, HOST, server.port, "zoe") == 0


def test_a_turn_tells_the_game_its_terms_the_time_and_the_seed() -> None:
    bot = Listener()
    with FakeServer([Table("tara", limit=3, seed=99), Table(clock="none")]) as server:
        play(bot, HOST, server.port, "zoe")
    turn, *_, last = bot.turns
    assert str(turn.game) == turn.position
    assert (turn.game.terms.limit, turn.game.terms.at_limit) == (3, "progress")
    assert (turn.ply, turn.seed, turn.time_left) == (1, 99, 2.0)
    assert last.time_left is None


def test_chance_depends_on_seed_and_ply_only() -> None:
    game = sh.Game.new("duel")
    assert Turn.of(game, 7).rng.random() == Turn(str(game), 1, 7, time_left=1.5).rng.random()
    assert Turn.of(game, 7).rng.random() != Turn.of(game, 8).rng.random()
    assert Turn.of(game, 7).rng.random() != Turn.of(game.play("d5-e5"), 7).rng.random()


def test_login_carries_slot_version_and_token() -> None:
    with FakeServer() as server:
        play(first, HOST, server.port, "zoe", slot=4, token="secret", version="2.0")
    assert server.login == ["login", "zoe", "slot=4", "version=2.0", "token=secret"]


def test_lines_in_pieces_and_all_at_once_come_to_the_same() -> None:
    with FakeServer([Table(seed=5)], pieces=3) as slow:
        run(SAMPLES["random"].choose, HOST, slow.port, "zoe")
    with FakeServer([Table(seed=5)]) as quick:
        run(SAMPLES["random"].choose, HOST, quick.port, "zoe")
    assert slow.moves == quick.moves


def test_a_refusal_is_told_on_stderr_with_status_one(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(farewell="bye bad-token the token is wrong") as server:
        assert run(first, HOST, server.port, "zoe") == 1
    assert capsys.readouterr().err == "zoe slot 1: the server said: the token is wrong\n"


def test_an_end_without_goodbye_is_told_with_status_one(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(farewell="") as server:
        assert run(first, HOST, server.port, "zoe", patience=0) == 1
    assert "without a goodbye" in capsys.readouterr().err


@pytest.mark.parametrize("ply", [1, 5])
def test_a_bot_whose_connection_breaks_comes_back_and_plays_on(ply: int) -> None:
    tables = [Table(seed=5)]
    with FakeServer(tables, breaks_at=ply) as broken:
        assert run(SAMPLES["random"].choose, HOST, broken.port, "zoe") == 0
    with FakeServer(tables) as whole:
        run(SAMPLES["random"].choose, HOST, whole.port, "zoe")
    assert broken.moves == whole.moves
    assert [line for line in broken.heard if line.startswith("login")] == [
        "login zoe slot=1",
        "login zoe slot=1 key=k1",
    ]


def test_a_bot_that_was_taken_over_does_not_come_back() -> None:
    with FakeServer(farewell="bye taken-over another connection is in your place") as server:
        assert play(first, HOST, server.port, "zoe").code == "taken-over"


def test_a_bot_that_was_never_let_in_does_not_come_back() -> None:
    def close_the_door() -> None:
        listener.accept()[0].close()

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=close_the_door)
        thread.start()
        with pytest.raises(ConnectionError, match="without a goodbye"):
            play(first, HOST, listener.getsockname()[1], "zoe")
        thread.join()


def test_what_a_bot_itself_fails_to_open_is_not_taken_for_the_network() -> None:
    def forgetful(_turn: Turn) -> str:
        raise FileNotFoundError("book.bin")

    with (
        pytest.raises(EOFError),  # the peer waits for a move in vain
        FakeServer([Table()]) as server,
        pytest.raises(FileNotFoundError),
    ):
        play(forgetful, HOST, server.port, "zoe")


def test_nobody_listening_is_told_with_status_one(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    assert run(first, HOST, port, "zoe") == 1
    assert f"{HOST} port {port}: " in capsys.readouterr().err


def test_a_server_of_another_version_is_left_at_once() -> None:
    with (
        pytest.raises(EOFError),  # the peer waits for a login in vain
        FakeServer(before="sternhalma 9") as server,
        pytest.raises(ProtocolError, match="got 9"),
    ):
        play(first, HOST, server.port, "zoe")


def test_after_an_illegal_answer_with_a_try_left_a_legal_move_is_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = sh.Game.new("duel")

    def script(server: FakeServer) -> None:
        server.say("game 1 duel A seed=3")
        server.say(f"turn 1 1 2000 {game}")
        assert server.hear() == "move 1 1 a5-e9"
        server.say("error illegal tries=1 a5-e9: no chain of hops leads there")
        assert game.is_legal(game.parse_move(server.hear().split()[3]))

    with FakeServer(script=script) as server:
        assert run(lambda _turn: "a5-e9", HOST, server.port, "zoe") == 0
    assert "illegal: a5-e9: no chain" in capsys.readouterr().err


def test_the_mistake_of_a_bot_comes_through() -> None:
    def broken(turn: Turn) -> str:
        raise ZeroDivisionError

    server = FakeServer([Table()])
    with pytest.raises(ZeroDivisionError), server:
        play(broken, HOST, server.port, "zoe")


def test_the_kit_needs_neither_trio_nor_the_server() -> None:
    code = (
        "import sys, sternhalma_bot.cli\n"
        "assert not {'trio', 'sternhalma_server', 'msgspec', 'rich'} & set(sys.modules)"
    )
    assert run_program([sys.executable, "-c", code], check=False).returncode == 0
