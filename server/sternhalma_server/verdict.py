"""Why a game ended, or why a seat went out of it: one list for journal, wire and tables.

Two record keepers that name reasons in their own ways disagree sooner or later; here the word is
the value, and there is nothing to translate.
"""

from __future__ import annotations

import enum

from sternhalma import End


class Reason(enum.StrEnum):
    """Every reason there is, spelled as on the wire."""

    GOAL = "goal"
    PROGRESS = "progress"
    SHARE = "share"
    AGREEMENT = "agreement"
    RESIGN = "resign"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIME = "time"
    DISCONNECT = "disconnect"
    FLOOD = "flood"
    NO_START = "no-start"
    SERVER_FAULT = "server-fault"
    ABORTED = "aborted"

    @property
    def is_forfeit(self) -> bool:
        """Whether the seat broke a rule of the event; to resign loses, but breaks none."""
        return self in _FORFEITS

    @property
    def puts_out(self) -> bool:
        """Whether a seat goes out for it: a forfeit, or it has resigned."""
        return self.is_forfeit or self is Reason.RESIGN

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody."""
        return self in {Reason.SERVER_FAULT, Reason.ABORTED}


_FORFEITS = frozenset(
    {
        Reason.ILLEGAL,
        Reason.MALFORMED,
        Reason.TIME,
        Reason.DISCONNECT,
        Reason.FLOOD,
        Reason.NO_START,
    }
)


def reason_of(end: End, dropped: Reason | None) -> Reason:
    """The reason of a game that ended as the engine says.

    *dropped* is why a seat was dropped just then, None if the game ended with a turn. When only
    one is left, that is the reason; where the last turn itself put a player out (`out40`) nobody
    has done anything wrong, and the one who is left has reached the goal of the game.
    """
    if end is not End.LAST:
        return Reason(end.value)
    return Reason.GOAL if dropped is None else dropped
