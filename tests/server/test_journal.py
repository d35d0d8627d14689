"""The journal: the referee waits for nothing, a result is safe once it is confirmed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from sternhalma_server.journal import LINES_EVERY, RETRY_EVERY, Journal, StoreLostError
from sternhalma_server.store import (
    Decision,
    EventId,
    FinishedGame,
    GameStoredError,
    Store,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from sternhalma_server.store.database import Database


class Watched(Store):
    """A store that notes what is written and can be made to wait or to refuse."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.refusal: StoreError | None = None
        self.busy: threading.Semaphore | None = None
        self.tries: list[tuple[str, int]] = []  # what was to be written, each time

    def write(
        self, event: EventId, segment: str, results: Sequence[FinishedGame | Decision]
    ) -> None:
        """Write as it has been told."""
        if self.busy is not None:
            assert self.busy.acquire(timeout=10)
        self.tries.append((segment, len(results)))
        if self.refusal is not None:
            raise self.refusal
        super().write(event, segment, results)


class Desk:
    """A journal with its store and what it told."""

    def __init__(self, store: Watched) -> None:
        self.store = store
        self.cup = store.add_event("cup", b"")
        self.told: list[str] = []
        self.journal = Journal(store, self.cup, self.told.append)
        self.confirmed: list[int] = []

    async def finish(self, number: int) -> None:
        """Finish a game, and note that this was confirmed."""
        await self.journal.finish(game(number))
        self.confirmed.append(number)

    @property
    def numbers(self) -> list[int]:
        """The games that are stored."""
        return [game.game for game in self.store.finished_games(self.cup)]


def game(number: int) -> FinishedGame:
    return FinishedGame(number, f"record of {number}\n", f"said in {number}\n")


@pytest.fixture(name="desk")
def _desk(tmp_path: Path) -> Iterator[Desk]:
    with Watched.open(tmp_path / "s") as store:
        yield Desk(store)


