"""clients/README.md: its commands seat bots at a real server, and its examples play."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from clients.toolchains import need
from docs.pages import ROOT, blocks, files, table
from docs.shell import SECONDS, Shell
from sternhalma_bot.bots import SAMPLES
from sternhalma_server.testing import remote_event

PAGE = "clients/README.md"
LOCAL = '[[bots]]\nname = "{}"\ncommand = "{}"\n'
ROWS = table(PAGE, "## Languages")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (tmp_path / "clients").unlink()
    shutil.copytree(ROOT / "clients", tmp_path / "clients")  # a place to compile in
    for name, text in files(PAGE).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return shell


def filled(command: str, name: str) -> str:
    """A command of the page for the bot *name*."""
    for word, value in [("HOST", "127.0.0.1"), ("PORT", "7121"), ("NAME", name)]:
        command = re.sub(rf"\b{word}\b", value, command)
    return command


def folder_of(where: str) -> str:
    """The folder of the file that the cell *where* links to; the current one for a heading."""
    (target,) = re.findall(r"\(([^)]+)\)", where)
    return "." if target.startswith("#") else f"clients/{target.rpartition('/')[0]}"


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]} {row[1].split(']')[0][1:]}" for row in ROWS])
def test_every_client_is_seated_by_its_command(row: list[str], shell: Shell) -> None:
    _, where, _, seat_with = row
    commands = re.findall(r"`([^`]+)`", seat_with)
    for command in commands:
        if command[0].isalpha() and not command.startswith("sternhalma"):
            need(command.split()[0])
    head = remote_event("zoe", name="seats", limit=2, clock="20s")
    local = LOCAL.format("random", "sternhalma-bot random")
    (shell.folder / "event.toml").write_text(head + local, encoding="utf-8")
    with shell.hosting("sternhalma run event.toml") as server:
        steps = [f"cd {folder_of(where)}", *(filled(command, "zoe") for command in commands)]
        status, printed = shell.run(" && ".join(steps), seconds=2 * SECONDS)
        assert (status, printed) == (0, "")
        heard, _ = server.communicate(timeout=SECONDS)
    assert server.returncode == 0, heard
    assert "1 game, results in" in heard


def test_the_five_minutes_lead_to_a_server_far_away(shell: Shell) -> None:
    (seat,) = [block.text.strip() for block in blocks(PAGE) if not block.language]
    shutil.copy(ROOT / "clients" / "python" / "one_file_bot.py", shell.folder / "zoe.py")
    head = remote_event("zoe", name="far", limit=4, clock="10s")
    local = LOCAL.format("greedy", "sternhalma-bot greedy")
    (shell.folder / "event.toml").write_text(head + local, encoding="utf-8")
    with shell.hosting("sternhalma run event.toml") as server:
        assert shell.run(filled(seat, "zoe")) == (0, "")
        heard, _ = server.communicate(timeout=SECONDS)
    assert server.returncode == 0, heard


def test_the_examples_of_the_kit_play_each_other(shell: Shell) -> None:
    programs = [name for name in files(PAGE) if name.endswith(".py")]
    programs.remove("lines.py")  # which has no connection of its own
    programs.remove("with_asyncio.py")  # which dials in twice
    head = remote_event("with_asyncio", name="kit", limit=4, clock="10s")
    bots = "".join(LOCAL.format(name[:-3], f"python {name}") for name in programs)
    (shell.folder / "event.toml").write_text(head + bots, encoding="utf-8")
    with shell.hosting("sternhalma run event.toml") as server:
        status, printed = shell.run(
            "STERNHALMA_HOST=127.0.0.1 STERNHALMA_NAME=with_asyncio python with_asyncio.py"
        )
        assert (status, printed) == (0, "")
        heard, _ = server.communicate(timeout=SECONDS)
    assert server.returncode == 0, heard
    assert len(programs) == 4
    assert "10 games, results in" in heard


def test_the_page_names_every_sample() -> None:
    named = [row[0].strip("`") for row in table(PAGE, "Its samples are bots to learn from")]
    assert named == list(SAMPLES)


def test_every_file_to_copy_is_on_the_page() -> None:
    linked = {folder_of(row[1]) for row in ROWS} - {"."}
    folders = {path.name for path in (ROOT / "clients").iterdir() if path.is_dir()}
    assert linked == {f"clients/{name}" for name in folders}
