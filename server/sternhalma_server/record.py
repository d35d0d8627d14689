"""The record of a game: everything that happened in it, as text (docs/records.md).

A record is the journal's last word on a game: tables are derived from records, and `replay` proves
a record with the engine. It is written in one way only, so that the same game is the same bytes and
a digest over them means something; anything else is refused, with the line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sternhalma import AtLimit
from sternhalma_server import record_lines as forms
from sternhalma_server.clock import MILLISECOND
from sternhalma_server.record_lines import VERSION, Lines, RecordError
from sternhalma_server.verdict import Reason

__all__ = [
    "Draw",
    "Evidence",
    "Happening",
    "Out",
    "Player",
    "Ply",
    "Record",
    "RecordError",
    "Source",
    "format_record",
    "parse_record",
]

# Keys of a line with their values, as they are written: whatever was measured there.
Evidence = tuple[tuple[str, str], ...]
Source = Literal["opening", "rules"]


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat in a seat, named by its first letter; `entry` is who scores for it.

    `program` is the digest of what was run, None where that is not known (`fingerprint`).
    """

    seat: str
    bot: str
    version: str | None
    entry: str
    program: str | None = None


@dataclass(frozen=True, slots=True)
class Ply:
    """One turn had: `source` is None for a bot's own move, else who played it for the bot."""

    number: int
    seat: str
    path: str
    source: Source | None = None
    evidence: Evidence = ()

    def __post_init__(self) -> None:
        _check_evidence(self.evidence)

    @property
    def charged(self) -> int | None:
        """The time charged, in nanoseconds."""
        return next((_nanoseconds(value) for key, value in self.evidence if key == "charged"), None)


@dataclass(frozen=True, slots=True)
class Out:
    """A seat that went out when ply number `ply` was to be played; `line` is what it said last."""

    seat: str
    reason: Reason
    ply: int
    evidence: Evidence = ()
    line: str | None = None

    def __post_init__(self) -> None:
        _check_evidence(self.evidence)
        if not self.reason.puts_out:
            raise ValueError(f"expected a reason that puts a seat out, got {self.reason.value!r}")
        if self.line is not None and not _FREE_TEXT.fullmatch(self.line):
            raise ValueError(f"expected printable ASCII in the last line, got {self.line!r}")


@dataclass(frozen=True, slots=True)
class Slip:
    """An answer that could not be played and was forgiven; the event allows some tries."""

    seat: str
    reason: Reason
    ply: int
    line: str


@dataclass(frozen=True, slots=True)
class Draw:
    """All who were in agreed on a draw when ply number `ply` was to be played."""

    ply: int


Happening = Ply | Out | Slip | Draw


@dataclass(frozen=True, slots=True)
class Record:
    """One game.

    `start` and `final` are position texts, `happened` is all of it in order, `places` go by seat (0
    in a void game), `ply` is the number of the last turn had, 0 if there was none.
    """

    event: str
    game: int
    rules: str
    limit: int
    at_limit: AtLimit
    clock: str
    players: tuple[Player, ...]
    start: str
    happened: tuple[Happening, ...]
    reason: Reason
    places: tuple[int, ...]
    ply: int
    final: str

    @property
    def digest(self) -> str:
        """The SHA-256 of the text before the digest's own line, in hexadecimal."""
        return _digest(_body(self))

    def line_of(self, number: int) -> int:
        """The line of the text on which happening *number*, from 0, stands."""
        return _HEAD_LINES + len(self.players) + number + 1

    @property
    def start_line(self) -> int:
        """The line of the text on which `start` stands."""
        return _HEAD_LINES + len(self.players)

    @property
    def end_line(self) -> int:
        """The line of the text on which the end stands."""
        return self.line_of(len(self.happened))


def format_record(record: Record) -> str:
    """The text of *record*, ASCII with line feeds; `parse_record` reads it back."""
    body = _body(record)
    return f"{body}sha256 {_digest(body)}\n"


def parse_record(text: str) -> Record:
    """The record written *text*; `format_record` writes it.

    Its form and its digest are checked, not its moves: those are for `replay`. Raises `RecordError`
    naming the line.
    """
    lines = Lines(text)
    lines.take(forms.MAGIC)
    event = lines.take(forms.EVENT)[1]
    game = int(lines.take(forms.GAME)[1])
    rules = lines.take(forms.RULES)[1]
    terms = lines.take(forms.TERMS)
    players = [_player(lines.take(forms.SEAT))]
    while lines.next_word == "seat":
        players.append(_player(lines.take(forms.SEAT)))
    start = lines.take(forms.START)[1]
    happened = tuple(_happenings(lines))
    end = lines.take(forms.END)
    record = Record(
        event=event,
        game=game,
        rules=rules,
        limit=int(terms[1]),
        at_limit="share" if terms[2] == "share" else "progress",
        clock=terms[3],
        players=tuple(players),
        start=start,
        happened=happened,
        reason=Reason(end[1]),
        places=_places(lines, players, end[2]),
        ply=int(end[3]),
        final=end[4],
    )
    written, right = lines.take(forms.SHA256)[1], _digest(lines.before)
    if written != right:
        raise lines.error(f"expected sha256 {right} of the lines before, got {written}")
    lines.end()
    return record


