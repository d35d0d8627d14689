"""A keeper without a disk: what it is given it hands on, or has ready to go on with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from sternhalma_server.announce import Table
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening
from sternhalma_server.keeping import Begun, begin_line
from sternhalma_server.record import format_happening
from sternhalma_server.recording import recorded
from sternhalma_server.referee import Finished
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

Keep = Callable[[Finished], Awaitable[None]]


class CollectedGame:
    """The ledger of one game that is only collected (`Collector`)."""

    def __init__(self, collector: Collector, number: int, letters: list[str]) -> None:
        self._collector = collector
        self._number = number
        self._letters = letters

    def begin(self, versions: Sequence[str | None], pairing: Pairing) -> None:
        """The game begins."""
        self._collector.journal[self._number] = [begin_line(versions, pairing)]

    def go_on(self, begun: Begun) -> None:
        """The game goes on: what has happened before is known to whoever stopped it."""

    def heard(self, seat: int, line: Line) -> None:
        """A seat has sent a line."""

    def log(self, happening: Happening) -> None:
        """Something has happened."""
        lines = self._collector.journal.get(self._number)
        if lines is not None:  # the last ply of a game is told when the game is kept already
            lines.append(format_happening(recorded(self._letters, happening)))

    async def keep(self, finished: Finished) -> None:
        """The game is over."""
        self._collector.journal.pop(self._number, None)  # nothing is there if it was never begun
        await self._collector.keep(finished)


class Collector:
    """A keeper that hands finished games to *keep* and stores nothing.

    `journal` has the lines of the games that run, by number: what `Begun` is made from.
    """

    epoch = 0
    stalled = False
    batches = 0
    played = 0
    planned = None

    def __init__(self, keep: Keep, journal: Mapping[int, Sequence[str]] | None = None) -> None:
        self.keep = keep
        self.journal = {game: [*lines] for game, lines in (journal or {}).items()}

    async def keep_bye(self, bye: GameResult) -> None:
        """A bye has no game to collect."""

    def open(self, table: Table, letters: list[str]) -> CollectedGame:
        """The ledger of a game."""
        return CollectedGame(self, int(table.game), letters)
