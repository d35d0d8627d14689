"""What each line from a seat does: an answer that is played, or anything else a bot may say.

The referee does no input or output and asks nobody for the time: the runner hands it lines and the
moments they came, and carries away what is in the outbox. It is asked about every move of every
game, so the way of a legal move through it is short.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from sternhalma import Board, IllegalMoveError, Move, NotationError, Seat
from sternhalma.move import parse_move
from sternhalma_server.announce import Table, offer_line
from sternhalma_server.course import Course, Finished
from sternhalma_server.explanation import NO_LOGIN, NO_UNDO
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Slip
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import (
    AgreeDraw,
    Fetch,
    Leave,
    Login,
    Message,
    MoveMade,
    NoteCode,
    Ping,
    Pong,
    Resign,
    Undo,
    Watch,
    Why,
    WireError,
    clean,
    error,
    note,
    parse_message,
    quote,
)

__all__ = ["Finished", "Referee"]

SHORT: Final = 11  # characters of a path that is remembered: three holes at most


@lru_cache(maxsize=16384)
def _short_parsed(board: Board, path: str) -> Move:
    return parse_move(board, path)


def _parsed(board: Board, path: str) -> Move:
    """The move written *path*. Raises `NotationError`.

    Most paths are two holes, and come again and again; longer texts are not worth being kept.
    """
    return _short_parsed(board, path) if len(path) <= SHORT else parse_move(board, path)


class Referee(Course):
    """The conduct of one game: its course, and what the lines of its seats do to it.

    `was_plain` is whether the line answered last was `move GAME PLY PATH` with the path as it is
    kept, so that it need not be kept beside the ply.
    """

    __slots__ = ("was_plain",)

    def __init__(self, table: Table, *, epoch: int = 0, in_credit: Iterable[Seat] = ()) -> None:
        super().__init__(table, epoch=epoch, in_credit=in_credit)
        self.was_plain = False

    def early(self, seat: Seat, line: Line, gate: FloodGate) -> None:
        """A line that *seat*, which is to move, had begun before it was asked."""
        self._unsolicited(seat, line, gate, "early", "this move was begun before its turn was sent")

    def answer(self, seat: Seat, line: Line, read: int, gate: FloodGate) -> None:
        """A line from the seat to move, which has been asked; the server read it at *read*."""
        sent, patience = self.asked_at, self.patience
        assert sent is not None
        self.was_plain = False
        text, stamp, is_early, fault = line
        elapsed = max(0, min(stamp, read) - sent)
        if patience is not None and elapsed > patience:
            self.flag(seat, elapsed, line)
            return
        if is_early or fault is not None:
            self.early(seat, line, gate)
            return
        expected = f"move {self.table.game} {self.ply} "
        if text.startswith(expected) and " " not in (path := text[len(expected) :]):
            # The usual answer needs no looking for what else it might be.
            self._play(seat, line, path, elapsed, read, is_bare=True)
            return
        try:
            message = parse_message(text)
        except WireError as problem:
            self._wrong(seat, line, Reason.MALFORMED, str(problem))
            return
        if not isinstance(message, MoveMade):
            self._aside(seat, line, message, gate)
            return
        if message.ply != self.ply or message.game != self.table.game:
            sentence = f"expected an answer to game {self.table.game} ply {self.ply}"
            self._unsolicited(seat, line, gate, "stale", sentence)
            return
        self._play(seat, line, message.path, elapsed, read, offers_draw=message.offers_draw)

    def unfinished(self, seat: Seat, line: Line) -> None:
        """*seat* is about to go out with a *line* under way whose line feed has not come.

        That saves nobody, but whoever forgets line feeds, or to flush them, has to be told.
        """
        sentence = f"expected a line feed behind {quote(line.text)}"
        self.outbox.append((seat, note("unfinished", sentence)))

    def _play(
        self,
        seat: Seat,
        line: Line,
        path: str,
        elapsed: int,
        read: int,
        *,
        is_bare: bool = False,
        offers_draw: bool = False,
    ) -> None:
        """Play *path*; the line is *is_bare* if there is nothing else in it."""
        game = self._game
        try:
            move = _parsed(game.rules.board, path)
            game = game.play(move)
        except NotationError as problem:
            self._wrong(seat, line, Reason.MALFORMED, str(problem))
            return
        except IllegalMoveError as problem:
            self._wrong(seat, line, Reason.ILLEGAL, str(problem))
            return
        assert game.last is not None
        if game.last is not move or not path.islower():
            path = game.format_move(game.last)
        else:
            self.was_plain = is_bare
        self._move(game, path, elapsed, read, line.stamp, offers_draw=offers_draw)
        if self._agreed:
            self._agreed.clear()
        if offers_draw and not game.is_over:
            self._offer(seat)
        self._next(None)

    def _aside(self, seat: Seat, line: Line, message: Message, gate: FloodGate) -> None:
        """A line from the seat to move that is no move."""
        match message:
            case Resign(game) if game == self.table.game:
                self._fall(seat, Reason.RESIGN, line)
            case AgreeDraw(game, ply) if game == self.table.game and ply == self.ply:
                self._agree(seat, line, gate)
            case Leave():
                self._fall(seat, Reason.DISCONNECT, line)
            case Login() | Watch() | Fetch():
                self._wrong(seat, line, Reason.MALFORMED, NO_LOGIN)
            case Undo():
                self._wrong(seat, line, Reason.MALFORMED, NO_UNDO)
            case Ping(word):
                if self._counted(seat, line, gate):
                    self.outbox.append((seat, f"pong {word}"))
            case Why():
                if self._counted(seat, line, gate):
                    waiting = f"why you are to move in game {self.table.game}, ply {self.ply}"
                    self.outbox.append((seat, waiting))
            case Pong() | MoveMade() | Resign() | AgreeDraw():
                sentence = f"this is game {self.table.game}, ply {self.ply}"
                self._unsolicited(seat, line, gate, "stale", sentence)

    def _unsolicited(
        self, seat: Seat, line: Line, gate: FloodGate, code: NoteCode, sentence: str
    ) -> None:
        """A line that answers nothing: noted and counted, unless it says something by itself."""
        if line.fault is not None:
            self._wrong(seat, line, Reason.MALFORMED, line.fault)
            return
        try:
            message = parse_message(line.text)
        except WireError as problem:
            self._wrong(seat, line, Reason.MALFORMED, str(problem))
            return
        if isinstance(message, MoveMade):
            if self._counted(seat, line, gate):
                self.outbox.append((seat, note(code, sentence)))
        elif isinstance(message, Pong) or code == "stale":
            self._counted(seat, line, gate)
        else:
            self._aside(seat, line, message, gate)

    def _counted(self, seat: Seat, line: Line, gate: FloodGate) -> bool:
        """Count a line that was not asked for; False once there are too many."""
        if gate.take(line.stamp):
            return True
        self._fall(seat, Reason.FLOOD, line)
        return False

    def _wrong(self, seat: Seat, line: Line, reason: Reason, sentence: str) -> None:
        """An answer that cannot be played: another try, or the end for *seat*."""
        left = self._tries[seat]
        if left:
            self._tries[seat] = left - 1
            self.happened.append(Slip(seat, reason, self.ply, clean(line.text)))
            self.outbox.append((seat, error(reason, clean(sentence), left - 1)))
            return
        self.outbox.append((seat, error(reason, clean(sentence))))
        self._fall(seat, reason, line)

    def _offer(self, seat: Seat) -> None:
        if not self.table.draws:
            self.outbox.append((seat, note("no-draws", "this game knows no draw by agreement")))
            return
        self._agreed.add(seat)
        letter = self._letters[seat]
        for other in self._game.position.active:
            if other != seat:
                self.outbox.append((other, offer_line(self.table.game, letter)))

    def _agree(self, seat: Seat, line: Line, gate: FloodGate) -> None:
        if not self._agreed:
            if self._counted(seat, line, gate):
                self.outbox.append((seat, note("no-offer", "no draw is on offer")))
            return
        self._agreed.add(seat)
        if self._agreed.issuperset(self._game.position.active):
            self.happened.append(Agreed(self.ply))
            self._game = self._game.agree()
            self._next(None)
