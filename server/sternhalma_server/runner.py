"""One game played over connections: ask, wait, hand the answer to the referee, tell everybody.

A game alone reads the seat that is to move: no channel, and no task for each reader. It has one
task, which sleeps as long as moves come: the hub of the sockets calls the runner, and nothing in
the way from an answer to the next question waits for anything. The task does what must be waited
for: for bots that have gone, for the flag, for the end to be kept, and for answers where there is
no hub.

One cancel scope serves the whole game. Its deadline only wakes the task; what decides is the stamp
of the answer, so a busy server forfeits nobody. And because most answers come long before their
deadline, the scope keeps an earlier one where it can and is only moved when it has fired too soon:
moving it for every move costs more than it saves.

A bot whose connection has ended may come back on another: the lobby puts the new connection in its
seat and ends the old one, which wakes this task. What the old connection had sent stands first in
the new one's lines and is heard first; if it holds no answer the question is put again, and the
clock has run on meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import trio

from sternhalma import Seat
from sternhalma_server.clock import SECOND
from sternhalma_server.comeback import format_comebacks
from sternhalma_server.connection import Connection
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import NO_END, Line
from sternhalma_server.happening import Happening
from sternhalma_server.hub import Watch
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.wire import clean

GRACE: Final = SECOND // 4  # an answer that came in time may be read this much later
DRAIN: Final = 16  # reads of what came early; who sends more than that floods
SHOWN: Final = 160  # characters of half a line that are kept
LOOK: Final = 0.05  # seconds between looks whether an absent bot can still come back


class Seated(Protocol):
    """What a game needs to know of the bot in a seat."""

    @property
    def connection(self) -> Connection:
        """Its connection, which nobody else reads during the game; another one if it came back."""
        ...

    @property
    def gate(self) -> FloodGate:
        """Its allowance of lines that were not asked for."""
        ...

    @property
    def wants_moves(self) -> bool:
        """Whether it is told the legal moves with every turn."""
        ...

    @property
    def may_return(self) -> bool:
        """Whether it can still come back after its connection has ended."""
        ...

    async def returned(self) -> None:
        """Return when it has come back on another connection."""
        ...


class Ledger(Protocol):
    """Where a game is written down as it is played."""

    def heard(self, seat: int, line: Line) -> None:
        """Note a line as the seat sent it, if it does not follow from the ply it made.

        It is `early` if it came before the question, whenever it was begun.
        """
        ...

    def log(self, happening: Happening) -> None:
        """Note what has happened; it is on the disk soon."""
        ...

    async def keep(self, finished: Finished) -> None:
        """Store the finished game; it is on the disk when this returns."""
        ...


class Runner:
    """Plays the game of one referee with the bots in its seats, None where nobody came.

    *now* is the time on the clock of the stamps, *reconnect* how long a bot may be away in its turn
    (nanoseconds), *logged* how much of what has happened is written down already. Everything is
    written into *ledger*; no seat hears of the end before it is kept. *show* is given the lines
    that are for everybody, for those who watch.
    """

    __slots__ = (
        "_armed",
        "_asked_over",
        "_away_until",
        "_comebacks",
        "_due",
        "_expected",
        "_ledger",
        "_logged",
        "_parked",
        "_problem",
        "_reconnect",
        "_referee",
        "_scope",
        "_seats",
        "_show",
        "_to_trio",
    )

    def __init__(
        self,
        referee: Referee,
        seats: Sequence[Seated | None],
        ledger: Ledger,
        now: int,
        reconnect: int,
        logged: int = 0,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._referee = referee
        self._seats = seats
        self._ledger = ledger
        self._reconnect = reconnect
        self._logged = logged
        self._show = show
        self._scope = trio.CancelScope()
        self._armed = math.inf  # the scope's deadline
        self._asked_over: Connection | None = None
        self._expected: Watch | None = None  # what is to call
        self._parked = trio.Event()  # set when the task has something to do
        self._problem: Exception | None = None  # what a call came to
        self._due = math.inf  # when the flag falls for good, on trio's clock
        self._away_until = math.inf  # when an absent bot is given up
        self._comebacks = 0  # into this turn
        self._to_trio = trio.current_time() - now / SECOND

    async def play(self) -> Finished:
        """Play to the end; the result has been told to every seat when this returns."""
        referee = self._referee
        for seat, seated in enumerate(self._seats):
            running = referee.turn is not None
            if seated is None and running and seat in referee.game.position.active:
                self._miss(Seat(seat))
        while referee.turn is not None:
            with trio.CancelScope() as scope:
                self._scope, self._armed = scope, math.inf
                await self._turns()
            if scope.cancelled_caught:
                self._woken()
        assert referee.finished is not None
        self._log()
        await self._ledger.keep(referee.finished)
        self._tell(None, "")
        return referee.finished

    def _miss(self, seat: Seat) -> None:
        # Who is not there when a game goes on was there when it began.
        if self._logged:
            self._referee.disconnected(seat)
        else:
            self._referee.absent(seat)

    async def _turns(self) -> None:
        """Play on, until the game is over or the deadline of the scope fires."""
        while (connection := self._advance()) is not None:
            if connection.ended is not None:
                await self._await_return()
            elif connection.watch is not None:
                await self._be_called(connection.watch)
            else:
                try:
                    await connection.transport.wait_readable()
                except trio.ClosedResourceError:
                    continue  # taken over: the seat has another connection now
                self._read(connection)

    async def _be_called(self, watch: Watch) -> None:
        """Have the hub call for whatever comes, until something has to be waited for here."""
        self._parked = trio.Event()
        self._expect(watch)
        try:
            await self._parked.wait()
        finally:
            assert self._expected is not None
            self._expected.give_up()
        if self._problem is not None:
            raise self._problem

    def _expect(self, watch: Watch) -> None:
        self._expected = watch
        watch.expect(self._called)

    def _called(self) -> bool:
        """The seat that was asked has sent something, or has another connection: play on.

        Whether that is all; False when the task has something to do.
        """
        assert self._asked_over is not None
        awaited: Connection | None = None
        try:
            self._read(self._asked_over)
            awaited = self._advance()
        except Exception as problem:
            self._problem = problem  # of this game, not of all that the hub serves
        if awaited is not None and awaited.ended is None and awaited.watch is not None:
            self._expect(awaited.watch)
            return True
        self._parked.set()
        return False

    def _read(self, connection: Connection) -> None:
        """Hear what has come over *connection*, unless it has been taken over: what has come over
        the other one is heard when the question has been put again."""
        seat = self._referee.turn
        assert seat is not None
        seated = self._seated(seat)
        if connection is seated.connection:
            connection.read()
            self._hear(seat, seated)

    def _advance(self) -> Connection | None:
        """Ask until an answer has to be waited for, and over what; None when the game is over."""
        referee = self._referee
        while (seat := referee.turn) is not None:
            seated = self._seated(seat)
            connection = seated.connection
            if referee.asked_at is None:
                if not self._ask(seat, seated):
                    continue
            elif connection is not self._asked_over and not self._ask_again(seat, seated):
                continue
            if self._due < self._armed and connection.ended is None:
                self._armed = self._scope.deadline = self._due
            return connection
        return None

    def _seated(self, seat: Seat) -> Seated:
        seated = self._seats[seat]
        assert seated is not None, "an absent seat has gone out before the first turn"
        return seated

    def _ask(self, seat: Seat, seated: Seated) -> bool:
        """Put the question to *seat*; False if what it had sent before made that pointless."""
        referee, connection = self._referee, seated.connection
        if (connection.read() or connection.has_lines) and not self._hear_early(seat, seated):
            return False
        connection.mark()
        line = referee.question(with_moves=seated.wants_moves)
        sent = self._tell_moved(seat, connection, line)
        if sent is None:
            sent = self._tell(seat, line)
        referee.asked(sent)
        self._asked_over = connection
        self._comebacks = 0
        patience = referee.patience
        self._due = math.inf
        if patience is not None:
            self._due = self._to_trio + (sent + patience + GRACE) / SECOND
        self._away_until = math.inf
        return True

    def _ask_again(self, seat: Seat, seated: Seated) -> bool:
        """Put the question to *seat* over its new connection; False if it has answered."""
        referee, connection = self._referee, seated.connection
        self._hear(seat, seated)
        if referee.asked_at is None or not self._hear_early(seat, seated):
            return False
        connection.mark()
        line = referee.question(with_moves=seated.wants_moves, waited=self._waited(connection))
        self._tell(seat, line)
        self._asked_over = connection
        self._comebacks += 1
        self._away_until = math.inf
        return True

    def _hear_early(self, seat: Seat, seated: Seated) -> bool:
        """Deal with lines that came before the question; whether *seat* is still to move."""
        referee, connection = self._referee, seated.connection
        ply = referee.ply
        self._log()  # a ledger may want to know in which turn a line came
        for _ in range(DRAIN):
            while (line := connection.next_line()) is not None:
                self._ledger.heard(seat, line._replace(early=True))
                referee.early(seat, line, seated.gate)
                if referee.turn != seat or referee.ply != ply:
                    return False
            if not connection.read():
                return True
        referee.flooded(seat)
        return False

    def _hear(self, seat: Seat, seated: Seated) -> None:
        """Hand what *seat* has said to the referee, until it has answered."""
        referee, connection = self._referee, seated.connection
        now, asked = connection.transport.now(), referee.asked_at or 0
        is_first = True
        while (line := connection.next_line()) is not None:
            referee.answer(seat, line, now, seated.gate)
            # A plain answer behind another line is kept for its place: they may have one stamp.
            if not (referee.was_plain and is_first):
                # What arrived while the question was on its way came no sooner than that.
                too_soon = line.stamp < asked and not line.early
                self._ledger.heard(seat, line._replace(stamp=asked) if too_soon else line)
            if referee.asked_at is None:
                return
            is_first = False
        if referee.outbox:
            self._tell(None, "")

    async def _await_return(self) -> None:
        """Wait for an absent bot, as long as its clock and its budget for that allow."""
        seat = self._referee.turn
        assert seat is not None
        seated = self._seated(seat)
        now = trio.current_time()
        if self._away_until == math.inf:
            self._away_until = min(now + self._reconnect / SECOND, self._due)
        if now >= self._away_until or not seated.may_return:
            self._give_up(seat, seated)
            return
        with trio.move_on_after(min(LOOK, self._away_until - now)):
            await seated.returned()

    def _woken(self) -> None:
        """The deadline has fired: look once more, then let the flag fall if it is time."""
        referee = self._referee
        seat = referee.turn
        if seat is None or not self._is_waiting():
            return
        seated = self._seated(seat)
        connection = seated.connection
        connection.read()
        self._hear(seat, seated)
        if self._is_waiting() and trio.current_time() >= self._due:
            if connection.ended is not None:
                self._give_up(seat, seated)
                return
            self._hear_unfinished(seat, seated)
            referee.flag(seat, self._waited(connection))

    def _give_up(self, seat: Seat, seated: Seated) -> None:
        """*seat*, whose connection has ended, is waited for no longer."""
        connection = seated.connection
        self._hear_unfinished(seat, seated)
        if self._comebacks:
            told = format_comebacks(self._comebacks)
            self._ledger.heard(seat, Line(told, connection.transport.now(), early=False))
        self._referee.disconnected(seat, self._waited(connection))

    def _hear_unfinished(self, seat: Seat, seated: Seated) -> None:
        """Note what had come of a line by the time that *seat* goes out."""
        line = seated.connection.unfinished()
        if line is not None:
            self._ledger.heard(seat, line._replace(text=f"{clean(line.text, SHOWN)} {NO_END}"))
            self._referee.unfinished(seat, line)

    def _is_waiting(self) -> bool:
        return self._referee.asked_at is not None

    def _waited(self, connection: Connection) -> int:
        assert self._referee.asked_at is not None
        return max(0, connection.transport.now() - self._referee.asked_at)

    def _log(self) -> None:
        """Write down what has happened since."""
        happened = self._referee.happened
        for number in range(self._logged, len(happened)):
            self._ledger.log(happened[number])
        self._logged = len(happened)

    def _tell_moved(self, asked: Seat, connection: Connection, question: str) -> int | None:
        """Tell the usual: one line for everybody, and the question to the seat that is asked.

        Returns when the question had been handed over; None, with nothing told, where there is
        something else to tell.
        """
        outbox = self._referee.outbox
        if len(outbox) != 1 or outbox[0][0] is not None:
            return None
        self._log()
        line = outbox[0][1]
        outbox.clear()
        sent = connection.send(f"{line}\n{question}\n")
        for seat, seated in enumerate(self._seats):
            if seat != asked and seated is not None:
                seated.connection.post(f"{line}\n")
        if self._show is not None:
            self._show(line)
        return sent

    def _tell(self, asked: Seat | None, question: str) -> int:
        """Send the outbox, to the seat that is asked at once and with the question behind it.

        The others hear of a move a little later; when the game has ended they hear it at once.
        Returns when the question had been handed over.
        """
        referee = self._referee
        self._log()
        outbox, referee.outbox = referee.outbox, []
        start = 0
        if asked is not None:
            lines = [line for to, line in outbox if to is None or to == asked]
            start = self._seated(asked).connection.send("\n".join([*lines, question, ""]))
        for seat, seated in enumerate(self._seats if outbox else ()):
            if seat != asked and seated is not None:
                lines = [f"{line}\n" for to, line in outbox if to is None or to == seat]
                if lines and asked is not None:
                    seated.connection.post("".join(lines))
                elif lines:
                    seated.connection.send("".join(lines))
        if self._show is not None:
            for to, line in outbox:
                if to is None:
                    self._show(line)
        return start
