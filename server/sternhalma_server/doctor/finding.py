"""What an examination of the machine has found, and what the host should do about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Level(enum.Enum):
    """How much a finding matters."""

    GOOD = "good"
    NOTE = "note"  # to be known; nothing has to be changed
    BAD = "bad"  # something will not work, or verdicts will be worse than they could be


@dataclass(frozen=True, slots=True)
class Finding:
    """What *what* was found to be; `advice` is what to change, "" where there is nothing to."""

    what: str
    level: Level
    found: str
    advice: str = ""


def good(what: str, found: str) -> Finding:
    """A finding that is as it should be."""
    return Finding(what, Level.GOOD, found)


def note(what: str, found: str, advice: str = "") -> Finding:
    """A finding that a host should know of."""
    return Finding(what, Level.NOTE, found, advice)


def bad(what: str, found: str, advice: str) -> Finding:
    """A finding that a host should mend."""
    return Finding(what, Level.BAD, found, advice)
