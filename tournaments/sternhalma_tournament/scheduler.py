"""What the director of an event asks a format: which game may begin next, and why somebody waits.

A scheduler holds what has begun and what has ended; it looks at no clock and decides nothing
twice. Its owner, in this order: `next` names a game that may begin now; `start` says that it has
begun; `finish` that it has ended. To go on after a stop, a new scheduler of the same event is told
the same amendments, the results so far (`resume`) and the games that were running (`start`).
"""

from collections.abc import Iterable
from typing import Protocol

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.presence import Free
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import BYE, GameResult


class Scheduler(Protocol):
    """One interface for every format."""

    @property
    def done(self) -> bool:
        """Whether all games have ended and none is to come."""
        ...

    @property
    def games(self) -> int:
        """How many games there are to be, played ones included, as far as can be said now."""
        ...

    def next(self, free: Free) -> Pairing | None:
        """A game whose bots are all free and that may begin now; a pairing of one entry is a bye.

        Nothing changes until `start`: asked again it gives the same answer.
        """
        ...

    def start(self, pairing: Pairing) -> None:
        """The game has begun; ValueError if it is not one that was to come."""
        ...

    def release(self, number: int) -> None:
        """The game that had begun is to be played again later; ValueError if it is not running."""
        ...

    def finish(self, result: GameResult) -> None:
        """The game has ended; one that was not started is taken as started."""
        ...

    def resume(self, results: Iterable[GameResult]) -> None:
        """`finish` for many results in order of their numbers, before anything else."""
        ...

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """*entry* plays no more.

        Its games are left out, or with *forfeit* are still called, as if its bots were free, so
        that their results can be entered as forfeits.
        """
        ...

    def reinstate(self, entry: str) -> None:
        """*entry*, which had withdrawn, plays again: only before anything else, as with `resume`.

        A match that was won by walkover is to be played again.
        """
        ...

    def join(self, entry: Entry) -> None:
        """A late entry; ValueError where the format cannot take one."""
        ...

    def why(self, entry: str, free: Free) -> str:
        """A sentence for the author of a bot that waits; ValueError for an unknown name."""
        ...


def bye_result(pairing: Pairing) -> GameResult:
    """The result of a pairing of one entry, to be entered without a game."""
    return GameResult(pairing.number, pairing.entries, (1,), (None,), BYE, 0)
