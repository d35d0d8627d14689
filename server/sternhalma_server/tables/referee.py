"""The referee of a table: whoever is to move may take back any move, not only one of its own.

Several people play, and a move is taken back when all of them agree; that is settled on their
pages. Then somebody has to say so to the server, which reads only the seat that is to move.
"""

from __future__ import annotations

from sternhalma import Seat
from sternhalma_server.happening import Ply
from sternhalma_server.takeback import ForgivingReferee


class TableReferee(ForgivingReferee):
    """A referee who lets the seat to move take back what anybody has played."""

    def _has_played(self, seat: Seat, ply: int) -> bool:
        del seat
        return any(
            isinstance(event, Ply) and event.number == ply and event.source is None
            for event in self.happened
        )
