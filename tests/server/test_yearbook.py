"""What is derived from a whole league: ratings, the season, and who wrote them when."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.kept import change
from server.kept_league import BOTS, CHARTER, cup_games, keep_league, ladder_games
from sternhalma_server import yearbook as module
from sternhalma_server.archive import STORE
from sternhalma_server.folders import LEAGUE
from sternhalma_server.rulings import RULING
from sternhalma_server.store import Store
from sternhalma_server.yearbook import (
    COLOPHON,
    Checked,
    check_yearbook,
    season_in,
    write_yearbook,
    yearbook,
)
from sternhalma_tournament.amendments import Disqualification, format_amendment
from sternhalma_tournament.charter import parse_charter

LADDER_GAMES = ladder_games(20)
CUP_GAMES = cup_games()
PARSED = parse_charter(CHARTER, LEAGUE)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)


@pytest.fixture
def club(tmp_path: Path) -> Path:
    keep_league(tmp_path, LADDER_GAMES, CUP_GAMES)
    return tmp_path


@pytest.fixture
def store(club: Path) -> Iterator[Store]:
    with Store.open(club / STORE) as store:
        yield store


def checked(root: Path) -> Checked:
    with Store.read(root / STORE) as store:
        return check_yearbook(root, store, PARSED)


def test_the_same_store_gives_the_same_bytes(store: Store) -> None:
    assert yearbook(store, PARSED) == yearbook(store, PARSED)


def test_ratings_are_over_all_events_with_the_anchors_of_the_leagues_file(store: Store) -> None:
    rows = list(csv.DictReader(io.StringIO(yearbook(store, PARSED)["ratings.csv"])))
    assert {row["bot"] for row in rows} == set(BOTS)
    assert sum(int(row["games"]) for row in rows) == 2 * (len(LADDER_GAMES) + len(CUP_GAMES))
    (zoe,) = [row for row in rows if row["bot"] == "zoe"]
    assert float(zoe["rating"]) == 1500


def test_an_anchor_that_nobody_has_met_is_passed_over(store: Store) -> None:
    charter = parse_charter(CHARTER.replace(b"zoe", b"nobody"), LEAGUE)
    assert "ratings.md" in yearbook(store, charter)


def test_a_league_without_games_has_a_season_and_no_ratings(tmp_path: Path) -> None:
    with Store.open(tmp_path / STORE) as store:
        store.found_league("club")
        files = yearbook(store, PARSED)
    assert sorted(files) == ["season.csv", "season.json", "season.md", COLOPHON]


def test_a_season_counts_events_that_are_closed_by_the_leagues_points(store: Store) -> None:
    season = season_in(store, PARSED)
    assert [event.name for event in season.events] == ["cup"]
    assert sum(row.points for row in season.rows) == 4  # 3 and 1, shared or not
    cup = store.events()[1]
    store.set_state(cup.id, "running")
    assert season_in(store, PARSED).left_out == ("cup",)
    assert not season_in(store, PARSED).rows
    assert [event.name for event in season_in(store, PARSED, interim=True).events] == ["cup"]


@pytest.mark.parametrize("state", ["created", "open"])
def test_an_event_that_has_not_begun_is_no_part_of_a_season(store: Store, state: str) -> None:
    change(Path(store.path).parent, "UPDATE event SET state = ? WHERE name = 'cup'", state)
    season = season_in(store, PARSED, interim=True)
    assert (season.events, season.left_out) == ((), ())


def test_a_ruling_counts_in_a_season(store: Store) -> None:
    cup = store.events()[1]
    first = season_in(store, PARSED).rows[0].entry
    store.amend(cup.id, RULING, format_amendment(Disqualification("cheated", first)))
    (row,) = [row for row in season_in(store, PARSED).rows if row.entry == first]
    assert row.rank is None
    assert row.points == 0


def test_the_colophon_names_the_heads_and_the_digests_of_the_files(club: Path) -> None:
    colophon = json.loads((club / COLOPHON).read_text())
    with Store.read(club / STORE) as store:
        assert colophon["heads"] == {one.name: store.head(one.id) for one in store.events()}
    assert {"ratings.md", "season.csv"} <= colophon["files"].keys()
    for name, digest in colophon["files"].items():
        assert hashlib.sha256((club / name).read_bytes()).hexdigest() == digest


def test_a_process_of_its_own_writes_the_same(club: Path) -> None:
    before = {path: path.read_bytes() for path in club.rglob("*") if path.is_file()}
    for name in ("ratings.md", "season.json", COLOPHON):
        (club / name).unlink()
    words = [sys.executable, "-m", "sternhalma_server.yearbook", str(club)]
    subprocess.run(words, check=True, timeout=60)
    for name in ("ratings.md", "season.json", COLOPHON):
        assert (club / name).read_bytes() == before[club / name]


def test_files_as_they_were_written_pass(club: Path) -> None:
    assert checked(club) == Checked([], [])


@pytest.mark.parametrize("name", ["ratings.md", "ratings.json", "season.csv", "bots/max.md"])
@pytest.mark.parametrize("behind", [False, True])
def test_a_changed_file_is_found_even_when_it_is_behind_the_store(
    club: Path, name: str, behind: bool
) -> None:
    if behind:
        with Store.open(club / STORE) as store:
            ruling = format_amendment(Disqualification("cheated", "max"))
            store.amend(store.events()[0].id, RULING, ruling)
    with (club / name).open("a") as file:
        file.write("more\n")
    (problem,) = checked(club).problems
    assert problem.startswith(f"{name}: ")


def test_a_file_that_is_missing_is_found(club: Path) -> None:
    (club / "season.md").unlink()
    assert checked(club).problems == ["season.md: expected a file, got none"]


def test_files_from_before_the_last_games_are_noted_and_not_wrong(club: Path) -> None:
    with Store.open(club / STORE) as store:
        ruling = format_amendment(Disqualification("cheated", "max"))
        store.amend(store.events()[0].id, RULING, ruling)
    assert checked(club) == Checked([], ["ratings and season are behind the store"])


def test_files_that_were_never_written_are_noted(club: Path) -> None:
    (club / COLOPHON).unlink()
    assert checked(club) == Checked([], ["ratings and season are not written yet"])


def test_a_colophon_that_cannot_be_read_is_found(club: Path) -> None:
    (club / COLOPHON).write_text("{")
    (problem,) = checked(club).problems
    assert problem.startswith(f"{COLOPHON}: expected what a server writes: ")


def test_files_that_are_just_being_written_are_looked_at_again(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = (club / "season.md").read_bytes()
    (club / "season.md").write_text("half")
    monkeypatch.setattr("time.sleep", lambda _: (club / "season.md").write_bytes(good))
    assert checked(club) == Checked([], [])


def test_a_league_whose_file_is_gone_is_not_written(club: Path) -> None:
    (club / LEAGUE).unlink()
    with pytest.raises(OSError, match="No such file"):
        write_yearbook(club)
