"""A server without a network and bots without a program, to try conduct in milliseconds.

What goes wrong between bots and a server goes wrong in time: late, early, half a line, never. In
memory, on trio's clock, a test says exactly when a byte comes, and with trio's `MockClock` hours
pass at once. Everything above the transport is the server that plays real events.

    async def test_a_silent_bot_loses_on_time(autojump_clock: MockClock) -> None:
        async with memory_server(remote_event("zoe", "max", clock="2s")) as server:
            await server.seat("zoe", silent)
            await server.seat("max", first_moves)
            await server.ended()
            assert server.games[0].reason is Reason.TIME

The transcripts of protocol.md run over any transport, a socket among them (`dial`).
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import trio

from sternhalma_server.announce import Table
from sternhalma_server.clock import SECOND
from sternhalma_server.crew import Crew
from sternhalma_server.director import Director, Summary
from sternhalma_server.framing import Line
from sternhalma_server.happening import Happening
from sternhalma_server.keeping import Begun, begin_line
from sternhalma_server.record import format_happening
from sternhalma_server.recording import record_of, recorded
from sternhalma_server.referee import Finished
from sternhalma_server.results import result_of
from sternhalma_server.seats import Doors, Lobby
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.transport import RECEIVE, SocketTransport, Transport
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult

CAPACITY: Final = 65536  # bytes under way that nobody has read, as a kernel would hold
PATIENCE: Final = 10.0  # seconds a scripted peer waits for a line over a network
LONG: Final = 100_000.0  # seconds on a clock that jumps: for ever, and yet a test ends

Side = Literal["S", "B", "="]
Toml = str | int | bool | Mapping[str, str | int | bool]
Script = Callable[["ScriptedPeer"], Awaitable[None]]
Keep = Callable[[Finished], Awaitable[None]]


class _Pipe:
    """One direction of a connection in memory."""

    def __init__(self, capacity: int) -> None:
        self.data = bytearray()
        self.stamp = 0  # of the last bytes that arrived
        self.capacity = capacity
        self.finished = False  # nothing more is written
        self.abandoned = False  # nothing more is read
        self.reset = False
        self._changed = trio.Event()

    @property
    def is_readable(self) -> bool:
        return bool(self.data) or self.finished or self.reset

    @property
    def is_writable(self) -> bool:
        return len(self.data) < self.capacity or self.abandoned

    def notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def changed(self) -> None:
        await self._changed.wait()


class MemoryTransport:
    """One end of a connection in memory (`memory_pair`), on the clock of trio.

    Like a socket it joins what has arrived: a read hands over all of it with the last one's stamp.
    """

    def __init__(self, peer: str, incoming: _Pipe, outgoing: _Pipe) -> None:
        self.peer = peer
        self._incoming = incoming
        self._outgoing = outgoing
        self._is_closed = False

    def now(self) -> int:
        """The time in nanoseconds."""
        return round(trio.current_time() * SECOND)

    def receive(self) -> tuple[bytes, int]:
        """What has arrived and the stamp of the last of it; b"" at the end."""
        pipe = self._incoming
        self._check_open()
        if pipe.data:
            data = bytes(pipe.data[:RECEIVE])
            del pipe.data[:RECEIVE]
            pipe.notify()
            return data, pipe.stamp
        if pipe.reset:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        if pipe.finished:
            return b"", self.now()
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    def send(self, data: bytes) -> int:
        """Hand over as much of *data* as there is room for; how many bytes went."""
        return self.deliver(data, self.now())

    def deliver(self, data: bytes, stamp: int) -> int:
        """Like `send`, but the other end is told that the bytes had arrived at *stamp*."""
        pipe = self._outgoing
        self._check_open()
        if pipe.finished or pipe.abandoned:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        taken = data[: max(0, pipe.capacity - len(pipe.data))]
        if data and not taken:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        pipe.data += taken
        pipe.stamp = stamp
        pipe.notify()
        return len(taken)

    async def wait_readable(self) -> None:
        """Return when `receive` has something to say."""
        await trio.lowlevel.checkpoint()
        while not self._incoming.is_readable:
            self._check_waiting()
            await self._incoming.changed()
        self._check_waiting()

    async def wait_writable(self) -> None:
        """Return when `send` can take something."""
        await trio.lowlevel.checkpoint()
        while not self._outgoing.is_writable:
            self._check_waiting()
            await self._outgoing.changed()
        self._check_waiting()

    def finish(self) -> None:
        """End the outgoing direction only: what comes in is still read."""
        self._outgoing.finished = True
        self._outgoing.notify()

    def abort(self) -> None:
        """End both directions without ceremony: the other end is told of a reset."""
        self._outgoing.reset = True
        self.close()

    def close(self) -> None:
        """End both directions; what was sent before can still be read."""
        self._is_closed = True
        self._incoming.abandoned = True
        self._incoming.notify()
        self.finish()

    def _check_open(self) -> None:
        if self._is_closed:
            raise OSError(errno.EBADF, "Bad file descriptor")

    def _check_waiting(self) -> None:
        if self._is_closed:
            raise trio.ClosedResourceError("closed while somebody waited on it")


def memory_pair(
    here: str = "client", there: str = "server", capacity: int = CAPACITY
) -> tuple[MemoryTransport, MemoryTransport]:
    """The two ends of a connection in memory, each named for the other; *capacity* in bytes is
    what each direction takes before it is read."""
    up, down = _Pipe(capacity), _Pipe(capacity)
    return MemoryTransport(there, down, up), MemoryTransport(here, up, down)


async def dial(host: str, port: int) -> Transport:
    """A TCP connection to a server, for a `ScriptedPeer`. Raises `OSError`."""
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    sock.setblocking(False)
    begun = sock.connect_ex((host, port))
    if begun not in {0, errno.EINPROGRESS}:
        sock.close()
        raise OSError(begun, f"cannot connect to {host} port {port}")
    await trio.lowlevel.wait_writable(sock)
    failed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if failed:
        sock.close()
        raise OSError(failed, f"cannot connect to {host} port {port}")
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return SocketTransport(sock, f"{host}:{port}", stamped=False)


def matches(pattern: str, line: str) -> bool:
    """Whether *line* is *pattern*, in which `...` stands for any text.

    >>> matches("moved 1 2 D ... left=2000", "moved 1 2 D n10-m10 charged=0.007 left=2000")
    True
    """
    return re.fullmatch(".*".join(map(re.escape, pattern.split("..."))), line) is not None


class ScriptedPeer:
    """The bot's end of a connection: sends what a test says, waits for what it expects.

    `heard` are all lines so far. Where a line does not come within *patience* seconds, or is
    another than expected, an `AssertionError` says so; `EOFError` where the connection has ended.
    """

    def __init__(self, transport: Transport, patience: float = PATIENCE) -> None:
        self.transport = transport
        self.heard: list[str] = []
        self._patience = patience
        self._unread = b""

    async def send(self, *lines: str) -> None:
        """Send whole lines, all of them at once."""
        await self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    async def send_bytes(self, data: bytes) -> None:
        """Send *data* as it is; waits while the server does not read."""
        while data:
            try:
                data = data[self.transport.send(data) :]
            except BlockingIOError:
                await self.transport.wait_writable()

    async def receive(self) -> str:
        """The next line."""
        while b"\n" not in self._unread:
            with trio.move_on_after(self._patience) as scope:
                try:
                    await self.transport.wait_readable()
                except trio.ClosedResourceError:
                    raise EOFError("expected a line, the connection was closed here") from None
            if scope.cancelled_caught:
                last = self.heard[-1] if self.heard else "nothing"
                raise AssertionError(f"expected a line within {self._patience:g} s after {last!r}")
            try:
                data, _ = self.transport.receive()
            except BlockingIOError:
                continue
            except ConnectionResetError:
                data = b""
            if not data:
                raise EOFError(f"expected a line, got the end behind {self._unread!r}")
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        self.heard.append(line.decode())
        return self.heard[-1]

    async def expect(self, pattern: str) -> str:
        """The next line, which must match *pattern* (`matches`)."""
        line = await self.receive()
        assert matches(pattern, line), f"expected {pattern!r}, got {line!r}"
        return line

    async def find(self, pattern: str) -> str:
        """The next line that matches *pattern*; those before it are passed over."""
        while not matches(pattern, line := await self.receive()):
            pass
        return line

    async def end(self) -> list[str]:
        """The lines that are left until the server ends the connection."""
        rest: list[str] = []
        try:
            while True:
                rest.append(await self.receive())
        except EOFError:
            return rest

    def close(self) -> None:
        """End the connection."""
        self.transport.close()

    async def login(self, name: str, keys: str = "moves=yes") -> None:
        """Log in; *keys* as in protocol.md."""
        await self.expect("sternhalma ...")
        await self.send(f"login {name} {keys}".rstrip())
        await self.expect(f"welcome {name} ...")

    async def answer(self, turn: str) -> None:
        """Answer the line *turn* with the first of its moves."""
        _, game, ply, *_ = turn.split(" ")
        moves = turn.partition(" moves=")[2].partition(" ")[0]
        await self.send(f"move {game} {ply} {moves.split(',')[0]}")


async def first_moves(peer: ScriptedPeer) -> None:
    """A script: the first move of the list, every turn, until the server ends the connection."""
    try:
        while True:
            await peer.answer(await peer.find("turn ..."))
    except (EOFError, OSError):
        return


async def silent(peer: ScriptedPeer) -> None:
    """A script: listen, and say nothing."""
    await peer.end()


def remote_event(*bots: str, **keys: Toml) -> str:
    """The text of an event file in which *bots* dial in; *keys* are put before the bots.

    Without other keys it is `duel` for two, one cycle, 2 s a move, a game at a time.
    """
    defaults: dict[str, Toml] = {
        "name": "test",
        "rules": "duel",
        "players": 2,
        "clock": "2s",
        "parallel": 1,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in (defaults | keys).items()]
    tables = [f'[[bots]]\nname = "{bot}"\nremote = true' for bot in bots]
    return "\n".join([*lines, *tables, ""])


def _toml(value: Toml) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items())} }}"
    return f'"{value}"' if isinstance(value, str) else str(value)


class CollectedGame:
    """The ledger of one game that is only collected (`Collector`)."""

    def __init__(self, collector: Collector, number: int, letters: list[str]) -> None:
        self._collector = collector
        self._number = number
        self._letters = letters

    def begin(self, versions: Sequence[str | None], pairing: Pairing) -> None:
        """The game begins."""
        self._collector.journal[self._number] = [begin_line(versions, pairing)]

    def go_on(self, begun: Begun) -> None:
        """The game goes on: what has happened before is known to whoever stopped it."""

    def heard(self, seat: int, line: Line) -> None:
        """A seat has sent a line."""

    def log(self, happening: Happening) -> None:
        """Something has happened."""
        lines = self._collector.journal.get(self._number)
        if lines is not None:  # the last ply of a game is told when the game is kept already
            lines.append(format_happening(recorded(self._letters, happening)))

    def tell(self, line: str) -> None:
        """Nobody watches."""

    async def keep(self, finished: Finished) -> None:
        """The game is over."""
        self._collector.journal.pop(self._number, None)  # nothing is there if it was never begun
        await self._collector.keep(finished)


class Collector:
    """A keeper that hands finished games to *keep* and stores nothing.

    `journal` has the lines of the games that run, by number: what `Begun` is made from.
    """

    epoch = 0
    stalled = False
    played = 0

    def __init__(self, keep: Keep, journal: Mapping[int, Sequence[str]] | None = None) -> None:
        self.keep = keep
        self.journal = {game: [*lines] for game, lines in (journal or {}).items()}

    async def keep_bye(self, bye: GameResult) -> None:
        """A bye has no game to collect."""

    def open(self, table: Table, letters: list[str]) -> CollectedGame:
        """The ledger of a game."""
        return CollectedGame(self, int(table.game), letters)


class MemoryServer:
    """A whole event in memory (`memory_server`): lobby and director as in a real one.

    `games` are the finished games in the order in which they were kept, `tables` those that were
    begun, `sentences` what the host was told; `keeper` has the journal of the games that run, and
    `stored` are the results of those that are over, an earlier server's included.
    """

    def __init__(
        self,
        settings: Settings,
        nursery: trio.Nursery,
        *,
        keep: Keep | None = None,
        after: MemoryServer | None = None,
    ) -> None:
        local = [bot.name for bot in settings.event.bots if not bot.remote]
        if local:
            raise ValueError(f"expected remote bots in memory, got a program for {local[0]!r}")
        self.games: list[Finished] = []
        self.tables: list[Table] = []
        self.sentences: list[str] = []
        self._nursery = nursery
        self._keep = keep
        self._summary: Summary | None = None
        self._ended = trio.Event()
        doors = Doors(login=settings.waits.login / SECOND)
        self.lobby = Lobby(nursery, settings.known(), self._why, doors)
        crew = Crew(settings, self.tell)
        self.keeper: Collector = Collector(self.keep, after.keeper.journal if after else None)
        self.stored: dict[int, GameResult] = dict(after.stored) if after else {}
        begun = {game: Begun(lines) for game, lines in self.keeper.journal.items()}
        address = ("memory", 0)
        scheduler = scheduler_of(settings.event)
        scheduler.resume(self.stored[game] for game in sorted(self.stored))
        self.director = Director(
            settings, scheduler, self.lobby, crew, self.keeper, self, address, begun
        )

    def _why(self, bot: str) -> str:
        return self.director.why(bot)

    async def keep(self, finished: Finished) -> None:
        """Store a finished game."""
        if self._keep is not None:
            await self._keep(finished)
        self.games.append(finished)
        self.stored[int(finished.table.game)] = result_of(record_of(finished))

    def resumed(self, finished: int, running: int) -> None:
        """Never: in memory every event is new."""

    def started(self, table: Table) -> None:
        """A game has started."""
        self.tables.append(table)

    def finished(self, finished: Finished) -> None:
        """A game is over and stored."""

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        self.sentences.append(sentence)

    def connect(
        self, *, address: str = "127.0.0.1", capacity: int = CAPACITY, patience: float = LONG
    ) -> ScriptedPeer:
        """A new connection from *address*, not logged in yet."""
        here, there = memory_pair(f"{address}:1", capacity=capacity)
        self._nursery.start_soon(self.lobby.serve, there)
        return ScriptedPeer(here, patience)

    async def seat(
        self,
        name: str,
        script: Script = first_moves,
        keys: str = "moves=yes",
        *,
        address: str = "127.0.0.1",
    ) -> ScriptedPeer:
        """A new connection, logged in as *name*, which from now on does what *script* says."""
        peer = self.connect(address=address)
        await peer.login(name, keys)
        self._nursery.start_soon(script, peer)
        return peer

    async def run(self) -> None:
        """Play the event, then say good-bye to all connections."""
        self._summary = await self.director.run()
        self.lobby.close("event-over", "the event has ended, thank you for playing")
        self._ended.set()

    async def ended(self) -> Summary:
        """Return when the event is over, with what became of it."""
        await self._ended.wait()
        assert self._summary is not None
        return self._summary


@asynccontextmanager
async def memory_server(
    event: str,
    *,
    keep: Keep | None = None,
    after: MemoryServer | None = None,
) -> AsyncGenerator[MemoryServer, None]:
    """Play the event whose file has the text *event*; all its bots must be remote.

    At the end of the block the server stops at once, wherever it is; *after* is such a server,
    whose event this one goes on with.
    """
    settings = settings_of(event.encode(), "event.toml", Path())
    async with trio.open_nursery() as nursery:
        server = MemoryServer(settings, nursery, keep=keep, after=after)
        nursery.start_soon(server.run)
        yield server
        nursery.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation of protocol.md: who says which line, `S` the server, `B` the bot.

    A line of `=` begins another connection. In lines `...` stands for any text, and `<word>` for a
    word that the server says first and that is the same wherever it comes again.
    """

    name: str
    lines: tuple[tuple[Side, str], ...]


