"""The sixty lines that people copy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clients.fake_server import FakeServer, Table

BOT = Path(__file__).parents[2] / "clients" / "python" / "one_file_bot.py"
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


def run(
    *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STERNHALMA_")}
    return subprocess.run(
        [sys.executable, BOT, *arguments],
        env=clean | (environment or {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_has_at_most_sixty_lines() -> None:
    assert len(BOT.read_text().splitlines()) <= 60


def test_it_plays_legally_under_every_rule_set() -> None:
    tables = [
        Table(rules, players, seat=seat) for rules, players in RULES for seat in {0, players - 1}
    ]
    with FakeServer(tables) as server:
        done = run("127.0.0.1", str(server.port), "zoe")
    assert (done.returncode, done.stderr) == (0, "")


def test_it_takes_everything_from_the_environment() -> None:
    with FakeServer([Table()]) as server:
        done = run(
            environment={
                "STERNHALMA_HOST": "127.0.0.1",
                "STERNHALMA_PORT": str(server.port),
                "STERNHALMA_NAME": "zoe",
                "STERNHALMA_SLOT": "3",
                "STERNHALMA_TOKEN": "secret",
            }
        )
    assert done.returncode == 0
    assert server.heard[0] == "login zoe slot=3 moves=yes token=secret"


def test_the_same_seed_gives_the_same_moves_and_another_seed_others() -> None:
    def moves(seed: int) -> list[str]:
        with FakeServer([Table(limit=10, seed=seed)]) as server:
            run("127.0.0.1", str(server.port), "zoe")
        return server.moves

    assert moves(7) == moves(7)
    assert moves(7) != moves(8)


def test_an_answer_depends_on_nothing_but_the_seed_and_the_turn() -> None:
    # The second of two games with one seed must go like the first.
    with FakeServer([Table(limit=10), Table(limit=10)]) as server:
        run("127.0.0.1", str(server.port), "zoe")
    first, second = server.moves[:10], server.moves[10:]
    assert [line.split()[2:] for line in first] == [line.split()[2:] for line in second]


def test_it_answers_pings_and_ignores_what_it_does_not_know() -> None:
    extra = ["", "ping abc", "weather fine", "note hello a b c", "offer 1 D"]
    with FakeServer([Table()], extra=extra) as server:
        done = run("127.0.0.1", str(server.port), "zoe")
    assert done.returncode == 0
    assert server.heard[1] == "pong abc"


def test_lines_that_arrive_in_pieces_are_put_together() -> None:
    with FakeServer([Table(limit=2)], pieces=7) as server:
        assert run("127.0.0.1", str(server.port), "zoe").returncode == 0


@pytest.mark.parametrize("farewell", ["bye unknown-name expected one of the event's bots", ""])
def test_any_other_end_is_a_failure_with_a_sentence(farewell: str) -> None:
    with FakeServer(farewell=farewell) as server:
        done = run("127.0.0.1", str(server.port), "zoe")
    assert done.returncode == 1
    assert (farewell.removeprefix("bye ") or "without a goodbye") in done.stderr


def test_without_a_port_it_says_how_to_call_it() -> None:
    done = run("127.0.0.1")
    assert done.returncode == 1
    assert "HOST PORT NAME" in done.stderr
