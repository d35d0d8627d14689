"""Proving a record: the engine plays the game again and has to come out where the record does."""

from __future__ import annotations

from sternhalma import (
    Game,
    IllegalMoveError,
    NotationError,
    RulesError,
    Seat,
    format_position,
    parse_position,
)
from sternhalma_server.record import Draw, Out, Ply, Record, RecordError, Slip
from sternhalma_server.verdict import Reason, reason_of


def replay(record: Record) -> Game:
    """The game of *record* at its end, played by the engine from its start.

    Every path must be legal and written as it was kept, every seat out and every draw stand where
    it can, and reason, places and final position be what the engine makes of them. A void game must
    not be over. Raises `RecordError` naming the game, the line and the difference.
    """
    replayer = _Replayer(record)
    for number, happening in enumerate(record.happened):
        replayer.line = record.line_of(number)
        match happening:
            case Ply():
                replayer.play(happening)
            case Out():
                replayer.drop(happening)
            case Slip():
                replayer.forgive(happening)
            case Draw():
                replayer.agree(happening)
    replayer.line = record.end_line
    replayer.finish()
    return replayer.game


class _Replayer:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.line = record.start_line
        self.game = self._start()
        self.letters = [group[0] for group in self.game.position.seats]
        seated = [player.seat for player in record.players]
        self.expect("seats", ",".join(self.letters), ",".join(seated))
        self.dropped: Reason | None = None  # why somebody went out just now
        self.opened = False  # a bot has moved, so that the opening is over

    def _start(self) -> Game:
        record = self.record
        try:
            position = parse_position(record.start)
            game = Game.from_position(position, limit=record.limit, at_limit=record.at_limit)
        except (NotationError, RulesError) as error:
            raise self.error(str(error)) from None
        self.expect("start", format_position(position), record.start)
        self.expect("rules", position.rules.id, record.rules)
        return game

    def play(self, ply: Ply) -> None:
        game = self._running(f"ply {ply.number}")
        assert game.turn is not None
        turn = f"{game.ply} {self.letters[game.turn]}"
        self.expect("the turn", turn, f"{ply.number} {ply.seat}")
        try:
            move = game.parse_move(ply.path)
            after = game.play(move)
        except (NotationError, IllegalMoveError) as error:
            raise self.error(str(error)) from None
        assert after.last is not None
        self.expect("the path", after.format_move(after.last), ply.path)
        if move.is_pass and ply.source is None:
            raise self.error("expected 'rules' or 'opening' behind a pass, got no bot's move")
        if ply.source == "rules" and not move.is_pass:
            raise self.error(f"expected 'pass' to be played by the rules, got {ply.path!r}")
        if ply.source == "opening" and self.opened:
            raise self.error("expected the opening before the first move of a bot, got it behind")
        self.opened = self.opened or ply.source is None
        self.game, self.dropped = after, None

    def drop(self, out: Out) -> None:
        game = self._running(f"{out.seat} going out")
        self.expect("ply", str(game.ply), str(out.ply))
        if out.seat not in self.letters:
            raise self.error(f"expected one of {', '.join(self.letters)}, got {out.seat!r}")
        seat = Seat(self.letters.index(out.seat))
        try:
            self.game = game.drop(seat)
        except ValueError as error:
            raise self.error(str(error)) from None
        self.dropped = out.reason

    def forgive(self, slip: Slip) -> None:
        game = self._running("a slip")
        assert game.turn is not None
        turn = f"{game.ply} {self.letters[game.turn]}"
        self.expect("the turn", turn, f"{slip.ply} {slip.seat}")

    def agree(self, draw: Draw) -> None:
        game = self._running("a draw")
        self.expect("ply", str(game.ply), str(draw.ply))
        try:
            self.game = game.agree()
        except ValueError as error:
            raise self.error(str(error)) from None
        self.dropped = None

    def finish(self) -> None:
        record, result = self.record, self.game.result
        places = (0,) * len(self.letters)
        if record.reason.is_void:
            if result is not None:
                raise self.error(
                    f"expected a running game to be void, it was over by {result.end.value!r}"
                )
        elif result is None:
            raise self.error(
                f"expected more plies, the game is not over, got the end by {record.reason.value!r}"
            )
        else:
            reason = reason_of(result.end, self.dropped)
            self.expect("reason", reason.value, record.reason.value)
            places = result.places
        self.expect("places", self._places(places), self._places(record.places))
        self.expect("ply", str(self.game.ply - 1), str(record.ply))
        self.expect("final", str(self.game), record.final)

    def expect(self, what: str, right: str, written: str) -> None:
        if right != written:
            raise self.error(f"expected {what} {right!r}, got {written!r}")

    def error(self, problem: str) -> RecordError:
        return RecordError(f"game {self.record.game}, line {self.line}: {problem}")

    def _running(self, what: str) -> Game:
        result = self.game.result
        if result is not None:
            raise self.error(
                f"expected the end, the game is over by {result.end.value!r}, got {what}"
            )
        return self.game

    def _places(self, places: tuple[int, ...]) -> str:
        return ",".join(f"{s}:{p}" for s, p in zip(self.letters, places, strict=True))
