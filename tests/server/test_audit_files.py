"""Verifying what is derived from a store, when all is done and while a server writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from server.kept import (
    CUP,
    LINKS,
    Link,
    change,
    game,
    keep,
    keep_files,
    keep_store,
    problem,
    signed,
)
from sternhalma_server.archive import STORE, record_name
from sternhalma_server.audit import audit
from sternhalma_server.results import RESULTS, TABLES, Results
from sternhalma_server.settings import settings_of
from sternhalma_server.store import Decision
from sternhalma_tournament.amendments import Annulment, format_amendment

NEW = "a server in the middle of writing"


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """The folder of an event that is over."""
    keep(tmp_path / "cup", CUP, LINKS)
    return tmp_path / "cup"


def test_one_altered_character_in_any_derived_file_is_found_and_its_line_named(cup: Path) -> None:
    chance = Random(7)
    paths = [path for path in cup.rglob("*") if path.is_file() and path.name != STORE]
    assert len(paths) == 13
    for path in sorted(paths):
        name, data = str(path.relative_to(cup)), path.read_bytes()
        for at in [*chance.sample(range(len(data)), 5), 0, len(data) - 1]:
            altered = bytearray(data)
            altered[at] ^= chance.choice([1, 2, 4, 8, 16, 32, 128])
            path.write_bytes(altered)
            line = data.count(b"\n", 0, at) + 1
            assert problem(cup).startswith(f"{name}: line {line}: expected "), (path, at)
        path.write_bytes(data)
    assert audit(cup).problems == []


@pytest.mark.parametrize("name", ["event.toml", "games/000003.txt", RESULTS, *TABLES, "SHA256SUMS"])
def test_a_file_that_is_missing_is_named(cup: Path, name: str) -> None:
    (cup / name).unlink()
    assert problem(cup) == f"{name}: expected a file, got none"


@pytest.mark.parametrize("name", ["000007.txt", "notes", ".000001.txt.new"])
def test_a_file_too_many_among_the_records_is_named(cup: Path, name: str) -> None:
    (cup / "games" / name).write_text("")
    assert problem(cup) == f"games/{name}: expected no file without a game, got one"


def test_a_table_that_goes_on_too_long_is_named_with_the_line(cup: Path) -> None:
    path = cup / "times.csv"
    path.write_bytes(path.read_bytes() + b"eve,1,0.000,0.000,0.000\n")
    assert problem(cup) == "times.csv: line 5: expected '', got 'eve,1,0.000,0.000,0.000'"


def test_a_long_line_is_cut_where_it_is_shown(cup: Path) -> None:
    (cup / "times.csv").write_text("x" * 1000)
    assert problem(cup).endswith(f", got '{'x' * 200}...'")


def test_what_the_raw_lines_say_is_not_derived_from_anything(cup: Path) -> None:
    change(cup, "UPDATE game SET said = ''")
    assert audit(cup).problems == []


# While a server runs, and after one was killed.


def keep_running(root: Path, *, shown: int, links: Sequence[Link] = LINKS) -> None:
    """A folder whose tables and records were written when *shown* results were there."""
    keep_files(root, CUP, links[:shown])
    keep_store(root, CUP, links, state="running")


def test_files_that_are_behind_the_store_are_not_wrong_while_a_server_writes(
    tmp_path: Path,
) -> None:
    keep_running(tmp_path, shown=4)
    found = audit(tmp_path)
    assert found.problems == []
    assert (found.games, found.tables) == (6, 4)
    assert found.notes == [
        "not written as files yet: 2 records",
        "the tables are 2 games behind the store",
    ]


def test_files_that_are_behind_the_store_are_wrong_when_the_server_has_stopped(
    tmp_path: Path,
) -> None:
    keep_files(tmp_path, CUP, LINKS[:5])
    keep_store(tmp_path, CUP, LINKS, state="paused")
    found = audit(tmp_path)
    assert found.problems[0].endswith(".txt: expected a file, got none")
    assert any(problem.startswith("results.csv: line ") for problem in found.problems)
    assert found.notes == []


@pytest.mark.parametrize("written", [1, 3, 5])
def test_a_server_that_was_killed_in_the_middle_of_writing_has_altered_nothing(
    tmp_path: Path, written: int
) -> None:
    keep_running(tmp_path / "event", shown=4)
    keep_files(tmp_path / "newer", CUP, LINKS)
    names = [RESULTS, *Results(settings_of(CUP, "").event).files()]
    names = list(dict.fromkeys([*names, "SHA256SUMS"]))
    for name in names[:written]:
        (tmp_path / "event" / name).write_bytes((tmp_path / "newer" / name).read_bytes())
    found = audit(tmp_path / "event")
    assert found.problems == []
    (late, left) = found.notes
    assert late == "not written as files yet: 2 records"
    assert left == f"left by {NEW}: {', '.join(names[written:])}"
    assert found.tables == written - 1


def test_a_server_that_was_killed_before_its_first_table_has_altered_nothing(
    tmp_path: Path,
) -> None:
    keep_running(tmp_path, shown=0)
    for name in (RESULTS, *TABLES, "SHA256SUMS"):
        (tmp_path / name).unlink()
    (tmp_path / "games" / ".000003.txt.new").write_text("sternhalma-rec")
    found = audit(tmp_path)
    assert (found.problems, found.games, found.tables) == ([], 6, 0)


def test_a_ruling_that_is_newer_than_the_tables_has_altered_nothing(tmp_path: Path) -> None:
    annulment = Annulment(reason="a bug", number=1)
    links = [*LINKS, Decision("ruling", format_amendment(annulment))]
    keep_running(tmp_path, shown=6, links=links)
    found = audit(tmp_path)
    assert found.problems == []
    assert found.notes[0].startswith(f"left by {NEW}: standings.md")


@pytest.mark.parametrize("name", [*TABLES, RESULTS])
def test_a_table_that_was_altered_is_found_while_a_server_runs(tmp_path: Path, name: str) -> None:
    keep_running(tmp_path, shown=6)
    path = tmp_path / name
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    (first, *_) = audit(tmp_path).problems
    assert first.startswith(f"{name}: line ")


def test_a_record_that_was_altered_is_found_while_a_server_runs(tmp_path: Path) -> None:
    keep_running(tmp_path, shown=6)
    path = tmp_path / record_name(2)
    path.write_text(signed(game(2), "entry=Ida", "entry=max"))
    assert problem(tmp_path).startswith("games/000002.txt: line 6: expected ")
