"""The scheduler for some of an event's games, in their order: a batch, or a share of them all.

Who plays what is settled elsewhere, where the whole event is known. So is what the host rules: no
ruling can be made on a part.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NoReturn

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.presence import Free, Needs
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

REACH: Final = 1000  # games that are passed over for want of a free connection, at most


class ListedScheduler:
    """A `Scheduler` of *pairings*, *games* in all, each of *entries* that fill *seats* seats."""

    def __init__(
        self, pairings: Iterable[Pairing], games: int, entries: Sequence[Entry], seats: int = 1
    ) -> None:
        self._ahead = iter(pairings)
        self._needs = Needs.of(entries, seats)
        self._open: dict[int, Pairing] = {}  # looked at, and not begun
        self._running: dict[int, Pairing] = {}
        self._over: set[int] = set()
        self._games = games

    @property
    def done(self) -> bool:
        """Whether all games have ended."""
        return len(self._over) >= self._games

    @property
    def games(self) -> int:
        """How many games there are."""
        return self._games

    def next(self, free: Free) -> Pairing | None:
        """The first game whose bots are all free."""
        for pairing in self._open.values():
            if self._needs.ready(pairing.entries, free):
                return pairing
        while len(self._open) < REACH:
            ahead = next((p for p in self._ahead if not self._has_begun(p)), None)
            if ahead is None:
                break
            self._open[ahead.number] = ahead
            if self._needs.ready(ahead.entries, free):
                return ahead
        return None

    def start(self, pairing: Pairing) -> None:
        """The game has begun."""
        self._open.pop(pairing.number, None)
        self._running[pairing.number] = pairing

    def release(self, number: int) -> None:
        """The game that had begun is to be played again later."""
        self._open[number] = self._running.pop(number)

    def finish(self, result: GameResult) -> None:
        """The game has ended."""
        self._running.pop(result.number, None)
        self._over.add(result.number)

    def resume(self, results: Iterable[GameResult]) -> None:
        """Leave out games that have ended."""
        self._over.update(result.number for result in results)

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """ValueError: rulings are made on whole events."""
        del forfeit
        _refuse(entry)

    def reinstate(self, entry: str) -> None:
        """ValueError: rulings are made on whole events."""
        _refuse(entry)

    def join(self, entry: Entry) -> None:
        """ValueError: rulings are made on whole events."""
        _refuse(entry.name)

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing."""
        if self._needs.ready((entry,), free):
            return f"{entry} waits for games of this part of the event"
        return self._needs.lack(entry, free)

    def _has_begun(self, pairing: Pairing) -> bool:
        return pairing.number in self._over or pairing.number in self._running


def _refuse(entry: str) -> NoReturn:
    raise ValueError(f"expected a ruling on a whole event, got one on {entry!r} in a part of it")
