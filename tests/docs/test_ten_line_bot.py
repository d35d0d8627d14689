"""The bot of the front page, at a real server on a real socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.pages import files
from docs.shell import SECONDS, Shell
from sternhalma_server.testing import remote_event

BOT = files("README.md")["mybot.py"]
LOCAL = '[[bots]]\nname = "{}"\ncommand = "{}"\n'


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "mybot.py").write_text(BOT, encoding="utf-8")
    return Shell(tmp_path)


def write_event(shell: Shell, head: str, *bots: tuple[str, str]) -> None:
    text = head + "".join(LOCAL.format(*bot) for bot in bots)
    (shell.folder / "event.toml").write_text(text, encoding="utf-8")


def test_it_dials_in_and_plays_a_whole_event_against_random(shell: Shell) -> None:
    head = remote_event(
        "mybot", name="dial", rules="tara", players=2, cycles=2, limit=20, clock="10s"
    )
    write_event(shell, head, ("random", "sternhalma-bot random"))
    with shell.hosting("sternhalma run event.toml") as server:
        said = "bye event-over the event has ended, thank you for playing\n"
        assert shell.run("python mybot.py") == (0, said)
        printed, _ = server.communicate(timeout=SECONDS)
    assert server.returncode == 0, printed
    assert printed.endswith("2 games, results in results/dial\n")
    status, printed = shell.run("sternhalma verify results/dial")
    assert (status, printed.splitlines()[1:]) == (0, ["verified 2 games, 4 tables"])


def test_it_prints_why_it_is_refused_and_stops(shell: Shell) -> None:
    write_event(shell, remote_event("zoe", "max", name="others"))
    with shell.hosting("sternhalma run event.toml"):
        assert shell.run("python mybot.py") == (
            0,
            "bye unknown-name expected a bot that plays here, got 'mybot'\n",
        )


@pytest.mark.parametrize(
    ("rules", "players"),
    [("tara+long", 6), ("corner+pairs", 4), ("halma13", 4)],
)
def test_it_plays_by_any_rules(shell: Shell, rules: str, players: int) -> None:
    head = f'name = "any"\nrules = "{rules}"\nplayers = {players}\nclock = "10s"\nlimit = 4\n'
    names = [f"bot{number}" for number in range(players)]
    write_event(shell, head, *((name, "python mybot.py") for name in names))
    status, printed = shell.run("sternhalma run event.toml")
    assert status == 0, printed
