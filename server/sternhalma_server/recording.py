"""From a finished game to its record."""

from __future__ import annotations

from sternhalma import format_position
from sternhalma_server.announce import Fall
from sternhalma_server.clock import MILLISECOND, milliseconds
from sternhalma_server.record import Draw, Evidence, Happening, Out, Player, Record
from sternhalma_server.record import Ply as RecordPly
from sternhalma_server.referee import Agreed, Finished, Ply


def record_of(finished: Finished) -> Record:
    """The record of *finished*; void games have places of 0."""
    table, position = finished.table, finished.last.position
    letters = [group[0] for group in position.seats]
    result = finished.result
    return Record(
        event=table.event,
        game=int(table.game),
        rules=table.rules.id,
        limit=table.terms.limit,
        at_limit=table.terms.at_limit,
        clock=table.control.text,
        players=tuple(
            Player(letter, bot, version, entry)
            for letter, bot, version, entry in zip(
                letters, table.bots, table.versions, table.entries, strict=True
            )
        ),
        start=format_position(finished.start.position),
        happened=tuple(_happening(letters, event) for event in finished.happened),
        reason=finished.reason,
        places=(0,) * len(letters) if result is None else result.places,
        ply=position.ply - 1,
        final=format_position(position),
    )


def _happening(letters: list[str], event: Ply | Fall | Agreed) -> Happening:
    match event:
        case Ply():
            evidence: Evidence = ()
            if event.source is None:
                left = "-" if event.left is None else str(event.left // MILLISECOND)
                evidence = (("charged", milliseconds(event.charged)), ("left", left))
            return RecordPly(event.number, letters[event.seat], event.path, event.source, evidence)
        case Fall():
            return Out(letters[event.seat], event.reason, event.ply, (), event.line)
        case Agreed():
            return Draw(event.ply)
