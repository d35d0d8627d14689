"""A server to practise against: whoever comes is let in, and plays game after game.

It is made of the parts of a real server, so that what works here works there: the lobby, the
referee, the clocks. Only a few things are other. A name that nobody knows is let in, and a bot that
was ended and started again has its seat at once, without the key that it had; wrong answers are
forgiven, and explained in words; moves may be taken back; a game that a bot has left is broken off;
and there is no event that could end, so nothing is kept.
"""

from __future__ import annotations

import logging
import re
import shlex
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import trio

from sternhalma import BASES, Seat
from sternhalma_server.admission import Known, Refusal
from sternhalma_server.audience import Audience
from sternhalma_server.clock import SECOND
from sternhalma_server.conductor import Conductor
from sternhalma_server.connection import Connection
from sternhalma_server.crew import Crew
from sternhalma_server.explanation import FLUSHES
from sternhalma_server.framing import Line
from sternhalma_server.hall import Hall
from sternhalma_server.keeping import Begun, begin_line
from sternhalma_server.listener import Listener
from sternhalma_server.programs import ScarcityError
from sternhalma_server.recording import line_of
from sternhalma_server.referee import Finished
from sternhalma_server.seats import Doors, Holder, Lobby
from sternhalma_server.session import Session, State
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.takeback import ForgivingReferee, TakenBack
from sternhalma_server.unkept import LINE_FEEDS, Tell, Unkept
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import MAX_SLOT, Fetch, Login, Watch, clean, quote
from sternhalma_tournament.schedule import Pairing

GUEST: Final = "guest"
HOUSE: Final = "house"
TRIES: Final = 1000  # wrong answers a game that are forgiven
FAREWELL: Final = ("server-stops", "the practice is over")
ENOUGH: Final = ("event-over", "all games of the practice are over")  # nobody is to come back
REPLACED: Final = ("taken-over", "a bot of the same name and slot has logged in and begins anew")
LOOK: Final = 0.1  # seconds between looks whether a guest's connection has ended in its game
_SECRET: Final = re.compile(r"\b(token|key)=\S+", re.ASCII)
_GONE: Final = frozenset({Reason.DISCONNECT, Reason.FLOOD})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Terms:
    """What is practised: `against` is a sample bot, or the command of a program."""

    rules: str = "tara"
    players: int = 2
    against: str = "greedy"
    clock: str = "10s"
    limit: int | None = None


def practice_settings(terms: Terms) -> Settings:
    """The settings of an event with those terms. Raises `EventFileError`."""
    words = shlex.split(terms.against)
    command = words if len(words) != 1 or "/" in terms.against else ["sternhalma-bot", *words]
    limit = "" if terms.limit is None else f"limit = {terms.limit}\n"
    base = BASES.get(terms.rules)
    draws = "draws = true\n" if base is not None and base.draws else ""
    text = (
        f'name = "practice"\nrules = {_toml(terms.rules)}\nplayers = {terms.players}\n'
        f"clock = {_toml(terms.clock)}\ntries = {TRIES}\n{limit}{draws}"
        f'[[bots]]\nname = "{GUEST}"\nremote = true\n'
    )
    for number in range(1, terms.players):
        words_listed = ", ".join(map(_toml, command))
        text += f'[[bots]]\nname = "{HOUSE}-{number}"\ncommand = [{words_listed}]\n'
    return settings_of(text.encode(), "practice")


