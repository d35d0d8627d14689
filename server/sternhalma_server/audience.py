"""Who watches: told of every move, and never at the cost of those who play.

A move is told to the audience by appending its line to a list, and that is all the referee pays.
Every 50 ms one task makes what has gathered into bytes, once for all who follow the same, and hands
them to a few watchers at a time, so that a move that arrives meanwhile waits for those few only.
Nobody is waited for: what a watcher does not take is kept, as a reference to the bytes the others
were sent too, until it has taken it or has been behind for too long.
"""

from __future__ import annotations

import enum
import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import trio

from sternhalma_server.connection import Connection
from sternhalma_server.session import Session, State
from sternhalma_server.wire import note

EVERY: Final = 0.05  # seconds between deliveries
SLICE: Final = 32  # watchers, or games, at a time
SHARE: Final = 0.1  # of the server's time at most; what would take more comes less often
BACKLOG: Final = 1 << 20  # bytes kept for a watcher that does not read
PATIENCE: Final = 10.0  # seconds until it must have read all that was kept
LINGER: Final = 2.0  # seconds for its good-bye to be taken
PLACES: Final = 2048

Views = Mapping[str | None, bytes]  # what to hand on to the followers of a game, or of all (None)


class _Shown(NamedTuple):
    """A running game as it is shown to who joins."""

    line: str
    position_line_now: Callable[[], str]


class _Stage(enum.Enum):
    """What a watcher has been told."""

    NEW = enum.auto()  # nothing
    PICTURED = enum.auto()  # how each game stood at some moment since the last delivery
    FOLLOWING = enum.auto()  # everything up to the last delivery


class _Watcher:
    """A connection that is told of one *game*, or of all of them."""

    __slots__ = (
        "_chunks",
        "_taken",
        "backlog",
        "behind_since",
        "connection",
        "game",
        "leaves_at",
        "scope",
        "session",
        "stage",
    )

    def __init__(self, connection: Connection, session: Session, game: str | None) -> None:
        self.connection = connection
        self.session = session
        self.game = game
        self.stage = _Stage.NEW
        self.scope = trio.CancelScope()  # ends its task
        self.behind_since = math.inf  # since when something has been kept for it
        self.leaves_at: float | None = None  # when it is let go, its good-bye taken or not
        self.backlog = 0  # bytes
        self._chunks: deque[bytes] = deque()  # whole lines each
        self._taken = 0  # bytes of the first

    def say(self, chunk: bytes) -> None:
        """Keep *chunk* for it."""
        self._chunks.append(chunk)
        self.backlog += len(chunk)

    def push(self) -> None:
        """Hand over as much as it takes. Raises `OSError` if it is gone."""
        while self._chunks:
            chunk = self._chunks[0]
            try:
                sent = self.connection.transport.send(chunk[self._taken :])
            except BlockingIOError:
                return
            self.backlog -= sent
            self._taken += sent
            if self._taken == len(chunk):
                self._chunks.popleft()
                self._taken = 0

    def forget(self) -> None:
        """Drop what is kept for it, except what it was offered already: that is told whole."""
        while len(self._chunks) > 1:
            self.backlog -= len(self._chunks.pop())


