"""Walking through a game, step by step, to and fro."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sternhalma
from sternhalma_bot.by_hand.story import Step, Story


@dataclass(frozen=True, slots=True)
class Replay:
    """A place in a story: `shown` of its steps have been had."""

    story: Story
    shown: int = 0

    @property
    def game(self) -> sternhalma.Game:
        """The game at this place."""
        return self.story.start if self.step is None else self.step.after

    @property
    def step(self) -> Step | None:
        """The step that led here, None at the start."""
        return self.story.steps[self.shown - 1] if self.shown else None

    @property
    def ply(self) -> int:
        """The last ply that has been had here."""
        return self.game.ply - 1

    @property
    def last_ply(self) -> int:
        """The last ply of the story."""
        return self.story.now.ply - 1

    def next(self) -> Replay:
        """One step on; at the end the same place."""
        return replace(self, shown=min(self.shown + 1, len(self.story.steps)))

    def back(self) -> Replay:
        """One step back; at the start the same place."""
        return replace(self, shown=max(self.shown - 1, 0))

    def to(self, ply: int) -> Replay:
        """The place after *ply*, or the nearest there is."""
        had = [step.after.ply - 1 <= ply for step in self.story.steps]
        return replace(self, shown=sum(had))