_BLOCK: Final = re.compile(
    r"(?:<!-- transcript: (?P<name>\S+) -->\n)?```transcript\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_SIDES: Final[Mapping[str, Side]] = {"S": "S", "B": "B", "=": "="}
_PARTS: Final = re.compile(r"(\.\.\.|<[a-z]+>)")


def read_transcripts(text: str) -> tuple[Transcript, ...]:
    """The transcripts of a Markdown page. Raises `ValueError` for a line by nobody, or no name."""
    return tuple(_transcript(block["name"], block["body"]) for block in _BLOCK.finditer(text))


def _transcript(name: str | None, body: str) -> Transcript:
    if name is None:
        raise ValueError(f"expected '<!-- transcript: NAME -->' before the block {body[:60]!r}")
    lines: list[tuple[Side, str]] = []
    for line in body.splitlines():
        side, space, text = line.partition(" ")
        if side not in _SIDES or not space:
            raise ValueError(f"{name}: expected 'S LINE', 'B LINE' or '= TEXT', got {line!r}")
        lines.append((_SIDES[side], text))
    return Transcript(name, tuple(lines))


async def run_transcript(
    transcript: Transcript, connect: Callable[[], Awaitable[ScriptedPeer]]
) -> None:
    """Hold the conversation over what *connect* gives; the connections are closed at its end.

    An `AssertionError` names the first line that comes out otherwise.
    """
    words: dict[str, str] = {}
    with ExitStack() as peers:

        async def connected() -> ScriptedPeer:
            return peers.enter_context(closing(await connect()))

        peer = await connected()
        for number, (side, text) in enumerate(transcript.lines, start=1):
            if side == "=":
                peer = await connected()
            elif side == "B":
                await peer.send("".join(words.get(part, part) for part in _PARTS.split(text)))
            else:
                line = await peer.receive()
                found = _pattern(text, words).fullmatch(line)
                at = f"{transcript.name}, line {number}"
                assert found is not None, f"{at}: expected {text!r}, got {line!r}"
                words |= {f"<{word}>": value for word, value in found.groupdict().items()}


def _pattern(text: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """What a line of the server must be, where *words* are known already."""
    parts: list[str] = []
    for part in _PARTS.split(text):
        if part == "...":
            parts.append(".*")
        elif _PARTS.fullmatch(part) and part not in words:
            parts.append(f"(?P<{part[1:-1]}>[^ ]+)")
        else:
            parts.append(re.escape(words.get(part, part)))
    return re.compile("".join(parts))
