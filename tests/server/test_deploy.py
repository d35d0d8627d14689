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

from sternhalma_server.cli.parser import Parser
from sternhalma_server.cli.serve import configure

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "server" / "deploy"
UNIT = DEPLOY / "sternhalma.service"
DOCKERFILE = DEPLOY / "Dockerfile"
DRAIN = 30  # seconds, where a league file says nothing else


def served(words: list[str]) -> None:
    """Raise `BadInputError` unless `sternhalma serve` takes *words*."""
    parser = Parser(prog="sternhalma serve")
    configure(parser)
    assert parser.parse(words) is not None


def setting(name: str) -> str:
    found = re.findall(rf"^{name}=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) == 1
    return str(found[0])


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("needs systemd-analyze")
    # What is not on this machine is no fault of the unit: its program, and its user.
    program = Path(sys.executable).with_name("sternhalma")
    text = UNIT.read_text(encoding="utf-8").replace(
        "/opt/sternhalma/.venv/bin/sternhalma", str(program)
    )
    text = re.sub(r"^(User|Group)=.*$", "", text, flags=re.MULTILINE)
    unit = tmp_path / UNIT.name
    unit.write_text(text, encoding="utf-8")
    drop_in = tmp_path / f"{UNIT.name}.d" / "sandbox.conf"
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


def test_the_unit_serves_a_league_and_gives_games_the_time_to_end() -> None:
    words = shlex.split(setting("ExecStart"))
    assert words[1] == "serve"
    served(words[2:])
    assert int(setting("TimeoutStopSec")) > DRAIN
    assert setting("KillMode") == "mixed"


def test_the_container_serves_a_league_as_nobody_in_particular() -> None:
    text = DOCKERFILE.read_text(encoding="utf-8")
    (command,) = re.findall(r"^CMD \[(.*)\]$", text, re.MULTILINE)
    words = [word.strip().strip('"') for word in command.split(",")]
    assert words[0] == "serve"
    served(words[1:])
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
