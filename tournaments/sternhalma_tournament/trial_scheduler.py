"""The scheduler of a match that stops when its test is decided."""

from collections.abc import Iterable, Iterator

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.league import LeagueScheduler
from sternhalma_tournament.presence import Free
from sternhalma_tournament.schedule import Pairing, Schedule
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.trial import Trial


class TrialScheduler(LeagueScheduler):
    """A `Scheduler` of the games of *schedule* as long as *trial* wants more of them.

    Games that run at the verdict are played to their end.
    """

    def __init__(self, schedule: Schedule, trial: Trial, seats: int = 1, spread: int = 2) -> None:
        super().__init__(schedule, seats, spread)
        self._trial = trial
        self._under_way: set[int] = set()
        self._over = 0

    @property
    def done(self) -> bool:
        """Whether nothing runs, and the test is decided or no game is left."""
        if self._trial.verdict is None:
            return super().done
        return not self._under_way

    @property
    def games(self) -> int:
        """As many as there are at most; once the test is decided, those that have begun."""
        if self._trial.verdict is None:
            return super().games
        return self._over + len(self._under_way)

    def next(self, free: Free) -> Pairing | None:
        """The game to begin now; none once the test is decided."""
        return super().next(free) if self._trial.verdict is None else None

    def start(self, pairing: Pairing) -> None:
        """The game has begun."""
        super().start(pairing)
        self._under_way.add(pairing.number)

    def release(self, number: int) -> None:
        """The game that had begun is to be played again later, unless the test is decided."""
        super().release(number)
        self._under_way.discard(number)

    def finish(self, result: GameResult) -> None:
        """The game has ended."""
        super().finish(result)
        self._under_way.discard(result.number)
        self._enter(result)

    def resume(self, results: Iterable[GameResult]) -> None:
        """Take *results*, in order of numbers."""
        super().resume(self._entered(results))

    def join(self, entry: Entry) -> None:
        """A match that is a test has two entries, and no room for a third."""
        raise ValueError(f"expected no late entry in a match with [sprt], got {entry.name!r}")

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing."""
        told = super().why(entry, free)
        verdict = self._trial.verdict
        return told if verdict is None else f"the match is decided: {verdict} was accepted"

    def _entered(self, results: Iterable[GameResult]) -> Iterator[GameResult]:
        for result in results:
            self._enter(result)
            yield result

    def _enter(self, result: GameResult) -> None:
        self._trial.enter(result)
        self._over += 1
