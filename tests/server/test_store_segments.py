"""The lines of running games: kept while they are needed, however they are swept, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sternhalma_server.store import EventId, FinishedGame, Store, segments

# What happens in a write: lines of running games, or the end of a game.
lines = st.tuples(st.integers(1, 6), st.sampled_from(["a", "b" * 30, "\u2028\x85\r", "\t", ""]))
writes = st.lists(
    st.tuples(st.lists(lines, max_size=8), st.one_of(st.none(), st.integers(1, 6))), max_size=12
)


@pytest.fixture(name="store", scope="module")
def _store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("segments") / "s") as store:
        hurried(store)
        yield store


@pytest.fixture(name="small", scope="module")
def _small() -> Iterator[None]:
    """Sweeps that start early and take little at once, so that few lines make many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SWEPT_FROM", 60)
        patch.setattr(segments, "SWEPT_AT_ONCE", 25)
        yield


def hurried(store: Store) -> None:
    """Let *store* not wait for the disk: nothing here is about that, and it is most of the time."""
    assert store._database._writer is not None
    store._database._writer.execute("PRAGMA synchronous = OFF")


def another(store: Store) -> EventId:
    return store.add_event(f"event {len(store.events())}", b"")


def size(store: Store, event: EventId) -> int:
    rows = store._database.rows("SELECT total(length(lines)) FROM journal WHERE event = ?", event)
    return int(rows[0][0])


def ended(number: int) -> list[FinishedGame]:
    return [FinishedGame(number, f"record of {number}\n", "")]


@settings(max_examples=60, deadline=None)
@given(writes)
def test_sweeping_takes_no_line_that_is_needed_and_changes_no_order(
    store: Store, small: None, happened: list[tuple[list[tuple[int, str]], int | None]]
) -> None:
    event = another(store)
    right: dict[int, list[str]] = {}
    over: set[int] = set()
    for said, end in happened:
        running = [(number, text) for number, text in said if number not in over]
        for number, text in running:
            right.setdefault(number, []).append(text)
        finished = [] if end is None or end in over else ended(end)
        store.write(event, "".join(f"{number}\t{text}\n" for number, text in running), finished)
        if end is not None:
            over.add(end)
            right.pop(end, None)
        assert store.running_lines(event) == right
    store.set_state(event, "closed")
    assert store.running_lines(event) == right
    living = [f"{number}\t{text}\n" for number, texts in right.items() for text in texts]
    assert size(store, event) == len("".join(living))


def test_one_slow_game_does_not_keep_the_lines_of_all_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "SWEPT_FROM", 2000)
    monkeypatch.setattr(segments, "SWEPT_AT_ONCE", 500)
    event = another(store)
    store.write(event, "1\tthe slow game begins\n", [])
    largest = 0
    for number in range(2, 200):
        store.write(event, f"{number}\t{'ply' * 20}\n", [])
        store.write(event, f"{number}\t{'ply' * 20}\n", ended(number))
        largest = max(largest, size(store, event))
    assert largest < 2 * 2000
    assert store.running_lines(event) == {1: ["the slow game begins"]}


def test_lines_that_are_all_needed_are_not_swept_again_and_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "SWEPT_FROM", 1000)
    monkeypatch.setattr(segments, "SWEPT_AT_ONCE", 500)
    swept = 0
    next_piece = segments.Segments._next_piece

    def counted(*given: object) -> object:
        nonlocal swept
        piece = next_piece(*given)  # type: ignore[arg-type]
        swept += piece[1]
        return piece

    monkeypatch.setattr(segments.Segments, "_next_piece", counted)
    event, written = another(store), 0
    for ply in range(400):
        line = f"1\tply {ply:040}\n"
        store.write(event, line, [])
        written += len(line)
    # A sweep with each doubling comes to twice the whole, and one may be under way.
    assert 0 < swept < 3 * written


def test_a_store_that_is_opened_again_still_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "SWEPT_FROM", 100)
    with Store.open(tmp_path / "s") as store:
        event = store.add_event("cup", b"")
        store.write(event, "1\tply\n", [])
    for number in range(2, 60):
        with Store.open(tmp_path / "s") as store:
            hurried(store)
            store.write(event, f"{number}\t{'ply' * 9}\n", ended(number))
    with Store.open(tmp_path / "s") as store:
        assert store.running_lines(event) == {1: ["ply"]}
        assert size(store, event) < 2 * 100


def test_sweeping_one_event_leaves_the_others_alone(store: Store) -> None:
    one, other = another(store), another(store)
    for ply in range(3):
        store.write(other, f"1\tply {ply} of the other\n", [])
        store.write(one, f"1\tply {ply} of one\n", [])
    before = store.running_lines(other)
    store.write(one, "", ended(1))
    store.set_state(one, "closed")
    assert size(store, one) == 0
    assert store.running_lines(other) == before
    assert len(before[1]) == 3
