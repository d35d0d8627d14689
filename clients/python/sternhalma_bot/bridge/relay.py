"""What becomes of every line between a program and a server, bytes in and bytes out.

The program's streams outlive its connections. It hears of one greeting and one goodbye, and what it
says while there is no connection is not lost: when the server restates a turn (protocol.md, "Coming
back") that the program knows, it is not asked again. Its answer is kept, and is sent as soon as the
turn is there again. The login is the bridge's, and so are the pongs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sternhalma_bot.bridge.lateness import lost_on_time, why_late
from sternhalma_bot.bridge.refusals import Refusals
from sternhalma_bot.comeback import TEMPORARY
from sternhalma_bot.core import Core
from sternhalma_bot.messages import Bye, Error, Game, Greeting, Over, Ping, Turn, Welcome
from sternhalma_bot.protocol import MAX_LINE, ProtocolError

MAX_SAID: Final = 65_536  # bytes of a line from the program; what the server takes it says itself


class ProgramError(ValueError):
    """What a program did that a bridge cannot go on with."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn as the program was asked for it; `moves` are the legal ones, where they are listed."""

    game: str
    ply: int
    position: str
    moves: tuple[str, ...]


class Relay:
    """The lines of one program and one seat. `core` is the conversation on the connection there is.

    `left` is whether the program has said goodbye.
    """

    def __init__(self, core: Core) -> None:
        self.core = core
        self.left = False
        self._introduced = False  # whether the program has heard a greeting and a welcome
        self._game: Game | None = None  # the last that the program has heard of
        self._restated = b""  # a `game` line that may be no news
        self._asked: Asked | None = None  # the last turn, until its game is over
        self._open = False  # whether this connection has asked for it
        self._answer = b""  # to it, empty while the program owes it
        self._spoke = False  # whether the program has said any whole line since it was asked
        self._overtaken = False  # whether the program may still answer another turn of the same ply
        self._late: list[bytes] = []  # said without a connection, for the next one
        self._received, self._said = b"", b""  # of a line that is not complete
        self._to_server, self._to_program = bytearray(), bytearray()
        self._refusals = Refusals()
        self._complaints: list[str] = []

    def connect(self) -> None:
        """Begin a new connection, the first or another."""
        self.core = self.core.again()
        self._open, self._received = False, b""
        self._to_server.clear()
        self._refusals.connect()

    @property
    def over(self) -> bool:
        """Whether either side has said goodbye for good."""
        farewell = self.core.farewell
        return self.left or (farewell is not None and farewell.code not in TEMPORARY)

    def hear(self, data: bytes) -> None:
        """Take what the server says. Raises `ProtocolError`."""
        *lines, self._received = (self._received + data).split(b"\n")
        if len(self._received) >= MAX_LINE:
            raise ProtocolError(f"expected a line of at most {MAX_LINE} bytes, got more")
        for line in lines:
            self._hear(line + b"\n")

    def say(self, data: bytes) -> None:
        """Take what the program says. Raises `ProgramError`."""
        *lines, self._said = (self._said + data).split(b"\n")
        if len(self._said) >= MAX_SAID:
            raise ProgramError(
                f"expected a line of at most {MAX_SAID} bytes from the program, got more"
            )
        for line in lines:
            self._say(line.removesuffix(b"\r"))

    def to_server(self) -> bytes:
        """The bytes due to the server; they are handed out once."""
        data = self.core.outgoing() + bytes(self._to_server)
        self._to_server.clear()
        return data

    def to_program(self) -> bytes:
        """The bytes due to the program; they are handed out once."""
        data = bytes(self._to_program)
        self._to_program.clear()
        return data

    def complaints(self) -> list[str]:
        """What the server held against the program, or was lost by it; handed out once."""
        sentences, self._complaints = self._complaints, []
        return sentences

    def _hear(self, line: bytes) -> None:
        if self.core.farewell is not None:
            return
        heard = self.core.receive(line)
        seat = None if self._game is None else self._game.seat
        for message in heard:
            complaint = self._refusals.heard(message, seat)
            if complaint is not None:
                self._complaints.append(complaint)
            if self._asked is not None and lost_on_time(message, seat):
                why = why_late(self._answer, self._said, has_spoken=self._spoke)
                lost = f"game {self._asked.game} is lost on time at ply {self._asked.ply}"
                self._complaints.append(f"{lost}: {why}")
        match heard:
            case [Ping()]:
                pass
            case [Greeting()] if self._introduced:
                pass
            case [Welcome()]:
                for late in self._late:
                    self._hand_on(late)
                self._late.clear()
                if not self._introduced:
                    self._tell(line)
                self._introduced = True
            case [Game() as game]:
                if game == self._game:
                    self._restated = line
                else:
                    self._game = game
                    self._tell(line)
            case [Turn() as turn]:
                self._ask(turn, line)
            case [Error(tries=int())]:
                self._answer = b""
                self._tell(line)
            case [Over()]:
                self._game = self._asked = None
                self._tell(line)
            case [Bye(code=code)] if code in TEMPORARY:
                pass
            case _:
                self._tell(line)

    def _ask(self, turn: Turn, line: bytes) -> None:
        asked = Asked(turn.game, turn.ply, turn.position, turn.moves)
        if asked == self._asked and not self._open:
            self._open, self._restated = True, b""
            self._hand_on(self._answer)
            return
        before = self._asked
        # After a restart of the server the same ply may come with another position, while the
        # program still thinks about the one before.
        self._overtaken = (
            before is not None
            and not self._answer
            and (before.game, before.ply) == (asked.game, asked.ply)
        )
        self._asked, self._open, self._answer, self._spoke = asked, True, b"", False
        self._tell(line)

    def _tell(self, line: bytes) -> None:
        self._to_program += self._restated + line
        self._restated = b""

    def _say(self, line: bytes) -> None:
        self._spoke = True
        match line.decode("utf-8", "replace").split(" "):
            case ["login", *_] | [""]:
                pass
            case ["move" | "draw", game, ply, *rest] if self._waits_for(game, ply):
                if self._overtaken and not self._is_legal(rest):
                    self._overtaken = False  # to the turn before; the next is to this one
                    return
                self._keep(line)
            case ["resign", game, *_] if self._waits_for(game):
                self._keep(line)
            case words:
                self.left = self.left or words[0] == "bye"
                # Whatever else it is, the server has the say.
                if self.core.welcomed:
                    self._hand_on(line + b"\n")
                elif words[0] in {"bye", "resign"}:  # nothing else has a meaning later
                    self._late.append(line + b"\n")

    def _waits_for(self, game: str, ply: str | None = None) -> bool:
        asked = self._asked
        return (
            asked is not None
            and not self._answer
            and asked.game == game
            and ply in {None, str(asked.ply)}
        )

    def _is_legal(self, rest: list[str]) -> bool:
        assert self._asked is not None
        holes = rest[0].lower().split("-") if rest else []
        return bool(holes) and f"{holes[0]}-{holes[-1]}" in self._asked.moves

    def _keep(self, line: bytes) -> None:
        self._answer, self._overtaken = line + b"\n", False
        if self._open:
            self._hand_on(self._answer)

    def _hand_on(self, line: bytes) -> None:
        self._to_server += line
        self._refusals.sent(line)
