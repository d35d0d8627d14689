"""Every command of the pages for strangers, run as they would run it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from docs.pages import PAGES, ROOT, Block, blocks, commands, files, text_of
from docs.shell import Shell, expect

LONG = [block for page in PAGES for block in blocks(page) if block.label == "long"]


def consoles(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language == "console" and block not in LONG]


def need(program: str) -> None:
    """Skip the test on a machine without *program*."""
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on this machine")


READY = ("ready", "ready-test")  # what says in the environment that it is set up


def recipe(target: str) -> list[str]:
    """What `make TARGET` runs once everything is set up."""
    need("make")
    done = subprocess.run(
        [
            "make",
            "--dry-run",
            *(f"--assume-old=.venv/{name}" for name in READY),
            target,
            "VENV=.venv",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if line.startswith(".venv/bin/")]


@pytest.mark.parametrize("page", [page for page in PAGES if consoles(page)])
def test_the_commands_of_a_page_print_what_it_shows(page: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for name, text in files(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for block in consoles(page):
        for program in ("openssl", "curl"):
            if any(f"{program} " in command.line for command in commands(block)):
                need(program)
        served = block.labelled("while")
        if served is None:
            shell.play(block)
        else:
            with shell.hosting(served):
                shell.play(block)


@pytest.mark.parametrize("block", LONG, ids=lambda block: block.where)
def test_what_takes_long_is_a_target_of_the_makefile(block: Block) -> None:
    for command in commands(block):
        words = command.line.split()
        assert words[0] == "make"
        assert len(words) == 2
        assert recipe(words[1])


def test_make_league_runs_the_command_that_plays_a_whole_event(tmp_path: Path) -> None:
    (line,) = recipe("league")
    quickstart = "tournaments/events/quickstart.toml"
    assert line == f".venv/bin/sternhalma run {quickstart} --again"
    tiny = (ROOT / quickstart).read_text(encoding="utf-8")
    # Two turns each, and nobody who thinks: what is asked is whether the recipe plays and ends.
    tiny = tiny.replace("seed = 1", "seed = 1\nlimit = 2").replace("-bot lookahead", "-bot greedy")
    (tmp_path / "tiny.toml").write_text(tiny.replace("../..", str(ROOT)), encoding="utf-8")
    shell = Shell(tmp_path)
    status, printed = shell.run(
        line.removeprefix(".venv/bin/").replace(quickstart, str(tmp_path / "tiny.toml"))
    )
    assert status == 0, printed
    assert printed.endswith("12 games, results in results/quickstart\n")


def test_make_test_runs_a_command_that_passes_where_all_tests_pass(tmp_path: Path) -> None:
    (line,) = recipe("test")
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
    words = line.removeprefix(".venv/bin/").replace("-n auto", "-n 0")  # without workers: quicker
    where = f"--config-file={ROOT}/pyproject.toml --rootdir=. test_one.py"
    status, printed = Shell(tmp_path).run(f"{words} {where}")
    assert status == 0, printed
    assert "1 passed" in printed


def test_every_target_that_a_page_names_is_in_the_makefile() -> None:
    named = {name for page in PAGES for name in re.findall(r"`make ([\w-]+)`", text_of(page))}
    assert {"test", "bench", "soak"} <= named
    assert {name for name in named if not recipe(name)} <= {"setup"}  # which does no more than that


@pytest.mark.slow
@pytest.mark.parametrize("block", LONG, ids=lambda block: block.where)
def test_what_takes_long_prints_what_the_page_shows(block: Block, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for command in commands(block):
        for line in recipe(command.line.split()[1]):
            status, printed = shell.run(line.removeprefix(".venv/bin/"), seconds=600)
            expect(command.output, printed, f"{block.where}: $ {command.line}")
            assert status == 0
