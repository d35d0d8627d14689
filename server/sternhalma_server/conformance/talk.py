"""One connection of a bot as the server's side of it, which may say whatever a step wants.

The real server never splits a line or says a word it does not mean; whoever checks a bot has to. So
nothing here goes through the referee: lines are sent as they are given, and those of the bot are
read with the contract in hand (`wire`) and nothing is forgiven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

import trio

from sternhalma_server.explanation import FLUSHES
from sternhalma_server.framing import MAX_LINE
from sternhalma_server.wire import Login, Message, Ping, Pong, Why, WireError, clean, parse_message

Side = Literal["S", "B", "-"]

RECEIVE: Final = 65536
GREETING: Final = "sternhalma 1 line=1024 login=10000 can=moves,draw,watch"


GONE: Final = "the end of the connection"  # what came where nothing more can
ENDED: Final = "the end of its connection"  # the same, for what was to be said
NOTHING: Final = "nothing within"  # what came of a bot that is there, and silent
NOBODY: Final = "nobody within"  # the same, of one that is not there


class UnexpectedError(Exception):
    """The bot did something else than a step expected."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}, got {came}")
        self.expected = expected
        self.came = came


class SkippedError(Exception):
    """A step that cannot be tried on this bot; says why."""


@dataclass(frozen=True, slots=True)
class Said:
    """A line of a conversation: `at` seconds after its step began the server (`S`) or the bot (`B`)
    said `text`; `-` is something that happened to the connection or the program."""

    at: float
    side: Side
    text: str


