"""The programs that people copy: one file each, in six languages."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable

import pytest

import sternhalma as sh
from clients.fake_server import FakeServer, Table
from clients.toolchains import CLIENTS, LANGUAGES, WANTED, built, need

RULES = [
    ("tara", 2),
    ("tara", 6),
    ("tara+long", 3),
    ("duel", 2),
    ("corner", 4),
    ("corner+15", 2),
    ("corner+2c", 2),
    ("corner+3c", 2),
    ("corner+pairs", 6),
    ("corner+out40", 2),
    ("halma13", 4),
    ("halma19+long", 2),
]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session", params=LANGUAGES)
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return built(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def run(command: list[str]) -> Run:
    """Runs one of the clients with arguments and STERNHALMA_* variables."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STERNHALMA_")}

    def client(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *map(str, arguments)],
            env=clean | {f"STERNHALMA_{name}": value for name, value in variables.items()},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return client


def test_the_python_bot_has_at_most_sixty_lines() -> None:
    assert len((CLIENTS / "python" / "one_file_bot.py").read_text().splitlines()) <= 60


def test_it_plays_legally_under_every_rule_set(run: Run) -> None:
    tables = [
        Table(rules, players, seat=seat) for rules, players in RULES for seat in {0, players - 1}
    ]
    with FakeServer(tables) as server:
        done = run("127.0.0.1", server.port, "zoe")
    assert (done.returncode, done.stderr) == (0, "")


def test_it_takes_everything_from_the_environment(run: Run) -> None:
    with FakeServer([Table()]) as server:
        done = run(HOST="127.0.0.1", PORT=str(server.port), NAME="zoe", SLOT="3", TOKEN="secret")
    assert done.returncode == 0
    assert server.heard[0] == "login zoe slot=3 moves=yes token=secret"


def test_the_same_seed_gives_the_same_moves_and_another_seed_others(run: Run) -> None:
    def moves(seed: int) -> list[str]:
        with FakeServer([Table(limit=10, seed=seed)]) as server:
            run("127.0.0.1", server.port, "zoe")
        return server.moves

    assert moves(7) == moves(7)
    assert moves(7) != moves(8)


def test_an_answer_depends_on_nothing_but_the_seed_and_the_turn(run: Run) -> None:
    # The second of two games with one seed must go like the first.
    with FakeServer([Table(limit=10), Table(limit=10)]) as server:
        run("127.0.0.1", server.port, "zoe")
    first, second = server.moves[:10], server.moves[10:]
    assert [line.split()[2:] for line in first] == [line.split()[2:] for line in second]


def test_chance_reaches_every_move(run: Run) -> None:
    # Fourteen moves at the start, drawn a hundred times: one that is missing is out of reach.
    with FakeServer([Table(limit=1, seed=seed) for seed in range(150)]) as server:
        run("127.0.0.1", server.port, "zoe")
    drawn = {line.split()[3] for line in server.moves}
    assert len(drawn) == len(sh.Game.new("duel").legal_moves())


def test_it_answers_pings_and_ignores_what_it_does_not_know(run: Run) -> None:
    extra = ["", "ping abc", "weather fine", "note hello a b c", "offer 1 D", " ", "turns 1"]
    with FakeServer([Table()], extra=extra) as server:
        done = run("127.0.0.1", server.port, "zoe")
    assert done.returncode == 0
    assert server.heard[1] == "pong abc"


def test_what_the_server_says_of_a_wrong_line_is_shown(run: Run) -> None:
    said = "error illegal a5-e9: no step and no chain of hops leads from a5 to e9"
    with FakeServer([Table()], extra=[said]) as server:
        done = run("127.0.0.1", server.port, "zoe")
    assert done.returncode == 0
    assert said in done.stderr.splitlines()[0]


def test_lines_that_arrive_in_pieces_are_put_together(run: Run) -> None:
    with FakeServer([Table(limit=2)], pieces=7) as server:
        assert run("127.0.0.1", server.port, "zoe").returncode == 0


def test_lines_that_arrive_together_are_taken_apart(run: Run) -> None:
    def script(server: FakeServer) -> None:
        turn = f"turn 1 1 2000 {sh.Game.new('duel')} mood=good moves=c5-e5"
        server.say(f"ping a\nping b\r\n\ngame 1 duel A seed=5\r\n{turn}\nping c")
        assert [server.hear() for _ in range(4)] == [
            "pong a",
            "pong b",
            "move 1 1 c5-e5",
            "pong c",
        ]

    with FakeServer(script=script) as server:
        assert run("127.0.0.1", server.port, "zoe").returncode == 0


def test_a_line_as_long_as_the_contract_allows_is_read(run: Run) -> None:
    moves = ",".join(["d5-e5"] * 10_900)

    def script(server: FakeServer) -> None:
        line = f"turn 1 1 - {sh.Game.new('duel')} moves={moves}"
        assert 65_000 < len(line) < 65_536
        server.say(line)
        assert server.hear() == "move 1 1 d5-e5"

    with FakeServer(script=script, pieces=1000) as server:
        assert run("127.0.0.1", server.port, "zoe").returncode == 0


@pytest.mark.parametrize("farewell", ["bye unknown-name expected a bot that plays here", ""])
def test_any_other_end_is_a_failure_with_a_sentence(run: Run, farewell: str) -> None:
    with FakeServer(farewell=farewell) as server:
        done = run("127.0.0.1", server.port, "zoe")
    assert done.returncode == 1
    assert (farewell.removeprefix("bye ") or "without a goodbye") in done.stderr


def test_nobody_listening_is_a_failure(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = run("127.0.0.1", port, "zoe")
    assert done.returncode == 1
    assert "refused" in done.stderr.lower()


def test_without_a_port_it_says_how_to_call_it(run: Run) -> None:
    done = run("127.0.0.1")
    assert done.returncode == 1
    assert "HOST PORT NAME" in done.stderr


def test_a_client_whose_compiler_is_missing_is_skipped_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(WANTED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="there is no rustc2 on this machine"):
        need("rustc2")


def test_where_every_client_is_wanted_a_missing_compiler_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(WANTED, "1")
    with pytest.raises(pytest.fail.Exception, match="expected rustc2 on this machine"):
        need("rustc2")


def test_every_folder_of_clients_has_a_language_that_is_tested() -> None:
    folders = {path.name for path in CLIENTS.iterdir() if path.is_dir()}
    assert folders == set(LANGUAGES)
