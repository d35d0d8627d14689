"""The results folder of an event: its store, and the files that are derived from it.

    store.sqlite                     the store, which everything else is derived from
    event.toml                       the event file, byte for byte
    games/000017.txt                 a record for each game that has ended
    results.csv                      a row for each record, with its digest
    standings.md, .csv, .json        the table
    times.csv                        what the bots were charged
    SHA256SUMS                       digests of all the files above but the records
    bots/zoe-1.txt                   what the programs of a bot's slot printed

Every file appears whole or not at all, and none but the store needs to survive a power cut: the
others can be derived again, but what programs printed, which proves nothing and is for people.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sternhalma_server.record import Record, RecordError, format_record, parse_record
from sternhalma_server.results import RESULTS, TABLES

BOTS: Final = "bots"
EVENT: Final = "event.toml"
GAMES: Final = "games"
STORE: Final = "store.sqlite"
PRINTED: Final = 1 << 16  # bytes kept of what the programs of a slot have printed
STOPPED: Final = "stopped by the server"
WELL: Final = ("ended with status 0", STOPPED)
_RUN: Final = "== "  # begins the line about a run
_WELL: Final = tuple(f"{_RUN}{how}".encode() for how in WELL)
STORES: Final = (STORE, f"{STORE}-wal", f"{STORE}-shm")
SUMS: Final = "SHA256SUMS"


class ArchiveError(ValueError):
    """A results folder that cannot be used as asked; one sentence with its path."""


def create_archive(root: Path, source: bytes) -> None:
    """Make the results folder *root* for the event file with the bytes *source*.

    Raises `ArchiveError` if it cannot be written or holds another event, since results of two
    events must not mix.
    """
    event = root / EVENT
    try:
        (root / GAMES).mkdir(parents=True, exist_ok=True)
        if event.exists() and event.read_bytes() != source:
            raise ArchiveError(
                f"{root}: expected a new results folder, got one of another event;"
                " choose another with --out, or replace it with --again"
            )
        write_whole(event, source, durable=True)
    except OSError as error:
        raise ArchiveError(
            f"{root}: expected a folder that can be written: {error.strerror}"
        ) from None


def clear_archive(root: Path) -> None:
    """Remove what an earlier run wrote into *root*, and nothing else. Raises `OSError`.

    The store goes first: without it the rest is nothing that anybody would go on from.
    """
    for name in (*STORES, EVENT, SUMS, RESULTS, *TABLES):
        (root / name).unlink(missing_ok=True)
    for path in (*(root / GAMES).glob("[0-9]*.txt"), *(root / BOTS).glob("*-[0-9]*.txt")):
        path.unlink()


def record_name(game: int) -> str:
    """The path of the record of *game* in the folder.

    >>> record_name(17)
    'games/000017.txt'
    """
    return f"{GAMES}/{game:06}.txt"


def write_record(root: Path, record: Record) -> None:
    """Write the file of *record*, whole or not at all. Raises `OSError`."""
    write_whole(root / record_name(record.game), format_record(record).encode("ascii"))


def read_record(path: Path) -> Record:
    """The record in the file *path*. Raises `RecordError` naming the line, `OSError`."""
    data = path.read_bytes()
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise RecordError(f"line {line}: expected ASCII, got a byte {byte:#04x}") from None
    return parse_record(text)


def read_records(root: Path) -> Iterator[Record]:
    """All records of the folder in the order of their games. Raises as `read_record`."""
    for path in sorted((root / GAMES).iterdir(), key=lambda path: (len(path.name), path.name)):
        yield read_record(path)


def add_printed(root: Path, bot: str, slot: int, run: str, printed: str) -> None:
    """Add what a program of a *bot*'s *slot* has *printed* to the file of that; *run* says how it
    went, in a line that begins with one of `WELL` if nothing was wrong.

    Beyond `PRINTED` bytes the oldest runs go, those that went well before any other: a crash is
    there to be read however often the program has been started since. Raises `OSError`, also if the
    folder *root* is not there.
    """
    # No line of a program's own begins a run.
    text = "".join(f" {line}" if line.startswith(_RUN) else line for line in _lines(printed))
    add_runs(root, bot, slot, f"{_RUN}{run}\n{text}".encode())


def add_runs(root: Path, bot: str, slot: int, text: bytes) -> None:
    """Add runs to the file of a *bot*'s *slot*; *text* is such a file's. Raises `OSError`."""
    path = root / BOTS / f"{bot}-{slot}.txt"
    path.parent.mkdir(exist_ok=True)
    runs = [*_runs(path), *_split(text)]
    while len(runs) > 1 and sum(map(len, runs)) > PRINTED:
        well = (n for n, old in enumerate(runs[:-1]) if old.startswith(_WELL))
        del runs[next(well, 0)]
    write_whole(path, b"".join(runs))


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]


def _runs(path: Path) -> list[bytes]:
    """What stands in a file of what programs have printed, run by run."""
    try:
        return _split(path.read_bytes())
    except FileNotFoundError:
        return []


def _split(text: bytes) -> list[bytes]:
    _, *runs = b"\n".join([b"", text]).split(b"\n" + _RUN.encode())
    return [_RUN.encode() + run.removesuffix(b"\n") + b"\n" for run in runs]


def write_tables(root: Path, files: Mapping[str, str]) -> None:
    """Write *files*, which are `Results.files`, and the digests of what is there."""
    for name, text in files.items():
        write_whole(root / name, text.encode())
    write_whole(root / SUMS, sums((root / EVENT).read_bytes(), files).encode())


def sums(event: bytes, files: Mapping[str, str]) -> str:
    """The text of SHA256SUMS, as `sha256sum --check` reads it."""
    data = {EVENT: event, **{name: text.encode() for name, text in files.items()}}
    return "".join(f"{hashlib.sha256(data[name]).hexdigest()}  {name}\n" for name in sorted(data))


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file so that a reader sees the old one or the new one. Raises `OSError`."""
    # The name of the passing file begins with a dot, so that listings and `*.txt` leave it out.
    passing = path.with_name(f".{path.name}.new")
    with passing.open("wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    passing.replace(path)
    if durable:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
