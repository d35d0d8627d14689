"""Keeping an event: what goes into the journal and the store, and what is derived when."""

from __future__ import annotations

import errno
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from server.conducted import Conduct, table
from server.kept import CUP, games_of
from sternhalma import Seat
from sternhalma_server import keeping
from sternhalma_server.archive import STORE, SUMS, create_archive, record_name
from sternhalma_server.audit import audit
from sternhalma_server.clock import SECOND
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Ply
from sternhalma_server.journal import Journal
from sternhalma_server.keeping import Begun, StoreKeeper, begin_line
from sternhalma_server.record import Record, format_record
from sternhalma_server.referee import Finished
from sternhalma_server.results import RESULTS, Results
from sternhalma_server.settings import settings_of
from sternhalma_server.store import EventId, FinishedGame, Store
from sternhalma_tournament.amendments import Annulment
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import BYE, GameResult

SETTINGS = settings_of(CUP, "event.toml")
PAIRING = schedule_of(SETTINGS.event).pairing(1)
LETTERS = ["A", "D"]
EVENT = EventId(1)


class Folder:
    """A results folder with its keeper at work; `told` are the sentences for the host."""

    def __init__(self, root: Path) -> None:
        create_archive(root, CUP)
        self.root = root
        self.told: list[str] = []
        self.store = Store.open(root / STORE)
        self.store.add_event("cup", CUP)
        self.journal = Journal(self.store, EVENT, self.told.append)
        self.results = Results(SETTINGS.event)
        self.keeper = StoreKeeper(root, self.results, self.journal, self.told.append)

    def stored(self) -> list[int]:
        return sorted(self.store.finished_numbers(EVENT))

    def listed(self) -> int:
        """How many games are in the digests' list of results, which is written last."""
        if not (self.root / SUMS).exists():
            return 0
        return len((self.root / RESULTS).read_text().splitlines()) - 1


@asynccontextmanager
async def working(root: Path) -> AsyncGenerator[Folder]:
    """A folder whose journal and keeper run meanwhile."""
    folder = Folder(root)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(folder.journal.run)
        nursery.start_soon(folder.keeper.run)
        yield folder
        nursery.cancel_scope.cancel()
    await folder.journal.close()
    await folder.keeper.write()
    folder.store.close()


async def until(happened: Callable[[], bool]) -> None:
    """Return when what a thread does has *happened*: trio's clocks know nothing of threads."""
    with trio.fail_after(10):
        while not happened():
            await trio.sleep(0.002)


def finished(number: int) -> Finished:
    """A game that was played to its end."""
    game = Conduct(table(game=number, bots=("max", "Ida"), clock="2s"), number)
    game.play()
    assert game.referee.finished is not None
    return game.referee.finished


# What a server reads that goes on.


def test_a_game_is_read_back_from_its_lines() -> None:
    begun = Begun(
        [
            begin_line(["1.0", None], PAIRING),
            "1 A d5-e5 opening",
            "< D 1764451826.000000 ping hello",
            "draw agreed ply=2",
        ]
    )
    assert begun.versions == ("1.0", None)
    assert begun.pairing == PAIRING
    assert begun.said == ["D 1764451826.000000 ping hello"]
    assert begun.happened(LETTERS) == [Ply(1, Seat(0), "d5-e5", "opening"), Agreed(2)]


def test_a_game_that_was_begun_anew_is_read_from_there() -> None:
    other = Pairing(1, ("zoe", "Ida"), 1, 1, "Ida+zoe:1")
    lines = [begin_line([None, None], PAIRING), "1 A d5-e5 opening", "< D 1.000000 ping hello"]
    begun = Begun([*lines, begin_line(["2", "3"], other)])
    assert (begun.versions, begun.pairing, begun.said) == (("2", "3"), other, [])
    assert begun.happened(LETTERS) == []


def test_a_bot_may_say_what_looks_like_a_line_of_the_journal() -> None:
    begun = Begun([begin_line(["1", "2"], PAIRING), "< A 1.000000 begin 3,4 {}"])
    assert begun.versions == ("1", "2")
    assert begun.said == ["A 1.000000 begin 3,4 {}"]


# The ledger of a game.


async def test_a_game_goes_into_the_journal_line_by_line(tmp_path: Path) -> None:
    async with working(tmp_path) as folder:
        ledger = folder.keeper.open(table(), LETTERS)
        ledger.begin(["1.0", None], PAIRING)
        ledger.log(Ply(1, Seat(0), "d5-e5", "opening"))
        stamp = 1764451826 * SECOND + 5_000 - folder.keeper.epoch
        ledger.heard(1, Line("p\u00efng\t", stamp, early=True))
    with Store.read(tmp_path / STORE) as store:
        assert store.running_lines(EVENT) == {
            1: [
                begin_line(["1.0", None], PAIRING),
                "1 A d5-e5 opening",
                "< D 1764451826.000005 p\\xefng\\t",
            ]
        }


