"""Taking back, in play that nobody rates: a game is broken off, and goes on from an earlier turn.

A record that can be changed afterwards proves nothing. So a game is never made to forget a move: it
ends as aborted, and what was played before that move is played again under a new id. Only a server
to practise against offers it, by `undo=yes` in the `game` line; anywhere else an `undo` loses.
"""

from __future__ import annotations

from dataclasses import dataclass

from sternhalma import Seat
from sternhalma_server.course import Finished
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening, Ply
from sternhalma_server.referee import Referee
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import Message, Undo, error, note


@dataclass(frozen=True, slots=True)
class TakenBack(Finished):
    """A game that was broken off, to go on from the turn `ply`."""

    ply: int

    @property
    def kept(self) -> list[Happening]:
        """What had happened before that turn was had, in order."""
        for number, event in enumerate(self.happened):
            if isinstance(event, Ply) and event.number == self.ply:
                return list(self.happened[:number])
        raise AssertionError(f"expected ply {self.ply} among what happened")


class ForgivingReferee(Referee):
    """A referee who lets a seat take back what it has played."""

    def _aside(self, seat: Seat, line: Line, message: Message, gate: FloodGate) -> None:
        """A line from the seat to move that is no move.

        Like a resignation an `undo` says by itself what it is about: it takes effect whether it
        was begun before the turn or in it.
        """
        if isinstance(message, Undo):
            if self._counted(seat, line, gate):
                self._undo(seat, message)
        else:
            super()._aside(seat, line, message, gate)

    def _undo(self, seat: Seat, undo: Undo) -> None:
        if undo.game != self.table.game:
            sentence = f"this is game {self.table.game}, ply {self.ply}"
            self.outbox.append((seat, note("stale", sentence)))
        elif not self._has_played(seat, undo.ply):
            sentence = f"expected the ply of an earlier move of yours, got {undo.ply}"
            self.outbox.append((seat, error("illegal", sentence, self._tries[seat])))
        else:
            self._break_off(undo.ply)

    def _has_played(self, seat: Seat, ply: int) -> bool:
        return any(
            isinstance(event, Ply) and event[:2] == (ply, seat) and event.source is None
            for event in self.happened
        )

    def _break_off(self, ply: int) -> None:
        self._over(Reason.ABORTED, None)
        finished = self.finished
        assert finished is not None
        self.finished = TakenBack(
            table=finished.table,
            start=finished.start,
            last=finished.last,
            reason=finished.reason,
            result=None,
            happened=finished.happened,
            cause=None,
            ply=ply,
        )
