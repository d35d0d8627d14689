"""One game's conduct: what each line from a seat does, and how the game ends.

The referee does no input or output and asks nobody for the time: the runner hands it lines and the
moments they came, and carries away what is in the outbox. It is asked about every move of every
game, so the way of a legal move through it is short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sternhalma import BoardText, Game, IllegalMoveError, NotationError, Result, Seat
from sternhalma_server.announce import (
    Table,
    game_line,
    moved_line,
    offer_line,
    out_line,
    over_line,
    position_line,
    turn_line,
    unasked_line,
)
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Evidence, Fall, Happening, Ply, Slip, Source
from sternhalma_server.timekeeper import Timekeeper
from sternhalma_server.verdict import Reason, reason_of
from sternhalma_server.wire import (
    AgreeDraw,
    Leave,
    Login,
    Message,
    MoveMade,
    NoteCode,
    Ping,
    Pong,
    Resign,
    Watch,
    Why,
    WireError,
    clean,
    error,
    note,
    parse_message,
)


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that is over.

    `reason` ended it, `happened` is all of it in order, `cause` the fall that ended it if one did;
    `result` is the engine's, None for a void or aborted game.
    """

    table: Table
    start: Game
    last: Game
    reason: Reason
    result: Result | None
    happened: tuple[Happening, ...]
    cause: Fall | None

    @property
    def falls(self) -> list[Fall]:
        """How seats went out, in order."""
        return [event for event in self.happened if isinstance(event, Fall)]


class Question(NamedTuple):
    """A turn that a seat has been asked for: the ply, and when it was asked (nanoseconds)."""

    seat: Seat
    ply: int
    sent: int


