"""One game of a table as its people have been told it, and the position after each step.

Everybody at the table is told the same moves, each over a connection of its own; what has been
heard before is passed over. Where moves are taken back the game goes on under a new id, and the
steps before that ply are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from sternhalma import Game, IllegalMoveError, NotationError, PositionError, Seat
from sternhalma.rules import AtLimit
from sternhalma_server.clock import MILLISECOND, parse_clock
from sternhalma_server.web.tables.lines import Asked, Ended, Gone, Moved, Offered, Opened

_AT_LIMIT: Final[Mapping[str, AtLimit]] = {"share": "share", "progress": "progress"}


@dataclass(frozen=True, slots=True)
class Step:
    """A turn that was had, or a player going out before the turn `ply`.

    `path` is the full path, empty for a pass, None for who went out by `reason`; `by` is who moved
    where the player did not. `after` is the game then.
    """

    ply: int
    letter: str
    path: str | None
    after: Game
    by: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """A game: its opening line, where it starts, and its steps.

    `left` is what each seat has on its clock in milliseconds, as far as that is known; `offers` are
    the seats that want a draw now; `ended` is set when it is over.
    """

    opened: Opened
    start: Game
    steps: tuple[Step, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict[str, int])
    offers: frozenset[str] = frozenset()
    ended: Ended | None = None

    @staticmethod
    def of(opened: Opened) -> Story:
        """The story of a game that begins."""
        start = Game.new(
            opened.rules,
            len(opened.seats),
            limit=opened.limit,
            at_limit=_AT_LIMIT.get(opened.at_limit),
        )
        limit = parse_clock(opened.clock).limit(parse_clock(opened.clock).start())
        letters = [letter for letter, _ in opened.seats]
        left = {} if limit is None else dict.fromkeys(letters, limit // MILLISECOND)
        return Story(opened, start, left=left)

    @staticmethod
    def going_on(opened: Opened, before: Story, ply: int) -> Story:
        """The story of a game that goes on from the turn *ply* of the one *before*."""
        steps = tuple(step for step in before.steps if step.ply < ply)
        return replace(Story.of(opened), start=before.start, steps=steps)

    @property
    def now(self) -> Game:
        """The game as it stands."""
        return self.steps[-1].after if self.steps else self.start

    @property
    def letters(self) -> list[str]:
        """The letters of the seats, in the order of turns."""
        return [letter for letter, _ in self.opened.seats]

    def seat(self, letter: str) -> Seat:
        """The seat with a letter."""
        return Seat(self.letters.index(letter))

    @property
    def turn(self) -> str | None:
        """The letter of the seat to move, None when the game is over."""
        seat = self.now.turn
        return None if seat is None or self.ended is not None else self.letters[seat]

    def moved(self, told: Moved) -> Story:
        """The story with a move; as it is where that is known already, or does not follow."""
        now = self.now
        if told.ply != now.ply or now.is_over:
            return self
        try:
            after = now.play(told.path)
        except (IllegalMoveError, NotationError):
            return self
        assert after.last is not None
        path = after.format_move(after.last)
        step = Step(told.ply, told.letter, path, after, by=told.by)
        left = self.left if told.left is None else {**self.left, told.letter: told.left}
        return replace(self, steps=(*self.steps, step), left=left, offers=frozenset())

    def gone(self, told: Gone) -> Story:
        """The story with a player going out."""
        now = self.now
        if now.is_over or self.seat(told.letter) in now.position.gone:
            return self
        after = now.drop(self.seat(told.letter))
        step = Step(now.ply, told.letter, None, after, reason=told.reason)
        return replace(self, steps=(*self.steps, step), offers=frozenset())

    def offered(self, told: Offered) -> Story:
        """The story with a draw on offer."""
        return replace(self, offers=self.offers | {told.letter})

    def asked(self, told: Asked) -> Story:
        """The story when a seat is asked to move: what was missed is told by the position."""
        story = self
        if str(self.now) != told.position:
            try:
                position = Game.load(
                    told.position, limit=self.opened.limit, at_limit=self.start.terms.at_limit
                )
            except PositionError:
                return self
            story = replace(self, start=position, steps=())
        turn = story.turn
        if turn is None or told.left is None:
            return story
        return replace(story, left={**story.left, turn: told.left})

    def over(self, told: Ended) -> Story:
        """The story at its end."""
        return self if self.ended is not None else replace(self, ended=told)
