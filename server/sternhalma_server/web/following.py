"""A running game as its page follows it: what the store had when one began to look, and since.

The store is a little behind the wire, and the wire knows nothing of what was before one listened.
So each is asked for what the other lacks, and a ply that both tell is told once.
"""

from __future__ import annotations

import json
from dataclasses import replace

from sternhalma import Game, parse_position
from sternhalma_server.pages.replays import step_of
from sternhalma_server.record import Happening, Out, Ply
from sternhalma_server.report import MOVES_HEAD, move_row
from sternhalma_server.underway import Underway
from sternhalma_server.verdict import Reason
from sternhalma_server.web.live_game import happening_of


class GapError(ValueError):
    """The store does not have yet what was before the first line that was heard."""


class Following:
    """A game from *base*, which is how the store has it, on. Raises `ValueError` as a replay does.

    `steps` are those of its page's script as JSON, each with what its row in the list of moves
    says.
    """

    def __init__(self, base: Underway) -> None:
        self._base = base
        record = base.telling.record
        self._game = Game.from_position(
            parse_position(record.start), limit=record.limit, at_limit=record.at_limit
        )
        self._happened: list[Happening] = []
        self._lines: list[str] | None = None  # those that are heard
        self._heard = 0
        self.steps: list[str] = []
        for happening in record.happened:
            self._add(happening)

    def take(self, lines: list[str]) -> None:
        """Hear those of *lines* that were not there before; another list is gone through anew.

        Raises `GapError`.
        """
        if lines is not self._lines:
            self._lines, self._heard = lines, 0
        for line in lines[self._heard :]:
            self._take(happening_of(line))
            self._heard += 1

    @property
    def underway(self) -> Underway:
        """The game as far as it is known."""
        telling = self._base.telling
        record = replace(
            telling.record,
            happened=tuple(self._happened),
            ply=self._game.ply - 1,
            final=str(self._game),
        )
        return replace(self._base, telling=replace(telling, record=record))

    @property
    def unproved(self) -> bool:
        """Whether somebody went out by time for which the wire had no evidence."""
        return any(_is_unproved(one) for one in self._happened)

    def prove(self, stored: Underway) -> None:
        """Take the evidence for that from the game as the store has it by now."""
        outs = {one.seat: one for one in stored.telling.record.happened if isinstance(one, Out)}
        self._happened = [
            outs.get(one.seat, one) if isinstance(one, Out) and _is_unproved(one) else one
            for one in self._happened
        ]
        self._base = replace(self._base, said=stored.said)

    def _take(self, happening: Happening) -> None:
        position = self._game.position
        match happening:
            case Ply(number) if number < self._game.ply:
                return
            case Ply(number) if number > self._game.ply:
                raise GapError(f"expected ply {self._game.ply}, got ply {number}")
            case Out(letter):
                letters = [group[0] for group in position.seats]
                if letters.index(letter) not in position.active:
                    return
            case _:
                pass
        self._add(happening)

    def _add(self, happening: Happening) -> None:
        step, self._game = step_of(self._game, happening)
        self._happened.append(happening)
        if isinstance(happening, Ply):
            row = zip(MOVES_HEAD, move_row(self._base.telling, happening), strict=True)
            step["cells"] = {head: text for head, text in row if text}
        self.steps.append(json.dumps(step, separators=(",", ":")))


def _is_unproved(happening: Happening) -> bool:
    return isinstance(happening, Out) and happening.reason is Reason.TIME and not happening.evidence
