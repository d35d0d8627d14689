"""Who is told how an event goes, and what became of it in the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from sternhalma_server.announce import Table
from sternhalma_server.referee import Finished
from sternhalma_server.verdict import Reason
from sternhalma_tournament.trial import TrialState


class Observer(Protocol):
    """Who is told how the event goes."""

    def listening(self, host: str, port: int) -> None:
        """The server listens there."""
        ...

    def resumed(self, finished: int, running: int) -> None:
        """The event goes on: so many games are over, so many were running."""
        ...

    def planned(self, games: int) -> None:
        """So many games are to be played in all, as far as can be said."""
        ...

    def started(self, table: Table) -> None:
        """A game has started."""
        ...

    def finished(self, finished: Finished) -> None:
        """A game is over and stored."""
        ...

    def tested(self, trial: TrialState) -> None:
        """The test that ends a match stands so now."""
        ...

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        ...


@dataclass(slots=True)
class Summary:
    """What became of an event; `complete` is whether all its games have been played."""

    games: int = 0
    forfeits: Counter[tuple[str, Reason]] = field(default_factory=Counter[tuple[str, Reason]])
    voids: int = 0
    replayed: int = 0  # games played again after a fault of the server
    withdrawn: list[str] = field(default_factory=list[str])
    complete: bool = False

    @property
    def clean(self) -> bool:
        """Whether nothing went wrong: no forfeit, no void game, no bot withdrawn."""
        return not (self.forfeits or self.voids or self.replayed or self.withdrawn)
