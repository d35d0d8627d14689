"""The tables of a store: those of every version that was released can be opened and go on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from data.stores.make import fill
from sternhalma_server.store import EventId, FinishedGame, Store, StoreError, schema

STORES = Path(__file__).parent.parent / "data" / "stores"
SAVED = sorted(STORES.glob("v*.sqlite"))

STEP = ("ALTER TABLE event ADD COLUMN motto TEXT NOT NULL DEFAULT 'fair play'",)


def saved(path: Path, folder: Path) -> Path:
    """A copy of a saved store that may be changed."""
    return Path(shutil.copy(path, folder / "saved.sqlite"))


def tables(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def contents(store: Store) -> list[object]:
    """All that can be read out of *store*."""
    return [
        [
            event,
            list(store.finished_games(event.id)),
            store.running_lines(event.id),
            store.amendments(event.id),
            store.secrets(event.id),
            store.head(event.id),
            store.check_chain(event.id),
        ]
        for event in store.events()
    ]


def test_a_store_of_each_version_is_saved() -> None:
    names = [f"v{number}.sqlite" for number in range(1, len(schema.MIGRATIONS) + 1)]
    assert [path.name for path in SAVED] == names


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.name)
def test_a_saved_store_holds_what_was_put_into_it(path: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "new.sqlite") as store:
        fill(store)
        right = contents(store)
    with Store.open(saved(path, tmp_path)) as store:
        assert contents(store) == right


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.name)
def test_a_saved_store_goes_on(path: Path, tmp_path: Path) -> None:
    with Store.open(saved(path, tmp_path)) as store:
        cup = store.event("cup")
        assert cup is not None
        store.write(cup.id, "4\tply 1\n", [FinishedGame(2, "record of 2\n", "")])
        assert store.running_lines(cup.id) == {4: ["ply 1"]}
        assert store.check_chain(cup.id) == []


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.name)
def test_a_saved_store_has_the_tables_of_a_new_one_once_it_is_opened(
    path: Path, tmp_path: Path
) -> None:
    old, new = saved(path, tmp_path), tmp_path / "new.sqlite"
    for each in (old, new):
        Store.open(each).close()
    assert tables(old) == tables(new)
    assert version(old) == len(schema.MIGRATIONS)


def test_the_first_step_is_what_it_was_when_it_was_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
    Store.open(tmp_path / "new.sqlite").close()
    assert tables(tmp_path / "new.sqlite") == tables(STORES / "v1.sqlite")


def test_an_older_store_goes_the_steps_that_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.sqlite"
    with Store.open(path) as store:
        fill(store)
        before = contents(store)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, STEP))
    with Store.open(path) as store:
        assert contents(store) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT motto FROM event").fetchone() == ("fair play",)
    assert version(path) == len(schema.MIGRATIONS)


def test_a_step_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.sqlite"
    with Store.open(path) as store:
        fill(store)
    before, old = tables(path), schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*old, STEP, ("DROP TABLE motto",)))
    with pytest.raises(StoreError, match="no such table: motto"):
        Store.open(path)
    assert tables(path) == before
    assert version(path) == len(old)


def test_a_newer_store_is_refused_with_a_sentence_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, old = tmp_path / "new.sqlite", schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*old, STEP))
    Store.open(path).close()
    before = path.read_bytes()
    monkeypatch.setattr(schema, "MIGRATIONS", old)
    for opened in (Store.open, Store.read):
        with pytest.raises(StoreError, match=r"or older, got version \d+, which a newer server"):
            opened(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.name)
def test_an_older_store_is_read_as_it_is(path: Path, tmp_path: Path) -> None:
    old = saved(path, tmp_path)
    before = old.read_bytes()
    with Store.open(tmp_path / "new.sqlite") as store:
        fill(store)
        right = contents(store)
    with Store.read(old) as store:
        assert contents(store) == right
        outcomes = [(one.game, one.record) for one in store.outcomes(EventId(1))]
        assert outcomes == [(1, "record of 1\n"), (3, "record of 3\n")]
        assert (store.league, store.bots()) == (None, [])
    assert old.read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE game (number INTEGER)")
    before = path.read_bytes()
    for opened in (Store.open, Store.read):
        with pytest.raises(StoreError, match="expected a store, got another program's database"):
            opened(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database, but long enough to be looked at as one" * 50)
    before = path.read_bytes()
    for opened in (Store.open, Store.read):
        with pytest.raises(StoreError, match="not a database"):
            opened(path)
    assert path.read_bytes() == before


def test_a_file_that_was_begun_and_never_filled_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.touch()
    with Store.open(path) as store:
        assert store.events() == []