async def test_a_finished_game_is_stored_with_what_its_seats_said_before_a_stop_too(
    tmp_path: Path,
) -> None:
    async with working(tmp_path) as folder:
        over = finished(1)
        ledger = folder.keeper.open(over.table, LETTERS)
        ledger.go_on(Begun([begin_line([None, None], PAIRING), "< A 1.000000 before"]))
        ledger.heard(1, Line("after", -folder.keeper.epoch, early=True))
        await ledger.keep(over)
        stored = folder.store.game(EVENT, 1)
        assert stored is not None
        assert stored.said == "A 1.000000 before\nD 0.000000 after\n"
        assert folder.store.running_lines(EVENT) == {}


# The keeper of the event.


async def test_a_game_is_stored_before_anything_is_derived_from_it(tmp_path: Path) -> None:
    async with working(tmp_path) as folder:
        await folder.keeper.keep(finished(1), "")
        assert folder.stored() == [1]
        assert folder.keeper.played == 1
        await until(lambda: folder.listed() == 1)
        assert (tmp_path / record_name(1)).exists()


async def test_tables_are_written_no_more_often_than_once_in_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "TABLES_EVERY", 1000.0)
    async with working(tmp_path) as folder:
        await folder.keeper.keep(finished(1), "")
        await until(lambda: folder.listed() == 1)
        await folder.keeper.keep(finished(2), "")
        await wait_all_tasks_blocked(0.05)
        assert folder.listed() == 1
    assert folder.listed() == 2


async def test_tables_are_written_again_when_there_is_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "TABLES_EVERY", 0.01)
    async with working(tmp_path) as folder:
        await folder.keeper.keep(finished(1), "")
        await until(lambda: folder.listed() == 1)
        await folder.keeper.keep(finished(2), "")
        await until(lambda: folder.listed() == 2)


async def test_a_game_that_is_stored_already_keeps_its_first_result(tmp_path: Path) -> None:
    async with working(tmp_path) as folder:
        await folder.keeper.keep(finished(1), "first")
        await folder.keeper.keep(finished(1), "second")
        stored = folder.store.game(EVENT, 1)
        assert stored is not None
        assert stored.said == "first"
        assert folder.keeper.played == 1


async def test_a_game_that_ends_as_the_server_does_is_in_the_tables_too(tmp_path: Path) -> None:
    async with working(tmp_path) as folder, trio.open_nursery() as nursery:
        nursery.start_soon(folder.keeper.keep, finished(1), "")
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    with Store.read(tmp_path / STORE) as store:
        assert store.finished_numbers(EVENT) == {1}
    assert folder.listed() == 1


async def test_a_record_that_has_its_file_is_not_written_again(tmp_path: Path) -> None:
    (first, *_) = games_of(CUP)
    folder = Folder(tmp_path)
    (tmp_path / record_name(1)).write_text("as it was")
    folder.keeper.show(first)
    await folder.keeper.write()
    assert (tmp_path / record_name(1)).read_text() == "as it was"
    folder.store.close()


async def test_a_disk_without_room_for_tables_is_told_once_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_root: Path, record: Record) -> None:
        tries.append(record.game)
        raise OSError(errno.ENOSPC, "No space left on device")

    tries: list[int] = []
    monkeypatch.setattr(keeping, "TABLES_EVERY", 0.01)
    async with working(tmp_path) as folder:
        with monkeypatch.context() as patched:
            patched.setattr(keeping, "write_record", full)
            await folder.keeper.keep(finished(1), "")
            await folder.keeper.keep(finished(2), "")
            await until(lambda: len(tries) > 3)
        assert folder.stored() == [1, 2]
        (said,) = folder.told
        assert "No space left on device" in said
        await until(lambda: folder.listed() == 2)
        assert (tmp_path / record_name(2)).exists()


async def test_byes_and_rulings_are_stored_in_their_order_and_counted(tmp_path: Path) -> None:
    bye = GameResult(2, ("zoe",), (1,), (None,), BYE, 0)
    async with working(tmp_path) as folder:
        await folder.keeper.keep(finished(1), "")
        await folder.keeper.keep_bye(bye)
        await folder.keeper.keep_ruling(Annulment(reason="a bug", number=1))
        kinds = [amendment.kind for amendment in folder.store.amendments(EVENT)]
        assert kinds == [BYE, "ruling"]
    assert "a bug" in (tmp_path / "standings.md").read_text()
    assert list(folder.results)[1] == bye


async def test_what_a_keeper_leaves_behind_is_verified(tmp_path: Path) -> None:
    async with working(tmp_path) as folder:
        for record in games_of(CUP)[:3]:
            await folder.journal.finish(FinishedGame(record.game, format_record(record), ""))
            folder.keeper.show(record)
    with Store.open(tmp_path / STORE) as store:
        store.set_state(EVENT, "paused")
    assert audit(tmp_path).problems == []
