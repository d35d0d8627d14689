"""The derived files of a results folder, held against what they should be.

They are written in one order, the digests last, at most once a second while games are played. So
while a server runs, and after one was killed, they may be of an earlier moment, or the first of
them newer than the last. That is told apart from a change by the digests: a file is either what it
should be now, or what the digests say it was.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

from sternhalma_server.archive import EVENT, GAMES, SUMS
from sternhalma_server.results import RESULTS, TABLES

_FILES: Final = (EVENT, RESULTS, *TABLES, SUMS)
_QUOTED: Final = 200  # characters of a line that are shown
_TRIES: Final = 10
_BETWEEN: Final = 0.05  # seconds until the next look at files that are being written


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files as they were read; None for one that is not there or cannot be read.

    `records` are the names in the folder of records.
    """

    files: Mapping[str, bytes | None]
    records: frozenset[str]

    @property
    def is_whole(self) -> bool:
        """Whether all files are of one moment, that of their digests."""
        return all(self.is_as_listed(name) for name in (EVENT, RESULTS, *TABLES))

    def is_as_listed(self, name: str) -> bool:
        """Whether the file is what the digests say; one of which they say nothing is not there."""
        data, listed = self.files[name], self._digests().get(name)
        return listed == (None if data is None else hashlib.sha256(data).hexdigest())

    def text(self, name: str) -> str | None:
        """The text of a file; bytes that are no text come out as no text would."""
        data = self.files[name]
        return None if data is None else data.decode("utf-8", "backslashreplace")

    def listed_games(self) -> set[int]:
        """The numbers of the games in the list of results."""
        rows = (self.text(RESULTS) or "").split("\n")
        numbers = [row.partition(",")[0] for row in rows]
        return {int(number) for number in numbers if number.isdecimal() and number.isascii()}

    def _digests(self) -> dict[str, str]:
        lines = (self.text(SUMS) or "").splitlines()
        return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def read_snapshot(root: Path) -> Snapshot:
    """The files of the folder *root* as they are now."""
    files: dict[str, bytes | None] = {}
    for name in _FILES:
        try:
            files[name] = (root / name).read_bytes()
        except OSError:
            files[name] = None
    records = frozenset(path.name for path in (root / GAMES).glob("*"))
    return Snapshot(files, records)


def read_moving_snapshot(root: Path) -> Snapshot:
    """The files of the folder *root*, of one moment if that can be had while a server writes."""
    snapshot = read_snapshot(root)
    for _ in range(_TRIES):
        if snapshot.is_whole:
            break
        time.sleep(_BETWEEN)
        snapshot = read_snapshot(root)
    return snapshot


def stale(snapshot: Snapshot, right: Mapping[str, str]) -> list[str]:
    """The files that a server has yet to write, *right* being what they should be, in order.

    They are the last ones, and each is what the digests of an earlier moment say. Empty where all
    is as it should be, and where something is neither.
    """
    names = list(right)
    first = next((at for at, name in enumerate(names) if snapshot.text(name) != right[name]), None)
    if first is None:
        return []
    behind = names[first:]
    if all(snapshot.is_as_listed(name) for name in behind if name != SUMS):
        return behind
    return []


def read_text(path: Path) -> str | None:
    """The text of a derived file, None for one that is not there or cannot be read.

    Bytes that are no text come out as no text would.
    """
    try:
        return path.read_bytes().decode("utf-8", "backslashreplace")
    except OSError:
        return None


def differences(name: str, right: str, written: str | None) -> Iterator[str]:
    """The first line of the file *name* that is not as it should be; one sentence or none."""
    if written is None:
        yield f"{name}: expected a file, got none"
        return
    if right == written:
        return
    pairs = zip_longest(right.split("\n"), written.split("\n"))
    number, (line, got) = next(
        (number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1]
    )
    yield f"{name}: line {number}: expected {_quoted(line)}, got {_quoted(got)}"


def _quoted(line: str | None) -> str:
    if line is None:
        return "the end of the file"
    return repr(line if len(line) <= _QUOTED else f"{line[:_QUOTED]}...")
