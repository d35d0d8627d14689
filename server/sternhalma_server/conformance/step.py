"""One step of a check: what is tried, what was said meanwhile, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from sternhalma_server.conformance.bench import Bench
from sternhalma_server.conformance.talk import NOBODY, NOTHING, Said

Level = Literal["required", "advisory"]
Result = Literal["passed", "failed", "skipped"]

REQUIRED: Final[Level] = "required"
ADVISORY: Final[Level] = "advisory"

Act = Callable[[Bench], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Step:
    """A step: `act` holds the conversation and raises `UnexpectedError` where it goes wrong.

    `what` is a sentence that is true of a bot that passes, `family` groups steps for people.
    Without an advisory step a bot plays a whole league all the same.
    """

    family: str
    title: str
    what: str
    act: Act
    level: Level = REQUIRED

    @property
    def name(self) -> str:
        """What the step is called, `FAMILY.TITLE`."""
        return f"{self.family}.{self.title}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a step. `expected` and `came` tell of a failed one, `came` why one was skipped.

    `said` is the conversation, both ways, in order.
    """

    step: Step
    result: Result
    said: tuple[Said, ...] = ()
    expected: str = ""
    came: str = ""

    @property
    def is_silence(self) -> bool:
        """Whether it has failed because the bot said nothing, or never came."""
        return self.result == "failed" and self.came.startswith((NOTHING, NOBODY))

    @property
    def is_wrong(self) -> bool:
        """Whether a step that is required has failed."""
        return self.result == "failed" and self.step.level == REQUIRED
