"""clients/README.md: its commands seat bots at a real server."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from docs.pages import ROOT, blocks, table
from docs.shell import SECONDS, Shell
from sternhalma_bot.bots import SAMPLES
from sternhalma_server.testing import remote_event

PAGE = "clients/README.md"
WHERE = {"HOST": "127.0.0.1", "PORT": "7121", "SAMPLE": "greedy"}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (tmp_path / "clients").unlink()
    shutil.copytree(ROOT / "clients", tmp_path / "clients")  # a place to compile in
    return shell


def filled(command: str, name: str) -> str:
    """A command of the page for the bot *name*."""
    words = [({"NAME": name} | WHERE).get(word, word) for word in command.split()]
    return " ".join(words)


def test_every_client_is_seated_by_its_command(shell: Shell) -> None:
    lines: list[str] = []
    names: list[str] = []
    for where, _, _, seat_with in table(PAGE, "## What there is"):
        commands = re.findall(r"`([^`]+)`", seat_with)
        missing = [c.split()[0] for c in commands if c[0].isalpha() and not which(c.split()[0])]
        if missing:
            pytest.skip(f"there is no {missing[0]} on this machine")
        names.append("greedy" if "SAMPLE" in commands[-1] else f"bot{len(names)}")
        folder = f"clients/{where.strip('`').rpartition('/')[0]}"
        steps = [f"cd {folder}", *(filled(command, names[-1]) for command in commands)]
        lines.append(f"({' && '.join(steps)}) & seats+=($!)")
    head = remote_event(*names, name="seats", limit=2, clock="10s")
    (shell.folder / "event.toml").write_text(head, encoding="utf-8")
    with shell.hosting("sternhalma run event.toml") as server:
        waiting = 'status=0; for seat in "${seats[@]}"; do wait $seat || status=1; done'
        status, printed = shell.run("\n".join([*lines, waiting, "exit $status"]))
        assert status == 0, printed
        heard, _ = server.communicate(timeout=SECONDS)
    assert server.returncode == 0, heard
    assert f"{len(names) * (len(names) - 1) // 2} games, results in" in heard


def which(program: str) -> bool:
    return program.startswith("sternhalma") or shutil.which(program) is not None


def test_the_five_minutes_and_the_kit_play_each_other(shell: Shell) -> None:
    (seat,) = [block.text.strip() for block in blocks(PAGE) if not block.language]
    (kit,) = [block.text for block in blocks(PAGE) if block.language == "python"]
    (shell.folder / "kit.py").write_text(kit, encoding="utf-8")
    head = remote_event("zoe", name="kit", limit=4, clock="10s")
    local = '[[bots]]\nname = "kit"\ncommand = "python kit.py"\n'
    (shell.folder / "event.toml").write_text(head + local, encoding="utf-8")
    with shell.hosting("sternhalma run event.toml") as server:
        assert shell.run(f"cd clients/python; {filled(seat, 'zoe')}") == (0, "")
        heard, _ = server.communicate(timeout=SECONDS)
    assert server.returncode == 0, heard


def test_the_page_names_every_sample() -> None:
    named = [row[0].strip("`") for row in table(PAGE, "Its samples are bots to learn from")]
    assert named == list(SAMPLES)