def parse_happening(line: str) -> Happening:
    """What the line of a record says happened. Raises `RecordError`."""
    return next(_happenings(Lines(f"{line}\nend")))


_HEAD_LINES: Final = 6  # all lines up to `start`, but for the seats

_SOURCES: Final[Mapping[str | None, Source | None]] = {
    None: None,
    "opening": "opening",
    "rules": "rules",
}
_FREE_TEXT: Final = re.compile(r"[ -~]*")
_KEY: Final = re.compile(r"[a-z][a-z0-9_]*")
_VALUE: Final = re.compile(r"[!-~]+")
_TIMES: Final = {
    "charged": re.compile(r"(?:0|[1-9][0-9]{0,14})\.[0-9]{3}"),
    "left": re.compile(r"0|[1-9][0-9]{0,14}|-"),
}


def _player(found: re.Match[str]) -> Player:
    seat, bot, version, entry, program = found.groups()
    return Player(seat, bot, None if version == "-" else version, entry, program)


def _happenings(lines: Lines) -> Iterator[Happening]:
    while lines.next_word != "end":
        try:
            happening = _happening(lines)
        except RecordError:
            raise
        except ValueError as error:
            raise lines.error(str(error)) from None
        yield happening


def _happening(lines: Lines) -> Happening:
    match lines.next_word:
        case "out":
            seat, reason, ply, keys, line = lines.take(forms.OUT).groups()
            return Out(seat, Reason(reason), int(ply), _evidence(keys), line)
        case "slip":
            seat, reason, ply, line = lines.take(forms.SLIP).groups()
            return Slip(seat, Reason(reason), int(ply), line)
        case "draw":
            return Draw(int(lines.take(forms.DRAW)[1]))
        case _:
            number, seat, path, source, keys = lines.take(forms.PLY).groups()
            return Ply(int(number), seat, path, _SOURCES[source], _evidence(keys))


def _evidence(keys: str) -> Evidence:
    words = [word.partition("=") for word in keys.split(" ")[1:]]
    return tuple([(key, value) for key, _, value in words])


def _check_evidence(evidence: Evidence) -> None:
    seen: set[str] = set()
    for key, value in evidence:
        if not _KEY.fullmatch(key) or not _VALUE.fullmatch(value) or key in {"ply", "line"} | seen:
            raise ValueError(f"expected KEY=VALUE, each key once, got {f'{key}={value}'!r}")
        if key in _TIMES and not _TIMES[key].fullmatch(value):
            raise ValueError(f"expected milliseconds in {key!r}, got {value!r}")
        seen.add(key)


def _places(lines: Lines, players: list[Player], text: str) -> tuple[int, ...]:
    words = [word.split(":") for word in text.split(",")]
    if [letter for letter, _ in words] != [player.seat for player in players]:
        seats = ",".join(player.seat for player in players)
        raise lines.error(f"expected places of the seats {seats}, got {text!r}")
    return tuple(int(place) for _, place in words)


def _body(record: Record) -> str:
    places = ",".join(
        f"{player.seat}:{place}"
        for player, place in zip(record.players, record.places, strict=True)
    )
    lines = [
        f"sternhalma-record {VERSION}",
        f"event {record.event}",
        f"game {record.game}",
        f"rules {record.rules}",
        f"terms limit={record.limit} at_limit={record.at_limit} clock={record.clock}",
        *map(_seat, record.players),
        f"start {record.start}",
        *map(format_happening, record.happened),
        f"end {record.reason} places={places} ply={record.ply} final={record.final}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _seat(player: Player) -> str:
    program = "" if player.program is None else f" program={player.program}"
    version = player.version or "-"
    return f"seat {player.seat} {player.bot} version={version} entry={player.entry}{program}"


def format_happening(happening: Happening) -> str:
    """The line of a record for what happened; `parse_happening` reads it back."""
    match happening:
        case Ply(number, seat, path, source, evidence):
            by = "" if source is None else f" {source}"
            return f"{number} {seat} {path}{by}{_keys(evidence)}"
        case Out(seat, reason, ply, evidence, line):
            said = "" if line is None else f" line={line}"
            return f"out {seat} {reason} ply={ply}{_keys(evidence)}{said}"
        case Slip(seat, reason, ply, line):
            return f"slip {seat} {reason} ply={ply} line={line}"
        case Draw(ply):
            return f"draw agreed ply={ply}"


def _keys(evidence: Evidence) -> str:
    return "".join(f" {key}={value}" for key, value in evidence)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("ascii")).hexdigest()


def _nanoseconds(text: str) -> int:
    whole, thousandths = text.split(".")
    return int(whole) * MILLISECOND + int(thousandths) * (MILLISECOND // 1000)
