"""Ends that nobody chose: kill -9 at any moment, and a log that a power cut has shortened."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from server import store_writer
from server.store_writer import PLIES, record
from sternhalma_server.store import EventId, FinishedGame, Store

KILLS = 30
CUP = EventId(1)


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "cup.sqlite"
    with Store.open(path) as store:
        store.add_event("cup", b"")
    return path


class Server:
    """The program that plays into a store; `kill` ends its player after so many lines."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, store_writer.__file__, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def play_until(self, lines: int) -> list[str]:
        """Start a player and kill it behind *lines* lines; all that it said."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        pid = int(self._line().removeprefix("pid "))
        said = [self._line() for _ in range(lines)]
        os.kill(pid, signal.SIGKILL)
        while (line := self._line()) != "ended":
            said.append(line)
        return said

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the program has ended by itself"
        return line.rstrip("\n")

    def close(self) -> None:
        """End the program, which is between two players."""
        self._process.communicate()


def test_after_any_kill_what_was_confirmed_is_there_once_and_games_go_on(path: Path) -> None:
    random = Random(9)
    confirmed: list[int] = []
    with closing(Server(path)) as server:
        for _ in range(KILLS):
            said = server.play_until(random.randint(0, 40))
            confirmed += [int(line.split()[1]) for line in said if line.startswith("done ")]
            with Store.read(path) as store:
                check(store, confirmed)
    assert len(confirmed) > KILLS


def check(store: Store, confirmed: list[int]) -> None:
    games = list(store.finished_games(CUP))
    numbers = [game.game for game in games]
    assert len(numbers) == len(set(numbers))
    assert set(confirmed) <= set(numbers)
    # A record is put together from the lines that were read back: none was lost, none came twice.
    whole = record([f"ply {ply}" for ply in range(1, PLIES + 1)])
    assert [game.record for game in games] == [whole] * len(games)
    for lines in store.running_lines(CUP).values():
        assert lines == [f"ply {ply}" for ply in range(1, len(lines) + 1)]
        assert len(lines) <= PLIES
    assert store.check_chain(CUP) == []


@pytest.fixture(name="crashed", scope="module")
def _crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and its log as a crash leaves them: 40 writes, none taken over."""
    folder = tmp_path_factory.mktemp("crashed")
    path = folder / "live" / "cup.sqlite"
    path.parent.mkdir()
    with Store.open(path) as store:
        store.add_event("cup", b"")
    left = folder / "left"
    left.mkdir()
    with Store.open(path) as store:
        for number in range(1, 41):
            lines = f"{number}\tply 1\n{100}\tply {number}\n"
            store.write(CUP, lines, [FinishedGame(number, f"record of {number}\n", "x" * 3000)])
        for name in ("cup.sqlite", "cup.sqlite-wal"):
            shutil.copy(path.with_name(name), left / name)
    return left


def goes_on(path: Path) -> list[int]:
    """The games of a store, which is checked and written to."""
    with Store.open(path) as store:
        numbers = [game.game for game in store.finished_games(CUP)]
        lines = store.running_lines(CUP)
        assert lines == ({100: [f"ply {number}" for number in numbers]} if numbers else {})
        assert store.check_chain(CUP) == []
        store.write(CUP, "100\tmore\n", [FinishedGame(99, "record of 99\n", "")])
        assert store.check_chain(CUP) == []
    with Store.read(path) as store:
        assert store.finished_numbers(CUP) == {*numbers, 99}
    return numbers


@pytest.mark.parametrize("thousandths", [0, 1, 10, 100, 333, 500, 777, 900, 990, 999, 1000])
def test_a_log_cut_short_leaves_the_first_writes(
    crashed: Path, tmp_path: Path, thousandths: int
) -> None:
    path = tmp_path / "cup.sqlite"
    shutil.copytree(crashed, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "cup.sqlite-wal"
    os.truncate(log, log.stat().st_size * thousandths // 1000)
    numbers = goes_on(path)
    assert numbers == list(range(1, len(numbers) + 1))
    assert (len(numbers) == 40) == (thousandths == 1000)


@pytest.mark.parametrize("seed", range(8))
def test_a_log_with_a_damaged_page_leaves_the_writes_before_it(
    crashed: Path, tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "cup.sqlite"
    shutil.copytree(crashed, tmp_path, dirs_exist_ok=True)
    log = tmp_path / "cup.sqlite-wal"
    random = Random(seed)
    data = bytearray(log.read_bytes())
    where = random.randrange(len(data) - 512)
    data[where : where + 512] = random.randbytes(512)
    log.write_bytes(data)
    numbers = goes_on(path)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) < 40


def test_a_log_that_is_gone_leaves_the_store_as_it_was_taken_over(
    crashed: Path, tmp_path: Path
) -> None:
    shutil.copy(crashed / "cup.sqlite", tmp_path)
    assert goes_on(tmp_path / "cup.sqlite") == []


def test_a_reader_may_be_the_first_to_open_what_a_crash_has_left(
    crashed: Path, tmp_path: Path
) -> None:
    shutil.copytree(crashed, tmp_path, dirs_exist_ok=True)
    with Store.read(tmp_path / "cup.sqlite") as store:
        assert store.finished_numbers(CUP) == set(range(1, 41))
