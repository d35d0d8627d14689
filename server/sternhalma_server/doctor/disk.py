"""What the disk of the results is worth: a finished game waits for it before anybody is told."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sternhalma_server.clock import MILLISECOND
from sternhalma_server.doctor.finding import Finding, bad, good, note

MOUNTS: Final = Path("/proc/self/mountinfo")
# SQLite's write-ahead log is shared memory, which several machines do not share.
ELSEWHERE: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs", "ceph", "lustre", "glusterfs"}
)
FLEETING: Final = frozenset({"tmpfs", "ramfs", "overlay"})
SYNCS: Final = 15
PAGE: Final = 4096  # bytes
SLOW: Final = 50 * MILLISECOND
ROOM: Final = 1 << 30  # bytes: some hundred thousand games


def examine(root: Path, mounts: Path = MOUNTS) -> Iterator[Finding]:
    """Find out what the disk is worth on which the folder *root* lies, or is going to."""
    folder = nearest(root)
    if not os.access(folder, os.W_OK | os.X_OK):
        yield bad("results", f"{folder} cannot be written to", "a folder of this user's: --out")
        return
    yield file_system(folder, mounts)
    yield room(folder, shutil.disk_usage(folder).free)
    yield sync_time(folder, sync_times(folder))


def nearest(root: Path) -> Path:
    """*root*, or the folder in which it would be made."""
    folder = root.absolute()
    while not folder.is_dir():
        folder = folder.parent
    return folder


def file_system(folder: Path, mounts: Path) -> Finding:
    """Whether a store may lie where *folder* is; *mounts* is the kernel's list."""
    kind = kind_of(folder, mounts)
    found = f"{folder} is on {kind}"
    if kind in ELSEWHERE:
        return bad("file system", found, "a disk of this machine: SQLite's log needs one")
    if kind in FLEETING:
        advice = "a disk, or a volume, if results are to outlive the machine or the container"
        return note("file system", found, advice)
    return good("file system", found)


def kind_of(folder: Path, mounts: Path) -> str:
    """The type of the file system that *folder* is on."""
    try:
        lines = mounts.read_text(encoding="utf-8").splitlines()
    except OSError:
        return "a file system that is not told here"
    best, kind = -1, "an unknown file system"
    for line in lines:
        before, _, after = line.partition(" - ")
        point = Path(before.split()[4].replace("\\040", " "))
        if (point == folder or point in folder.parents) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split()[0]
    return kind


def room(folder: Path, free: int) -> Finding:
    """Whether *free* bytes are enough for a while."""
    found = f"{free / (1 << 30):.1f} GiB free at {folder}"
    if free < ROOM:
        return bad("room on disk", found, "some GiB: where the disk is full, no game begins")
    return good("room on disk", found)


def sync_times(folder: Path) -> list[int]:
    """How long the disk took to keep a page for sure, again and again, in nanoseconds."""
    times: list[int] = []
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as probe:
        for _ in range(SYNCS):
            os.write(probe.fileno(), bytes(PAGE))
            begun = time.perf_counter_ns()
            os.fsync(probe.fileno())
            times.append(time.perf_counter_ns() - begun)
    return times


def sync_time(folder: Path, times: list[int]) -> Finding:
    """Whether a disk with those *times* keeps up with games that end."""
    median = statistics.median(times)
    found = (
        f"{folder} keeps a page in {median / MILLISECOND:.1f} ms,"
        f" at most {max(times) / MILLISECOND:.1f} ms"
    )
    if median > SLOW:
        return bad("disk", found, "a quicker disk: every end of a game waits so long")
    return good("disk", found)
