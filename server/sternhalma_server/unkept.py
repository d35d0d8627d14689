"""A keeper of nothing, for play that nobody rates: it explains what went wrong instead.

Where an event keeps each line as evidence, a practice has an author at the other end who wants to
know why a line was no good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.explanation import explain
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Fall, Happening, Ply, Slip
from sternhalma_server.keeping import Begun
from sternhalma_server.referee import Finished
from sternhalma_server.wire import clean
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

Tell = Callable[[str], None]


class Unkept:
    """A keeper of nothing, which has *tell* explain what went wrong."""

    epoch = 0
    stalled = False
    played = 0
    planned = None

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def open(self, table: Table, letters: list[str]) -> Explainer:
        """The ledger of a game."""
        return Explainer(table, letters, self._tell)

    async def keep_bye(self, bye: GameResult) -> None:
        """Nobody has a bye."""


class Explainer:
    """Follows one game, and explains each answer that was not played."""

    def __init__(self, table: Table, letters: list[str], tell: Tell) -> None:
        terms = table.terms
        self._table = table
        self._letters = letters
        self._tell = tell
        self._said: dict[str, str] = {}  # since the last move, by what is quoted of them
        self._game = Game.new(
            table.rules, len(table.bots), limit=terms.limit, at_limit=terms.at_limit
        )

    def begin(self, versions: Sequence[str | None], pairing: Pairing) -> None:
        """Tell who sits where."""
        del versions, pairing
        self._tell(f"game {self._table.game}: {self._seats()}")

    def go_on(self, begun: Begun) -> None:
        """Follow what is kept of a game in which moves were taken back."""
        for happening in begun.happened(self._letters):
            match happening:
                case Ply():
                    self._game = self._game.play(happening.path)
                case Fall():
                    self._game = self._game.drop(happening.seat)
                case _:
                    pass
        self._tell(f"game {self._table.game} goes on from ply {self._game.ply}: {self._seats()}")

    def heard(self, seat: int, line: Line) -> None:
        """Remember the line as it was said: a long one is cut where it is quoted."""
        del seat
        if line.fault is None:
            self._said[clean(line.text)] = line.text

    def log(self, happening: Happening) -> None:
        """Follow the game, and explain what went wrong."""
        match happening:
            case Ply():
                self._game = self._game.play(happening.path)
                self._said.clear()
            case Slip(seat, reason, _, line):
                self._explain(seat, reason.value, self._said.get(line, line))
            case Fall(seat, reason, ply, line):
                quoted = "" if line is None else f": {line}"
                self._tell(f"{self._name(seat)} is out at ply {ply} by {reason}{quoted}")
                self._game = self._game.drop(seat)
            case Agreed():
                pass

    async def keep(self, finished: Finished) -> None:
        """Tell how it ended."""
        result = finished.result
        places = () if result is None else enumerate(result.places)
        told = ", ".join(f"{self._name(seat)} place {place}" for seat, place in places)
        after = f"after ply {finished.last.ply - 1}"
        said = f"game {self._table.game} over by {finished.reason} {after}"
        self._tell(f"{said}: {told}" if told else said)

    def _seats(self) -> str:
        return ", ".join(map(self._name, range(len(self._letters))))

    def _name(self, seat: int) -> str:
        return f"{self._letters[seat]} {self._table.bots[seat]}"

    def _explain(self, seat: int, reason: str, line: str) -> None:
        why = explain(self._game, line) or [reason]
        head = f"{self._name(seat)}, ply {self._game.ply}, {reason}: {clean(line)}"
        self._tell("\n  ".join([head, *why]))