class Referee:
    """The conduct of one game, from its opening line to its result.

    `outbox` holds what is to be told, each with the seat it is for or None for all; the runner
    empties it. `happened` is everything so far, in order. `turn` is the seat to be asked, None once
    the game is over. *epoch* added to the clock of the stamps gives wall time. *in_credit* are the
    seats that get the table's credit for lag.
    """

    def __init__(self, table: Table, *, epoch: int = 0, in_credit: Iterable[Seat] = ()) -> None:
        self.table = table
        self.outbox: list[tuple[Seat | None, str]] = []
        self.happened: list[Happening] = []
        self.finished: Finished | None = None
        self._epoch = epoch
        self._game = Game.new(
            table.rules,
            len(table.bots),
            limit=table.terms.limit,
            at_limit=table.terms.at_limit,
        )
        self._start = self._game
        self._letters = tuple(group[0] for group in self._game.position.seats)
        self._time = Timekeeper(table.control, table.lag, len(table.bots), in_credit)
        self._tries = [table.tries] * len(table.bots)
        self._agreed: set[Seat] = set()  # who wants a draw now: the offer stands while not empty
        self._board = BoardText()
        self._question: Question | None = None
        self._expected = ""  # what the usual answer to the question begins with
        self._plain = False  # whether the last line follows from the last ply
        self._ply = 1
        self.turn: Seat | None = self._game.turn

    @property
    def ply(self) -> int:
        """The number of the turn to be played."""
        return self._ply

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self._game

    @property
    def patience(self) -> int | None:
        """How long the answer of the seat to move may take to arrive, lag included; None: for ever.

        In nanoseconds.
        """
        assert self.turn is not None
        return self._time.patience(self.turn)

    def begin(self) -> None:
        """Open the game: tell every seat its table, and play the opening."""
        for seat in self._game.position.seating.seats:
            self.outbox.append((seat, self.opening_line(seat)))
        for path in self.table.opening:
            self._unasked(path, "opening")
        self._pass_where_forced()

    def resume(self, happened: Iterable[Happening]) -> None:
        """Take up a game that was begun before: *happened* is what is known of it, in order.

        The clocks stand where the last move left them.
        """
        for event in happened:
            self.happened.append(event)
            self._agreed.clear()
            match event:
                case Ply():
                    self._game = self._game.play(event.path)
                    if event.source is None:
                        credit = event.evidence.credit if event.evidence else None
                        self._time.spend(event.seat, event.charged, credit)
                        if event.offers_draw:
                            self._agreed.add(event.seat)
                case Fall():
                    self._game = self._game.drop(event.seat)
                case Slip():
                    self._tries[event.seat] -= 1
                case Agreed():
                    self._game = self._game.agree()
        for seat in self._game.position.seating.seats:
            self.outbox.append((seat, self.opening_line(seat)))
        last = self.happened[-1] if self.happened else None
        self._next(last if isinstance(last, Fall) else None)

    def opening_line(self, seat: Seat | None) -> str:
        """The `game` line for a seat, or for a watcher."""
        return game_line(self.table, self._letters, seat)

    def restater(self, seat: Seat) -> Callable[[], str]:
        """What tells the bot in *seat* of its game when it comes back on another connection."""
        return lambda: self.opening_line(seat)

    def position_line(self) -> str:
        """The `position` line, for a watcher."""
        return position_line(self.table.game, self._ply, self._game.position)

    def question(self, *, with_moves: bool, waited: int = 0) -> str:
        """The line that asks the seat to move, or asks it again when *waited* has passed."""
        assert self.turn is not None
        limit, budget = self._time.limit(self.turn), self._time.budget(self.turn)
        left = None if limit is None else max(0, limit - waited)
        position = self._game.position
        board = self._board.of(position)
        line = turn_line(self.table.game, self._ply, left, budget, position, board)
        if not with_moves:
            return line
        names = self.table.rules.board.names
        moves = [f"{names[m.origin]}-{names[m.target]}" for m in self._game.legal_moves()]
        return f"{line} moves={','.join(moves)}"

    def asked(self, sent: int) -> Question:
        """The seat to move has been asked at *sent*; its clock runs from there."""
        assert self.turn is not None
        self._expected = f"move {self.table.game} {self._ply} "
        self._question = Question(self.turn, self._ply, sent)
        return self._question

    def early(self, seat: Seat, line: Line, gate: FloodGate) -> None:
        """A line that *seat*, which is to move, had begun before it was asked."""
        self._unsolicited(seat, line, gate, "early", "this move was begun before its turn was sent")

    def answer(self, seat: Seat, line: Line, read: int, gate: FloodGate) -> None:
        """A line from the seat to move, which has been asked; the server read it at *read*."""
        question = self._question
        assert question is not None
        self._plain = False
        elapsed = max(0, min(line.stamp, read) - question.sent)
        patience = self._time.patience(seat)
        if patience is not None and elapsed > patience:
            self.flag(seat, elapsed, line)
            return
        if line.early or line.fault is not None:
            self.early(seat, line, gate)
            return
        text, expected = line.text, self._expected
        if text.startswith(expected) and " " not in (path := text[len(expected) :]):
            # The usual answer needs no looking for what else it might be.
            self._play(seat, line, path, False, elapsed, read)
            return
        try:
            message = parse_message(text)
        except WireError as problem:
            self._wrong(seat, line, Reason.MALFORMED, str(problem))
            return
        if not isinstance(message, MoveMade):
            self._aside(seat, line, message, gate)
            return
        if message.ply != self._ply or message.game != self.table.game:
            sentence = f"expected an answer to game {self.table.game} ply {self._ply}"
            self._unsolicited(seat, line, gate, "stale", sentence)
            return
        self._play(seat, line, message.path, message.offers_draw, elapsed, read)

    @property
    def was_plain(self) -> bool:
        """Whether the line answered last was `move GAME PLY PATH` with the path as it is kept, so
        that it need not be kept beside the ply."""
        return self._plain

    def flag(self, seat: Seat, waited: int, line: Line | None = None) -> None:
        """The clock of *seat* has run out after *waited*, with *line* too late or nothing said."""
        self._fall(seat, Reason.TIME, line, waited)

    def disconnected(self, seat: Seat, waited: int | None = None) -> None:
        """The connection of *seat* has ended, and nobody has come back."""
        self._fall(seat, Reason.DISCONNECT, None, waited)

    def flooded(self, seat: Seat) -> None:
        """*seat* has sent more than anybody will read."""
        self._fall(seat, Reason.FLOOD, None)

    def absent(self, seat: Seat) -> None:
        """*seat* was not there to begin with."""
        self._fall(seat, Reason.NO_START, None)

    def void(self, reason: Reason) -> None:
        """Break the game off without a result: the server's fault, or aborted."""
        self._over(reason, None)

    def _play(
        self, seat: Seat, line: Line, path: str, offers_draw: bool, elapsed: int, read: int
    ) -> None:
        game = self._game
        try:
            move = game.parse_move(path)
        except NotationError as problem:
            self._wrong(seat, line, Reason.MALFORMED, str(problem))
            return
        try:
            self._game = game = game.play(move)
        except IllegalMoveError as problem:
            self._wrong(seat, line, Reason.ILLEGAL, str(problem))
            return
        assert game.last is not None
        if game.last is not move or not path.islower():
            path = game.format_move(game.last)
        else:
            self._plain = line.text.count(" ") == 3
        ply = self._charge(seat, path, elapsed, read, line.stamp, offers_draw)
        self.happened.append(ply)
        moved = moved_line(self.table.game, self._letters[seat], ply, self._time.budget(seat))
        self.outbox.append((None, moved))
        if self._agreed:
            self._agreed.clear()
        if offers_draw and not game.is_over:
            self._offer(seat)
        self._next(None)

    def _charge(
        self, seat: Seat, path: str, elapsed: int, read: int, stamp: int, offers_draw: bool
    ) -> Ply:
        """Take a move's time off the clock of *seat*: the ply that tells it."""
        assert self._question is not None
        credit = self._time.credit(seat, elapsed)
        charged = elapsed - (credit or 0)
        self._time.spend(seat, charged, credit)
        sent = self._question.sent + self._epoch
        evidence = Evidence(sent, sent + elapsed, max(0, read - stamp), credit)
        left = self._time.limit(seat)
        return Ply(self._ply, seat, path, None, charged, left, evidence, offers_draw)

    def _next(self, fall: Fall | None) -> None:
        """Go on after a turn, or after *fall*."""
        game = self._game
        position = game.position
        self._ply = position.ply
        self.turn = position.turn
        if game.result is None:
            self._pass_where_forced()
        else:
            dropped = None if fall is None else fall.reason
            reason = reason_of(game.result.end, dropped)
            self._over(reason, fall)

    def _pass_where_forced(self) -> None:
        while self.turn is not None and self._game.must_pass:
            self._unasked("pass", "rules")

    def _unasked(self, path: str, source: Source) -> None:
        """Play a ply that no bot was asked for."""
        seat, ply = self._game.turn, self._game.ply
        assert seat is not None
        self._game = self._game.play(path)
        last = self._game.last
        assert last is not None
        full = self._game.format_move(last)
        self.happened.append(Ply(ply, seat, full, source))
        self.outbox.append(
            (None, unasked_line(self.table.game, ply, self._letters[seat], full, source))
        )
        self._ply = self._game.ply
        self.turn = self._game.turn
        if self._game.result is not None:
            self._over(reason_of(self._game.result.end, None), None)

    def _aside(self, seat: Seat, line: Line, message: Message, gate: FloodGate) -> None:
        """A line from the seat to move that is no move."""
        match message:
            case Resign(game) if game == self.table.game:
                self._fall(seat, Reason.RESIGN, line)
            case AgreeDraw(game, ply) if game == self.table.game and ply == self._ply:
                self._agree(seat, line, gate)
            case Leave():
                self._fall(seat, Reason.DISCONNECT, line)
            case Login() | Watch():
                self._wrong(seat, line, Reason.MALFORMED, "expected no second login")
            case Ping(word):
                if self._counted(seat, line, gate):
                    self.outbox.append((seat, f"pong {word}"))
            case Why():
                if self._counted(seat, line, gate):
                    waiting = f"why you are to move in game {self.table.game}, ply {self._ply}"
                    self.outbox.append((seat, waiting))
            case Pong() | MoveMade() | Resign() | AgreeDraw():
                sentence = f"this is game {self.table.game}, ply {self._ply}"
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
            self.happened.append(Slip(seat, reason, self._ply, clean(line.text)))
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
            self.happened.append(Agreed(self._ply))
            self._game = self._game.agree()
            self._next(None)

    def _fall(
        self, seat: Seat, reason: Reason, line: Line | None, waited: int | None = None
    ) -> None:
        """*seat* goes out."""
        question = self._question
        asked = question is not None and (question.seat, question.ply) == (seat, self._ply)
        fall = Fall(
            seat,
            reason,
            self._ply,
            None if line is None else clean(line.text),
            question.sent + self._epoch if question is not None and asked else None,
            waited,
            self._time.limit(seat) if asked else None,
        )
        self.happened.append(fall)
        self._game = self._game.drop(seat)
        self._agreed.clear()
        if not self._game.is_over:
            self.outbox.append((None, out_line(self.table.game, self._letters[seat], fall)))
        self._next(fall)

    def _over(self, reason: Reason, cause: Fall | None) -> None:
        self.turn = None
        result = self._game.result
        places = result.places if result is not None else (0,) * len(self._letters)
        self.outbox.append((None, over_line(self.table.game, reason, self._letters, places, cause)))
        self.finished = Finished(
            table=self.table,
            start=self._start,
            last=self._game,
            reason=reason,
            result=result,
            happened=tuple(self.happened),
            cause=cause,
        )
