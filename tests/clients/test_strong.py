"""The strong bot: a program in C that knows the rules by itself."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sternhalma as sh
from clients.fake_server import FakeServer, Table
from clients.games import at_home, opened
from clients.test_samples import EVERYWHERE
from clients.toolchains import CLIENTS, need
from sternhalma_bot.bots import SAMPLES
from sternhalma_bot.turn import Turn

FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@pytest.fixture(scope="module")
def strong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("cc")
    program = tmp_path_factory.mktemp("strong") / "strong"
    sources = sorted((CLIENTS / "c" / "strong").glob("*.c"))
    subprocess.run(["cc", *FLAGS, "-o", program, *sources], check=True, timeout=120)
    return program


class Streams:
    """The bot over its standard streams."""

    def __init__(self, *command: str | Path) -> None:
        self.process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.say("sternhalma 1")
        self.login = self.hear()

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def opens(self, game: sh.Game, clock: str = "2s") -> None:
        self.say(f"game 1 {game.position.rules.id} A clock={clock}")

    def move(self, game: sh.Game, *, listed: bool = True) -> sh.Game:
        """*game* after the bot's move in it; an illegal one raises."""
        moves = " moves=" + ",".join(map(game.format_move, game.legal_moves())) if listed else ""
        self.say(f"turn 1 {game.ply} 2000 {game}{moves}")
        words = self.hear().split(" ")
        assert words[:3] == ["move", "1", str(game.ply)]
        return game.play(words[3])


Seat = Callable[..., Streams]


@pytest.fixture
def seat(strong: Path) -> Iterator[Seat]:
    seated: list[Streams] = []

    def start(*options: str) -> Streams:
        seated.append(Streams(strong, *(options or ("--check", "--nodes", "1500")), "--stdio"))
        return seated[-1]

    yield start
    for bot in seated:
        bot.process.communicate()


@pytest.mark.parametrize(("rules", "players"), EVERYWHERE)
def test_its_list_of_moves_is_the_engines_under_every_rule_set(
    seat: Seat, rules: str, players: int
) -> None:
    bot = seat("--check", "--nodes", "100")
    for plies in [0, 3, 20, 60, 150]:
        game = opened(rules, players, plies, seed=plies)
        if game.turn is not None and not game.must_pass:
            bot.opens(game)
            bot.move(game)


def test_a_list_that_differs_stops_a_bot_that_checks(seat: Seat) -> None:
    bot = seat("--check", "--nodes", "100")
    game = sh.Game.new("tara")
    bot.opens(game)
    bot.say(f"turn 1 1 2000 {game} moves=c5-e5,c5-e6")
    assert bot.hear() == ""
    assert bot.process.wait(timeout=20) == 1
    assert bot.process.stderr is not None
    assert "expected 14 moves, the server lists 2" in bot.process.stderr.read()


def test_it_plays_whole_games_over_a_connection(strong: Path) -> None:
    tables = [Table("tara", 2), Table("corner", 4, seat=3), Table("halma13", 2, clock="none")]
    with FakeServer(tables, pieces=7) as server:
        command = [str(strong), "--nodes", "500", "127.0.0.1", str(server.port), "zoe"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.login == ["login", "zoe", "slot=1"]


@pytest.mark.parametrize("clock", ["200ms", "10s+0.1s", "3s+5x0.2s", "none"])
def test_it_plays_by_every_kind_of_clock(seat: Seat, clock: str) -> None:
    bot = seat("--tell")
    game = opened("tara", 2, 30, seed=3)
    bot.opens(game, clock)
    bot.move(game)


def test_with_a_number_of_positions_an_answer_depends_on_nothing_that_came_before(
    seat: Seat,
) -> None:
    games = [opened(rules, 2, 20, seed=1) for rules in ["corner", "halma13", "tara"]]

    def answers(order: list[sh.Game]) -> dict[str, str]:
        bot = seat("--nodes", "3000")
        moved: dict[str, str] = {}
        for game in order:
            bot.opens(game)
            moved[str(game)] = str(bot.move(game))
        return moved

    assert answers(games) == answers([*reversed(games), games[0], games[2], games[1]])


def test_it_walks_home_in_as_few_moves_as_there_are(seat: Seat) -> None:
    # One marble five steps away from the last gap, which the table of the endgame has in it once
    # the marble is near: no way is shorter.
    board = "1/2/3/4/13/12/11/10/9/10/11/12/A12/1AAA/AAA/AA/A"
    game = sh.Game.load(f"duel {board} A,D A 60,60 -", puzzle=True)
    bot = seat()
    bot.opens(game)
    while game.turn is not None:
        game = game.play(sh.PASS) if game.must_pass else bot.move(game)
    assert game.position.counts == (65, 64)


@pytest.mark.parametrize("rules", ["tara", "corner", "duel", "corner+2c", "halma13"])
def test_it_clears_its_home_and_beats_greed(seat: Seat, rules: str) -> None:
    bot = seat()
    for side in range(2):
        game = opened(rules, 2, 4, seed=side)
        bot.opens(game)
        while game.turn is not None:
            if game.turn == side:
                game = bot.move(game)
            else:
                game = game.play(SAMPLES["greedy"].choose(Turn.of(game)))
        assert game.result is not None
        assert game.result.end is sh.End.GOAL
        assert game.result.places[side] == 1
        assert at_home(game, side) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--stdio", "zoe"), "usage: strong"),
        (("127.0.0.1", "4000"), "usage: strong"),
        (("--quick",), "got: --quick"),
    ],
)
def test_a_wrong_command_is_told_what_is_right(
    strong: Path, options: tuple[str, ...], said: str
) -> None:
    done = subprocess.run(
        [strong, *options], capture_output=True, text=True, timeout=20, check=False, env={}
    )
    assert done.returncode == 1
    assert said in done.stderr


def test_rules_it_does_not_know_are_named(seat: Seat) -> None:
    bot = seat("--check")
    bot.say("game 1 checkers A clock=2s")
    bot.say("turn 1 1 2000 checkers 1/2 A,D A 0,0 -")
    assert bot.process.wait(timeout=20) == 1
    assert bot.process.stderr is not None
    assert "got: checkers" in bot.process.stderr.read()