@pytest.fixture(name="clock")
def _clock(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> MockClock:
    """A clock that jumps, with writing done in no time: it would jump while a thread writes."""

    async def run_sync(
        function: Callable[..., None], *given: object, limiter: trio.CapacityLimiter
    ) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        async with limiter:
            function(*given)

    monkeypatch.setattr(trio.to_thread, "run_sync", run_sync)
    return autojump_clock


async def test_a_game_is_stored_when_finish_returns(desk: Desk, nursery: trio.Nursery) -> None:
    nursery.start_soon(desk.journal.run)
    await desk.finish(1)
    stored = desk.store.game(desk.cup, 1)
    assert stored is not None
    assert (stored.record, stored.said) == ("record of 1\n", "said in 1\n")


async def test_a_decision_is_stored_behind_the_games_before_it(
    desk: Desk, nursery: trio.Nursery
) -> None:
    nursery.start_soon(desk.finish, 1)
    await wait_all_tasks_blocked()
    nursery.start_soon(desk.journal.amend, "withdrawn", "max")
    await wait_all_tasks_blocked()
    nursery.start_soon(desk.finish, 2)
    await wait_all_tasks_blocked()
    nursery.start_soon(desk.journal.run)
    await desk.journal.amend("note", "the end")
    assert [game.place for game in desk.store.finished_games(desk.cup)] == [1, 3]
    assert [(a.kind, a.text, a.place) for a in desk.store.amendments(desk.cup)] == [
        ("withdrawn", "max", 2),
        ("note", "the end", 4),
    ]
    assert len(desk.store.tries) == 1


async def test_a_decision_waits_for_room_on_the_disk(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    nursery.start_soon(desk.journal.run)
    desk.store.refusal = StoreFullError("no room")
    nursery.start_soon(desk.journal.amend, "note", "text")
    await trio.sleep(10)
    assert desk.store.amendments(desk.cup) == []
    desk.store.refusal = None
    await trio.sleep(2)
    assert len(desk.store.amendments(desk.cup)) == 1


async def test_lines_are_stored_without_being_asked_for(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    nursery.start_soon(desk.journal.run)
    desk.journal.post(1, "ply 1")
    desk.journal.post(2, "ply 1")
    desk.journal.post(1, "ply 2")
    await trio.sleep(LINES_EVERY)
    assert desk.store.running_lines(desk.cup) == {1: ["ply 1", "ply 2"], 2: ["ply 1"]}


async def test_a_line_of_two_lines_is_refused(desk: Desk) -> None:
    with pytest.raises(ValueError, match="expected one line, got 'a\\\\nb'"):
        desk.journal.post(1, "a\nb")


async def test_what_comes_during_a_write_goes_into_the_next_together(
    desk: Desk, nursery: trio.Nursery
) -> None:
    desk.store.busy = threading.Semaphore(0)
    nursery.start_soon(desk.journal.run)
    async with trio.open_nursery() as games:
        games.start_soon(desk.finish, 1)
        await wait_all_tasks_blocked()
        for number in range(2, 50):
            desk.journal.post(number, "ply 1")
            games.start_soon(desk.finish, number)
        await wait_all_tasks_blocked()
        desk.store.busy.release(2)
    assert len(desk.store.tries) == 2
    assert sorted(desk.numbers) == sorted(desk.confirmed) == list(range(1, 50))


async def test_lines_alone_are_written_every_20_ms_at_most(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    nursery.start_soon(desk.journal.run)
    for ply in range(100):
        desk.journal.post(1, f"ply {ply}")
        await trio.sleep(0.001)
    assert 4 <= len(desk.store.tries) <= 0.1 / LINES_EVERY + 2


async def test_a_finished_game_does_not_wait_for_the_next_lines(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    # The clock goes on only where somebody sleeps, and nobody does but the journal.
    nursery.start_soon(desk.journal.run)
    desk.journal.post(1, "ply 1")
    await wait_all_tasks_blocked()
    start = trio.current_time()
    for number in range(1, 20):
        desk.journal.post(100, f"ply {number}")
        await desk.finish(number)
    assert trio.current_time() - start < LINES_EVERY


async def test_nothing_is_written_while_nothing_comes(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    nursery.start_soon(desk.journal.run)
    await desk.finish(1)
    await trio.sleep(3600)
    assert len(desk.store.tries) == 1


async def test_a_game_that_is_stored_already_is_refused_alone(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    desk.store.write(desk.cup, "", [game(2)])
    for number in (1, 3):
        nursery.start_soon(desk.finish, number)
    desk.journal.post(4, "ply 1")
    refused: list[frozenset[int]] = []

    async def again() -> None:
        with pytest.raises(GameStoredError) as refusal:
            await desk.journal.finish(game(2))
        refused.append(refusal.value.games)

    nursery.start_soon(again)
    await wait_all_tasks_blocked()
    nursery.start_soon(desk.journal.run)
    await trio.sleep(1)
    assert refused == [{2}]
    assert sorted(desk.confirmed) == [1, 3]
    assert sorted(desk.numbers) == [1, 2, 3]
    assert desk.store.running_lines(desk.cup) == {4: ["ply 1"]}
    await desk.finish(5)


async def test_a_game_that_is_on_its_way_already_is_refused(
    desk: Desk, nursery: trio.Nursery
) -> None:
    desk.store.busy = threading.Semaphore(0)
    nursery.start_soon(desk.finish, 1)
    await wait_all_tasks_blocked()
    with pytest.raises(GameStoredError):
        await desk.journal.finish(game(1))
    nursery.start_soon(desk.journal.run)
    await wait_all_tasks_blocked()
    with pytest.raises(GameStoredError):
        await desk.journal.finish(game(1))
    desk.store.busy.release()
    nursery.start_soon(desk.finish, 2)
    desk.store.busy.release()


@pytest.mark.parametrize("refusal", [StoreFullError("no room"), StoreBusyError("held")])
async def test_a_disk_that_takes_nothing_is_tried_every_second_until_it_does(
    desk: Desk, nursery: trio.Nursery, clock: MockClock, refusal: StoreError
) -> None:
    nursery.start_soon(desk.journal.run)
    desk.store.refusal = refusal
    nursery.start_soon(desk.finish, 1)
    await trio.sleep(9.5 * RETRY_EVERY)
    assert desk.journal.stalled
    assert (len(desk.store.tries), desk.confirmed) == (10, [])
    desk.journal.post(2, "ply 1")
    nursery.start_soon(desk.finish, 3)
    desk.store.refusal = None
    await trio.sleep(2 * RETRY_EVERY)
    assert not desk.journal.stalled
    assert desk.confirmed == desk.numbers == [1, 3]
    assert desk.store.running_lines(desk.cup) == {2: ["ply 1"]}


async def test_the_host_is_told_once_that_the_disk_takes_nothing_and_once_that_it_does(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    nursery.start_soon(desk.journal.run)
    for times in (1, 2):
        desk.store.refusal = StoreFullError("no room")
        nursery.start_soon(desk.finish, times)
        await trio.sleep(100)
        assert len(desk.told) == 2 * times - 1
        assert desk.told[-1].startswith("no room; nothing is lost")
        desk.store.refusal = None
        await trio.sleep(100)
        assert len(desk.told) == 2 * times
        assert desk.told[-1].endswith("the store takes results again, nothing was lost")


async def test_stalled_has_changed_when_the_host_is_told(
    desk: Desk, nursery: trio.Nursery, clock: MockClock
) -> None:
    seen: list[bool] = []
    journal = Journal(desk.store, desk.cup, lambda _: seen.append(journal.stalled))
    nursery.start_soon(journal.run)
    desk.store.refusal = StoreFullError("no room")
    journal.post(1, "ply 1")
    await trio.sleep(5)
    desk.store.refusal = None
    await trio.sleep(5)
    assert seen == [True, False]


async def test_a_store_that_is_broken_ends_the_journal_and_fails_whoever_waits(desk: Desk) -> None:
    desk.store.refusal = StoreError("the store is damaged")
    failed: list[str] = []

    async def finish() -> None:
        with pytest.raises(StoreError, match="the store is damaged"):
            await desk.journal.finish(game(1))
        failed.append("waiting")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(finish)
        await wait_all_tasks_blocked()
        with pytest.raises(StoreError, match="the store is damaged"):
            await desk.journal.run()
    with pytest.raises(StoreError, match="the store is damaged"):
        await desk.journal.finish(game(2))
    assert failed == ["waiting"]


async def test_a_store_whose_file_is_gone_confirms_nothing_and_ends_the_journal(desk: Desk) -> None:
    lost: list[str] = []

    async def finish() -> None:
        with pytest.raises(StoreLostError) as failure:
            await desk.finish(1)
        lost.append(str(failure.value))

    desk.store.path.unlink()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(finish)
        with pytest.raises(StoreLostError, match="expected the store where it was opened"):
            await desk.journal.run()
    with pytest.raises(StoreLostError):
        await desk.journal.close()
    assert desk.confirmed == []
    expected = f"{desk.store.path}: expected the store where it was opened, it is gone"
    assert lost == [f"{expected}; nothing that is played can be kept"]


async def test_closing_writes_what_was_never_written(desk: Desk) -> None:
    desk.journal.post(1, "ply 1")
    with trio.CancelScope() as scope:
        scope.cancel()
        await desk.journal.finish(game(2))
    with trio.CancelScope() as scope:
        scope.cancel()
        await desk.journal.close()
    assert desk.numbers == [2]
    assert desk.store.running_lines(desk.cup) == {1: ["ply 1"]}


async def test_cancelling_in_the_middle_of_a_write_loses_and_doubles_nothing(desk: Desk) -> None:
    desk.store.busy = threading.Semaphore(0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.journal.run)
        desk.journal.post(1, "ply 1")
        nursery.start_soon(desk.finish, 2)
        await wait_all_tasks_blocked()
        desk.journal.post(1, "ply 2")
        nursery.start_soon(desk.finish, 3)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        desk.store.busy.release(2)
    await desk.journal.close()
    assert desk.numbers == [2, 3]
    assert desk.store.running_lines(desk.cup) == {1: ["ply 1", "ply 2"]}


async def test_cancelling_while_the_disk_takes_nothing_keeps_all_for_closing(
    desk: Desk, clock: MockClock
) -> None:
    desk.store.refusal = StoreFullError("no room")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.journal.run)
        nursery.start_soon(desk.finish, 1)
        desk.journal.post(2, "ply 1")
        await trio.sleep(3)
        desk.journal.post(2, "ply 2")
        nursery.cancel_scope.cancel()
    with pytest.raises(StoreFullError):
        await desk.journal.close()
    desk.store.refusal = None
    await desk.journal.close()
    assert desk.numbers == [1]
    assert desk.store.running_lines(desk.cup) == {2: ["ply 1", "ply 2"]}


async def test_closing_beside_a_write_waits_for_it_and_doubles_nothing(
    desk: Desk, nursery: trio.Nursery
) -> None:
    desk.store.busy = threading.Semaphore(0)
    nursery.start_soon(desk.journal.run)
    desk.journal.post(1, "ply 1")
    await wait_all_tasks_blocked()
    nursery.start_soon(desk.journal.close)
    await wait_all_tasks_blocked()
    desk.store.busy.release(5)
    await desk.journal.close()
    assert desk.store.running_lines(desk.cup) == {1: ["ply 1"]}
