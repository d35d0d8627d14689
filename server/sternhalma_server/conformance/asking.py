"""Questions to a bot about a position, put by a server that has only this one game in its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sternhalma import Game, IllegalMoveError, Move, NotationError, Seat
from sternhalma_server.conformance.talk import Talk, UnexpectedError
from sternhalma_server.wire import MoveMade, quote


@dataclass(slots=True)
class Table:
    """A game with the bot in *seat*, as far as it has come.

    `name` is what the wire calls it, `clock` what its game line says of clocks, `left` the
    milliseconds of a turn (`-` without a clock), `seed` that of the bot's seat.
    """

    name: str
    game: Game
    seat: Seat
    clock: str = "10s"
    left: str = "10000"
    seed: int = 4711
    draws: bool = False

    @property
    def letter(self) -> str:
        """What the bot's seat is called."""
        return self.letters[self.seat]

    @property
    def letters(self) -> list[str]:
        """What the seats are called, in the order of turns."""
        return [group[0] for group in self.game.position.seats]

    def opening(self, more: str = "") -> str:
        """The `game` line, with *more* keys."""
        seats = ",".join(f"{letter}:bot{number}" for number, letter in enumerate(self.letters, 1))
        terms, draws = self.game.terms, "yes" if self.draws else "no"
        return (
            f"game {self.name} {self.game.rules.id} {self.letter} seats={seats}"
            f" limit={terms.limit} at_limit={terms.at_limit} clock={self.clock}"
            f" seed={self.seed} draws={draws}{more}"
        )

    def turn(self, talk: Talk, more: str = "", before: str = "") -> str:
        """The `turn` line; *more* and *before* are keys behind and before those of the server."""
        line = f"turn {self.name} {self.game.ply} {self.left} {self.game}{before}"
        if talk.wants_moves:
            moves = ",".join(map(self.game.format_move, self.game.legal_moves()))
            line += f" moves={moves}"
        return line + more

    def play(self, move: Move | str, more: str = "", by: str | None = None) -> str:
        """Play a move for whoever is to move: the `moved` line that tells it."""
        ply, seat = self.game.ply, self.game.turn
        assert seat is not None
        self.game = self.game.play(move)
        assert self.game.last is not None
        path = self.game.format_move(self.game.last)
        how = f"charged=1.250 left={self.left}{more}" if by is None else f"by={by}"
        return f"moved {self.name} {ply} {self.letters[seat]} {path} {how}"

    def over(self, reason: str | None = None, more: str = "") -> str:
        """The `over` line; without a result of the game all places are 0."""
        result = self.game.result
        places = (0,) * len(self.letters) if result is None else result.places
        said = ",".join(
            f"{letter}:{place}" for letter, place in zip(self.letters, places, strict=True)
        )
        end = "aborted" if result is None else result.end.name.lower()
        return f"over {self.name} {reason or end} places={said}{more}"

    async def answer(self, talk: Talk, *, ignoring: Sequence[str] = ()) -> Move:
        """Take the bot's answer to the turn: a legal move, with its full path.

        Moves in games called *ignoring* are passed over, since the bot may have answered before it
        had read that they are over.
        """
        game, ply = self.game, self.game.ply
        expected = f"'move {self.name} {ply} PATH' with a legal move"
        message = await talk.message(expected)
        while isinstance(message, MoveMade) and message.game in ignoring:
            message = await talk.message(expected)
        if not isinstance(message, MoveMade):
            raise UnexpectedError(expected, f"another message, {message!r}")
        if (message.game, message.ply) != (self.name, ply):
            came = f"a move for game {quote(message.game, 40)} ply {message.ply}"
            raise UnexpectedError(expected, came)
        try:
            return game.resolve(game.parse_move(message.path))
        except (NotationError, IllegalMoveError) as problem:
            raise UnexpectedError(expected, str(problem)) from None


def table(name: str, text: str, clock: str = "10s", left: str = "10000") -> Table:
    """The game that goes on from the position *text*, with the bot to move."""
    game = Game.load(text)
    assert game.turn is not None
    return Table(name, game, game.turn, clock, left)


async def ask(talk: Talk, asked: Table) -> Move:
    """One question, from the `game` line to the `over` line; the bot's answer."""
    await talk.say(asked.opening(), asked.turn(talk))
    move = await asked.answer(talk)
    moved = asked.play(move)
    await talk.say(moved, asked.over())
    return move
