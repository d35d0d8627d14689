"""A disk without room: nothing is lost or half there, and it goes on once there is room."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from sternhalma_server.journal import Journal
from sternhalma_server.store import EventId, FinishedGame, Store, StoreFullError

BIG = "x" * 20_000


def game(number: int) -> FinishedGame:
    return FinishedGame(number, f"record of {number}\n{BIG}", "")


def numbers(store: Store, event: EventId) -> list[int]:
    return [game.game for game in store.finished_games(event)]


def limit(store: Store, pages: int) -> None:
    """Let the file of *store* grow to *pages* and no further."""
    assert store._database._writer is not None
    store._database._writer.execute(f"PRAGMA max_page_count = {pages}")


def fill(store: Store, event: EventId) -> int:
    """Store games until there is no room; the number of the first for which there was none."""
    for number in range(1, 1000):
        try:
            store.write(event, f"1000\tply {number}\n", [game(number)])
        except StoreFullError:
            return number
    raise AssertionError("the disk never became full")


@pytest.fixture(name="disk", scope="module")
def _disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a megabyte of room."""
    folder = tmp_path_factory.mktemp("disk")
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)],
            check=False,
            capture_output=True,
        ).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(name="small")
def _small(disk: Path) -> Iterator[Path]:
    """The small disk, with half of it taken by a file called `ballast`."""
    (disk / "ballast").write_bytes(bytes(500_000))
    yield disk
    for path in disk.iterdir():
        path.unlink()


def test_a_call_that_found_no_room_left_nothing_and_can_be_made_again(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        cup = store.add_event("cup", b"")
        limit(store, 60)
        refused = fill(store, cup)
        before = (store.head(cup), store.running_lines(cup))
        with pytest.raises(StoreFullError, match="expected room on the disk"):
            store.write(cup, f"1000\tply {refused}\n", [game(refused)])
        assert numbers(store, cup) == list(range(1, refused))
        assert (store.head(cup), store.running_lines(cup)) == before
        limit(store, 600)
        store.write(cup, f"1000\tply {refused}\n", [game(refused)])
        assert numbers(store, cup) == list(range(1, refused + 1))
        assert store.running_lines(cup) == {1000: [f"ply {n}" for n in range(1, refused + 1)]}
        assert store.check_chain(cup) == []


def test_what_needs_no_room_is_still_written_when_games_find_none(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        cup = store.add_event("cup", b"")
        limit(store, 60)
        fill(store, cup)
        store.set_state(cup, "paused")
        assert [event.state for event in store.events()] == ["paused"]


def test_a_disk_that_is_full_and_then_is_not_costs_no_game(small: Path) -> None:
    with Store.open(small / "s") as store:
        cup = store.add_event("cup", b"")
        refused = fill(store, cup)
        assert refused > 1
        with pytest.raises(StoreFullError):
            store.write(cup, f"1000\tply {refused}\n", [game(refused)])
        assert numbers(store, cup) == list(range(1, refused))
        assert store.check_chain(cup) == []
        (small / "ballast").unlink()
        store.write(cup, f"1000\tply {refused}\n", [game(refused)])
        assert numbers(store, cup) == list(range(1, refused + 1))
        assert store.check_chain(cup) == []


def test_a_full_disk_and_a_crash_on_top_cost_no_game_that_was_confirmed(
    small: Path, tmp_path: Path
) -> None:
    with Store.open(small / "s") as store:
        cup = store.add_event("cup", b"")
        refused = fill(store, cup)
        for name in ("s", "s-wal"):
            shutil.copy(small / name, tmp_path / name)
    with Store.open(tmp_path / "s") as store:
        assert numbers(store, cup) == list(range(1, refused))
        assert store.check_chain(cup) == []


def test_a_store_closed_on_a_full_disk_opens_again(small: Path) -> None:
    with Store.open(small / "s") as store:
        cup = store.add_event("cup", b"")
        refused = fill(store, cup)
    with Store.open(small / "s") as store:
        assert numbers(store, cup) == list(range(1, refused))


def test_a_store_cannot_be_made_on_a_disk_without_room(small: Path) -> None:
    with suppress(OSError), (small / "more").open("wb", buffering=0) as more:
        while True:
            more.write(bytes(4096))
    with pytest.raises(StoreFullError):
        Store.open(small / "s")


async def test_an_event_waits_for_room_and_goes_on_without_loss(
    small: Path, autojump_clock: MockClock
) -> None:
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        if len(told) == 1:
            (small / "ballast").unlink()

    with Store.open(small / "s") as store:
        cup = store.add_event("cup", b"")
        journal = Journal(store, cup, tell)
        confirmed: list[int] = []

        async def play(number: int) -> None:
            journal.post(number, "ply 1")
            journal.post(1000, f"ply {number}")
            await journal.finish(game(number))
            confirmed.append(number)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(journal.run)
            for number in range(1, 21):
                await play(number)
            nursery.cancel_scope.cancel()
        await journal.close()
        assert len(told) == 2
        assert "expected room on the disk" in told[0]
        assert numbers(store, cup) == confirmed == list(range(1, 21))
        assert store.running_lines(cup) == {1000: [f"ply {n}" for n in range(1, 21)]}
