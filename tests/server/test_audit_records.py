"""Verifying a folder without a store, from its records up."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

import pytest

from server.kept import (
    CUP,
    LINKS,
    keep_files,
    problem,
)
from sternhalma_server.archive import record_name
from sternhalma_server.audit import audit
from sternhalma_server.results import RESULTS, TABLES


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder of an event that is over, without its store."""
    keep_files(tmp_path / "cup", CUP, LINKS)
    return tmp_path / "cup"


def test_one_altered_character_anywhere_is_found_without_a_store(files: Path) -> None:
    chance = Random(7)
    for path in sorted(path for path in files.rglob("*") if path.is_file()):
        data = path.read_bytes()
        for at in [*chance.sample(range(len(data)), 5), 0, len(data) - 1]:
            altered = bytearray(data)
            altered[at] ^= chance.choice([1, 2, 4, 8, 16, 32, 128])
            path.write_bytes(altered)
            found = "\n".join(audit(files).problems)
            assert str(path.relative_to(files)) in found, (path, at)
        path.write_bytes(data)
    assert audit(files).problems == []


def test_a_missing_record_is_named(files: Path) -> None:
    (files / record_name(3)).unlink()
    assert problem(files) == (
        "games/000003.txt: expected the record that results.csv lists, got no such file"
    )


@pytest.mark.parametrize("name", ["000007.txt", "notes", ".000001.txt.new"])
def test_a_file_that_results_do_not_list_is_named(files: Path, name: str) -> None:
    (files / "games" / name).write_bytes((files / record_name(1)).read_bytes())
    assert problem(files) == (
        f"games/{name}: expected no file that results.csv does not list, got one"
    )


@pytest.mark.parametrize("name", [*TABLES, "SHA256SUMS"])
def test_a_missing_table_is_named(files: Path, name: str) -> None:
    (files / name).unlink()
    assert problem(files) == f"{name}: expected a file, got none"


def test_a_missing_list_of_results_is_named(files: Path) -> None:
    (files / RESULTS).unlink()
    assert problem(files) == "results.csv: expected the list of results, got none"


def test_a_missing_event_file_is_named(files: Path) -> None:
    (files / "event.toml").unlink()
    assert problem(files) == "event.toml: expected the event file, got none"


def test_an_event_file_with_another_comment_is_found(files: Path) -> None:
    path = files / "event.toml"
    path.write_bytes(CUP.replace(b"decides nothing", b"decides NOTHING"))
    right = hashlib.sha256(path.read_bytes()).hexdigest()
    assert problem(files) == (
        "event.toml: expected the digest that SHA256SUMS lists,"
        f" '{hashlib.sha256(CUP).hexdigest()}  event.toml', got '{right}  event.toml'"
    )
