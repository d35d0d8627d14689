"""What a driver asks of an engine that spreads work over machines: to have an order played.

That is all there is to it, so that an engine can be exchanged for another one, or in a test for
none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sternhalma_server.errand import Answer


class FleetError(Exception):
    """Machines that cannot be used, or not any more; one sentence."""


@dataclass(frozen=True, slots=True)
class Played:
    """An order has come back from *worker* with its *answer*."""

    worker: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Lost:
    """An order was lost with its worker, as the engine says in words."""

    how: str


class Fleet(Protocol):
    """Machines that play orders."""

    async def cores(self) -> int:
        """How many orders can be played at once now, 0 while there are no workers.

        Raises `FleetError` if the engine is gone.
        """
        ...

    async def play(self, order: bytes) -> Played | Lost:
        """Have *order* played by some worker; cancelled, nobody waits for what comes of it.

        Raises `FleetError` if no order can be played any more.
        """
        ...

    def refuse(self, worker: str) -> None:
        """Have *worker* play no more orders of this event."""
        ...
