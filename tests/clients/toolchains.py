"""The compilers and interpreters that clients need, which not every machine has.

Where one is missing its client is skipped, by name. CI must not leave a client out: with
EVERY_CLIENT in the environment, as `.ci/run` sets it, its test fails instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

CLIENTS: Final = Path(__file__).parents[2] / "clients"
WANTED: Final = "EVERY_CLIENT"
LANGUAGES: Final = ("python", "c", "javascript", "java", "rust", "bash")

_TOOLS: Final = {"c": "cc", "javascript": "node", "java": "javac", "rust": "rustc", "bash": "bash"}


def there(tool: str) -> bool:
    """Whether this machine has *tool*."""
    return shutil.which(tool) is not None


def need(tool: str) -> None:
    """Skip the test on a machine without *tool*; fail it where every client is to be tested."""
    if there(tool):
        return
    if os.environ.get(WANTED):
        pytest.fail(f"expected {tool} on this machine, since {WANTED} is set, got none")
    pytest.skip(f"there is no {tool} on this machine")


def available(language: str) -> bool:
    """Whether the client in *language* can be run here."""
    return language not in _TOOLS or there(_TOOLS[language])


def built(language: str, folder: Path) -> list[str]:
    """The command of the client in *language*, compiled into *folder* where it has to be.

    Skips or fails the test where the machine cannot run it.
    """
    if language in _TOOLS:
        need(_TOOLS[language])
    match language:
        case "python":
            return [sys.executable, str(CLIENTS / "python" / "one_file_bot.py")]
        case "javascript":
            return ["node", str(CLIENTS / "javascript" / "sternhalma_bot.js")]
        case "bash":
            return ["bash", str(CLIENTS / "bash" / "one_file_bot.bash")]
        case "c":
            flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
            program = folder / "sternhalma_bot"
            _compile(["cc", *flags, "-o", program, CLIENTS / "c" / "sternhalma_bot.c"])
            return [str(program)]
        case "rust":
            program = folder / "one_file_bot"
            _compile(["rustc", "-D", "warnings", "-o", program, CLIENTS / "rust/one_file_bot.rs"])
            return [str(program)]
        case "java":
            source = CLIENTS / "java" / "OneFileBot.java"
            _compile(["javac", "-Xlint:all", "-Werror", "-d", folder, source])
            # It runs for a second: to optimize it takes longer than that.
            return ["java", "-XX:TieredStopAtLevel=1", "-cp", str(folder), "OneFileBot"]
        case _:
            raise ValueError(f"expected one of {', '.join(LANGUAGES)}, got {language!r}")


def _compile(command: Sequence[str | Path]) -> None:
    subprocess.run(command, check=True, timeout=120)
