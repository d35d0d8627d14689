"""A keeper of nothing, for play that nobody rates: it explains what went wrong instead.

Where an event keeps each line as evidence, a practice has an author at the other end who wants to
know why a line was no good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sternhalma import Game
from sternhalma_server.announce import Table
from sternhalma_server.clock import SECOND, milliseconds
from sternhalma_server.explanation import FLUSHES, explain
from sternhalma_server.framing import NO_END, Line
from sternhalma_server.happening import Agreed, Fall, Happening, Ply, Slip
from sternhalma_server.keeping import Begun
from sternhalma_server.referee import Finished
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import MoveMade, WireError, clean, parse_message, quote
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

Tell = Callable[[str], None]

REMEMBERED: Final = 64  # turns that were lost on time
LINE_FEEDS: Final = "a line is sent when its line feed is, and the output flushed"


class Unkept:
    """A keeper of nothing, which has *tell* explain what went wrong."""

    epoch = 0
    stalled = False
    batches = 0
    played = 0
    planned = None

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.flags = Flags()

    def open(self, table: Table, letters: list[str]) -> Explainer:
        """The ledger of a game."""
        return Explainer(table, letters, self._tell, self.flags)

    async def keep_bye(self, bye: GameResult) -> None:
        """Nobody has a bye."""


class Flags:
    """The turns that were lost on time, since an answer to one of them may come yet."""

    def __init__(self) -> None:
        self._fell: dict[tuple[str, str, int], int] = {}  # when, by bot, game and ply

    def fell(self, bot: str, game: str, ply: int, at: int) -> None:
        """The time of *bot* was up at *at*, on the clock of stamps."""
        self._fell[bot, game, ply] = at
        if len(self._fell) > REMEMBERED:
            del self._fell[next(iter(self._fell))]

    def late(self, bot: str, line: Line) -> str | None:
        """How late *line* of *bot* is, if it answers a turn that was lost on time."""
        try:
            message = None if line.fault is not None else parse_message(line.text)
        except WireError:
            return None
        if not isinstance(message, MoveMade):
            return None
        fell = self._fell.get((bot, message.game, message.ply))
        if fell is None:
            return None
        after = f"{max(0, line.stamp - fell) / SECOND:.1f} s after its time was up"
        return f"late: the answer to game {message.game}, ply {message.ply}, {after}"


class Explainer:
    """Follows one game, and explains each answer that was not played."""

    def __init__(self, table: Table, letters: list[str], tell: Tell, flags: Flags) -> None:
        terms = table.terms
        self._table = table
        self._letters = letters
        self._tell = tell
        self._flags = flags
        # Since the last move:
        self._said: dict[str, str] = {}  # whole lines, by what is quoted of them
        self._faults: dict[str, str] = {}  # what is wrong with the bytes of others
        self._heard = 0  # lines of the seat to move
        self._unended: str | None = None  # what had come of a line without a line feed
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
        """Remember the line as it was said, and explain one that answers another question.

        A long line is cut where it is quoted.
        """
        if line.text.endswith(NO_END):
            self._unended = line.text.removesuffix(NO_END).rstrip()
            return
        self._heard += 1
        if line.fault is not None:
            self._faults[clean(line.text)] = line.fault
            return
        self._said[clean(line.text)] = line.text
        late = self._flags.late(self._table.bots[seat], line)
        amiss = self._amiss(line) if late is None else [late]
        if amiss is not None:
            self._tell("\n  ".join([f"{self._called(seat)}: {clean(line.text)}", *amiss]))

    def _amiss(self, line: Line) -> list[str] | None:
        """Why a move is not one for the question that waits, None for all other lines."""
        try:
            message = parse_message(line.text)
        except WireError:
            return None
        game, ply = self._table.game, self._game.ply
        if not isinstance(message, MoveMade):
            return None
        if (message.game, message.ply) == (game, ply):
            early = f"too early: it was begun before 'turn {game} {ply}' was sent"
            return [early] if line.early else None
        asked = "is about to be asked" if line.early else "waits"
        return [
            f"stale: the turn that {asked} is that of game {game}, ply {ply}",
            "an answer repeats the two words behind 'turn', and each turn is answered once",
        ]

    def log(self, happening: Happening) -> None:
        """Follow the game, and explain what went wrong."""
        match happening:
            case Ply():
                self._game = self._game.play(happening.path)
                self._said.clear()
                self._faults.clear()
                self._heard, self._unended = 0, None
            case Slip(seat, reason, _, line):
                self._explain(seat, reason.value, self._said.get(line, line))
            case Fall(seat, reason, ply, line):
                quoted = "" if line is None else f": {line}"
                head = f"{self._called(seat)} is out at ply {ply} by {reason}{quoted}"
                self._tell("\n  ".join([head, *self._because(happening)]))
                if reason is Reason.TIME and happening.sent is not None:
                    at = happening.sent + (happening.limit or 0)  # `epoch` is 0 here
                    self._flags.fell(self._table.bots[seat], self._table.game, ply, at)
                self._game = self._game.drop(seat)
            case Agreed():
                pass

    def _because(self, fall: Fall) -> Iterator[str]:
        """What may have led to *fall*, for whoever wrote the bot."""
        if fall.reason is Reason.TIME and fall.line is not None:
            took, had = milliseconds(fall.waited or 0), milliseconds(fall.limit or 0)
            yield f"it came {took} ms after its turn, which had {had} ms"
        elif fall.reason is Reason.TIME and self._unended is None:
            within = f"within {(fall.limit or 0) / SECOND:g} s"
            if self._heard:
                yield f"lines came {within}, but none of them answered this turn"
            else:
                yield f"nothing arrived {within}; {FLUSHES}"
        elif fall.reason is Reason.DISCONNECT and fall.line is None:
            yield "its connection ended before its answer had come; if its program has crashed,"
            yield "what that printed last, and its exit status, say why"
        if self._unended is not None and fall.line is None:
            yield f"{quote(self._unended)} had come, and no line feed behind it;"
            yield LINE_FEEDS

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

    def _called(self, seat: int) -> str:
        """A bot of this game, as the host reads of it beside those of other games."""
        return f"game {self._table.game}, {self._name(seat)}"

    def _explain(self, seat: int, reason: str, line: str) -> None:
        fault = self._faults.get(line)
        why = [fault] if fault is not None else explain(self._game, line) or [reason]
        head = f"{self._called(seat)}, ply {self._game.ply}, {reason}: {clean(line)}"
        self._tell("\n  ".join([head, *why]))
