"""One game's conduct: what each line from a seat does, and how the game ends.

The referee does no input or output and asks nobody for the time: the runner hands it lines with the
time they took, and carries away what is in the outbox. It is asked about every move of every game,
so the way of a legal move through it is short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sternhalma import Game, IllegalMoveError, NotationError, Result, Seat
from sternhalma_server.announce import (
    Fall,
    Table,
    game_line,
    moved_line,
    offer_line,
    out_line,
    over_line,
    turn_line,
    unasked_line,
)
from sternhalma_server.clock import Budget
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.verdict import Reason, reason_of
from sternhalma_server.wire import (
    AgreeDraw,
    Leave,
    Login,
    Message,
    MoveMade,
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

Source = Literal["opening", "rules"]


class Ply(NamedTuple):
    """One turn had: `source` is None for a bot's own move, else `opening` or `rules`."""

    number: int
    seat: Seat
    path: str
    source: Source | None
    charged: int = 0
    left: int | None = None


class Agreed(NamedTuple):
    """All players still in agreed on a draw when this ply was to be played."""

    ply: int


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
    happened: tuple[Ply | Fall | Agreed, ...]
    cause: Fall | None

    @property
    def falls(self) -> list[Fall]:
        """How seats went out, in order."""
        return [event for event in self.happened if isinstance(event, Fall)]


class Referee:
    """The conduct of one game, from its opening line to its result.

    `outbox` holds what is to be told, each with the seat it is for or None for all; the runner
    empties it. `turn` is the seat to be asked, None once the game is over.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.outbox: list[tuple[Seat | None, str]] = []
        self.finished: Finished | None = None
        self._game = Game.new(
            table.rules,
            len(table.bots),
            limit=table.terms.limit,
            at_limit=table.terms.at_limit,
        )
        self._start = self._game
        self._letters = tuple(group[0] for group in self._game.position.seats)
        self._budgets: list[Budget] = [table.control.start() for _ in table.bots]
        self._limits = [table.control.limit(budget) for budget in self._budgets]
        self._tries = [table.tries] * len(table.bots)
        self._happened: list[Ply | Fall | Agreed] = []
        self._agreed: set[Seat] = set()  # who wants a draw now: the offer stands while not empty
        self._ply = 1
        self.turn: Seat | None = self._game.turn

    @property
    def ply(self) -> int:
        """The number of the turn to be played."""
        return self._ply

    @property
    def limit(self) -> int | None:
        """The longest the seat to move may take, in nanoseconds; None if there is no limit."""
        assert self.turn is not None
        return self._limits[self.turn]

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self._game

    def begin(self) -> None:
        """Open the game: tell every seat its table, and play the opening."""
        for seat in self._game.position.seating.seats:
            self.outbox.append((seat, game_line(self.table, self._letters, seat)))
        for path in self.table.opening:
            self._unasked(path, "opening")
        self._pass_where_forced()

    def question(self, *, with_moves: bool) -> str:
        """The line that asks the seat to move."""
        line = turn_line(self.table.game, self._ply, self.limit, self._game.position)
        if not with_moves:
            return line
        names = self.table.rules.board.names
        moves = [f"{names[m.origin]}-{names[m.target]}" for m in self._game.legal_moves()]
        return f"{line} moves={','.join(moves)}"

    def early(self, seat: Seat, line: Line, gate: FloodGate) -> None:
        """A line that *seat*, which is to move, had begun before it was asked."""
        self._unsolicited(seat, line, gate, "early", "this move was begun before its turn was sent")

    def answer(self, seat: Seat, line: Line, elapsed: int, gate: FloodGate) -> None:
        """A line from the seat to move, *elapsed* nanoseconds after it was asked."""
        limit = self._limits[seat]
        if limit is not None and elapsed > limit:
            self.flag(seat, line)
            return
        if line.early or line.fault is not None:
            self.early(seat, line, gate)
            return
        try:
            message = parse_message(line.text)
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
        self._play(seat, line, message, elapsed)

    def flag(self, seat: Seat, line: Line | None = None) -> None:
        """The clock of *seat* has run out, with *line* too late or nothing said."""
        self._fall(seat, Reason.TIME, line)

    def disconnected(self, seat: Seat) -> None:
        """The connection of *seat* has ended."""
        self._fall(seat, Reason.DISCONNECT, None)

    def flooded(self, seat: Seat) -> None:
        """*seat* has sent more than anybody will read."""
        self._fall(seat, Reason.FLOOD, None)

    def absent(self, seat: Seat) -> None:
        """*seat* was not there to begin with."""
        self._fall(seat, Reason.NO_START, None)

    def void(self, reason: Reason) -> None:
        """Break the game off without a result: the server's fault, or aborted."""
        self._over(reason, None)

    def _play(self, seat: Seat, line: Line, message: MoveMade, elapsed: int) -> None:
        game = self._game
        try:
            move = game.parse_move(message.path)
        except NotationError as problem:
            self._wrong(seat, line, Reason.MALFORMED, str(problem))
            return
        try:
            self._game = game = game.play(move)
        except IllegalMoveError as problem:
            self._wrong(seat, line, Reason.ILLEGAL, str(problem))
            return
        assert game.last is not None
        path = message.path if game.last is move else game.format_move(game.last)
        control = self.table.control
        budget = self._budgets[seat] = control.spend(self._budgets[seat], elapsed)
        limit = self._limits[seat] = control.limit(budget)
        ply, letter = self._ply, self._letters[seat]
        self._happened.append(Ply(ply, seat, path, None, elapsed, limit))
        self.outbox.append((None, moved_line(self.table.game, ply, letter, path, elapsed, limit)))
        self._agreed.clear()
        if message.offers_draw and not game.is_over:
            self._offer(seat)
        self._next()

    def _next(self) -> None:
        """Go on after a turn or a fall."""
        self._ply = self._game.ply
        self.turn = self._game.turn
        if self.turn is None:
            self._ended()
        else:
            self._pass_where_forced()

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
        self._happened.append(Ply(ply, seat, full, source))
        self.outbox.append(
            (None, unasked_line(self.table.game, ply, self._letters[seat], full, source))
        )
        self._ply = self._game.ply
        self.turn = self._game.turn
        if self.turn is None:
            self._ended()

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
        self, seat: Seat, line: Line, gate: FloodGate, code: str, sentence: str
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
            self._happened.append(Agreed(self._ply))
            self._game = self._game.agree()
            self._next()

    def _fall(self, seat: Seat, reason: Reason, line: Line | None) -> None:
        """*seat* goes out."""
        fall = Fall(seat, reason, self._ply, None if line is None else clean(line.text))
        self._happened.append(fall)
        self._game = self._game.drop(seat)
        self._agreed.clear()
        if self._game.is_over:
            self.turn = None
            result = self._game.result
            assert result is not None
            self._over(reason_of(result.end, reason), fall)
            return
        self.outbox.append((None, out_line(self.table.game, self._letters[seat], fall)))
        self._next()

    def _ended(self) -> None:
        result = self._game.result
        assert result is not None
        self._over(reason_of(result.end, None), None)

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
            happened=tuple(self._happened),
            cause=cause,
        )
