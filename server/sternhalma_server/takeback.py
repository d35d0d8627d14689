"""Taking back, in play that nobody rates: a game is broken off, and goes on from an earlier turn.

A record that can be changed afterwards proves nothing. So a game is never made to forget a move: it
ends as aborted, and what was played before that move is played again under a new id. Only a server
to practise against offers it, by `undo=yes` in the `game` line; anywhere else `undo` is a word that
is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sternhalma import Seat
from sternhalma_server.course import Finished
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening, Ply
from sternhalma_server.referee import Referee
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import error, note, quote

_UNDO: Final = re.compile(r"undo ([!-~]{1,64}) ([1-9][0-9]{0,8})(?: .*)?", re.ASCII)


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

    def answer(self, seat: Seat, line: Line, read: int, gate: FloodGate) -> None:
        """A line from the seat to move, which has been asked."""
        if line.fault is None and line.text.startswith("undo "):
            self._undo(seat, line, gate)
        else:
            super().answer(seat, line, read, gate)

    def early(self, seat: Seat, line: Line, gate: FloodGate) -> None:
        """A line that *seat*, which is to move, had begun before it was asked.

        Like a resignation an `undo` says by itself what it is about: it takes effect now.
        """
        if line.fault is None and line.text.startswith("undo "):
            self._undo(seat, line, gate)
        else:
            super().early(seat, line, gate)

    def _undo(self, seat: Seat, line: Line, gate: FloodGate) -> None:
        if not self._counted(seat, line, gate):
            return
        found = _UNDO.fullmatch(line.text)
        if found is None:
            self._refuse(seat, "malformed", f"expected 'undo GAME PLY', got {quote(line.text, 60)}")
        elif found[1] != self.table.game:
            sentence = f"this is game {self.table.game}, ply {self.ply}"
            self.outbox.append((seat, note("stale", sentence)))
        elif not self._has_played(seat, int(found[2])):
            sentence = f"expected the ply of an earlier move of yours, got {found[2]}"
            self._refuse(seat, "illegal", sentence)
        else:
            self._break_off(int(found[2]))

    def _refuse(self, seat: Seat, code: str, sentence: str) -> None:
        self.outbox.append((seat, error(code, sentence, self._tries[seat])))

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
