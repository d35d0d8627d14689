"""Every client holds the conversations of `sternhalma check`, as its author would let it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from clients.toolchains import CLIENTS, LANGUAGES, built, need
from sternhalma_bot.bots import SAMPLES

COMMANDS = Path(sys.executable).parent
BOT = str(COMMANDS / "sternhalma-bot")
AWAITING = """
import {library}
from sternhalma_bot import Turn, on_{library}

async def choose(turn):
    await {library}.sleep(0)
    return turn.rng.choice(turn.game.legal_moves())

on_{library}.seat(choose)
"""
STDIO = """
import sys
asked = None
for line in sys.stdin:
    message, *words = line.split() or [""]
    if message == "turn":
        asked = words
    if message == "turn" or (message == "error" and words[1].startswith("tries=")):
        moves = next(word[6:] for word in asked if word.startswith("moves="))
        print("move", *asked[:2], moves.split(",")[0], flush=True)
"""
KIT: Final[Mapping[str, Sequence[str]]] = {
    "plain": [BOT, "random"],
    "trio": [sys.executable, "-c", AWAITING.format(library="trio")],
    "asyncio": [sys.executable, "-c", AWAITING.format(library="asyncio")],
    "bridge": [BOT, "bridge", "--", sys.executable, "-c", STDIO],
}


def checked(command: Sequence[str], *options: str) -> str:
    done = subprocess.run(
        [COMMANDS / "sternhalma", "check", *options, "--", *command],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("flavour", KIT)
def test_who_comes_back_is_told_again_and_believes_it(flavour: str) -> None:
    report = checked(
        KIT[flavour], "--only", "returns.restated,returns.earlier,returns.cut,games.tries"
    )
    passed = re.findall(r"(\d+) of (\d+)", report.splitlines()[-1])
    assert passed
    assert all(some == every for some, every in passed), report


@pytest.mark.slow
@pytest.mark.parametrize("flavour", KIT)
def test_the_kit_and_the_bridge_hold_every_conversation(flavour: str) -> None:
    report = checked(KIT[flavour])
    assert all(some == every for some, every in re.findall(r"(\d+) of (\d+)", report)), report


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_to_copy_holds_the_conversations_that_are_required(
    language: str, tmp_path: Path
) -> None:
    report = checked(built(language, tmp_path), "--patience", "5")
    assert "required steps passed" in report


@pytest.mark.slow
@pytest.mark.parametrize("sample", [name for name in SAMPLES if name != "random"])
def test_every_sample_holds_the_conversations_that_are_required(sample: str) -> None:
    assert "required steps passed" in checked([BOT, sample])


@pytest.mark.slow
def test_the_strong_bot_holds_the_conversations_that_are_required(tmp_path: Path) -> None:
    need("cc")
    program = str(tmp_path / "strong")
    sources = sorted(map(str, (CLIENTS / "c" / "strong").glob("*.c")))
    subprocess.run(["cc", "-std=c11", "-O2", "-o", program, *sources], check=True, timeout=120)
    assert "required steps passed" in checked([program, "--nodes", "2000"])
