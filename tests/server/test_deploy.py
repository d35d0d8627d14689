"""The files that hosts put in place: systemd's own check, and what has to agree with the rest."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sternhalma_server.cli import serve, web
from sternhalma_server.cli.parser import Parser

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "server" / "deploy"
UNIT = DEPLOY / "sternhalma.service"
WEB = DEPLOY / "sternhalma-web.service"
DOCKERFILE = DEPLOY / "Dockerfile"
DRAIN = 30  # seconds, where a league file says nothing else


def check_words(command: str, words: list[str]) -> None:
    """Raise `BadInputError` unless `sternhalma` with *command* takes *words*."""
    parser = Parser(prog=f"sternhalma {command}")
    {"serve": serve, "web": web}[command].configure(parser)
    assert parser.parse(words) is not None


def setting(unit: Path, name: str) -> str:
    found = re.findall(rf"^{name}=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == 1
    return str(found[0])


@pytest.mark.parametrize("file", [UNIT, WEB])
def test_systemd_finds_nothing_wrong_with_a_unit(file: Path, tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("needs systemd-analyze")
    # What is not on this machine is no fault of the unit: its program, and its user.
    program = Path(sys.executable).with_name("sternhalma")
    text = file.read_text(encoding="utf-8").replace(
        "/opt/sternhalma/.venv/bin/sternhalma", str(program)
    )
    text = re.sub(r"^(User|Group)=.*$", "", text, flags=re.MULTILINE)
    unit = tmp_path / file.name
    unit.write_text(text, encoding="utf-8")
    drop_in = tmp_path / f"{file.name}.d" / "sandbox.conf"
    for with_sandbox in (False, True):
        if with_sandbox:
            drop_in.parent.mkdir()
            shutil.copy(DEPLOY / "sternhalma-sandbox.conf", drop_in)
        checked = subprocess.run(
            [verify, "verify", "--man=no", str(unit)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        )
        assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_the_units_run_what_there_is_and_give_games_the_time_to_end() -> None:
    for unit in (UNIT, WEB):
        _, command, *words = shlex.split(setting(unit, "ExecStart"))
        check_words(command, words)
    assert int(setting(UNIT, "TimeoutStopSec")) > DRAIN
    assert setting(UNIT, "KillMode") == "mixed"
    folder = setting(WEB, "ExecStart").split()[2]
    assert f"--out {folder} " in setting(UNIT, "ExecStart")


def test_the_container_serves_a_league_as_nobody_in_particular() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    (command,) = re.findall(r"^CMD \[(.*)\]$", text, re.MULTILINE)
    words = [word.strip().strip('"') for word in command.split(",")]
    check_words(words[0], words[1:])
    (user,) = re.findall(r"^USER (.*)$", text, re.MULTILINE)
    assert user not in {"root", "0"}
    assert text.index("\nUSER ") < text.index("\nENTRYPOINT ")


def test_the_container_is_given_all_that_is_packaged() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    copied = {
        word
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for word in line.split()[:-1]
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {package.split("/")[0] for package in packages} <= copied
    assert {
        "pyproject.toml",
        project["project"]["readme"],
        *project["project"]["license-files"],
    } <= copied
    (extra,) = re.findall(r"/source\[(\w+)\]", text)
    assert extra in project["project"]["optional-dependencies"]
