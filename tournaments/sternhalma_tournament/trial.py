"""A match that is a test: what its pairs of games say so far, and when they have said enough.

Two games with the same opening and the seats swapped are a pair, games 1 and 2, 3 and 4, and so on.
Pairs count in their order, each once all before it are over, and the first one behind which the
test is decided is the last one that counts. So the verdict follows from the results alone: not from
which game ended first, nor from when a server was stopped; and whoever has the results comes to
the same. Games that were running at the verdict, or had ended before an earlier pair, are played
and stand in the table; for the test they do not count. Counting them in the order in which they end
would favour whoever wins quickly.

A pair with a void game is left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sternhalma_tournament.event import Event, entries_of
from sternhalma_tournament.scores import GameResult, game_half_points
from sternhalma_tournament.sprt import Sprt, Verdict

_MEMORY: Final = 65_536  # verdicts kept: a scheduler, a table and an audit ask for the same ones


@dataclass(frozen=True, slots=True)
class TrialState:
    """Where a trial stands: *tested* is said to be stronger than *other*.

    `counts` are the pairs that count by the half points of *tested* in them, 0 to 4; `most` how
    many pairs there are to be at most. `void` pairs were left out, and `uncounted` games have ended
    that do not count: behind the verdict, or as long as a pair before theirs is not over.
    """

    tested: str
    other: str
    test: Sprt
    counts: tuple[int, ...]
    most: int
    void: int
    uncounted: int
    llr: float
    verdict: Verdict | None

    @property
    def pairs(self) -> int:
        """How many pairs count."""
        return sum(self.counts)

    @property
    def over(self) -> bool:
        """Whether no pair is to come: the test is decided, or all have been played."""
        return self.verdict is not None or self.pairs + self.void >= self.most


class Trial:
    """The trial of a match of *tested* and *other* by *test*, of *most* pairs; `enter` its games.

    Games come in any order, each once, as they count after the host's rulings. `verdict` is the
    claim that was accepted, None as long as more games are wanted.
    """

    def __init__(self, tested: str, other: str, test: Sprt, most: int) -> None:
        self.verdict: Verdict | None = None
        self._tested = tested
        self._other = other
        self._test = test
        self._most = most
        self._counts = [0] * 5
        self._void = 0
        self._next = 1  # the first game of the next pair
        self._ahead: dict[int, int | None] = {}  # half points of games that do not count yet

    @classmethod
    def of(cls, event: Event, results: Iterable[GameResult] = ()) -> "Trial | None":
        """The trial of *event* after *results*; None if it has none.

        Raises `ValueError` for an event that lacks entries yet.
        """
        if event.sprt is None:
            return None
        names = [entry.name for entry in entries_of(event)]
        if len(names) != 2:
            raise ValueError(f"expected two entries in a match with [sprt], got {names!r}")
        tested, other = names
        trial = cls(tested, other, event.sprt.test, event.cycles // 2)
        for result in results:
            trial.enter(result)
        return trial

    def enter(self, result: GameResult) -> None:
        """A game has ended."""
        won = game_half_points(result)[self._tested] if result.scored else None
        self._ahead[result.number] = won
        while self.verdict is None and {self._next, self._next + 1} <= self._ahead.keys():
            pair = self._ahead.pop(self._next), self._ahead.pop(self._next + 1)
            self._next += 2
            self._count(*pair)

    @property
    def state(self) -> TrialState:
        """Where the trial stands."""
        return TrialState(
            tested=self._tested,
            other=self._other,
            test=self._test,
            counts=tuple(self._counts),
            most=self._most,
            void=self._void,
            uncounted=len(self._ahead),
            llr=self._test.llr(self._counts),
            verdict=self.verdict,
        )

    def _count(self, first: int | None, second: int | None) -> None:
        if first is None or second is None:
            self._void += 1
        else:
            self._counts[first + second] += 1
            self.verdict = _decide(self._test, tuple(self._counts))


@lru_cache(maxsize=_MEMORY)
def _decide(test: Sprt, counts: Sequence[int]) -> Verdict | None:
    return test.decide(counts)
