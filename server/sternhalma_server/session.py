"""One connection outside of games: its login, and what it may say while it waits.

What a line does depends on the state and on the message, and on nothing else: it is a table. In a
game the referee reads the lines; the session sleeps.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Final

from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import Line
from sternhalma_server.wire import (
    AgreeDraw,
    Fetch,
    Leave,
    Login,
    Message,
    MoveMade,
    Ping,
    Pong,
    Resign,
    Undo,
    Watch,
    Why,
    WireError,
    bye,
    error,
    note,
    parse_message,
    quote,
)


class State(enum.Enum):
    """Where a connection stands."""

    GREETED = enum.auto()  # the login is awaited
    LOBBY = enum.auto()  # logged in, ready for a game
    CLOSED = enum.auto()


class Act(enum.Enum):
    """What a message does."""

    LOG_IN = enum.auto()
    SECOND_LOGIN = enum.auto()
    NOT_LOGGED_IN = enum.auto()
    PONG = enum.auto()
    COUNT = enum.auto()
    STALE = enum.auto()
    SAY_WHY = enum.auto()
    LEAVE = enum.auto()


LOGINS: Final = frozenset({"login", "watch", "transcript"})  # how a connection may begin

TABLE: Final[Mapping[State, Mapping[type[Message], Act]]] = {
    State.GREETED: {
        Login: Act.LOG_IN,
        Watch: Act.LOG_IN,
        Fetch: Act.LOG_IN,
        MoveMade: Act.NOT_LOGGED_IN,
        Resign: Act.NOT_LOGGED_IN,
        AgreeDraw: Act.NOT_LOGGED_IN,
        Undo: Act.NOT_LOGGED_IN,
        Ping: Act.NOT_LOGGED_IN,
        Pong: Act.NOT_LOGGED_IN,
        Why: Act.NOT_LOGGED_IN,
        Leave: Act.LEAVE,
    },
    State.LOBBY: {
        Login: Act.SECOND_LOGIN,
        Watch: Act.SECOND_LOGIN,
        Fetch: Act.SECOND_LOGIN,
        MoveMade: Act.STALE,
        Resign: Act.STALE,
        AgreeDraw: Act.STALE,
        Undo: Act.STALE,
        Ping: Act.PONG,
        Pong: Act.COUNT,
        Why: Act.SAY_WHY,
        Leave: Act.LEAVE,
    },
}


class Session:
    """One connection's state. `replies` are the lines to send; whoever sends them empties it."""

    __slots__ = ("gate", "replies", "state")

    def __init__(self) -> None:
        self.state = State.GREETED
        self.gate = FloodGate()
        self.replies: list[str] = []

    def receive(self, line: Line, why: Callable[[], str]) -> Login | Watch | Fetch | None:
        """Take a line outside of a game; a login that can be read is handed back to be judged.

        *why* tells what the bot is waiting for. A closed session takes no more lines.
        """
        if self.state is State.CLOSED:
            return None
        try:
            if line.fault is not None:
                raise WireError(line.fault)
            message = parse_message(line.text)
        except WireError as problem:
            self._malformed(line, self._expected(line) or str(problem))
            return None
        act = TABLE[self.state][type(message)]
        uncounted = {Act.LOG_IN, Act.LEAVE, Act.SECOND_LOGIN}  # the last is counted as malformed
        if act not in uncounted and not self.gate.take(line.stamp):
            self.close("flood", "expected fewer lines that answer nothing")
            return None
        match act:
            case Act.LOG_IN:
                assert isinstance(message, Login | Watch | Fetch)
                return message
            case Act.SECOND_LOGIN:
                self._malformed(line, "expected no second login")
            case Act.NOT_LOGGED_IN:
                self._malformed(line, "expected 'login NAME' first")
            case Act.PONG:
                assert isinstance(message, Ping)
                self.replies.append(f"pong {message.word}")
            case Act.COUNT:
                pass
            case Act.STALE:
                self.replies.append(note("stale", "no game waits for this"))
            case Act.SAY_WHY:
                self.replies.append(f"why {why()}")
            case Act.LEAVE:
                self.state = State.CLOSED
        return None

    def accept(self) -> None:
        """The login has been admitted."""
        self.state = State.LOBBY

    def close(self, code: str, sentence: str) -> None:
        """Say why the connection ends, and end it."""
        if self.state is not State.CLOSED:
            self.replies.append(bye(code, sentence))
            self.state = State.CLOSED

    def _expected(self, line: Line) -> str | None:
        """What a *line* that begins as no login does should have been, before there is one.

        The list of all messages would name those that are of no use yet.
        """
        word = line.text.split(" ")[0]
        if self.state is not State.GREETED or line.fault is not None or word in LOGINS:
            return None
        return f"expected 'login NAME', or 'watch' or 'transcript', got {quote(word, 40)}"

    def _malformed(self, line: Line, sentence: str) -> None:
        # Before the login one unreadable line is the end: there is nobody to be patient with. In
        # the lobby no game is at stake, so it is told and counted.
        if self.state is State.GREETED:
            self.close("malformed", sentence)
        elif self.gate.take(line.stamp):
            self.replies.append(error("malformed", sentence))
        else:
            self.close("flood", "expected fewer lines that answer nothing")