class Talk:
    """One connection. *note* is told what is said, `patience` are the seconds an answer may take.

    `login` is the bot's, None before it has sent one. Where the talk `is_lenient` the bytes of a
    line may be anything: it is heard as the server would quote it.
    """

    def __init__(
        self, stream: trio.SocketStream, note: Callable[[Side, str], None], patience: float
    ) -> None:
        self.login: Login | None = None
        self.is_over = False
        self.is_lenient = False
        self._stream = stream
        self._note = note
        self.patience = patience
        self._unread = b""
        self._has_moved = False
        self._at_once = 0  # lines of the last packet
        self._most_answered = 0  # lines of a packet, of those that a move has answered
        self._sent_how = ""  # the last lines, where that may be what the bot did not expect

    @property
    def unended(self) -> str:
        """What has come of a line whose line feed has not."""
        return _text(self._unread)

    @property
    def wants_moves(self) -> bool:
        """Whether the bot asked for the legal moves with every turn."""
        return self.login is not None and self.login.moves

    async def say(self, *lines: str) -> None:
        """Send whole lines, all of them at once."""
        await self.say_pieces([f"{line}\n".encode() for line in lines], pause=None)

    async def say_pieces(self, pieces: Sequence[bytes], pause: float | None) -> None:
        """Send *pieces*, each a packet of its own with *pause* seconds between; None joins them."""
        for line in b"".join(pieces).split(b"\n"):
            if line:
                self._note("S", line.decode("utf-8", "backslashreplace"))
        self._at_once = 0 if pause is not None else b"".join(pieces).count(b"\n")
        self._sent_how = ""
        if pause is not None:
            self._sent_how = f"in {len(pieces)} packets"
            self._note("-", f"this is sent {self._sent_how}")
        elif self._at_once > max(1, self._most_answered):
            self._sent_how = f"{self._at_once} in one packet"
        try:
            if pause is None:
                await self._stream.send_all(b"".join(pieces))
                return
            for piece in pieces:
                await self._stream.send_all(piece)
                await trio.sleep(pause)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise UnexpectedError("a bot that listens", ENDED) from None

    async def hear(self, expected: str, patience: float | None = None) -> str:
        """The bot's next line, which is to be *expected* and to keep the form of lines."""
        seconds = self.patience if patience is None else patience
        with trio.move_on_after(seconds):
            while True:
                line, found, rest = self._unread.partition(b"\n")
                if found:
                    self._unread = rest
                    if line not in {b"", b"\r"}:  # blank lines are ignored
                        return self._line(line, expected)
                    continue
                if len(line) > MAX_LINE + 1 and self.is_lenient:
                    self._unread = b""
                    return _quotable(line)
                if len(line) > MAX_LINE + 1:
                    raise UnexpectedError(expected, f"a line of more than {MAX_LINE} bytes")
                if not await self._receive():
                    behind = f" behind {clean(_text(line), 80)!r}" if line else ""
                    raise UnexpectedError(expected, f"{GONE}{behind}")
        came = f"{NOTHING} {seconds:g} s"
        if self._unread:
            came += f" but {clean(self.unended, 80)!r} without a line end"
        elif hints := " ".join(self._hints()):
            came += f"; {hints}"
        raise UnexpectedError(expected, came)

    def _hints(self) -> Iterator[str]:
        """What may be the matter with a bot that says nothing."""
        if not self._has_moved:
            yield FLUSHES
        if self._sent_how:
            yield f"the lines came {self._sent_how}: does it cut what it reads at line feeds?"

    async def message(self, expected: str, patience: float | None = None) -> Message:
        """The bot's next message, questions it may ask at any time answered and passed over."""
        while True:
            line = await self.hear(expected, patience)
            try:
                message = parse_message(line)
            except WireError as problem:
                raise UnexpectedError(expected, f"{clean(line, 120)!r}: {problem}") from None
            match message:
                case Ping(word):
                    await self.say(f"pong {word}")
                case Why():
                    await self.say("why you are being checked")
                case Pong():
                    continue
                case _:
                    return message

    async def greet(self, *pieces: bytes, pause: float | None = None) -> Login:
        """Greet the bot and take its login, which is not answered yet."""
        await self.say_pieces(pieces or [f"{GREETING}\n".encode()], pause)
        expected = "'login NAME ...'"
        message = await self.message(expected)
        if not isinstance(message, Login):
            raise UnexpectedError(expected, repr(message))
        self.login = message
        return message

    def take_login(self, line: str) -> None:
        """Heed a login that was heard as any line is; one that cannot be read is none."""
        with suppress(WireError):
            message = parse_message(line)
            self.login = message if isinstance(message, Login) else None

    async def welcome(self, key: str | None = None) -> None:
        """Accept the login; *key* is what a bot without a token comes back with."""
        assert self.login is not None
        more = "" if key is None else f" key={key}"
        await self.say(f"welcome {self.login.name} slot={self.login.slot}{more}")

    async def heard(self, seconds: float) -> list[str]:
        """The lines that come within *seconds*; the bot may also end the connection meanwhile."""
        lines: list[str] = []
        with trio.move_on_after(seconds):
            while True:
                try:
                    lines.append(await self.hear("silence", patience=seconds + 1))
                except UnexpectedError:
                    self.is_over = True
                    break
        return lines

    async def ended(self, seconds: float) -> bool:
        """Whether the bot ends the connection within *seconds*."""
        await self.heard(seconds)
        return self.is_over

    def close(self) -> None:
        """End the connection, both ways; once more does nothing."""
        if not self.is_over:
            self.is_over = True
            self._note("-", "the server ends the connection")
        self._stream.socket.close()

    async def _receive(self) -> bool:
        try:
            data = await self._stream.receive_some(RECEIVE)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            data = b""
        if not data:
            self.is_over = True
            self._note("-", "the bot ends the connection")
        self._unread += data
        return bool(data)

    def _line(self, line: bytes, expected: str) -> str:
        data = line.removesuffix(b"\r")
        if self.is_lenient:
            return _quotable(data)
        if data.startswith(b"move "):
            self._has_moved = True
            self._most_answered = max(self._most_answered, self._at_once)
        self._note("B", _text(data))
        if len(data) > MAX_LINE:
            raise UnexpectedError(expected, f"a line of {len(data)} bytes, more than {MAX_LINE}")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise UnexpectedError(expected, f"a line that is not UTF-8, {data[:60]!r}") from None


def _quotable(data: bytes) -> str:
    """A line as the server has it, which cuts one that is too long."""
    return _text(data) if len(data) <= MAX_LINE else data[:MAX_LINE].decode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
