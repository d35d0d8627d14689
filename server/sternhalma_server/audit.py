"""Checking a results folder: whatever was altered, is missing or too many is found and named.

Each record has to agree with its digest, with the engine, with the event file and the schedule that
follows from it; the list of results and the tables have to be, byte for byte, what the records add
up to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from sternhalma_server.archive import EVENT, GAMES, SUMS, read_record, record_name, sums
from sternhalma_server.record import Record
from sternhalma_server.replay import replay
from sternhalma_server.results import RESULTS, TABLES, Results
from sternhalma_server.settings import Settings, settings_of
from sternhalma_tournament.entries import bots_by_seat
from sternhalma_tournament.event import EventFileError
from sternhalma_tournament.roundrobin import schedule_of


@dataclass(frozen=True, slots=True)
class Findings:
    """What an audit came to: how much was checked, and one sentence for each thing wrong.

    `scheduled` is how many games the event has in all.
    """

    games: int
    tables: int
    scheduled: int
    problems: tuple[str, ...]


def audit(root: Path) -> Findings:
    """Check the results folder *root*; whatever is wrong with it is in the findings."""
    try:
        event = (root / EVENT).read_bytes()
    except OSError as error:
        return Findings(0, 0, 0, (f"{EVENT}: expected the event file: {error.strerror}",))
    try:
        settings = settings_of(event, EVENT)
    except EventFileError as error:
        return Findings(0, 0, 0, (str(error),))
    auditor = _Auditor(root, settings)
    problems = [*auditor.check_event(), *auditor.check_names(), *auditor.check_records()]
    if not problems:
        problems += auditor.check_tables()
    return Findings(len(auditor.results), len(TABLES), len(auditor.schedule), tuple(problems))


class _Auditor:
    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        self.schedule = schedule_of(settings.event)
        self.entries = {entry.name: entry for entry in settings.entries}
        self.results = Results(settings.event)
        self.listed: set[str] = set()  # the records that results.csv names

    def check_event(self) -> Iterator[str]:
        """The event file against the digest that was written with the tables."""
        right = sums(self.settings.source, {}).removesuffix("\n")
        written = [line for line in self._text(SUMS).split("\n") if line.endswith(f"  {EVENT}")]
        if written and written != [right]:
            yield f"{EVENT}: expected the digest that {SUMS} lists, {written[0]!r}, got {right!r}"

    def check_names(self) -> Iterator[str]:
        """The files in games/ against the list of results: none missing, none too many."""
        present = {f"{GAMES}/{path.name}" for path in (self.root / GAMES).glob("*")}
        if not (self.root / RESULTS).exists():
            yield f"{RESULTS}: expected the list of results, got no such file"
            self.listed = present
            return
        for row in self._text(RESULTS).split("\n"):
            game = row.partition(",")[0]
            if game.isdecimal():
                self.listed.add(record_name(int(game)))
        for name in sorted(self.listed - present):
            yield f"{name}: expected the record that {RESULTS} lists, got no such file"
        for name in sorted(present - self.listed):
            yield f"{name}: expected no file that {RESULTS} does not list, got one"

    def check_records(self) -> Iterator[str]:
        """Each record: its form and digest, the engine's verdict, and its place in the event."""
        for name in sorted(self.listed):
            path = self.root / name
            if not path.exists():
                continue
            try:
                record = read_record(path)
                replay(record)
                self._check_place(record, name)
                self.results.add(record)
            except ValueError as error:
                yield f"{name}: {error}"
            except OSError as error:
                yield f"{name}: expected a file that can be read: {error.strerror}"

    def check_tables(self) -> Iterator[str]:
        """The list of results, the tables and the digests against what the records add up to."""
        files = self.results.files()
        files[SUMS] = sums(self.settings.source, files)
        for name, right in files.items():
            yield from _differences(name, right, self._text(name))

    def _check_place(self, record: Record, name: str) -> None:
        settings, event = self.settings, self.settings.event
        if record_name(record.game) != name:
            raise ValueError(f"line 3: expected the game of this file's name, got {record.game}")
        _expect(2, "event", event.name, record.event)
        _expect(4, "rules", event.rules, record.rules)
        terms, control = settings.terms, settings.control
        _expect(
            5,
            "terms",
            f"limit={terms.limit} at_limit={terms.at_limit} clock={control.text}",
            f"limit={record.limit} at_limit={record.at_limit} clock={record.clock}",
        )
        if record.game > len(self.schedule):
            raise ValueError(
                f"line 3: expected one of the event's {len(self.schedule)} games, got {record.game}"
            )
        pairing = self.schedule.pairing(record.game)
        entries = tuple(self.entries[entry] for entry in pairing.entries)
        seats = len(record.players)
        bots = bots_by_seat(entries, event.players)
        names = [entries[seat % len(entries)].name for seat in range(seats)]
        _expect(
            6,
            "the seats",
            " ".join(f"{bot}/{entry}" for bot, entry in zip(bots, names, strict=True)),
            " ".join(f"{player.bot}/{player.entry}" for player in record.players),
        )

    def _text(self, name: str) -> str:
        """The text of a file, empty if there is none; bytes that are no text differ from all."""
        try:
            return (self.root / name).read_bytes().decode("utf-8", "backslashreplace")
        except OSError:
            return ""


def _expect(line: int, what: str, right: str, written: str) -> None:
    if right != written:
        raise ValueError(f"line {line}: expected {what} {right!r} of the event, got {written!r}")


def _differences(name: str, right: str, written: str) -> Iterator[str]:
    """The first line of the file *name* that is not as it should be."""
    if right == written:
        return
    pairs = zip_longest(right.split("\n"), written.split("\n"))
    number, (line, got) = next(
        (number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1]
    )
    yield f"{name}: line {number}: expected {_quoted(line)}, got {_quoted(got)}"


def _quoted(line: str | None) -> str:
    return "the end of the file" if line is None else repr(line)
