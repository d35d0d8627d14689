"""What has happened in a game, as the server has told it, with the game after each step.

It is what a person can walk through afterwards, and what says which move is taken back. A server
may restate a game at an earlier turn, or go on under a new id from where another was broken off;
then the steps up to that turn are kept, because the position tells that they are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

import sternhalma
from sternhalma import IllegalMoveError, NotationError, RulesError, Seat
from sternhalma.rules import AtLimit
from sternhalma_bot import messages
from sternhalma_bot.protocol import ProtocolError


@dataclass(frozen=True, slots=True)
class Step:
    """A turn that was had, or a seat going out before the turn `ply`.

    `seat` is its letter, `path` the full path, None for a seat that went out by `reason`; `after`
    is the game then. A ply that nobody chose has `by`.
    """

    ply: int
    seat: str
    path: str | None
    after: sternhalma.Game
    by: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One game: how it was opened, and its steps from `start` on."""

    game: messages.Game
    start: sternhalma.Game
    steps: tuple[Step, ...] = ()

    @staticmethod
    def of(game: messages.Game) -> Story:
        """The story of a game that begins. Raises `ProtocolError`."""
        try:
            start = sternhalma.Game.new(
                game.rules, len(game.seats), limit=game.limit, at_limit=_at_limit(game)
            )
        except RulesError as error:
            raise ProtocolError(f"expected a game that can be played: {error}") from error
        return Story(game, start)

    @property
    def now(self) -> sternhalma.Game:
        """The game as it stands."""
        return self.steps[-1].after if self.steps else self.start

    def moved(self, told: messages.Moved) -> Story:
        """The story with a move; without it where it does not go on from here.

        That is when something was missed: the next turn tells the position.
        """
        now = self.now
        if told.ply != now.ply:
            return self
        try:
            after = now.play(told.path)
        except (IllegalMoveError, NotationError):
            return self
        return self._with(Step(told.ply, told.seat, told.path, after, by=told.by))

    def out(self, told: messages.Out) -> Story:
        """The story with a seat going out."""
        now, letters = self.now, self.letters
        if told.seat not in letters or now.is_over:
            return self
        seat = Seat(letters.index(told.seat))
        if seat in now.position.gone:
            return self
        after = now.drop(seat)
        return self._with(Step(now.ply, told.seat, None, after, reason=told.reason))

    def at(self, position: str, earlier: Iterable[Story] = ()) -> Story:
        """The story up to *position*: of this one what leads there, or of those *earlier*."""
        for story in (self, *earlier):
            for length in range(len(story.steps), -1, -1):
                cut = Story(self.game, story.start, story.steps[:length])
                if str(cut.now) == position:
                    return cut
        # As a puzzle: how many marbles there are is the server's business.
        start = sternhalma.Game.load(
            position, puzzle=True, limit=self.game.limit, at_limit=_at_limit(self.game)
        )
        return Story(self.game, start)

    @property
    def letters(self) -> list[str]:
        """The letter of each seat."""
        return [group[0] for group in self.start.position.seats]

    def plies_of(self, letter: str) -> list[int]:
        """The plies of the moves that the bot in the seat *letter* has chosen."""
        return [
            step.ply
            for step in self.steps
            if step.seat == letter and step.path is not None and step.by is None
        ]

    def _with(self, step: Step) -> Story:
        return replace(self, steps=(*self.steps, step))


def _at_limit(game: messages.Game) -> AtLimit | None:
    return cast("AtLimit", game.at_limit) if game.at_limit in {"share", "progress"} else None
