"""The fingerprint of a program: what it is made of, and what changes it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from sternhalma_server.fingerprint import fingerprint, fingerprints
from sternhalma_server.lookup import ProgramError
from sternhalma_tournament.event import Bot


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "mybot"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)
    return path


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_fingerprint_is_made_of_the_program_and_the_files_among_its_words(
    program: Path,
) -> None:
    (program.parent / "net.bin").write_bytes(b"weights")
    lines = f"{sha256(b'#!/bin/sh' + bytes([10]))}  ./mybot\n{sha256(b'weights')}  net.bin\n"
    argv = ["./mybot", "--fast", "net.bin", "x" * 5000]
    assert fingerprint(argv, program.parent) == sha256(lines.encode())


def test_a_file_that_changes_changes_the_fingerprint(program: Path) -> None:
    (program.parent / "net.bin").write_bytes(b"weights")
    before = fingerprint(["./mybot", "net.bin"], program.parent)
    (program.parent / "net.bin").write_bytes(b"weightS")
    assert fingerprint(["./mybot", "net.bin"], program.parent) != before


def test_the_folder_is_not_part_of_a_fingerprint(program: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(program, tmp_path / "elsewhere" / "mybot")
    here, there = (fingerprint(["./mybot"], at) for at in (tmp_path, tmp_path / "elsewhere"))
    assert here == there


def test_each_bot_has_the_fingerprint_of_its_own_command(program: Path) -> None:
    bots = [Bot(name="a", command="./mybot"), Bot(name="b", command=("./mybot", "mybot"))]
    found = fingerprints(bots, program.parent)
    assert found["a"] == fingerprint(["./mybot"], program.parent)
    assert found["b"] == fingerprint(["./mybot", "mybot"], program.parent) != found["a"]


def test_a_program_that_is_not_there_has_no_fingerprint(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"cannot start '\./mybot'"):
        fingerprint(["./mybot"], tmp_path)
