"""The keeper of a table's games, which keeps nothing and notes that something has happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sternhalma_server.announce import Table
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening
from sternhalma_server.keeping import Begun
from sternhalma_server.referee import Finished
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult


class Forgetful:
    """Keeper and ledger of every game of a table; *touched* is called when something happens."""

    epoch = 0
    stalled = False
    batches = 0
    played = 0
    planned = None

    def __init__(self, touched: Callable[[], None]) -> None:
        self._touched = touched

    def open(self, table: Table, letters: list[str]) -> Forgetful:
        """The ledger of a game."""
        del table, letters
        return self

    async def keep_bye(self, bye: GameResult) -> None:
        """Nobody has a bye."""

    def begin(self, versions: Sequence[str | None], pairing: Pairing) -> None:
        """A game begins."""
        del versions, pairing
        self._touched()

    def go_on(self, begun: Begun) -> None:
        """A game goes on from where moves were taken back."""
        del begun
        self._touched()

    def heard(self, seat: int, line: Line) -> None:
        """A line is forgotten."""
        del seat, line

    def log(self, happening: Happening) -> None:
        """Something has happened."""
        del happening
        self._touched()

    async def keep(self, finished: Finished) -> None:
        """A game is over."""
        del finished
        self._touched()