def _toml(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


async def practise(
    settings: Settings, listener: Listener, tell: Tell, games: int | None = None
) -> None:
    """Let everybody play who comes to *listener*, until SIGINT or SIGTERM, or until so many *games*
    are over.

    *tell* is given what the host may want to see, each a sentence or several lines.
    """
    crew = Crew(
        [bot for bot in settings.event.bots if not bot.remote],
        settings.folder,
        settings.event.limits,
        settings.waits.start,
        tell,
    )
    lobby: OpenLobby | None = None
    try:
        async with trio.open_nursery() as nursery:
            audience = Audience()
            nursery.start_soon(audience.run)
            practice = Practice(settings, nursery, crew, audience, listener, tell, games)
            lobby = practice.lobby
            nursery.start_soon(listener.serve, lobby.serve)
            tell(f"practice: listening on {listener.host} port {listener.port}")
            await _until_enough(practice)
            farewell = ENOUGH if practice.all_over.is_set() else FAREWELL
            lobby.close(*farewell)
            await audience.close(*farewell)
            await crew.stop()
            nursery.cancel_scope.cancel()
    finally:
        crew.kill()
        if lobby is not None:
            lobby.abandon()
        listener.close()


async def _until_enough(practice: Practice) -> None:
    """Return at a signal to end, or when all games are over that are wanted."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:

            async def until_all_are_over() -> None:
                await practice.all_over.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(until_all_are_over)
            await anext(signals)
            nursery.cancel_scope.cancel()


class OpenLobby(Lobby):
    """A lobby that knows everybody who comes, but for names of the *house*.

    Who logs in under a name and slot that is connected, and does not prove to be the same bot,
    replaces it: an author who starts a bot again need not wait until the one before is given up.
    *tell* is given sentences for the host.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        house: Sequence[Known],
        why: Callable[[str], str],
        doors: Doors,
        audience: Audience,
        arrived: Callable[[Holder], None],
        keeper: Unkept,
        tell: Tell,
    ) -> None:
        super().__init__(nursery, house, why, doors, audience, None, arrived)
        self._house = {bot.name.lower() for bot in house}
        self._guests: dict[str, str] = {}  # as they spelled themselves first, by the name in lower
        self._flags = keeper.flags
        self._tell = tell

    async def _greet(
        self, connection: Connection, session: Session, address: str
    ) -> Login | Watch | Fetch | None:
        """See a newcomer through its login, and tell of one that never said a whole line."""
        login = await super()._greet(connection, session, address)
        last = session.replies[-1] if session.replies else ""
        if login is None and (not last or last.startswith("bye login-time ")):
            told = unsaid(connection.transport.peer, connection.unfinished(), last)
            if told is not None:
                self._tell(told)
        return login

    def _judge(
        self, connection: Connection, session: Session, line: Line
    ) -> Login | Watch | Fetch | None:
        """Take one line of a newcomer, and tell of one that is refused."""
        login = super()._judge(connection, session, line)
        if login is None and session.replies and self.closing is None:
            said = _SECRET.sub(r"\1=...", clean(line.text))
            head = f"{connection.transport.peer}, not logged in: {said}"
            self._tell("\n  ".join([head, *session.replies]))
        return login

    def _seat(self, connection: Connection, session: Session, login: Login) -> bool:
        """Let a bot in, or say why not."""
        if login.name.lower() not in self._house:
            name = self._guests.setdefault(login.name.lower(), login.name)
            self.invite(Known(name))
            old = self.get(name, login.slot)
            verdict = self._admission.admit(login, self._holders)
            if old is not None and isinstance(verdict, Refusal) and verdict.code == "in-use":
                self._replace(old)
        return super()._seat(connection, session, login)

    def _replace(self, old: Holder) -> None:
        self._tell(
            f"{_called(old)} logs in anew, without the key of its connection before:"
            " that one is ended, and its game with it"
        )
        old.session.close(*REPLACED)
        if old.game is None and old.idle is not None:
            old.idle.cancel()
        self.dismiss(old)

    def _take_lines(self, holder: Holder) -> None:
        """Hear a bot that is in no game, and explain what was wrong to the host too."""
        while (line := holder.connection.next_line()) is not None:
            before = len(holder.session.replies)
            holder.session.receive(line, lambda: self._why(holder.name))
            self._explain(holder, line, holder.session.replies[before:])
        self._reply(holder.connection, holder.session)

    def _explain(self, holder: Holder, line: Line, replies: Sequence[str]) -> None:
        wrong = [reply for reply in replies if reply.startswith(("note ", "error ", "bye "))]
        if wrong:
            head = f"{_called(holder)}, between games: {clean(line.text)}"
            late = self._flags.late(holder.name, line)
            self._tell("\n  ".join([head, *(wrong if late is None else [late])]))


class PracticeReferee(ForgivingReferee):
    """A referee who breaks a game off that a bot has left: nobody wants the others to play on."""

    def _fall(
        self, seat: Seat, reason: Reason, line: Line | None, waited: int | None = None
    ) -> None:
        super()._fall(seat, reason, line, waited)
        if reason in _GONE and self.finished is None:
            self._over(Reason.ABORTED, None)