class Audience:
    """The watchers of a server, *places* of them at most. `run` must run beside them."""

    def __init__(self, places: int = PLACES) -> None:
        self._places = places
        self._games: dict[str, _Shown] = {}
        self._gathered: list[tuple[str, str]] = []  # game and line, since the last delivery
        self._pictured: dict[str, int] = {}  # how many of those the pictures have in them, by game
        self._watchers: dict[_Watcher, None] = {}
        self._arrived = trio.Event()
        self._emptied = trio.Event()
        self._closing: tuple[str, str] | None = None
        self._spent = 0.0  # seconds of the last delivery in which nobody else could do anything

    @property
    def watching(self) -> int:
        """How many watch."""
        return len(self._watchers)

    def opened(self, game: str, game_line: str, position_line_now: Callable[[], str]) -> None:
        """A game begins: it is shown by these lines, to who watches and to who joins later."""
        self._games[game] = _Shown(game_line, position_line_now)
        if self._watchers:
            self.tell(game, game_line)
            self.tell(game, position_line_now())

    def tell(self, game: str, line: str) -> None:
        """Something has happened in *game*."""
        if self._watchers:
            self._gathered.append((game, line))

    def closed(self, game: str) -> None:
        """A game is over, and shown to nobody any more."""
        self._games.pop(game, None)

    async def attend(self, connection: Connection, session: Session, game: str | None) -> None:
        """Let a peer watch *game*, or all games; returns when it has left or must go.

        *session* has been accepted, and what is in its replies is sent first. Nobody else reads
        the connection or sends over it; to close it is left to the caller.
        """
        if self._closing is not None:
            session.close(*self._closing)
        elif len(self._watchers) >= self._places:
            session.close("full", f"expected at most {self._places} watchers, try again later")
        elif game is not None and game not in self._games:
            session.replies.append(note("no-game", f"game {game} is not being played now"))
        watcher = _Watcher(connection, session, game)
        self._watchers[watcher] = None
        self._arrived.set()
        try:
            with watcher.scope:
                await self._listen(watcher)
        finally:
            del self._watchers[watcher]
            if not self._watchers:
                self._emptied.set()

    async def run(self) -> None:
        """Deliver what is told, until cancelled."""
        while True:
            if not self._watchers:
                self._arrived = trio.Event()
                await self._arrived.wait()
            await trio.sleep(max(EVERY, self._spent / SHARE))
            await self._deliver()

    async def close(self, code: str, sentence: str) -> None:
        """Deliver what has been told and say good-bye to all, newcomers too; returns when they
        have left, or have had the time to."""
        self._closing = (code, sentence)
        self._emptied = trio.Event()
        if self._watchers:
            with trio.move_on_after(2 * LINGER):
                await self._emptied.wait()

    async def _listen(self, watcher: _Watcher) -> None:
        """Hear what *watcher* says, until it has left or has taken its good-bye."""
        connection, session = watcher.connection, watcher.session
        while True:
            while (line := connection.next_line()) is not None:
                session.receive(line, lambda: self._why(watcher))
            if session.state is State.CLOSED:
                break
            self._reply(watcher)
            if connection.ended is not None:
                return
            try:
                await connection.transport.wait_readable()
            except trio.ClosedResourceError:
                return
            connection.read()
        if session.replies:
            self._see_off(watcher)
        if watcher.leaves_at is not None:
            await trio.sleep_forever()

    def _why(self, watcher: _Watcher) -> str:
        if watcher.game is not None:
            return f"you watch game {watcher.game}"
        return f"you watch all games, {len(self._games)} are being played"

    def _reply(self, watcher: _Watcher) -> None:
        replies = watcher.session.replies
        if replies:
            watcher.say("".join([f"{line}\n" for line in replies]).encode())
            replies.clear()
            self._push(watcher)

    def _send_away(self, watcher: _Watcher, code: str, sentence: str) -> None:
        watcher.session.close(code, sentence)
        self._see_off(watcher)

    def _see_off(self, watcher: _Watcher) -> None:
        """Let *watcher* take the good-bye in its session's replies, and then go."""
        watcher.leaves_at = trio.current_time() + LINGER
        self._reply(watcher)

    def _push(self, watcher: _Watcher) -> None:
        """Hand on what is kept for *watcher*, and look whether it takes it."""
        try:
            watcher.push()
        except OSError:
            watcher.scope.cancel()
            return
        now = trio.current_time()
        if watcher.leaves_at is not None:
            if not watcher.backlog or now >= watcher.leaves_at:
                watcher.scope.cancel()
        elif not watcher.backlog:
            watcher.behind_since = math.inf
        else:
            watcher.behind_since = min(watcher.behind_since, now)
            if watcher.backlog > BACKLOG or now - watcher.behind_since >= PATIENCE:
                watcher.forget()
                self._send_away(watcher, "slow", "expected a watcher to read what it is sent")

    async def _deliver(self) -> None:
        """Hand on what has gathered, then show newcomers how the games stand."""
        self._spent = 0.0
        closing, games = self._closing, list(self._games)
        batch, self._gathered = self._gathered, []
        news = [told for at, told in enumerate(batch) if at >= self._pictured.get(told[0], 0)]
        stages: dict[_Stage, list[_Watcher]] = {stage: [] for stage in _Stage}
        for watcher in self._watchers:
            stages[watcher.stage].append(watcher)
        await self._hand_out(stages[_Stage.FOLLOWING], _views(batch))
        await self._hand_out(stages[_Stage.PICTURED], _views(news))
        for watcher in stages[_Stage.PICTURED]:
            watcher.stage = _Stage.FOLLOWING
        if closing is not None:
            for watcher in [w for w in self._watchers if w.leaves_at is None]:
                self._send_away(watcher, *closing)
        self._pictured = {}
        newcomers = stages[_Stage.NEW]
        wanted = {watcher.game for watcher in newcomers if watcher.leaves_at is None}
        await self._hand_out(newcomers, await self._pictures(games, wanted))
        for watcher in newcomers:
            watcher.stage = _Stage.PICTURED

    async def _hand_out(self, watchers: Sequence[_Watcher], views: Views) -> None:
        """Hand on to each of *watchers* what there is for it."""
        for start in range(0, len(watchers), SLICE):
            begun = trio.current_time()
            for watcher in watchers[start : start + SLICE]:
                view = views.get(watcher.game)
                if view is not None and watcher.leaves_at is None:
                    watcher.say(view)
                if watcher.backlog:
                    self._push(watcher)
            self._spent += trio.current_time() - begun
            await trio.lowlevel.checkpoint()

    async def _pictures(self, games: Iterable[str], wanted: Collection[str | None]) -> Views:
        """How each of *games* stands at a moment; `_pictured` says which moments they were."""
        shown: list[tuple[str, str]] = []
        for game in games if wanted else ():
            self._pictured[game] = len(self._gathered)
            if game in self._games and (game in wanted or None in wanted):
                line, position_line_now = self._games[game]
                shown += [(game, line), (game, position_line_now())]
                if len(shown) % (2 * SLICE) == 0:
                    await trio.lowlevel.checkpoint()
        return _views(shown)


def _views(told: Iterable[tuple[str, str]]) -> Views:
    """Lines, each with its game, made into bytes: those of a game, and all of them."""
    lines: dict[str | None, list[str]] = {}
    everything: list[str] = []
    for game, line in told:
        everything.append(line)
        lines.setdefault(game, []).append(line)
    if everything:
        lines[None] = everything
    return {game: "\n".join([*its, ""]).encode() for game, its in lines.items()}
