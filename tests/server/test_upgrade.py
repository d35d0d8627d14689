"""A results folder of an older version, taken over in the middle of a game.

`cup-v1` was left by the server of the first version of the store, which was ended by `kill -9`
while it played the third of three games.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

OLD = Path(__file__).parents[1] / "data" / "stores" / "cup-v1"
PROGRAM = Path(sys.executable).with_name("sternhalma")


def sternhalma(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def version_and_records(store: Path) -> tuple[int, dict[int, str]]:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
        version: int = database.execute("PRAGMA user_version").fetchone()[0]
        return version, dict(database.execute("SELECT number, record FROM game"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "results" / "cup").mkdir(parents=True)
    shutil.copy(OLD / "store.sqlite", tmp_path / "results" / "cup")
    shutil.copy(OLD / "cup.toml", tmp_path)
    return tmp_path


def test_a_store_of_an_older_version_is_read_as_it_is(folder: Path) -> None:
    store = folder / "results" / "cup" / "store.sqlite"
    before = store.read_bytes()
    assert "2 of 3 games" in sternhalma(folder, "standings", "results/cup")
    assert "game 1 of cup" in sternhalma(folder, "game", "results/cup", "1")
    assert store.read_bytes() == before


def test_an_event_of_an_older_version_goes_on_where_it_was_killed(folder: Path) -> None:
    store = folder / "results" / "cup" / "store.sqlite"
    old_version, before = version_and_records(store)
    assert (old_version, sorted(before)) == (1, [1, 2])
    printed = sternhalma(folder, "run", "cup.toml")
    assert printed.startswith("going on: 2 games over before, 1 game running\n")
    version, after = version_and_records(store)
    assert version > old_version
    assert sorted(after) == [1, 2, 3]
    assert {number: after[number] for number in before} == before
    assert "verified 3 games, 4 tables" in sternhalma(folder, "verify", "results/cup")
