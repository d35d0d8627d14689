"""The host's rulings on a ladder: who plays no more, and which games do not count as they ended.

Nothing is to be paired anew and no table to be added up: what is ruled is stored, heeded for games
to come, and heeded by the ratings, which are derived from the store.
"""

from __future__ import annotations

from sternhalma_server.arbiter import (
    Ruled,
    check_forfeit,
    check_reason,
    check_status,
)
from sternhalma_server.keeping import StoreKeeper
from sternhalma_server.ladder_director import LadderDirector
from sternhalma_server.ladder_results import LadderResults
from sternhalma_server.outcome import read_outcome
from sternhalma_server.store import EventId, Store
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    LateEntry,
    Rulings,
    check_game,
    sentence_of,
)
from sternhalma_tournament.scores import GameResult


class LadderArbiter:
    """Takes rulings on the ladder *event* while it is played."""

    def __init__(
        self, results: LadderResults, keeper: StoreKeeper, store: Store, event: EventId
    ) -> None:
        self._results = results
        self._keeper = keeper
        self._store = store
        self._event = event

    async def rule(self, ruling: Amendment, director: LadderDirector) -> Ruled:
        """Store *ruling* and let it take effect. Raises `ValueError` if it makes no sense."""
        self._check(ruling, director)
        await self._keeper.keep_ruling(ruling)
        director.heed(ruling, self._results.rulings)
        return Ruled((sentence_of(ruling),))

    def _check(self, ruling: Amendment, director: LadderDirector) -> None:
        check_reason(ruling.reason)
        match ruling:
            case Correction() | Annulment():
                check_game(ruling, self._result(ruling.number))
                for word in ruling.forfeits or () if isinstance(ruling, Correction) else ():
                    check_forfeit(word)
            case LateEntry():
                raise ValueError(
                    f"expected no late entry, every bot of the league plays its ladder,"
                    f" got {ruling.entry[:40]!r}"
                )
            case _:
                if not director.knows(ruling.entry):
                    raise ValueError(f"expected a bot of the ladder, got {ruling.entry[:40]!r}")
                missed = director.has_withdrawn(ruling.entry)
                check_status(Rulings.of(self._results.rulings), ruling, missed=missed)

    def _result(self, number: int) -> GameResult | None:
        stored = self._store.game(self._event, number)
        return (
            None if stored is None else read_outcome(stored.outcome, stored.record).result(number)
        )
