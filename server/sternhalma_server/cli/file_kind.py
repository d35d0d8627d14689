"""Files of the other kind: an event's where a league's was expected, and the other way round.

Both are TOML with `name` and `[[bots]]`, and whoever mixes them up should be told so, and not that
a key is unknown which stands rightly in the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sternhalma_tournament.charter import parse_charter
from sternhalma_tournament.reading import EventFileError, read_toml

_OF_EVENTS: Final = frozenset({"rules", "players", "clock", "format"})  # no league file has them


def is_event_file(source: bytes) -> bool:
    """Whether *source* is, or was meant as, an event file."""
    try:
        return not _OF_EVENTS.isdisjoint(read_toml(source, ""))
    except EventFileError:
        return False


def is_league_file(source: bytes) -> bool:
    """Whether *source* is a league file, and no event file that lacks a key."""
    try:
        charter = parse_charter(source, "")
    except EventFileError:
        return False
    return bool(charter.events or charter.bots or charter.anchors)


def meant(path: Path, problem: EventFileError, *, league: bool) -> str:
    """The sentence for the file at *path*, which has the *problem*: that it is of the other kind,
    if it is. A *league* file was expected, or else an event file."""
    try:
        source = path.read_bytes()
    except OSError:
        return str(problem)
    if league and is_event_file(source):
        return (
            f"{path}: expected a league file, got an event file: 'sternhalma run' plays it,"
            " 'sternhalma event DIR add' adds it to a league"
        )
    if not league and is_league_file(source):
        return f"{path}: expected an event file, got a league file: 'sternhalma serve' opens it"
    return str(problem)
