"""The lines of a record: the form each must have, and taking them one after the other.

Every form is exact, down to leading zeros: a record can be written in one way only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sternhalma_server.verdict import Reason

VERSION: Final = 1


class RecordError(ValueError):
    """A record that cannot be read or does not hold; says where, what was expected, what came."""


@dataclass(frozen=True, slots=True)
class Form:
    """The pattern a line must match in full, and how to say so."""

    pattern: re.Pattern[str]
    example: str


def _form(pattern: str, example: str) -> Form:
    return Form(re.compile(pattern, re.ASCII), example)


COUNT: Final = "0|[1-9][0-9]{0,8}"
_FROM_1: Final = "[1-9][0-9]{0,8}"
_NAME: Final = "[A-Za-z0-9][A-Za-z0-9._-]{0,31}"
_POSITION: Final = "(?:[!-~]+ ){5}[!-~]+"
_KEYS: Final = "((?: [a-z][a-z0-9_]*=[!-~]+)*)"
_OUT_REASONS: Final = "|".join(reason for reason in Reason if reason.puts_out)

MAGIC: Final = _form(f"sternhalma-record {VERSION}", f"sternhalma-record {VERSION}")
EVENT: Final = _form("event ([A-Za-z0-9][A-Za-z0-9._-]{0,63})", "event NAME")
GAME: Final = _form(f"game ({_FROM_1})", "game NUMBER")
RULES: Final = _form("rules ([a-z0-9+]+)", "rules ID")
TERMS: Final = _form(
    f"terms limit=({_FROM_1}) at_limit=(share|progress) clock=([!-~]+)",
    "terms limit=TURNS at_limit=share|progress clock=CLOCK",
)
SEAT: Final = _form(
    rf"seat ([A-F]) ({_NAME}) version=([A-Za-z0-9._+-]+) entry=({_NAME})"
    r"(?: program=([0-9a-f]{64}))?",
    "seat LETTER BOT version=VERSION entry=ENTRY",
)
START: Final = _form(f"start ({_POSITION})", "start POSITION")
PLY: Final = _form(
    rf"({_FROM_1}) ([A-F]) ([a-z0-9-]+)(?: (opening|rules))?{_KEYS}",
    "PLY SEAT PATH [opening|rules] [KEY=VALUE ...]",
)
OUT: Final = _form(
    rf"out ([A-F]) ({_OUT_REASONS}) ply=({_FROM_1})((?: (?!line=)[a-z][a-z0-9_]*=[!-~]+)*)"
    r"(?: line=([ -~]*))?",
    "out SEAT REASON ply=PLY [KEY=VALUE ...] [line=TEXT]",
)
SLIP: Final = _form(
    rf"slip ([A-F]) (illegal|malformed) ply=({_FROM_1}) line=([ -~]*)",
    "slip SEAT illegal|malformed ply=PLY line=TEXT",
)
DRAW: Final = _form(f"draw agreed ply=({_FROM_1})", "draw agreed ply=PLY")
END: Final = _form(
    rf"end ({'|'.join(Reason)}) places=([A-F]:[0-6](?:,[A-F]:[0-6])*) ply=({COUNT})"
    rf" final=({_POSITION})",
    "end REASON places=SEAT:PLACE,... ply=PLY final=POSITION",
)
SHA256: Final = _form("sha256 ([0-9a-f]{64})", "sha256 DIGEST")


class Lines:
    """The lines of a text one after the other, each taken in the form it must have."""

    def __init__(self, text: str) -> None:
        *self._lines, self._rest = text.split("\n")
        self.number = 0

    @property
    def next_word(self) -> str:
        """The first word of the next line, empty at the end."""
        if self.number >= len(self._lines):
            return ""
        return self._lines[self.number].partition(" ")[0]

    @property
    def before(self) -> str:
        """The text before the line that was taken last."""
        return "".join(f"{line}\n" for line in self._lines[: self.number - 1])

    def take(self, form: Form) -> re.Match[str]:
        """The next line. Raises `RecordError` if it has another form."""
        if self.number < len(self._lines):
            line = self._lines[self.number]
            self.number += 1
            found = form.pattern.fullmatch(line)
            if found is None:
                raise self.error(f"expected {form.example!r}, got {line[:100]!r}")
            return found
        self.number += 1
        got = "the end" if not self._rest else repr(self._rest[:100])
        raise self.error(f"expected {form.example!r} and a line feed, got {got}")

    def end(self) -> None:
        """Raise `RecordError` unless this is the end."""
        if self.number < len(self._lines) or self._rest:
            self.number += 1
            raise self.error("expected the end behind the digest, got more")

    def error(self, problem: str) -> RecordError:
        """The error for the line that was taken last."""
        return RecordError(f"line {self.number}: {problem}")
