"""Who is connected: logins, the wait between games, and handing a connection to a game.

A holder is a bot's name and slot, with the connection it has now. Between games a task of the lobby
waits on that connection; a game that claims the holder gets it with whatever has been read already,
and while the game runs nobody else reads it.

The same bot may log in again at any time and take its seat over: what the old connection had sent
is read first and stays first, the old one is told so and ended, and whoever waits on it wakes up.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import trio

from sternhalma_server.admission import Admission, Known, Refusal
from sternhalma_server.audience import Audience
from sternhalma_server.connection import Connection, Courier
from sternhalma_server.flood import FloodGate
from sternhalma_server.framing import MAX_LINE, Line
from sternhalma_server.library import Library
from sternhalma_server.session import Session, State
from sternhalma_server.tls import TlsTransport
from sternhalma_server.transport import Transport
from sternhalma_server.wire import Fetch, Login, Watch, bye, greeting, quote, welcome

UNNAMED: Final = 1024  # connections without a login, at most


class Holder:
    """One logged-in bot's name and slot."""

    __slots__ = (
        "alive",
        "back",
        "connection",
        "game",
        "idle",
        "login",
        "name",
        "parked",
        "restart",
        "restate",
        "revive",
        "session",
    )

    def __init__(self, name: str, login: Login, connection: Connection, session: Session) -> None:
        self.name = name
        self.login = login
        self.connection = connection
        self.session = session
        self.game: str | None = None  # the game it plays, None between games
        self.restate: Callable[[], str] | None = None  # what it is told of that game if it returns
        self.alive: Callable[[], bool] | None = None  # whether its program runs, if we started it
        self.restart: Callable[[], bool] | None = None  # starts that program again
        self.revive: Callable[[], bool] | None = None  # the same, if the game it plays allows it
        self.idle: trio.CancelScope | None = None  # the lobby's wait
        self.parked: trio.Event | None = None  # set when the lobby has let go
        self.back: trio.Event | None = None  # set when it has come back

    @property
    def key(self) -> tuple[str, int]:
        """Name and slot."""
        return self.name, self.login.slot

    @property
    def gate(self) -> FloodGate:
        """Its allowance of lines that were not asked for, in games as between them."""
        return self.session.gate

    @property
    def is_near(self) -> bool:
        """Whether it is on the server's own machine, with no network in between."""
        return is_loopback(self.connection.transport.peer.rpartition(":")[0])

    @property
    def wants_moves(self) -> bool:
        """Whether it asked for the legal moves with every turn."""
        return self.login.moves

    @property
    def may_return(self) -> bool:
        """Whether it can still come back after its connection has ended."""
        if self.session.state is State.CLOSED:
            return False
        if self.alive is None or self.alive():
            return True
        return self.revive is not None and self.revive()

    async def returned(self) -> None:
        """Return when it has come back on another connection."""
        if self.back is None:
            self.back = trio.Event()
        await self.back.wait()


@dataclass(frozen=True, slots=True)
class Doors:
    """How many may wait at the door: connections that have not logged in, in all and from one
    address (this machine's own excepted), and how long a login may take (seconds)."""

    unnamed: int = UNNAMED
    unnamed_each: int = 32
    login: float = 10.0


