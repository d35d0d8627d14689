"""A check from its first step to its last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from sternhalma_server.conformance import clocks, games, lines, logins, positions, returns, together
from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.step import REQUIRED, Level, Outcome, Result, Step
from sternhalma_server.conformance.subject import Subject
from sternhalma_server.conformance.talk import ENDED, GONE, SkippedError, UnexpectedError
from sternhalma_server.wire import clean

ENDING: Final = 0.5  # seconds for a program whose connection has ended to end as well
SILENCES: Final = 5  # steps in a row to which a bot says nothing, after which no more are tried

STEPS: Final[Sequence[Step]] = (
    *logins.STEPS,
    *lines.STEPS,
    *clocks.STEPS,
    *games.STEPS,
    *positions.STEPS,
    *returns.STEPS,
    *together.STEPS,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of all steps that were tried, in their order; `untried` are the others."""

    outcomes: tuple[Outcome, ...]
    untried: tuple[Step, ...] = ()

    @property
    def good(self) -> bool:
        """Whether all steps were tried, no required one has failed and at least one has passed."""
        return (
            not self.untried
            and not any(outcome.is_wrong for outcome in self.outcomes)
            and self.count(REQUIRED, "passed") > 0
        )

    def count(self, level: Level, result: Result) -> int:
        """How many steps of *level* have come to *result*."""
        return sum(one.step.level == level and one.result == result for one in self.outcomes)


async def check(
    subject: Subject,
    patience: float,
    steps: Sequence[Step] = STEPS,
    tell: Callable[[Outcome], None] = lambda _: None,
) -> Checked:
    """Try *steps* on *subject*, which has *patience* seconds for each answer; *tell* is told of
    each as it is done.

    A bot that says nothing to `SILENCES` steps in a row would have most of an hour pass with the
    others, and they would find nothing new: they are not tried.

    Raises `ProgramError`, `ScarcityError` if the program cannot be started at all.
    """
    bench = Bench(subject, patience)
    outcomes: list[Outcome] = []
    silences = 0
    try:
        for step in steps:
            outcome = await _try(step, bench)
            outcomes.append(outcome)
            tell(outcome)
            silences = silences + 1 if outcome.is_silence else 0
            if silences == SILENCES:
                break
    finally:
        with trio.CancelScope(shield=True):
            await bench.leave()
    return Checked(tuple(outcomes), tuple(steps[len(outcomes) :]))


async def _try(step: Step, bench: Bench) -> Outcome:
    bench.begin()
    try:
        await step.act(bench)
    except UnexpectedError as problem:
        said, came = tuple(bench.said), problem.came
        if came.startswith((GONE, ENDED)):
            words = await bench.subject.last_words(ENDING)
            came += "" if words is None else f"; the program {words}"
            came += _behind_over(bench)
        await bench.abandon()
        return Outcome(step, "failed", said, problem.expected, came)
    except SkippedError as reason:
        return Outcome(step, "skipped", tuple(bench.said), came=str(reason))
    return Outcome(step, "passed", tuple(bench.said))


def _behind_over(bench: Bench) -> str:
    """A hint for a bot that has gone and said nothing since its last game was over."""
    before = bench.before
    if before is None or before.side != "S" or not before.text.startswith("over "):
        return ""
    if any(said.side == "B" for said in bench.said):
        return ""
    return (
        f"; the step before had ended with {clean(before.text, 60)!r}:"
        " a bot plays game after game on one connection, until it is told 'bye'"
    )
