"""Who is connected: logins, the wait between games, and handing a connection to a game.

A holder is a bot's name and slot with a live connection. Between games a task of the lobby waits on
it; a game that claims it gets the connection with whatever has been read already, and while the
game runs nobody else touches it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import trio

from sternhalma_server.admission import Admission
from sternhalma_server.clock import MILLISECOND
from sternhalma_server.connection import Connection
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import MAX_LINE
from sternhalma_server.session import Session, State
from sternhalma_server.transport import Transport
from sternhalma_server.wire import Login, greeting


class Holder:
    """One logged-in connection: a bot's name and slot."""

    __slots__ = ("connection", "game", "idle", "login", "name", "parked", "session")

    def __init__(self, name: str, login: Login, connection: Connection, session: Session) -> None:
        self.name = name
        self.login = login
        self.connection = connection
        self.session = session
        self.game: str | None = None  # the game it plays, None between games
        self.idle: trio.CancelScope | None = None  # the lobby's wait
        self.parked: trio.Event | None = None  # set when the lobby has let go

    @property
    def key(self) -> tuple[str, int]:
        """Name and slot."""
        return self.name, self.login.slot

    @property
    def gate(self) -> FloodGate:
        """Its allowance of lines that were not asked for, in games as between them."""
        return self.session.gate

    @property
    def wants_moves(self) -> bool:
        """Whether it asked for the legal moves with every turn."""
        return self.login.moves


class Lobby:
    """All connections of a server, in games or between them.

    *why* tells a waiting bot, by name, what it waits for; *login_seconds* is the time from the
    connection to a complete login.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        admission: Admission,
        why: Callable[[str], str],
        login_seconds: float,
    ) -> None:
        self.nursery = nursery
        self._admission = admission
        self._why = why
        self._login_seconds = login_seconds
        self._holders: dict[tuple[str, int], Holder] = {}
        self._changed = trio.Event()
        self._open: set[Transport] = set()
        self.closing: tuple[str, str] | None = None  # the bye that newcomers get

    def __iter__(self) -> Iterator[Holder]:
        return iter(list(self._holders.values()))

    def get(self, name: str, slot: int) -> Holder | None:
        """The holder of a name and slot, None where nobody is connected."""
        return self._holders.get((name, slot))

    def idle(self, name: str) -> list[Holder]:
        """The holders of *name* that are ready for a game, by slot."""
        ready = [h for h in self._holders.values() if h.name == name and h.game is None]
        return sorted(ready, key=lambda holder: holder.login.slot)

    def connections(self, name: str) -> int:
        """How many connections *name* has, in games or not."""
        return sum(holder.name == name for holder in self._holders.values())

    async def changed(self) -> None:
        """Return when somebody has come, gone or become free."""
        await self._changed.wait()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def connection(self, transport: Transport) -> Connection:
        """A connection over *transport* whose backlog is sent in the background."""

        def send_rest(connection: Connection) -> None:
            self.nursery.start_soon(connection.flush)

        return Connection(transport, send_rest)

    async def serve(self, transport: Transport) -> None:
        """Greet a newcomer and see it through its login; the lobby keeps it afterwards."""
        self._open.add(transport)
        connection = self.connection(transport)
        session = Session()
        seconds = self._login_seconds
        connection.send(greeting(int(seconds * 1000), MAX_LINE) + "\n")
        holder = None
        with trio.move_on_after(seconds) as deadline:
            while session.state is State.GREETED and connection.ended is None:
                await transport.wait_readable()
                connection.read()
                holder = self._login(connection, session)
                self._reply(connection, session)
        if deadline.cancelled_caught:
            limit = f"{int(seconds * 1_000_000_000) // MILLISECOND} ms"
            session.close("login-time", f"expected a whole login line within {limit}")
            self._reply(connection, session)
        if holder is None:
            self._end(connection)
            return
        self._holders[holder.key] = holder
        self._wait(holder)
        self._notify()

    def _login(self, connection: Connection, session: Session) -> Holder | None:
        while session.state is State.GREETED:
            line = connection.next_line()
            if line is None:
                return None
            login = session.receive(line, lambda: "expected a login first")
            if login is None:
                continue
            if self.closing is not None:
                session.close(*self.closing)
                return None
            refusal = self._admission.admit(login, self._holders)
            if refusal is not None:
                session.close(refusal.code, refusal.sentence)
                return None
            name = self._admission.name(login)
            session.accept(login)
            session.replies.append(f"welcome {name} slot={login.slot}")
            return Holder(name, login, connection, session)
        return None

    def _reply(self, connection: Connection, session: Session) -> None:
        if session.replies:
            connection.send("".join([f"{line}\n" for line in session.replies]))
            session.replies.clear()

    def _wait(self, holder: Holder) -> None:
        """Let a task of the lobby wait on *holder*, which is in no game."""
        holder.parked = trio.Event()
        holder.idle = trio.CancelScope()
        self.nursery.start_soon(self._idle, holder, holder.idle, holder.parked)

    async def _idle(self, holder: Holder, scope: trio.CancelScope, parked: trio.Event) -> None:
        connection, session = holder.connection, holder.session
        with scope:
            while True:
                self._take_lines(holder)
                if session.state is State.CLOSED or connection.ended is not None:
                    break
                await connection.transport.wait_readable()
                connection.read()
        parked.set()
        if not scope.cancelled_caught:
            self.dismiss(holder)

    def _take_lines(self, holder: Holder) -> None:
        while (line := holder.connection.next_line()) is not None:
            holder.session.receive(line, lambda: self._why(holder.name))
        self._reply(holder.connection, holder.session)

    async def claim(self, holder: Holder, game: str) -> None:
        """Take *holder* out of the lobby for *game*; its connection is then the game's alone."""
        assert holder.game is None
        holder.game = game
        assert holder.idle is not None
        assert holder.parked is not None
        holder.idle.cancel()
        await holder.parked.wait()

    def release(self, holder: Holder) -> None:
        """Give *holder* back to the lobby after a game."""
        holder.game = None
        if holder.connection.ended is not None or holder.session.state is State.CLOSED:
            self.dismiss(holder)
        else:
            self._wait(holder)
            self._notify()

    def dismiss(self, holder: Holder) -> None:
        """End the connection of *holder*."""
        if self._holders.get(holder.key) is holder:
            del self._holders[holder.key]
        self._reply(holder.connection, holder.session)
        self._end(holder.connection)
        self._notify()

    def _end(self, connection: Connection) -> None:
        connection.close()
        self._open.discard(connection.transport)

    def abandon(self) -> None:
        """Close every connection there is, without a word: the server's last act."""
        for transport in self._open:
            transport.close()
        self._open.clear()

    def close(self, code: str, sentence: str) -> None:
        """Say good-bye to everybody who is not in a game, and to whoever comes from now on."""
        self.closing = (code, sentence)
        for holder in self:
            if holder.game is None and holder.idle is not None:
                holder.session.close(code, sentence)
                holder.idle.cancel()
                self.dismiss(holder)