class Lobby:
    """All connections of a server, in games or between them.

    *why* tells a waiting bot, by name, what it waits for; watchers go to *audience*; *versions* are
    those that bots have played with before, None where they may change them. *arrived* is told of
    whoever has logged in.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        bots: Iterable[Known],
        why: Callable[[str], str],
        doors: Doors,
        audience: Audience,
        versions: Mapping[str, str | None] | None,
        arrived: Callable[[Holder], None] | None = None,
    ) -> None:
        self.nursery = nursery
        self._audience = audience
        self._admission = Admission(bots, lambda: secrets.token_urlsafe(12), versions)
        self._why = why
        self._arrived = arrived
        self._doors = doors
        self._holders: dict[tuple[str, int], Holder] = {}
        self._by_name: dict[str, dict[int, Holder]] = {}  # the same, by name and then slot
        self._unnamed: Counter[str] = Counter()  # connections without a login, by address
        self._courier = Courier(nursery)
        self._changed = trio.Event()
        self._open: set[Transport] = set()
        self.closing: tuple[str, str] | None = None  # the bye that newcomers get
        self.library: Library | None = None  # where games that are over can be fetched

    def __iter__(self) -> Iterator[Holder]:
        return iter(list(self._holders.values()))

    def get(self, name: str, slot: int) -> Holder | None:
        """The holder of a name and slot, None where nobody is connected."""
        return self._holders.get((name, slot))

    def idle(self, name: str) -> list[Holder]:
        """The holders of *name* that are ready for a game, by slot."""
        holders = self._by_name.get(name, {})
        return [holders[slot] for slot in sorted(holders) if holders[slot].game is None]

    def all_of(self, name: str) -> list[Holder]:
        """The holders of *name*, in games or not, by slot."""
        holders = self._by_name.get(name, {})
        return [holders[slot] for slot in sorted(holders)]

    def invite(self, bot: Known) -> None:
        """Let a late bot log in from now on."""
        self._admission.invite(bot)

    def expel(self, name: str, code: str, sentence: str) -> None:
        """Let a bot in no more, and send it away where it is in no game."""
        self._admission.dismiss(name)
        for holder in self.all_of(name):
            holder.session.close(code, sentence)
            if holder.game is None and holder.idle is not None:
                holder.idle.cancel()
                self.dismiss(holder)

    async def changed(self) -> None:
        """Return when somebody has come, gone or become free."""
        await self._changed.wait()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def serve(self, transport: Transport) -> None:
        """Greet a newcomer and see it through its login; the lobby keeps a bot afterwards.

        For a watcher it returns when the watcher has gone.
        """
        connection = Connection(transport, self._courier)
        session = Session()
        self._open.add(transport)
        address = transport.peer.rpartition(":")[0]
        self._unnamed[address] += 1
        try:
            login = await self._greet(connection, session, address)
        finally:
            self._unnamed[address] -= 1
            if not self._unnamed[address]:
                del self._unnamed[address]
        if isinstance(login, Watch):
            await self._audience.attend(connection, session, login.game)
            self._end(connection)
        elif isinstance(login, Fetch):
            await self._hand_over(connection, session, login)
            self._reply(connection, session)
            self._end(connection)
        elif login is None:
            self._reply(connection, session)
            self._end(connection)

    async def _greet(
        self, connection: Connection, session: Session, address: str
    ) -> Login | Watch | Fetch | None:
        """See a newcomer through its login, None if it does not come to that."""
        doors = self._doors
        each = doors.unnamed if is_loopback(address) else doors.unnamed_each
        if self._unnamed.total() > doors.unnamed or self._unnamed[address] > each:
            session.close("full", "too many connections that have not logged in, try again later")
            return None
        transport = connection.transport
        with trio.move_on_after(doors.login):
            if isinstance(transport, TlsTransport):
                try:
                    await transport.handshake()
                except OSError as problem:
                    connection.ended = f"no TLS: {problem.strerror or problem}"
                    return None
            connection.send(greeting(int(doors.login * 1000), MAX_LINE) + "\n")
            while session.state is State.GREETED and connection.ended is None:
                await transport.wait_readable()
                connection.read()
                login = self._log_in(connection, session)
                if login is not None:
                    return login
            return None
        sentence = f"expected a whole login line within {doors.login:g} s"
        unended = connection.unfinished()
        if unended is not None:
            sentence += f", got {quote(unended.text)} without a line feed"
        session.close("login-time", sentence)
        return None

    def _log_in(self, connection: Connection, session: Session) -> Login | Watch | Fetch | None:
        """Take lines until one is a login that is accepted; None if there is none yet."""
        while session.state is State.GREETED:
            line = connection.next_line()
            if line is None:
                break
            login = self._judge(connection, session, line)
            if login is not None:
                return login
        return None

    def _judge(
        self, connection: Connection, session: Session, line: Line
    ) -> Login | Watch | Fetch | None:
        """Take one line of a newcomer; the login that is accepted, if it is one."""
        login = session.receive(line, lambda: "expected a login first")
        if login is None or isinstance(login, Fetch):
            return login
        if self.closing is not None:
            session.close(*self.closing)
        elif isinstance(login, Watch):
            session.accept()
            session.replies.append("welcome watcher")
            return login
        elif self._seat(connection, session, login):
            return login
        return None

    async def _hand_over(self, connection: Connection, session: Session, fetch: Fetch) -> None:
        """Give a bot what it was told in a game, if it is the bot."""
        bot = self._admission.vouch(fetch.name, fetch.token)
        if isinstance(bot, Refusal):
            session.close(bot.code, bot.sentence)
        elif self.library is None:
            session.close("no-transcript", "this server keeps no games")
        else:
            await self.library.attend(connection, session, bot, fetch.game, fetch.seat)

    def _seat(self, connection: Connection, session: Session, login: Login) -> bool:
        """Let a bot in, or say why not."""
        verdict = self._admission.admit(login, self._holders)
        if isinstance(verdict, Refusal):
            session.close(verdict.code, verdict.sentence)
            return False
        seated = self._holders.get((verdict.name, login.slot))
        if seated is not None and seated.game is not None:
            # Its record says which version plays.
            before, now = (version or "none" for version in (seated.login.version, login.version))
            if now != before:
                session.close(
                    "version", f"expected version {before} until its game ends, got {now}"
                )
                return False
        session.accept()
        session.replies.append(welcome(verdict.name, login.slot, verdict.key))
        if verdict.takes_over:
            holder = self._holders[verdict.name, login.slot]
            self._take_over(holder, login, connection, session)
        else:
            holder = Holder(verdict.name, login, connection, session)
            self._holders[holder.key] = holder
            self._by_name.setdefault(holder.name, {})[login.slot] = holder
            self._wait(holder)
        if self._arrived is not None:
            self._arrived(holder)
        self._notify()
        return True

    def _take_over(
        self, holder: Holder, login: Login, connection: Connection, session: Session
    ) -> None:
        """Put a new connection into the place of the one that *holder* had."""
        old = holder.connection
        connection.inherit(old)
        old.send(bye("taken-over", "another connection has logged in in your place") + "\n")
        session.gate = holder.session.gate
        holder.connection, holder.session, holder.login = connection, session, login
        self._end(old)
        if holder.restate is not None:
            session.replies.append(holder.restate())
        self._reply(connection, session)
        if holder.game is None:
            self._wait(holder)
        elif holder.back is not None:
            holder.back.set()
            holder.back = None

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
            while holder.connection is connection:
                self._take_lines(holder)
                if session.state is State.CLOSED or connection.ended is not None:
                    break
                try:
                    await connection.transport.wait_readable()
                except trio.ClosedResourceError:
                    break
                connection.read()
        parked.set()
        if not scope.cancelled_caught and holder.connection is connection:
            self.dismiss(holder)

    def _take_lines(self, holder: Holder) -> None:
        while (line := holder.connection.next_line()) is not None:
            holder.session.receive(line, lambda: self._why(holder.name))
        self._reply(holder.connection, holder.session)

    async def claim(self, holder: Holder, game: str) -> None:
        """Take *holder* out of the lobby for *game*; its connection is then the game's alone."""
        assert holder.game is None
        assert holder.idle is not None
        assert holder.parked is not None
        holder.game = game
        holder.idle.cancel()
        await holder.parked.wait()

    def release(self, holder: Holder) -> None:
        """Give *holder* back to the lobby after a game."""
        holder.game = holder.restate = holder.revive = None
        if holder.connection.ended is not None or holder.session.state is State.CLOSED:
            self.dismiss(holder)
        else:
            self._wait(holder)
            self._notify()

    def dismiss(self, holder: Holder) -> None:
        """End the connection of *holder*, which then holds nothing."""
        if self._holders.get(holder.key) is holder:
            del self._holders[holder.key]
            del self._by_name[holder.name][holder.login.slot]
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


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own: it lies behind no network, and gets no credit."""
    return address.startswith("127.") or address in {"::1", "::ffff:127.0.0.1"}
