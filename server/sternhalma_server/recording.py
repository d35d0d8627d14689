"""From a game to its record: what happened, line by line, and the whole once it is over.

A line is written as it happens, into the journal; the record of the finished game has the same
lines in it. `resumed` reads them back when a game goes on after the server was stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sternhalma import Seat, format_position
from sternhalma_server import record as text
from sternhalma_server.clock import MILLISECOND, SECOND, milliseconds
from sternhalma_server.happening import Agreed, Evidence, Fall, Happening, Ply, Slip
from sternhalma_server.referee import Finished

# The line of a move without credit and offers.
_USUAL: Final = "%d %s %s charged=%d.%03d left=%s sent=%d.%06d received=%d.%06d late=%d.%03d"


def record_of(finished: Finished) -> text.Record:
    """The record of *finished*; void games have places of 0."""
    table, position = finished.table, finished.last.position
    letters = [group[0] for group in position.seats]
    result = finished.result
    return text.Record(
        event=table.event,
        game=table.number,
        rules=table.rules.id,
        limit=table.terms.limit,
        at_limit=table.terms.at_limit,
        clock=table.control.text,
        players=tuple(
            text.Player(letter, bot, version, entry)
            for letter, bot, version, entry in zip(
                letters, table.bots, table.versions, table.entries, strict=True
            )
        ),
        start=format_position(finished.start.position),
        happened=tuple(recorded(letters, event) for event in finished.happened),
        reason=finished.reason,
        places=(0,) * len(letters) if result is None else result.places,
        ply=position.ply - 1,
        final=format_position(position),
    )


def signed(record: text.Record, programs: Mapping[str, str]) -> text.Record:
    """*record* with the fingerprints of its bots' *programs*, as far as they are known, and no
    others."""
    if not programs and all(player.program is None for player in record.players):
        return record
    players = [replace(player, program=programs.get(player.bot)) for player in record.players]
    return replace(record, players=tuple(players))


def recorded(letters: Sequence[str], event: Happening) -> text.Happening:
    """What happened, as records have it; `resumed` is the way back."""
    match event:
        case Ply():
            return text.Ply(
                event.number, letters[event.seat], event.path, event.source, _timed(event)
            )
        case Fall():
            return text.Out(
                letters[event.seat], event.reason, event.ply, _waited(event), event.line
            )
        case Slip():
            return text.Slip(letters[event.seat], event.reason, event.ply, event.line)
        case Agreed():
            return text.Draw(event.ply)


def line_of(letters: Sequence[str], event: Happening) -> str:
    """What happened, as the line that records have of it."""
    if type(event) is Ply:
        # The usual case, at a twentieth of the price; a test holds it to be what the other way
        # gives. For numbers with leading zeros `%` takes half of what an f-string takes.
        number, seat, path, _, charged, left, evidence, offers_draw = event
        if evidence is not None and evidence.credit is None and not offers_draw:
            sent, received, late, _ = evidence
            return _USUAL % (
                number,
                letters[seat],
                path,
                charged // MILLISECOND,
                charged // 1000 % 1000,
                "-" if left is None else left // MILLISECOND,
                sent // SECOND,
                sent // 1000 % 1_000_000,
                received // SECOND,
                received // 1000 % 1_000_000,
                late // MILLISECOND,
                late // 1000 % 1000,
            )
    return text.format_happening(recorded(letters, event))


def resumed(letters: Sequence[str], events: Iterable[text.Happening]) -> list[Happening]:
    """What happened, from records' lines."""
    return [_resumed(letters, event) for event in events]


def _resumed(letters: Sequence[str], event: text.Happening) -> Happening:
    match event:
        case text.Ply():
            return _ply(Seat(letters.index(event.seat)), event)
        case text.Out():
            return _fall(Seat(letters.index(event.seat)), event)
        case text.Slip():
            return Slip(Seat(letters.index(event.seat)), event.reason, event.ply, event.line)
        case text.Draw():
            return Agreed(event.ply)


def _fall(seat: Seat, out: text.Out) -> Fall:
    keys = dict(out.evidence)
    return Fall(
        seat,
        out.reason,
        out.ply,
        out.line,
        sent=_nanoseconds(keys["sent"], SECOND) if "sent" in keys else None,
        waited=_nanoseconds(keys["waited"], MILLISECOND) if "waited" in keys else None,
        limit=_nanoseconds(keys["limit"], MILLISECOND) if "limit" in keys else None,
    )


def _ply(seat: Seat, ply: text.Ply) -> Ply:
    keys = dict(ply.evidence)
    if ply.source is not None:
        return Ply(ply.number, seat, ply.path, ply.source)
    credit = None if "credit" not in keys else _nanoseconds(keys["credit"], MILLISECOND)
    evidence = Evidence(
        sent=_nanoseconds(keys["sent"], SECOND),
        received=_nanoseconds(keys["received"], SECOND),
        late=_nanoseconds(keys["late"], MILLISECOND),
        credit=credit,
    )
    return Ply(
        number=ply.number,
        seat=seat,
        path=ply.path,
        source=None,
        charged=ply.charged or 0,
        left=None if keys["left"] == "-" else int(keys["left"]) * MILLISECOND,
        evidence=evidence,
        offers_draw=keys.get("draw") == "offer",
    )


def _timed(ply: Ply) -> text.Evidence:
    evidence = ply.evidence
    if evidence is None:
        return ()
    left = "-" if ply.left is None else str(ply.left // MILLISECOND)
    keys = [
        ("charged", milliseconds(ply.charged)),
        ("left", left),
        ("sent", _moment(evidence.sent)),
        ("received", _moment(evidence.received)),
        ("late", milliseconds(evidence.late)),
    ]
    if evidence.credit is not None:
        keys.append(("credit", milliseconds(evidence.credit)))
    if ply.offers_draw:
        keys.append(("draw", "offer"))
    return tuple(keys)


def _waited(fall: Fall) -> text.Evidence:
    keys: list[tuple[str, str]] = []
    if fall.sent is not None:
        keys.append(("sent", _moment(fall.sent)))
    if fall.waited is not None:
        keys.append(("waited", milliseconds(fall.waited)))
    if fall.limit is not None:
        keys.append(("limit", milliseconds(fall.limit)))
    return tuple(keys)


def _moment(nanoseconds: int) -> str:
    """A moment as records write it: seconds since 1970 to the microsecond."""
    microseconds = f"{nanoseconds // 1000:07d}"
    return f"{microseconds[:-6]}.{microseconds[-6:]}"


def _nanoseconds(number: str, unit: int) -> int:
    whole, _, part = number.partition(".")
    return int(whole) * unit + (int(part) * unit // 10 ** len(part) if part else 0)
