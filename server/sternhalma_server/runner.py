"""One game played over connections: ask, wait, hand the answer to the referee, tell everybody.

One task plays a game, and it alone reads the seat that is to move: no channel, no task for each
reader, one checkpoint for each move. One cancel scope serves the whole game. Its deadline only
wakes the task; what decides is the stamp of the answer, so a busy server forfeits nobody. And
because most answers come long before their deadline, the scope keeps an earlier one where it can
and is only moved when it has fired too soon: moving it for every move costs more than it saves.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import trio

from sternhalma import Seat
from sternhalma_server.clock import SECOND
from sternhalma_server.connection import Connection
from sternhalma_server.flood import FloodGate
from sternhalma_server.referee import Finished, Referee

GRACE: Final = SECOND // 4  # an answer that came in time may be read this much later
DRAIN: Final = 16  # reads of what came early; who sends more than that floods


Keep = Callable[[Finished], Awaitable[None]]


class Seated(Protocol):
    """What a game needs to know of the bot in a seat."""

    @property
    def connection(self) -> Connection:
        """Its connection, which nobody else reads during the game."""
        ...

    @property
    def gate(self) -> FloodGate:
        """Its allowance of lines that were not asked for."""
        ...

    @property
    def wants_moves(self) -> bool:
        """Whether it is told the legal moves with every turn."""
        ...


class Runner:
    """Plays the game of one referee with the bots in its seats, None where nobody came.

    *now* is the time on the clock of the stamps. *keep* stores a finished game; no seat hears of
    the end before it has returned.
    """

    def __init__(
        self, referee: Referee, seats: Sequence[Seated | None], keep: Keep, now: int
    ) -> None:
        self._referee = referee
        self._seats = seats
        self._keep = keep
        self._scope = trio.CancelScope()
        self._armed = math.inf  # the scope's deadline
        self._asked_ply = 0
        self._asked_seat: Seat | None = None
        self._start = 0  # when the clock of the ply under way was started
        self._due = math.inf  # when its flag falls for good, on trio's clock
        self._to_trio = trio.current_time() - now / SECOND

    async def play(self) -> Finished:
        """Play to the end; the result has been told to every seat when this returns."""
        referee = self._referee
        referee.begin()
        for seat, seated in enumerate(self._seats):
            if seated is None and seat in referee.game.position.active:
                referee.absent(Seat(seat))
        while referee.turn is not None:
            with trio.CancelScope() as scope:
                self._scope, self._armed = scope, math.inf
                await self._turns()
            if scope.cancelled_caught:
                self._woken()
        assert referee.finished is not None
        await self._keep(referee.finished)
        self._tell(None, "")
        return referee.finished

    async def _turns(self) -> None:
        referee = self._referee
        while (seat := referee.turn) is not None:
            if self._is_waiting(seat) or self._ask(seat):
                connection = self._seated(seat).connection
                if connection.ended is not None:
                    referee.disconnected(seat)
                    continue
                if self._due < self._armed:
                    self._armed = self._scope.deadline = self._due
                await connection.transport.wait_readable()
                connection.read()
                self._hear(seat)

    def _seated(self, seat: Seat) -> Seated:
        seated = self._seats[seat]
        assert seated is not None, "an absent seat has gone out before the first turn"
        return seated

    def _is_waiting(self, seat: Seat) -> bool:
        return self._asked_seat == seat and self._asked_ply == self._referee.ply

    def _ask(self, seat: Seat) -> bool:
        """Put the question to *seat*; False if what it had sent before made that pointless."""
        referee, seated = self._referee, self._seated(seat)
        connection, ply = seated.connection, referee.ply
        reads = 0
        while connection.read():
            reads += 1
            if reads > DRAIN:
                referee.flooded(seat)
                return False
            if not self._hear_early(seat, ply):
                return False
        if not self._hear_early(seat, ply):
            return False
        if connection.ended is not None:
            referee.disconnected(seat)
            return False
        connection.mark()
        self._asked_seat, self._asked_ply = seat, ply
        self._start = self._tell(seat, referee.question(with_moves=seated.wants_moves))
        limit = referee.limit
        self._due = (
            math.inf if limit is None else self._to_trio + (self._start + limit + GRACE) / SECOND
        )
        return True

    def _hear_early(self, seat: Seat, ply: int) -> bool:
        """Deal with lines that came before the question; whether *seat* is still to move."""
        referee, seated = self._referee, self._seated(seat)
        while (line := seated.connection.next_line()) is not None:
            referee.early(seat, line, seated.gate)
            if referee.turn != seat or referee.ply != ply:
                return False
        return True

    def _hear(self, seat: Seat) -> None:
        """Hand what *seat* has said to the referee, until it has answered."""
        referee, seated = self._referee, self._seated(seat)
        connection = seated.connection
        now = connection.transport.now()
        while (line := connection.next_line()) is not None:
            elapsed = max(0, min(line.stamp, now) - self._start)
            referee.answer(seat, line, elapsed, seated.gate)
            if referee.turn != seat or referee.ply != self._asked_ply:
                return
        if connection.ended is not None:
            referee.disconnected(seat)
        elif referee.outbox:
            self._tell(None, "")

    def _woken(self) -> None:
        """The deadline has fired: look once more, then let the flag fall if it is time."""
        seat = self._referee.turn
        if seat is None or not self._is_waiting(seat):
            return
        self._seated(seat).connection.read()
        self._hear(seat)
        if (
            self._referee.turn == seat
            and self._is_waiting(seat)
            and trio.current_time() >= self._due
        ):
            self._referee.flag(seat)

    def _tell(self, asked: Seat | None, question: str) -> int:
        """Send the outbox, to the seat that is asked first and with the question behind it.

        Returns when the question had been handed over.
        """
        outbox, self._referee.outbox = self._referee.outbox, []
        start = 0
        if asked is not None:
            lines = [line for to, line in outbox if to is None or to == asked]
            start = self._seated(asked).connection.send("\n".join([*lines, question, ""]))
        if outbox:
            for seat, seated in enumerate(self._seats):
                if seat != asked and seated is not None:
                    lines = [line for to, line in outbox if to is None or to == seat]
                    if lines:
                        seated.connection.send("\n".join([*lines, ""]))
        return start
