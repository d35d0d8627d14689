"""A game that was played elsewhere, proved and made what it would be had it been played here.

Whoever keeps an event believes nobody: a record that comes from another machine has to be what the
engine, the clocks and the table of its game make of it, as if `verify` had it before it.
"""

from __future__ import annotations

from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.course import Finished
from sternhalma_server.examiner import never_begun, opening_played
from sternhalma_server.happening import Fall
from sternhalma_server.record import Record, RecordError
from sternhalma_server.recording import record_of, resumed
from sternhalma_server.replay import replay
from sternhalma_server.timing import moment, prove_times


def proved(record: Record, table: Table) -> Finished:
    """The game of *record*, which was to be played at *table*. Raises `RecordError`.

    Fingerprints of programs are left out: a table knows nothing of them.
    """
    last = replay(record)
    prove_times(record, table.lag)
    if not never_begun(record) and opening_played(record) != list(table.opening):
        played = " ".join(opening_played(record))
        raise RecordError(f"expected the opening {' '.join(table.opening)!r}, got {played!r}")
    letters = [player.seat for player in record.players]
    happened = tuple(resumed(letters, record.happened))
    end = happened[-1] if happened else None
    terms = table.terms
    finished = Finished(
        table=table,
        start=Game.new(table.rules, len(table.bots), limit=terms.limit, at_limit=terms.at_limit),
        last=last,
        reason=record.reason,
        result=None if record.reason.is_void else last.result,
        happened=happened,
        cause=end if isinstance(end, Fall) and not record.reason.is_void else None,
    )
    right = record_of(finished)
    if right != record:
        raise RecordError("expected a record of the game that was ordered, got another one")
    return finished


def check_said(record: Record, said: str) -> None:
    """Raise `RecordError` unless *said* are lines as a ledger keeps them of the seats of *record*.

    Whether somebody has said them cannot be proved; but pages and terminals show them.
    """
    seats = {player.seat for player in record.players}
    lines = said.split("\n")
    if lines.pop():
        raise _unsaid(record, said, "a line feed at the end")
    for line in lines:
        seat, _, rest = line.partition(" ")
        stamp, space, _ = rest.partition(" ")
        if seat not in seats or not space or not (line.isascii() and line.isprintable()):
            raise _unsaid(record, line, "'SEAT MOMENT LINE' in what its seats have said")
        try:
            moment(stamp)
        except ValueError as error:
            raise RecordError(f"game {record.game}: {error}") from None


def _unsaid(record: Record, got: str, expected: str) -> RecordError:
    return RecordError(f"game {record.game}: expected {expected}, got {got[-80:]!r}")
