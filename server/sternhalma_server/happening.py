"""What happens in a game, as values: turns had, seats going out, and what was forgiven.

Times are nanoseconds. Moments are wall time as the server measures it: its monotonic clock, set to
the wall once when it started, so that they are comparable within a run whatever the wall does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sternhalma import Seat
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import clean

Source = Literal["opening", "rules"]


class Evidence(NamedTuple):
    """How a move was timed.

    `sent` is when its turn had been handed to the network, `received` when the packet that
    completed the answer arrived, `late` how much later the server read it (never charged), `credit`
    the lag that was credited, None where the event gives none.
    """

    sent: int
    received: int
    late: int
    credit: int | None = None


class Ply(NamedTuple):
    """One turn had: `source` is None for a bot's own move, else who played it for the bot.

    `charged` is what the move took off the clock and `left` the time for the next, None where there
    is no limit.
    """

    number: int
    seat: Seat
    path: str
    source: Source | None
    charged: int = 0
    left: int | None = None
    evidence: Evidence | None = None
    offers_draw: bool = False


@dataclass(frozen=True, slots=True)
class Fall:
    """How a seat went out: by what, at which ply, and its last line where there was one.

    For a seat that had been asked, `sent` is when, `waited` how long it was waited for, `limit` how
    long it had.
    """

    seat: Seat
    reason: Reason
    ply: int
    line: str | None
    sent: int | None = None
    waited: int | None = None
    limit: int | None = None

    @property
    def keys(self) -> str:
        """The keys that tell it on the wire, `line` last."""
        line = "" if self.line is None else f" line={clean(self.line)}"
        return f"ply={self.ply}{line}"


class Slip(NamedTuple):
    """An answer that was forgiven: the event allows some tries."""

    seat: Seat
    reason: Reason
    ply: int
    line: str


class Agreed(NamedTuple):
    """All players still in agreed on a draw when this ply was to be played."""

    ply: int


Happening = Ply | Fall | Slip | Agreed
