"""The games of a ladder, each held against the rules, the clocks and the ladder's file.

Who met whom hangs on who was there, so of that nothing can be proved. What can be is that nobody
chose an opening: it follows from the number of the game and its two, or the game is the return of
one that did, with the seats swapped.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sternhalma import Game
from sternhalma_server.examiner import check_start, check_terms, never_begun, opening_played
from sternhalma_server.opening import opening_of
from sternhalma_server.record import Record, RecordError
from sternhalma_server.replay import replay
from sternhalma_server.settings import Settings
from sternhalma_server.timing import prove_times
from sternhalma_tournament.schedule import opening_key

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Opened:
    """How a game began: its number, its entries by side, and its plies by chance."""

    number: int
    names: Names
    opening: tuple[str, ...]


class LadderExaminer:
    """Told the games of the ladder of *settings* in the order in which they ended."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        terms = settings.terms
        self._start = Game.new(
            settings.rules, settings.event.players, limit=terms.limit, at_limit=terms.at_limit
        )
        self._firsts: defaultdict[Names, list[_Opened]] = defaultdict(list)  # not returned yet
        self._returns: list[_Opened] = []  # whose first game has not ended before them

    def check(self, record: Record) -> None:
        """Check the record of the game that ended next.

        Raises `RecordError` naming the game, the line and the difference.
        """
        replay(record)
        check_terms(record, self._settings)
        names = tuple(player.entry for player in record.players[: self._settings.sides])
        seats = names * (len(record.players) // len(names))
        if len(set(names)) < len(names) or [(p.bot, p.entry) for p in record.players] != [
            (name, name) for name in seats
        ]:
            raise RecordError(
                f"game {record.game}, line 6: expected bots that play for themselves,"
                f" got {' '.join(f'{p.bot}/{p.entry}' for p in record.players)!r}"
            )
        check_start(record, self._start)
        self._check_opening(record, names)
        prove_times(record, self._settings.lag)

    def end(self) -> list[str]:
        """What is wrong with openings that no other game explains: a sentence each."""
        return [
            f"game {one.number}: expected the opening of this game, or of one before it with"
            f" the seats swapped, got {' '.join(one.opening)!r}"
            for one in sorted(self._returns, key=lambda one: one.number)
            if not self._is_return(one)
        ]

    def _check_opening(self, record: Record, names: Names) -> None:
        if never_begun(record):
            return
        opened = _Opened(record.game, names, tuple(opening_played(record)))
        event = self._settings.event
        key = opening_key(names, str(record.game))
        if opened.opening == tuple(opening_of(self._start, event.opening, event.seed, key)):
            self._firsts[names].append(opened)
        elif not self._is_return(opened):
            self._returns.append(opened)

    def _is_return(self, opened: _Opened) -> bool:
        """Whether a game is the return of one that has ended, which then has had it."""
        firsts = self._firsts[opened.names[::-1]]
        before = [
            first
            for first in firsts
            if first.number < opened.number and first.opening == opened.opening
        ]
        if not before:
            return False
        # Two openings may be alike by chance: the later one is left to nobody before it.
        firsts.remove(max(before, key=lambda first: first.number))
        return True
