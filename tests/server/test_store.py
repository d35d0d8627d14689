"""The store: what went in comes out, all of it or nothing, and others may read meanwhile."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_server.store import (
    EventId,
    FinishedGame,
    GameStoredError,
    RegisteredBot,
    State,
    Store,
    StoreBusyError,
    StoredEvent,
    StoredOutcome,
    StoreError,
    database,
)

SOURCE = b'name = "cup"\n# caf\xc3\xa9\r\n'

# Whatever a seat may have said: any text but line feeds, and nothing that UTF-8 cannot write.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "cup.sqlite"


@pytest.fixture(name="store")
def _store(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        yield store


@pytest.fixture(name="cup")
def _cup(store: Store) -> EventId:
    return store.add_event("cup", SOURCE)


@pytest.fixture(name="shared", scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store for many examples, each of which takes an event of its own."""
    with Store.open(tmp_path_factory.mktemp("shared") / "s") as store:
        yield store


def another(store: Store) -> EventId:
    return store.add_event(f"event {len(store.events())}", SOURCE)


def game(number: int) -> FinishedGame:
    return FinishedGame(number, f"record of {number}\n", f"said in {number}\n")


def numbers(store: Store, event: EventId) -> list[int]:
    return [game.game for game in store.finished_games(event)]


def test_an_event_comes_back_byte_for_byte(store: Store) -> None:
    event = store.add_event("cup", SOURCE)
    digest = hashlib.sha256(SOURCE).hexdigest()
    assert store.event("cup") == StoredEvent(event, "cup", SOURCE, digest, "created")


def test_events_come_in_the_order_in_which_they_were_added(store: Store) -> None:
    for name in ("zoe", "max", "Ida"):
        store.add_event(name, b"")
    assert [event.name for event in store.events()] == ["zoe", "max", "Ida"]


def test_an_event_that_is_not_there_is_none(store: Store, cup: EventId) -> None:
    assert store.event("cu") is None


def test_a_second_event_of_the_same_name_is_refused(store: Store, cup: EventId) -> None:
    with pytest.raises(StoreError, match="the store holds one called 'cup'"):
        store.add_event("cup", b"another")
    assert len(store.events()) == 1


@pytest.mark.parametrize("state", get_args(State))
def test_the_state_of_an_event_is_kept(path: Path, state: State) -> None:
    with Store.open(path) as store:
        store.set_state(store.add_event("cup", SOURCE), state)
    with Store.read(path) as store:
        assert [event.state for event in store.events()] == [state]


def test_a_word_that_is_no_state_is_refused(store: Store, cup: EventId) -> None:
    with pytest.raises(ValueError, match=r"expected one of created, .*, got 'asleep'"):
        store.set_state(cup, "asleep")  # type: ignore[arg-type]


def test_an_event_of_another_store_is_refused(store: Store, cup: EventId) -> None:
    other = EventId(cup + 1)
    with pytest.raises(StoreError, match="got number 2"):
        store.set_state(other, "open")
    with pytest.raises(StoreError, match="got number 2"):
        store.write(other, "", [game(1)])
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        store.write(other, "1\tply\n", [])
    with pytest.raises(StoreError, match="got number 2"):
        store.head(other)


@settings(max_examples=50)
@given(texts, texts)
def test_a_game_survives_the_round_trip(shared: Store, record: str, said: str) -> None:
    event = another(shared)
    shared.write(event, "", [FinishedGame(7, record, said)])
    found = shared.game(event, 7)
    assert found is not None
    assert (found.game, found.record, found.said, found.place) == (7, record, said, 1)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 4), texts), max_size=20))
def test_lines_survive_the_round_trip(shared: Store, lines: list[tuple[int, str]]) -> None:
    event = another(shared)
    shared.write(event, "".join(f"{number}\t{text}\n" for number, text in lines), [])
    right: dict[int, list[str]] = {}
    for number, text in lines:
        right.setdefault(number, []).append(text)
    assert shared.running_lines(event) == right


def test_games_come_in_the_order_in_which_they_ended(store: Store, cup: EventId) -> None:
    ended = [*range(200, 0, -2), *range(1, 200, 2)]
    for first in range(0, len(ended), 30):
        store.write(cup, "", [game(number) for number in ended[first : first + 30]])
    assert numbers(store, cup) == ended
    assert store.finished_numbers(cup) == set(ended)


def test_a_game_that_has_not_ended_is_none(store: Store, cup: EventId) -> None:
    store.write(cup, "1\tply\n", [])
    assert store.game(cup, 1) is None


def test_the_lines_of_a_game_are_gone_once_it_has_ended(store: Store, cup: EventId) -> None:
    store.write(cup, "1\ta\n2\tb\n1\tc\n", [])
    store.write(cup, "2\td\n", [game(1)])
    assert store.running_lines(cup) == {2: ["b", "d"]}


