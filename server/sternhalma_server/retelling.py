"""What one seat was told and said in a game, line by line, derived from what the store has of it.

Everything that the server says to a seat in a game follows from the game's table and from what
happened, so none of it is kept: a league of a million games would keep it for nobody. What was told
between games is not in here, nor what was told again to a bot that had come back.

A line of the server stands at the moment from which it could be told; what is not urgent went out
up to a fifth of a second later. Lists of legal moves are left out, which are longer than all else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sternhalma import BoardText, Game, Seat, Terms, parse_position
from sternhalma.rules import Rules
from sternhalma_server.announce import (
    Table,
    game_line,
    moved_line,
    offer_line,
    out_line,
    over_line,
    turn_line,
    unasked_line,
)
from sternhalma_server.clock import SECOND, parse_clock
from sternhalma_server.comeback import comebacks
from sternhalma_server.conversation import Conversation, Side, listed
from sternhalma_server.explanation import explain
from sternhalma_server.framing import NO_END
from sternhalma_server.happening import Agreed, Fall, Happening, Ply, Slip
from sternhalma_server.opening import number
from sternhalma_server.record import Record
from sternhalma_server.recording import resumed
from sternhalma_server.settings import Settings
from sternhalma_server.timekeeper import Timekeeper
from sternhalma_server.timing import moment
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import (
    MoveMade,
    Ping,
    Why,
    WireError,
    clean,
    error,
    note,
    parse_message,
    quote,
)

Told = tuple[int, Side, str]


def retell(record: Record, said: str, settings: Settings, name: str, seat: str) -> Conversation:
    """What *seat*, a letter, was told and said in the game of *record*, called *name* on the wire.

    *said* are the lines of the seats that the store has, *settings* those of the event. Raises
    `ValueError` for a seat that the game does not have.
    """
    letters = [player.seat for player in record.players]
    if seat not in letters:
        raise ValueError(f"expected a seat of the game, {', '.join(letters)}, got {seat[:20]!r}")
    retelling = _Retelling(record, said, settings, name, Seat(letters.index(seat)))
    told = list(_in_order(retelling.tell()))
    start = min((at for at, _, _ in told), default=0)
    bot = record.players[letters.index(seat)].bot
    head = {
        "event": record.event,
        "game": name,
        "seat": f"{seat} {bot}",
        "began": f"{start // SECOND}.{start % SECOND // 1000:06d}",
    }
    if retelling.comebacks:
        head["came-back"] = str(retelling.comebacks)
    return Conversation(listed(told, start), head)


def _in_order(told: Iterable[Told]) -> Iterator[Told]:
    """*told* with no line of the server before one that it had said before, whatever clocks say."""
    latest = 0
    for at, side, text in told:
        if side == "S":
            latest = max(latest, at)
            yield latest, side, text
        else:
            yield at, side, text


class _Retelling:
    """The game as it is gone through once more, with the eyes of one seat."""

    def __init__(
        self, record: Record, said: str, settings: Settings, name: str, seat: Seat
    ) -> None:
        self._seat = seat
        self._record = record
        self._letters = [player.seat for player in record.players]
        self._table = table = _table(record, settings, name, self._letters)
        self._happened = resumed(self._letters, record.happened)
        self._game = Game.from_position(
            parse_position(record.start), limit=record.limit, at_limit=record.at_limit
        )
        credited = {
            event.seat
            for event in self._happened
            if isinstance(event, Ply) and event.evidence and event.evidence.credit is not None
        }
        self._time = Timekeeper(table.control, table.lag, len(table.bots), credited)
        self._left = self._time.limit(seat)
        self._tries = table.tries
        self._asked = 0  # the ply of the last question to the seat
        self._slipped = 0  # the ply of the last answer that was forgiven
        self._spoken = [
            (moment(stamp), text)
            for letter, stamp, text in (_words(line) for line in said.splitlines())
            if letter == self._letters[seat]
        ]
        # How often it came back is told in the head; what had come of a line is no line, and is
        # told when the seat goes out.
        self.comebacks = comebacks(said, self._letters[seat])
        if self.comebacks:
            self._spoken.pop()
        halves = [said for said in self._spoken if said[1].endswith(NO_END)]
        self._spoken = [said for said in self._spoken if said not in halves]
        self._half = halves[-1][1].removesuffix(NO_END).rstrip() if halves else None
        self._now = self._first_moment()

    def tell(self) -> Iterator[Told]:
        """All of it, each with its moment, not quite in order."""
        yield self._now, "S", game_line(self._table, self._letters, self._seat)
        for place, event in enumerate(self._happened):
            match event:
                case Ply():
                    yield from self._ply(event, self._next_question(place))
                case Slip():
                    yield from self._slip(event)
                case Fall():
                    yield from self._fall(event)
                case Agreed():
                    if self._game.turn == self._seat:  # it was asked, and said that it agrees
                        yield from self._question(self._game, self._now)
                    self._game = self._game.agree()
        yield from self._aside(None)
        yield self._now, "S", self._over()

    def _first_moment(self) -> int:
        """When the first question was asked, or else the first line was said."""
        for event in self._happened:
            if isinstance(event, Ply) and event.evidence is not None:
                return event.evidence.sent
            if isinstance(event, Fall) and event.sent is not None:
                return event.sent
        return self._spoken[0][0] if self._spoken else 0

    def _next_question(self, place: int) -> int | None:
        """When the next question behind what happened at *place* was asked, None if none was."""
        for event in self._happened[place + 1 :]:
            if isinstance(event, Ply) and event.evidence is not None:
                return event.evidence.sent
            if isinstance(event, Fall) and event.sent is not None:
                return event.sent
        return None

    def _ply(self, ply: Ply, following: int | None) -> Iterator[Told]:
        before, letter = self._game, self._letters[ply.seat]
        if ply.source is not None or ply.evidence is None:
            self._game = before.play(ply.path)
            source = ply.source or "rules"
            line = unasked_line(self._table.game, ply.number, letter, ply.path, source)
            yield self._now, "S", line
            return
        evidence = ply.evidence
        if ply.seat == self._seat:
            yield from self._question(before, evidence.sent)
            answer = self._kept_answer(ply)
            if answer is None:
                yield from self._aside(evidence.received)
                yield evidence.received, "B", f"move {self._table.game} {ply.number} {ply.path}"
            else:
                # What is kept in front of it was said before, even if it has the same stamp.
                yield from self._aside(None, answer)
                yield evidence.received, "B", self._spoken.pop(0)[1]
        self._game = before.play(ply.path)
        # What had arrived before its question had been handed over is late by more than it seems:
        # the question that followed says by when it had been read.
        read = evidence.received + evidence.late
        self._now = max(evidence.received, read if following is None else min(read, following))
        self._time.spend(ply.seat, ply.charged, evidence.credit)
        if ply.seat == self._seat:
            self._left = ply.left
        yield self._now, "S", moved_line(self._table.game, letter, ply, self._time.budget(ply.seat))
        if ply.offers_draw and not self._game.is_over:
            if not self._table.draws:
                if ply.seat == self._seat:
                    sentence = "this game knows no draw by agreement"
                    yield self._now, "S", note("no-draws", sentence)
            elif ply.seat != self._seat and self._seat in self._game.position.active:
                yield self._now, "S", offer_line(self._table.game, letter)

    def _question(self, game: Game, sent: int) -> Iterator[Told]:
        """The `turn` line, if the ply has not been asked for yet, behind what came too early."""
        if self._asked == game.ply:
            return
        yield from self._aside(sent)
        self._asked = game.ply
        position, budget = game.position, self._time.budget(self._seat)
        board = BoardText().of(position)
        yield sent, "S", turn_line(self._table.game, game.ply, self._left, budget, position, board)

    def _kept_answer(self, ply: Ply) -> tuple[int, str] | None:
        """The line that *ply* was played by, None if it was not kept beside the ply.

        One that is no more than the ply is kept only behind another line. What arrived while its
        question was on its way has the moment of the question.
        """
        assert ply.evidence is not None
        sent, received = ply.evidence.sent, ply.evidence.received
        usual = f"move {self._table.game} {ply.number} "
        for place, (at, text) in enumerate(self._spoken):
            in_time = at // 1000 == received // 1000 or (sent == received and at < received)
            if in_time and text.startswith(usual):
                is_behind = place > 0 or self._slipped == ply.number
                # Else the answer was not kept, and this is the same said once more.
                return (at, text) if is_behind or text != f"{usual}{ply.path}" else None
        return None

    def _slip(self, slip: Slip) -> Iterator[Told]:
        if slip.seat != self._seat:
            return
        at = self._find(slip.line)
        sent = self._sent_of(slip.ply, at)
        at = max(at, sent)
        yield from self._question(self._game, sent)
        yield from self._aside(at)
        self._tries -= 1
        self._slipped = slip.ply
        yield at, "B", slip.line
        yield at, "S", error(slip.reason, self._sentence(slip.line), self._tries)
        self._now = at

    def _fall(self, fall: Fall) -> Iterator[Told]:
        letter, before = self._letters[fall.seat], self._game
        at = self._now
        if fall.sent is not None:
            at = max(at, fall.sent + (fall.waited or 0))
        if fall.seat == self._seat:
            if fall.line is not None:
                at = max(self._find(fall.line), fall.sent or 0)
            if fall.sent is not None:
                yield from self._question(before, fall.sent)
            yield from self._aside(at)
            if self._half is not None:
                sentence = f"expected a line feed behind {quote(self._half)}"
                yield at, "S", note("unfinished", sentence)
            if fall.line is not None:
                yield at, "B", fall.line
            if fall.reason in {Reason.ILLEGAL, Reason.MALFORMED}:
                yield at, "S", error(fall.reason, self._sentence(fall.line or ""))
        self._now = max(self._now, at)
        self._game = before.drop(fall.seat)
        if not self._game.is_over:
            yield self._now, "S", out_line(self._table.game, letter, fall)

    def _find(self, line: str) -> int:
        """When the seat said *line*, as it is quoted; the line is used up."""
        for at, text in self._spoken:
            if text == line:
                self._spoken.remove((at, text))
                return at
        return self._now

    def _sent_of(self, ply: int, at: int) -> int:
        """When the seat was asked for *ply*; *at* if nothing tells."""
        for event in self._happened:
            if isinstance(event, Ply) and event.number == ply and event.evidence is not None:
                return event.evidence.sent
            if isinstance(event, Fall) and (event.seat, event.ply) == (self._seat, ply):
                return at if event.sent is None else event.sent
        return at

    def _sentence(self, line: str) -> str:
        """What is wrong with *line*, as the seat was told."""
        return clean((explain(self._game, line) or ["expected another line"])[0])

    def _aside(self, until: int | None, answer: tuple[int, str] | None = None) -> Iterator[Told]:
        """What the seat said before *until*, or in front of *answer*, with what came of it."""
        while self._spoken and (until is None or self._spoken[0][0] < until):
            if self._spoken[0] == answer:
                return
            at, text = self._spoken.pop(0)
            yield at, "B", text
            # Nothing is read before the next question, or before the answer to the last.
            heard = at if until is None or self._asked == self._game.ply else until
            reply = self._reply(text)
            if reply is not None:
                yield heard, "S", reply

    def _reply(self, text: str) -> str | None:
        """What the server says to a line that answers nothing."""
        game, ply = self._table.game, self._game.ply
        try:
            message = parse_message(text)
        except WireError:
            return None
        match message:
            case MoveMade(to, at) if self._asked == ply and (to, at) != (game, ply):
                return note("stale", f"expected an answer to game {game} ply {ply}")
            case MoveMade():
                return note("early", "this move was begun before its turn was sent")
            case Ping(word):
                return f"pong {word}"
            case Why():
                return f"why you are to move in game {game}, ply {ply}"
            case _:
                return None

    def _over(self) -> str:
        last: Happening | None = self._happened[-1] if self._happened else None
        reason = self._record.reason
        cause = last if isinstance(last, Fall) and not reason.is_void else None
        return over_line(self._table.game, reason, self._letters, self._record.places, cause)


def _words(line: str) -> tuple[str, str, str]:
    letter, stamp, text = [*line.split(" ", 2), "", ""][:3]
    return letter, stamp or "0.000000", text


def _table(record: Record, settings: Settings, name: str, letters: Sequence[str]) -> Table:
    """The game as it was set up."""
    rules, event = Rules.parse(record.rules), settings.event
    return Table(
        event=record.event,
        game=name,
        rules=rules,
        terms=Terms.of(rules, record.limit, record.at_limit),
        control=parse_clock(record.clock),
        bots=tuple(player.bot for player in record.players),
        entries=tuple(player.entry for player in record.players),
        versions=tuple(player.version for player in record.players),
        seeds=tuple(number(f"{event.seed}/{record.game}/{letter}") for letter in letters),
        draws=event.draws,
        tries=event.tries,
        lag=settings.lag,
    )
