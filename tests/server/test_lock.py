"""One server for one store, and the lock goes with its holder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sternhalma_server.lock import LockedError, StoreLock

HOLDER = """
import sys
from pathlib import Path
from sternhalma_server.lock import StoreLock
with StoreLock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock of the store *path* until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def test_a_second_server_is_refused_and_told_who_has_the_store(tmp_path: Path) -> None:
    with holder(tmp_path / "s") as process:
        with pytest.raises(LockedError, match=f"process {process.pid} does") as refusal:
            StoreLock(tmp_path / "s").acquire()
        assert refusal.value.pid == process.pid
        process.communicate()
    with StoreLock(tmp_path / "s"):
        pass


def test_a_second_lock_of_the_same_process_is_refused(tmp_path: Path) -> None:
    with StoreLock(tmp_path / "s"), pytest.raises(LockedError) as refusal:
        StoreLock(tmp_path / "s").acquire()
    assert refusal.value.pid == os.getpid()


def test_the_lock_of_a_killed_server_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "s") as process:
        process.kill()
        process.communicate()
    with StoreLock(tmp_path / "s") as lock:
        assert lock.path.read_text(encoding="ascii") == str(os.getpid())


def test_a_lock_that_was_given_back_can_be_taken_again(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path / "s")
    for _ in range(3):
        with lock:
            pass
    assert lock.path.read_text(encoding="ascii") == ""


def test_a_refused_lock_takes_nothing_from_its_holder(tmp_path: Path) -> None:
    with StoreLock(tmp_path / "s") as held:
        other = StoreLock(tmp_path / "s")
        with pytest.raises(LockedError):
            other.acquire()
        other.release()
        with pytest.raises(LockedError) as refusal:
            StoreLock(tmp_path / "s").acquire()
        assert refusal.value.pid == os.getpid()
        assert held.path.exists()


def test_a_link_to_a_store_is_that_store(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "s")
    with StoreLock(tmp_path / "s"), pytest.raises(LockedError):
        StoreLock(tmp_path / "link").acquire()


def test_two_stores_of_one_folder_have_two_locks(tmp_path: Path) -> None:
    with StoreLock(tmp_path / "a"), StoreLock(tmp_path / "b"):
        pass


def test_a_program_that_outlives_the_server_does_not_keep_the_lock(tmp_path: Path) -> None:
    with StoreLock(tmp_path / "s"):
        program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with program, StoreLock(tmp_path / "s"):
        program.communicate(b"\n")


def test_a_holder_that_has_not_said_who_it_is_is_another_process(tmp_path: Path) -> None:
    with StoreLock(tmp_path / "s") as lock:
        lock.path.write_text("", encoding="ascii")
        with pytest.raises(LockedError, match="another process does") as refusal:
            StoreLock(tmp_path / "s").acquire()
    assert refusal.value.pid is None