def test_events_of_one_store_know_nothing_of_each_other(store: Store, cup: EventId) -> None:
    other = store.add_event("league", b"other")
    store.write(cup, "1\tof the cup\n", [game(2)])
    store.write(other, "2\tof the league\n", [game(1)])
    store.set_secret(cup, "zoe", "aa")
    store.amend(cup, "note", "text")
    assert store.running_lines(cup) == {1: ["of the cup"]}
    assert store.running_lines(other) == {2: ["of the league"]}
    assert (numbers(store, cup), numbers(store, other)) == ([2], [1])
    assert store.secrets(other) == {}
    assert store.amendments(other) == []


def test_a_game_that_is_stored_again_changes_nothing_and_is_named(
    store: Store, cup: EventId
) -> None:
    store.write(cup, "", [game(1), game(2)])
    before = list(store.finished_games(cup))
    with pytest.raises(GameStoredError, match="got again 1, 2") as refusal:
        store.write(cup, "4\tply\n", [game(3), game(2), game(1)])
    assert refusal.value.games == {1, 2}
    assert list(store.finished_games(cup)) == before
    assert store.running_lines(cup) == {}


def test_a_game_given_twice_at_once_is_the_callers_fault(store: Store, cup: EventId) -> None:
    with pytest.raises(ValueError, match=r"expected each game once, got \[1, 1\]"):
        store.write(cup, "", [game(1), game(1)])


def test_a_segment_without_its_last_line_feed_is_the_callers_fault(
    store: Store, cup: EventId
) -> None:
    with pytest.raises(ValueError, match="expected a line feed at the end, got '1\\\\tply'"):
        store.write(cup, "1\tply", [])


def test_a_journal_that_is_no_journal_is_named(store: Store, cup: EventId) -> None:
    store.write(cup, "ply\n", [])
    with pytest.raises(StoreError, match="expected GAME<TAB>text in the journal, got 'ply'"):
        store.running_lines(cup)


def test_a_finished_game_cannot_be_edited(store: Store, cup: EventId) -> None:
    store.write(cup, "", [game(1)])
    with (
        pytest.raises(StoreError, match="a finished game is never edited"),
        store._database.transaction() as connection,
    ):
        connection.execute("UPDATE game SET record = 'another'")
    assert store.check_chain(cup) == []


def test_the_last_secret_of_a_bot_is_kept(path: Path) -> None:
    with Store.open(path) as store:
        cup = store.add_event("cup", SOURCE)
        store.set_secret(cup, "zoe", "aa")
        store.set_secret(cup, "max", "bb")
        store.set_secret(cup, "zoe", "cc")
    with Store.open(path) as store:
        assert store.secrets(cup) == {"max": "bb", "zoe": "cc"}


def test_amendments_come_back_in_order_with_their_places(store: Store, cup: EventId) -> None:
    store.amend(cup, "late", "zoe")
    store.write(cup, "", [game(1), game(2)])
    store.amend(cup, "withdrawn", "max\nhas gone home")
    assert [(a.kind, a.text, a.place) for a in store.amendments(cup)] == [
        ("late", "zoe", 1),
        ("withdrawn", "max\nhas gone home", 4),
    ]


def test_an_amendment_of_a_kind_of_two_lines_is_refused(store: Store, cup: EventId) -> None:
    with pytest.raises(ValueError, match="expected a kind of one line, got 'a\\\\nb'"):
        store.amend(cup, "a\nb", "")


def test_a_commit_is_forced_to_the_disk(store: Store) -> None:
    # No test can cut the power; this is what makes SQLite call fsync with each commit.
    with store._database.transaction() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_closed_store_is_one_file(path: Path) -> None:
    with Store.open(path) as store:
        cup = store.add_event("cup", SOURCE)
        store.write(cup, "1\tply\n", [game(2)])
        assert numbers(store, cup) == [2]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_closed_store_says_so(path: Path) -> None:
    store = Store.open(path)
    cup = store.add_event("cup", SOURCE)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.write(cup, "", [game(1)])
    with pytest.raises(StoreError, match="closed"):
        store.events()


def test_a_store_that_is_only_read_refuses_to_be_written(store: Store, cup: EventId) -> None:
    with Store.read(store.path) as reader, pytest.raises(StoreError, match="got one to read"):
        reader.write(cup, "", [game(1)])


