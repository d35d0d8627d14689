"""The host's rulings on a ladder: who plays no more, and which games do not count as they ended.

Nothing is to be paired anew and no table to be added up: what is ruled is stored, heeded for games
to come, and heeded by the ratings, which are derived from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sternhalma_server.arbiter import (
    Ruled,
    check_forfeit,
    check_not_annulled,
    check_reason,
    check_status,
)
from sternhalma_server.keeping import StoreKeeper
from sternhalma_server.ladder_director import LadderDirector
from sternhalma_server.ladder_results import LadderResults
from sternhalma_server.outcome import read_outcome
from sternhalma_server.rulings import RULING, rulings_of
from sternhalma_server.store import EventId, Store, StoredEvent
from sternhalma_tournament.amendments import (
    Amendment,
    Annulment,
    Correction,
    LateEntry,
    Rulings,
    check_game,
    format_amendment,
    sentence_of,
)
from sternhalma_tournament.scores import GameResult


def rule_stored_ladder(store: Store, stored: StoredEvent, ruling: Amendment) -> Ruled:
    """Write *ruling* on a ladder that is not being played into its *store*.

    Raises `ValueError` for a ruling that makes no sense, `StoreError`.
    """
    bots = {
        bot
        for one in store.outcomes(stored.id)
        for bot in read_outcome(one.outcome, one.record).bots
    }
    bots |= {bot.name for bot in store.bots()}
    _check(ruling, bots, rulings_of(store, stored.id), lambda n: _result(store, stored.id, n))
    store.amend(stored.id, RULING, format_amendment(ruling))
    return Ruled((sentence_of(ruling),))


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
        _check(
            ruling,
            director.bots,
            self._results.rulings,
            lambda number: _result(self._store, self._event, number),
            [bot for bot in director.bots if director.has_withdrawn(bot)],
        )
        await self._keeper.keep_ruling(ruling)
        director.heed(ruling, self._results.rulings)
        return Ruled((sentence_of(ruling),))


def _check(
    ruling: Amendment,
    bots: Collection[str],
    rulings: Sequence[Amendment],
    result: Callable[[int], GameResult | None],
    missed: Collection[str] = (),
) -> None:
    """Raise `ValueError` for a ruling that makes no sense.

    *result* is that of a game by number, *missed* are those whom the server has withdrawn itself.
    """
    check_reason(ruling.reason)
    match ruling:
        case Correction() | Annulment():
            check_game(ruling, result(ruling.number))
            check_not_annulled(rulings, ruling)
            for word in ruling.forfeits or () if isinstance(ruling, Correction) else ():
                check_forfeit(word)
        case LateEntry():
            raise ValueError(
                "expected no late entry, every bot of the league plays its ladder,"
                f" got {ruling.entry[:40]!r}"
            )
        case _:
            if ruling.entry not in bots:
                raise ValueError(f"expected a bot of the ladder, got {ruling.entry[:40]!r}")
            check_status(Rulings.of(rulings), ruling, missed=ruling.entry in missed)


def _result(store: Store, event: EventId, number: int) -> GameResult | None:
    stored = store.game(event, number)
    if stored is None:
        return None
    return read_outcome(stored.outcome, stored.record).result(number)
