"""The sync runner against a scripted peer."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, field

import pytest

import sternhalma as sh
from clients.fake_server import FakeServer, Table
from sternhalma_bot import Turn, play, run
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.messages import Bye, Game

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
