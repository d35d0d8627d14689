"""All that a league's file says, as its server uses it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sternhalma_server.clock import ClockError, parse_duration
from sternhalma_server.settings import check_sandboxes
from sternhalma_tournament.charter import Charter, parse_charter
from sternhalma_tournament.reading import EventFileError


@dataclass(frozen=True, slots=True)
class LeagueSettings:
    """A league file: `source` is its exact bytes, `folder` where it lies, times in nanoseconds.

    `login`, `start` and `drain` are its budgets, `parallel` how many games there may be at once.
    """

    charter: Charter
    source: bytes
    folder: Path
    login: int
    start: int
    drain: int
    parallel: int


def load_league(path: Path) -> LeagueSettings:
    """The settings of the league file at *path*. Raises `EventFileError`."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise EventFileError(
            f"{path}: expected a league file that can be read: {error.strerror}"
        ) from None
    return league_of(source, str(path), path.parent)


def league_of(source: bytes, where: str, folder: Path) -> LeagueSettings:
    """The settings of a league file's bytes; *where* names it in errors (`EventFileError`)."""
    charter = parse_charter(source, where)
    check_sandboxes(charter.bots, where)
    budgets = charter.budgets

    def duration(key: str, text: str) -> int:
        try:
            return parse_duration(text)
        except ClockError as error:
            raise EventFileError(f"{where}: budgets.{key}: {error}") from None

    return LeagueSettings(
        charter=charter,
        source=source,
        folder=folder,
        login=duration("login", budgets.login),
        start=duration("start", budgets.start),
        drain=duration("drain", budgets.drain),
        parallel=charter.parallel or max(1, (os.cpu_count() or 1) - 1),
    )
