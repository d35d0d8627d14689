"""What the games of a ladder come to while it is played: counts, and the rulings of the host.

A ladder has no end and no table of its own: the league's ratings are its table. So nothing is kept
of a game but that it was played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sternhalma_server.outcome import Outcome, outcome_of
from sternhalma_server.record import Record
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment
from sternhalma_tournament.scores import GameResult


class LadderResults:
    """The counts of one ladder; `add` takes the record of one more game."""

    def __init__(self) -> None:
        self._games = 0
        self._rulings: list[Amendment] = []
        self.forfeits: Counter[tuple[str, Reason]] = Counter()  # by bot and reason
        self.voids = 0

    def __len__(self) -> int:
        return self._games

    @property
    def planned_games(self) -> int:
        """As many as were played: nobody knows how many there will be."""
        return self._games

    @property
    def rulings(self) -> Sequence[Amendment]:
        """The rulings in the order in which they came."""
        return self._rulings

    def add(self, record: Record) -> None:
        """Count the game of *record*."""
        self.count(outcome_of(record))

    def count(self, outcome: Outcome) -> None:
        """Count a game that is told in short."""
        self._games += 1
        self.voids += Reason(outcome.reason).is_void
        for bot, forfeit in zip(outcome.bots, outcome.forfeits, strict=True):
            if forfeit is not None:
                self.forfeits[bot, Reason(forfeit)] += 1

    def add_bye(self, bye: GameResult) -> None:
        """Raises `ValueError`: nobody sits out in a ladder."""
        raise ValueError(f"expected no bye in a ladder, got game {bye.number}")

    def amend(self, amendment: Amendment) -> None:
        """Let a ruling of the host count; ratings heed it."""
        self._rulings.append(amendment)

    def files(self) -> dict[str, str]:
        """None: what is derived from a ladder is derived from all of its league."""
        return {}
