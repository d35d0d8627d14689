"""How much a peer may say that nobody asked for: a bucket of tokens that fills again with time."""

from __future__ import annotations

from typing import Final

from sternhalma_server.clock import SECOND

BURST: Final = 64  # lines at once
RATE: Final = 32  # lines a second after that


class FloodGate:
    """One connection's allowance of lines that were not asked for."""

    __slots__ = ("_full_at",)

    def __init__(self) -> None:
        # When the bucket will be full again, which says all: a line moves it 1/RATE s away.
        self._full_at = 0

    def take(self, now: int) -> bool:
        """Let one line through at *now* (nanoseconds); False if it is one too many."""
        full_at = max(self._full_at, now) + SECOND // RATE
        if full_at - now > BURST * SECOND // RATE:
            return False
        self._full_at = full_at
        return True
