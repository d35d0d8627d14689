"""What a host decides about a league: who is registered, which events there are, how they stand.

Everything is in the store before it takes effect, so a command means the same whether or not a
server runs: a server that does looks at the store after each and makes it so.

    created -> open -> running <-> paused
       from anywhere but closed: -> closed

An event is created from its file, takes entries while it is open, and cannot take them any more
once it has begun (but by a ruling).
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sternhalma_server.folders import EVENTS
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.store import RegisteredBot, State, Store, StoredEvent
from sternhalma_server.wire import NAME
from sternhalma_tournament.charter import Charter
from sternhalma_tournament.reading import EventFileError

# From which states an event comes into another one by a host's command, which has the name given.
_MAY: Final[Mapping[str, tuple[tuple[State, ...], State]]] = {
    "open": (("created",), "open"),
    "start": (("created", "open", "paused"), "running"),
    "pause": (("running",), "paused"),
    "close": (("created", "open", "running", "paused"), "closed"),
}
_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


class LeagueBook:
    """The decisions on the league of *charter* whose store is *store*, in the folder *root*."""

    def __init__(self, store: Store, charter: Charter, root: Path) -> None:
        self._store = store
        self._charter = charter
        self._root = root

    def do(self, request: Mapping[str, Any]) -> list[str]:
        """Do what *request* asks, a JSON object; sentences on what was done.

        Raises `ValueError` for what cannot be done, and `StoreError`.
        """
        match request:
            case {"command": "register", "bot": str(bot), "digest": str(digest)}:
                return [self.register(bot, digest, renew=bool(request.get("renew")))]
            case {"command": "unregister", "bot": str(bot)}:
                return [self.unregister(bot)]
            case {"command": "event", "do": "add", "source": str(source)}:
                return [self.add(source.encode(), str(request.get("where", "the event file")))]
            case {"command": "event", "do": "enter", "event": str(event), "bots": list()}:
                bots: list[object] = request["bots"]
                return [self.enter(event, [str(bot) for bot in bots])]
            case {"command": "event", "do": "leave", "event": str(event), "bot": str(bot)}:
                return [self.leave(event, bot)]
            case {"command": "event", "do": str(verb), "event": str(event)} if verb in _MAY:
                return [self.set_state(event, verb)]
            case _:
                raise ValueError("expected something that a league can do")

    def register(self, bot: str, digest: str, *, renew: bool = False) -> str:
        """Register *bot*, whose token has the SHA-256 *digest*; *renew* gives it another token.

        Raises `ValueError` for a name that cannot be had.
        """
        if not NAME.fullmatch(bot):
            raise ValueError(
                "expected a name of 1 to 32 letters, digits, dots, underscores or hyphens,"
                f" the first a letter or digit, got {bot[:40]!r}"
            )
        if any(own.name.casefold() == bot.casefold() for own in self._charter.bots):
            raise ValueError(f"expected a name unlike that of the league's own bot, got {bot!r}")
        if not _DIGEST.fullmatch(digest):
            raise ValueError(f"expected 64 hexadecimal digits of a token, got {digest[:80]!r}")
        known = self._registered(bot)
        if known is None or known.digest is None:
            if renew:
                raise ValueError(f"expected a registered bot, got {bot!r}")
            # Who comes back is the bot it was, in ratings too.
            name = bot if known is None else known.name
            self._store.set_bot(RegisteredBot(name, digest, _now()))
            return f"{name}: registered"
        if not renew:
            raise ValueError(f"expected a new name, {known.name!r} is registered already")
        self._store.set_bot(RegisteredBot(known.name, digest, known.since))
        return f"{known.name}: has another token"

    def unregister(self, bot: str) -> str:
        """Let *bot* in no more; what it has played stays. Raises `ValueError`."""
        known = self._registered(bot)
        if known is None or known.digest is None:
            raise ValueError(f"expected a registered bot, got {bot[:40]!r}")
        self._store.set_bot(RegisteredBot(known.name, None, _now()))
        return f"{known.name}: not registered any more"

    def check_names(self, where: str) -> list[str]:
        """Hold the names in the league's file, which *where* names, against who is registered.

        Sentences on names that are of nobody. Raises `EventFileError` for a bot of the league's own
        that has the name of a registered one.
        """
        registered = {bot.name.casefold(): bot for bot in self._store.bots()}
        for number, own in enumerate(self._charter.bots, start=1):
            bot = registered.get(own.name.casefold())
            if bot is not None and bot.digest is not None:
                raise EventFileError(
                    f"{where}: bots[{number}].name: expected a name unlike that of a registered"
                    f" bot, got {own.name!r}"
                )
        known = {own.name for own in self._charter.bots} | {bot.name for bot in registered.values()}
        return [
            f"{where}: anchors: expected bots of the league, got {name!r}, who is none yet"
            for name in self._charter.anchors
            if name.replace("@", " ").partition(" ")[0] not in known
        ]

    def members(self) -> dict[str, str | None]:
        """The bots that may play: the digests of their tokens, None for the league's own."""
        members: dict[str, str | None] = {bot.name: None for bot in self._charter.bots}
        members |= {bot.name: bot.digest for bot in self._store.bots() if bot.digest is not None}
        return members

    def add(self, source: bytes, where: str) -> str:
        """Create the event with the event file *source*; *where* names it in errors.

        Raises `ValueError` (`EventFileError`) for a file that is none of a league's, `StoreError`.
        """
        settings = self.read(source, where)
        name = settings.event.name
        if any(event.name.casefold() == name.casefold() for event in self._store.events()):
            raise EventFileError(f"{where}: name: expected a new event's, the league has {name!r}")
        self._check_entered(settings, where)
        self._store.add_event(name, source)
        return f"{name}: created"

    def read(self, source: bytes, where: str) -> Settings:
        """The settings of an event that may lack entries. Raises `EventFileError`."""
        return settings_of(source, where, league=True, draft=True)

    def enter(self, name: str, bots: Sequence[str]) -> str:
        """Enter *bots* for an event that has not begun. Raises `ValueError`, `StoreError`."""
        event = self._taking_entries(name)
        if not bots:
            raise ValueError(f"{event.name}: expected bots to enter, got none")
        entered = {bot.name for bot in self.read(event.source, event.name).event.bots}
        spelled = {bot.casefold(): bot for bot in self.members()}
        more: list[str] = []
        for bot in bots:
            member = spelled.get(bot.casefold())
            if member is None:
                raise ValueError(f"{event.name}: expected a bot of the league, got {bot[:40]!r}")
            if member in entered:
                raise ValueError(f"{event.name}: {member!r} is entered already")
            entered.add(member)
            more.append(member)
        ending = b"" if event.source.endswith(b"\n") else b"\n"
        source = event.source + ending + "".join(map(_table, more)).encode()
        try:
            self.read(source, event.name)
        except EventFileError as error:
            raise ValueError(
                f"{error}; bots are entered where the file has [[bots]] or none"
            ) from None
        self._store.set_source(event.id, source)
        return f"{event.name}: entered {', '.join(more)}"

    def leave(self, name: str, bot: str) -> str:
        """Take out *bot*, which was entered for an event that has not begun.

        Raises `ValueError`, `StoreError`.
        """
        event = self._taking_entries(name)
        for one in self.read(event.source, event.name).event.bots:
            table = _table(one.name).encode()
            if one.name.casefold() == bot.casefold() and table in event.source:
                before, _, after = event.source.rpartition(table)
                self._store.set_source(event.id, before + after)
                return f"{event.name}: {one.name} is not entered any more"
        raise ValueError(f"{event.name}: expected a bot that was entered, got {bot[:40]!r}")

    def set_state(self, name: str, verb: str) -> str:
        """Open, start, pause or close an event. Raises `ValueError`, `StoreError`."""
        event = self.event(name)
        before, after = _MAY[verb]
        if event.state not in before:
            raise ValueError(
                f"{event.name}: expected an event that is {' or '.join(before)} to {verb} it,"
                f" it is {event.state}"
            )
        # Who has left the league since an event began forfeits, or is withdrawn by a ruling.
        if after == "running" and event.state != "paused":
            self._check_entered(self.settings(event), event.name)
        self._store.set_state(event.id, after)
        return f"{event.name}: {after}"

    def event(self, name: str) -> StoredEvent:
        """The event called *name*. Raises `ValueError` where the league has none of that name."""
        events = self._store.events()
        for event in events:
            if event.name.casefold() == name.casefold():
                return event
        names = ", ".join(event.name for event in events) or "none yet"
        raise ValueError(f"expected an event of the league ({names}), got {name[:64]!r}")

    def _taking_entries(self, name: str) -> StoredEvent:
        event = self.event(name)
        if event.state not in {"created", "open"}:
            raise ValueError(
                f"{event.name}: expected an event that has not begun, it is {event.state}"
            )
        return event

    def settings(self, event: StoredEvent) -> Settings:
        """The settings of an event of the league that is complete. Raises `EventFileError`."""
        return settings_of(event.source, event.name, league=True)

    def folder(self, event: StoredEvent) -> Path:
        """Where the derived files of an event are."""
        return self._root / EVENTS / event.name

    def _registered(self, name: str) -> RegisteredBot | None:
        return next(
            (bot for bot in self._store.bots() if bot.name.casefold() == name.casefold()), None
        )

    def _check_entered(self, settings: Settings, where: str) -> None:
        members = self.members()
        for number, bot in enumerate(settings.event.bots, start=1):
            if bot.name not in members:
                raise EventFileError(
                    f"{where}: bots[{number}].name: expected a bot of the league, registered or in"
                    f" its file, got {bot.name!r}"
                )


def _table(bot: str) -> str:
    """The end of an event file for which *bot* has been entered."""
    return f'\n[[bots]]\nname = "{bot}"\n'


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
