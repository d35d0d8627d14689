"""One connection's conversation, without the connection: bytes in, messages out, and back.

`receive` takes whatever bytes have arrived and gives the messages that are complete; `outgoing`
gives the bytes that are due to the server. What needs no thought, the login and the pongs, the core
answers by itself. It opens no socket and knows no time, so that it fits under any kind of loop and
is tested with plain calls.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sternhalma_bot.messages import (
    Bye,
    Error,
    Game,
    Greeting,
    Message,
    Offer,
    Over,
    Ping,
    Turn,
    Welcome,
)
from sternhalma_bot.protocol import MAX_LINE, VERSION, ProtocolError, parse_message


class State(enum.Enum):
    """Where the conversation stands."""

    GREETING = enum.auto()  # the server has not spoken
    LOGIN = enum.auto()  # logged in, not yet welcomed
    LOBBY = enum.auto()  # between games
    WAITING = enum.auto()  # in a game, others are to move
    THINKING = enum.auto()  # a move is wanted
    CLOSED = enum.auto()  # the server has said goodbye


# What is not in the table changes nothing. A game may begin anywhere after the login, and a turn
# come without its `game` line, because a bot believes what the server restates after a reconnect.
TRANSITIONS: Final[Mapping[State, Mapping[type[Message], State]]] = {
    State.GREETING: {Greeting: State.LOGIN, Bye: State.CLOSED},
    State.LOGIN: {Welcome: State.LOBBY, Bye: State.CLOSED},
    State.LOBBY: {Game: State.WAITING, Turn: State.THINKING, Bye: State.CLOSED},
    State.WAITING: {Turn: State.THINKING, Over: State.LOBBY, Bye: State.CLOSED},
    State.THINKING: {Game: State.WAITING, Over: State.LOBBY, Bye: State.CLOSED},
    State.CLOSED: {},
}


@dataclass(slots=True)
class Core:
    """The conversation of one connection.

    `welcomed` is whether the server has let the bot in, `game` the game that is on, `turn` the turn
    that wants an answer, `offered` whether somebody has offered a draw since the last answer;
    `farewell` is the server's goodbye.
    """

    name: str
    slot: int = 1
    token: str | None = None
    version: str | None = None
    moves: bool = False  # have the legal moves listed with every turn
    key: str | None = None  # of the last welcome, to come back with
    state: State = State.GREETING
    welcomed: bool = False
    game: Game | None = None
    turn: Turn | None = None
    offered: bool = False
    farewell: Bye | None = None
    _answered: Turn | None = None
    _received: bytearray = field(default_factory=bytearray)
    _outgoing: bytearray = field(default_factory=bytearray)

    def receive(self, data: bytes) -> list[Message]:
        """The messages that *data* completes, in order. Raises `ProtocolError`."""
        self._received += data
        *lines, rest = self._received.split(b"\n")
        self._received = rest
        if len(rest) >= MAX_LINE:
            raise ProtocolError(f"expected a line of at most {MAX_LINE} bytes, got more")
        messages: list[Message] = []
        for line in lines:
            message = parse_message(line.removesuffix(b"\r").decode("utf-8", "replace"))
            if message is not None and self.state is not State.CLOSED:
                self._take(message)
                messages.append(message)
        return messages

    def outgoing(self) -> bytes:
        """The bytes due to the server; they are handed out once."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def answer(self, text: str) -> None:
        """Answer the turn with a path, `draw` (agreed, to an offer), `resign`, or `undo PLY`.

        A path may be followed by ` draw=offer`; moves are taken back only where the game has
        `undo`. Raises `ValueError` where no move is wanted.
        """
        turn = self.turn
        if turn is None:
            raise ValueError(f"expected a turn to answer with {text!r}, none is open")
        match text:
            case "draw":
                self._say(f"draw {turn.game} {turn.ply}")
            case "resign":
                self._say(f"resign {turn.game}")
            case _ if text.startswith("undo "):
                self._say(f"undo {turn.game} {text.removeprefix('undo ')}")
            case _:
                self._say(f"move {turn.game} {turn.ply} {text}")
        self.turn, self._answered = None, turn
        self.offered = False
        self.state = State.WAITING

    def leave(self) -> None:
        """Say goodbye, which in a game is to lose it; the server then ends the connection."""
        self._say("bye")

    def again(self) -> Core:
        """The conversation of a new connection that takes this one's place."""
        return Core(self.name, self.slot, self.token, self.version, self.moves, self.key)

    def _take(self, message: Message) -> None:
        match message:
            case Greeting():
                self._log_in(message)
            case Welcome():
                self.welcomed, self.key = True, message.key
            case Game():
                self.game, self.offered = message, False
                self.turn, self._answered = None, None
            case Turn():
                self.turn = message
            case Offer():
                self.offered = True
            case Over():
                self.game, self.turn, self._answered = None, None, None
            case Error(tries=int()) if self._answered is not None:
                # "how many are left, and the clock runs on": the turn is open again.
                self.turn, self.state = self._answered, State.THINKING
            case Ping():
                self._say(f"pong {message.word}")
            case Bye():
                self.farewell, self.turn = message, None
            case _:
                pass
        self.state = TRANSITIONS[self.state].get(type(message), self.state)

    def _log_in(self, greeting: Greeting) -> None:
        if greeting.version != VERSION:
            raise ProtocolError(
                f"expected a server that speaks version {VERSION}, got {greeting.version}"
            )
        words = [f"login {self.name} slot={self.slot}"]
        if self.version is not None:
            words.append(f"version={self.version}")
        if self.moves:
            words.append("moves=yes")
        if self.token is not None:
            words.append(f"token={self.token}")
        if self.key is not None:
            words.append(f"key={self.key}")
        self._say(" ".join(words))

    def _say(self, line: str) -> None:
        self._outgoing += line.encode() + b"\n"
