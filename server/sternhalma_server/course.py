"""The course of one game: its turns and falls, its clocks and its end, and what is told of them.

There is no input or output here, and nobody is asked for the time. What a line from a seat means is
the referee's to say; here it only takes its effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sternhalma import BoardText, Game, Result, Seat
from sternhalma_server.announce import (
    Table,
    game_line,
    moved_line,
    out_line,
    over_line,
    position_line,
    turn_line,
    unasked_line,
)
from sternhalma_server.framing import Line
from sternhalma_server.happening import Agreed, Evidence, Fall, Happening, Ply, Slip, Source
from sternhalma_server.timekeeper import Timekeeper
from sternhalma_server.verdict import Reason, reason_of
from sternhalma_server.wire import clean


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


class Course:
    """The course of one game, from its opening line to its result.

    `outbox` holds what is to be told, each with the seat it is for or None for all; the runner
    empties it. `happened` is everything so far, in order. `turn` is the seat to move, None once the
    game is over, and `ply` the number of its turn; `asked_at` is when it was asked (nanoseconds),
    None before, and `patience` how long its answer may take to arrive from then, lag included, None
    for ever. *epoch* added to the clock of the stamps gives wall time. *in_credit* are the seats
    that get the table's credit for lag.
    """

    __slots__ = (
        "_agreed",
        "_board",
        "_epoch",
        "_game",
        "_letters",
        "_start",
        "_time",
        "_tries",
        "asked_at",
        "finished",
        "happened",
        "outbox",
        "patience",
        "ply",
        "table",
        "turn",
    )

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
        self.turn: Seat | None = self._game.turn
        self.ply = 1
        self.asked_at: int | None = None
        self.patience: int | None = None

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self._game

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
        return position_line(self.table.game, self.ply, self._game.position)

    def question(self, *, with_moves: bool, waited: int = 0) -> str:
        """The line that asks the seat to move, or asks it again when *waited* has passed."""
        seat = self.turn
        assert seat is not None
        limit, budget = self._time.limit(seat), self._time.budget(seat)
        left = None if limit is None else max(0, limit - waited)
        position = self._game.position
        board = self._board.of(position)
        line = turn_line(self.table.game, self.ply, left, budget, position, board)
        if not with_moves:
            return line
        names = self.table.rules.board.names
        moves = [f"{names[m.origin]}-{names[m.target]}" for m in self._game.legal_moves()]
        return f"{line} moves={','.join(moves)}"

    def asked(self, sent: int) -> None:
        """The seat to move has been asked at *sent*; its clock runs from there."""
        assert self.turn is not None
        self.asked_at = sent
        self.patience = self._time.patience(self.turn)

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

    def _move(
        self, game: Game, path: str, elapsed: int, read: int, stamp: int, *, offers_draw: bool
    ) -> None:
        """The seat to move has made the move that led to *game*: charge it, tell it, go on.

        Its answer took *elapsed*, had the *stamp*, and was read at *read*.
        """
        seat, sent = self.turn, self.asked_at
        assert seat is not None
        assert sent is not None
        charged, credit = self._time.charge(seat, elapsed)
        sent += self._epoch
        evidence = Evidence(sent, sent + elapsed, max(0, read - stamp), credit)
        left = self._time.limit(seat)
        ply = Ply(self.ply, seat, path, None, charged, left, evidence, offers_draw)
        self._game = game
        self.happened.append(ply)
        moved = moved_line(self.table.game, self._letters[seat], ply, self._time.budget(seat))
        self.outbox.append((None, moved))

    def _next(self, fall: Fall | None) -> None:
        """Go on after a turn, or after *fall*."""
        game = self._game
        position = game.position
        self.ply = position.ply
        self.turn = position.turn
        self.asked_at = None
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
        self.ply = self._game.ply
        self.turn = self._game.turn
        if self._game.result is not None:
            self._over(reason_of(self._game.result.end, None), None)

    def _fall(
        self, seat: Seat, reason: Reason, line: Line | None, waited: int | None = None
    ) -> None:
        """*seat* goes out."""
        sent = self.asked_at if seat == self.turn else None
        fall = Fall(
            seat,
            reason,
            self.ply,
            None if line is None else clean(line.text),
            None if sent is None else sent + self._epoch,
            waited,
            None if sent is None else self._time.limit(seat),
        )
        self.happened.append(fall)
        self._game = self._game.drop(seat)
        self._agreed.clear()
        if not self._game.is_over:
            self.outbox.append((None, out_line(self.table.game, self._letters[seat], fall)))
        self._next(fall)

    def _over(self, reason: Reason, cause: Fall | None) -> None:
        self.turn = self.asked_at = None
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