def test_reading_a_store_that_is_not_there_makes_none(path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open"):
        Store.read(path)
    assert not path.exists()


def test_a_reader_sees_what_is_written_while_it_reads(store: Store, cup: EventId) -> None:
    with Store.read(store.path) as reader:
        assert numbers(reader, cup) == []
        store.write(cup, "3\tply\n", [game(1)])
        assert numbers(reader, cup) == [1]
        assert reader.running_lines(cup) == {3: ["ply"]}
        assert reader.head(cup) == store.head(cup)


def test_a_reader_in_the_middle_of_the_games_holds_nothing_up(path: Path) -> None:
    store = Store.open(path)
    cup = store.add_event("cup", SOURCE)
    store.write(cup, "", [game(number) for number in range(1, 101)])
    with Store.read(path) as reader:
        games = reader.finished_games(cup)
        assert next(games).game == 1
        store.write(cup, "", [game(101)])
        store.close()
        # All of the log has been taken over into the file: nobody held an older state.
        assert path.with_name(f"{path.name}-wal").stat().st_size == 0
        assert [game.game for game in games] == list(range(2, 102))


def test_reading_does_not_wait_for_a_write_that_is_under_way(store: Store, cup: EventId) -> None:
    store.write(cup, "", [game(1)])
    with store._database.transaction() as connection:
        connection.execute("DELETE FROM game")
        answers: list[list[int]] = []
        thread = threading.Thread(target=lambda: answers.append(numbers(store, cup)))
        thread.start()
        thread.join(10)
        assert answers == [[1]]
        connection.execute("ROLLBACK")
        connection.execute("BEGIN")


def test_many_threads_may_write_to_one_store(store: Store, cup: EventId) -> None:
    def play(first: int) -> None:
        for number in range(first, 40, 4):
            store.write(cup, f"{100 + first}\tply {number}\n", [game(number)])

    threads = [threading.Thread(target=play, args=(first,)) for first in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers(store, cup)) == list(range(1, 40))
    assert store.check_chain(cup) == []


def test_a_store_that_another_program_writes_to_for_too_long_can_be_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.01)
    with Store.open(path) as store, Store.open(path) as other:
        cup = store.add_event("cup", SOURCE)
        with (
            other._database.transaction(),
            pytest.raises(StoreBusyError, match="another program holds the store"),
        ):
            store.write(cup, "", [game(1)])
        store.write(cup, "", [game(1)])
        assert numbers(store, cup) == [1]


# The administrator may write anywhere, so once all is loaded somebody else does the reading.
READING = """
import os, sys
from pathlib import Path
from sternhalma_server.store import Store
if os.geteuid() == 0:
    os.setuid(65534)
with Store.read(Path(sys.argv[1])) as store:
    print(store.events()[0].name)
"""


def test_a_closed_store_in_a_folder_that_may_not_be_written_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "cup.sqlite"
        with Store.open(path) as store:
            store.add_event("cup", SOURCE)
        folder.chmod(0o555)
        said = subprocess.run(
            [sys.executable, "-c", READING, str(path)], check=False, capture_output=True, text=True
        )
        folder.chmod(0o755)
    assert (said.stdout, said.stderr) == ("cup\n", "")


def test_outcomes_come_without_records_where_they_were_stored(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        cup = store.add_event("cup", b"")
        store.write(cup, "", [FinishedGame(2, "record of 2\n", "", "short"), game(1)])
        store.amend(cup, "withdrawn", "max")
        store.write(cup, "", [FinishedGame(3, "record of 3\n", "", "shorter")])
        assert list(store.outcomes(cup)) == [
            StoredOutcome(2, 1, "short", None),
            StoredOutcome(1, 2, None, "record of 1\n"),
            StoredOutcome(3, 4, "shorter", None),
        ]


def test_an_event_gets_another_file_until_something_has_happened_in_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        cup = store.add_event("cup", b"one bot")
        store.set_source(cup, b"two bots")
        stored = store.event("cup")
        assert stored is not None
        assert stored.source == b"two bots"
        assert store.check_chain(cup) == []
        store.write(cup, "", [game(1)])
        with pytest.raises(StoreError, match="before its first game"):
            store.set_source(cup, b"three bots")


def test_a_league_registers_bots_whatever_the_case_of_their_names(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        assert store.league is None
        store.found_league("open")
        store.found_league("open")
        assert store.league == "open"
        store.set_bot(RegisteredBot("zoe", "aa", "2026-01-01"))
        store.set_bot(RegisteredBot("Ann", "bb", "2026-01-02"))
        store.set_bot(RegisteredBot("Zoe", None, "2026-01-03"))
        assert store.bots() == [
            RegisteredBot("Ann", "bb", "2026-01-02"),
            RegisteredBot("Zoe", None, "2026-01-03"),
        ]
        with pytest.raises(StoreError, match="expected the league 'shut', got the store of 'open'"):
            store.found_league("shut")


def test_the_store_of_an_event_is_not_made_a_leagues(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        store.add_event("cup", b"")
        with pytest.raises(StoreError, match="expected the store of a league, got an event's"):
            store.found_league("open")