class Practice:
    """The games of a server to practise against, one after the other for each guest.

    `all_over` is set when *games* of them are over, None for no end.
    """

    def __init__(
        self,
        settings: Settings,
        nursery: trio.Nursery,
        crew: Crew,
        audience: Audience,
        listener: Listener,
        tell: Tell,
        games: int | None = None,
    ) -> None:
        self._wanted = games
        self.all_over = trio.Event()
        self._settings = settings
        self._nursery = nursery
        self._crew = crew
        self._tell = tell
        self._address = (listener.host, listener.port)
        self._games = 0
        self._had: Counter[tuple[str, int]] = Counter()  # games, by guest and slot
        self._served: dict[Holder, int] = {}  # the slot of the house that plays each guest
        doors = Doors(login=settings.waits.login / SECOND)
        keeper = Unkept(tell)
        self.lobby = OpenLobby(
            nursery, crew.known(), self._why, doors, audience, self._arrived, keeper, tell
        )
        hall = Hall(self.lobby, crew, audience, self._address)
        self._conductor = Conductor(settings, keeper, hall, PracticeReferee)

    def _why(self, _bot: str) -> str:
        return "your next game begins as soon as the other seats are taken"

    def _arrived(self, holder: Holder) -> None:
        if self._crew.is_local(holder.name) or holder in self._served:
            return
        free = set(range(1, MAX_SLOT + 1)) - set(self._served.values())
        if not free:
            holder.session.close("full", "too many practise already, try again later")
            return
        self._served[holder] = min(free)
        self._nursery.start_soon(self._serve, holder)
        self._nursery.start_soon(self._watch, holder)

    async def _serve(self, holder: Holder) -> None:
        """Play with a guest for as long as it is there."""
        self._tell(f"{_called(holder)} is here")
        try:
            back: TakenBack | None = None
            while self.lobby.get(*holder.key) is holder and not self.all_over.is_set():
                houses = await self._houses(holder)
                if houses is None:
                    self._dismiss(holder)
                    return
                if self.lobby.get(*holder.key) is holder:
                    back = await self._play(holder, houses, back)
        finally:
            del self._served[holder]
            if self.lobby.get(*holder.key) is None:
                self._tell(f"{_called(holder)} has gone")

    async def _watch(self, guest: Holder) -> None:
        """Tell when the connection of *guest* ends in a game: it may come back for a while yet."""
        lost: Connection | None = None
        while guest in self._served:
            connection, is_closed = guest.connection, guest.session.state is State.CLOSED
            if lost is not None and connection is not lost:
                lost = None
                self._tell(f"{_called(guest)} is back")
            if lost is None and guest.game and connection.ended is not None and not is_closed:
                lost = connection
                seconds = self._settings.waits.reconnect / SECOND
                self._tell(
                    f"{_called(guest)}, in its turn: {connection.ended}; has it crashed?\n"
                    f"  it may come back within {seconds:g} s, as long as its clock has not run out"
                )
            await trio.sleep(LOOK)

    async def _play(
        self, guest: Holder, houses: list[Holder], back: TakenBack | None
    ) -> TakenBack | None:
        """Play one game against *houses*, from where *back* left another if there is one.

        Returns what became of it if the guest wants to go back and play on from there.
        """
        if back is None:
            self._had[guest.key] += 1
        self._games += 1
        seat = (self._had[guest.key] - 1) % self._settings.event.players
        holders = [*houses[:seat], guest, *houses[seat:]]
        entries = tuple(holder.name for holder in holders)
        pairing = Pairing(self._games, entries[: self._settings.sides], 1, 1, str(self._games))
        versions = [holder.login.version for holder in holders]
        table = replace(self._conductor.table(pairing, entries, versions), undo=True)
        begun = None if back is None else begun_from(back, pairing)
        for holder in holders:
            await self.lobby.claim(holder, table.game)
        try:
            finished = await self._conductor.play(pairing, table, holders, begun)
            send_away(finished, holders)
            for fall in finished.falls:
                self._crew.report(*holders[fall.seat].key)
        except Exception:
            log.exception("game %s failed", table.game)
            self._tell(f"game {table.game} failed; the practice goes on with another")
            return None
        finally:
            for holder in holders:
                self.lobby.release(holder)
        if isinstance(finished, TakenBack):
            return finished
        if self._wanted is not None:
            self._wanted -= 1
            if not self._wanted:
                self.all_over.set()
        return None

    def _dismiss(self, guest: Holder) -> None:
        guest.session.close("server-stops", "the bots of this practice cannot be started")
        if guest.game is None and self.lobby.get(*guest.key) is guest:
            self.lobby.dismiss(guest)

    async def _houses(self, guest: Holder) -> list[Holder] | None:
        """The connections of the opponents of *guest*, None if one of them does not come."""
        houses = [
            await self._house(number, guest) for number in range(1, self._settings.event.players)
        ]
        there = [holder for holder in houses if holder is not None]
        return there if len(there) == len(houses) else None

    async def _house(self, number: int, guest: Holder) -> Holder | None:
        """The connection of an opponent for *guest*, None if it does not come."""
        name = f"{HOUSE}-{number}"
        try:
            return await self._crew.seat(name, self._served[guest], self.lobby, self._address)
        except ScarcityError as problem:
            self._tell(str(problem))
            return None


def unsaid(peer: str, unended: Line | None, goodbye: str) -> str | None:
    """What there is to tell of a *peer* that went, or got *goodbye*, before any whole line.

    Who came and went in silence is none of the host's business.
    """
    if unended is not None:
        said = quote(_SECRET.sub(r"\1=...", unended.text))
        head = f"{peer}, not logged in: {said} had come, and no line feed behind it;"
        return "\n  ".join([head, LINE_FEEDS, *([goodbye] if goodbye else [])])
    if goodbye:
        return "\n  ".join([f"{peer}, not logged in: nothing came; {FLUSHES}", goodbye])
    return None


def begun_from(back: TakenBack, pairing: Pairing) -> Begun:
    """What *back* keeps of a game, as the beginning of another one, of *pairing*."""
    letters = [group[0] for group in back.start.position.seats]
    versions = back.table.versions
    return Begun([begin_line(versions, pairing), *(line_of(letters, h) for h in back.kept)])


def send_away(finished: Finished, holders: Sequence[Holder]) -> None:
    """Let nobody stay who has left or flooded the server during the game."""
    for fall in finished.falls:
        holder = holders[fall.seat]
        if fall.reason.value == "flood":
            holder.session.close("flood", "expected fewer lines that answer nothing")
        elif fall.reason.value == "disconnect":
            holder.session.state = State.CLOSED


def _called(holder: Holder) -> str:
    """A bot as the host reads of it."""
    return f"{holder.name} (slot {holder.login.slot})"
