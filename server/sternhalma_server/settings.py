"""An event file made ready to be played: its texts turned into rules, clocks and entries.

The event file is read by the tournament package, which knows nothing of boards; what needs one is
checked here, with the same kind of sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from sternhalma import Rules, RulesError, Terms
from sternhalma_server.admission import Known
from sternhalma_server.clock import ClockError, Lag, TimeControl, parse_clock, parse_duration
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import FORMATS, LEAGUE_FORMATS, Bot, Event, entries_of, sides_of
from sternhalma_tournament.event_file import parse_event
from sternhalma_tournament.reading import EventFileError

T = TypeVar("T")

UNLIMITED: Final = 1 << 30  # games at once: in a league, where nothing is said, the league's count


@dataclass(frozen=True, slots=True)
class Waits:
    """How long the server waits for bots, in nanoseconds (`[budgets]` of the event file)."""

    login: int
    start: int
    ready: int
    reconnect: int
    restart: int
    drain: int


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides an event. `source` is the event file's exact bytes, `folder` where its
    commands are run."""

    event: Event
    source: bytes
    folder: Path
    rules: Rules
    terms: Terms
    control: TimeControl
    lag: Lag | None
    waits: Waits
    entries: tuple[Entry, ...]
    sides: int
    parallel: int

    def bot(self, name: str) -> Bot:
        """The bot called *name*, as the event file spells it."""
        return next(bot for bot in self.event.bots if bot.name == name)

    def slots(self, bot: Bot) -> int:
        """How many connections *bot* may have."""
        return min(bot.connections or MAX_SLOT, MAX_SLOT)

    def known(self) -> tuple[Known, ...]:
        """The remote bots as the server's admission wants them."""
        return tuple(
            Known(
                bot.name,
                None if bot.token is None else bot.token.removeprefix("sha256:"),
                self.slots(bot),
            )
            for bot in self.event.bots
            if bot.remote
        )


def load_settings(path: Path) -> Settings:
    """The settings of the event file at *path*. Raises `EventFileError`."""
    try:
        source = path.read_bytes()
    except OSError as error:
        raise EventFileError(
            f"{path}: expected an event file that can be read: {error.strerror}"
        ) from None
    return settings_of(source, str(path), path.parent)


def settings_of(
    source: bytes,
    where: str,
    folder: Path = Path(),
    *,
    league: bool = False,
    draft: bool = False,
) -> Settings:
    """The settings of an event file's bytes; *where* names it in errors (`EventFileError`).

    The commands of its bots are run in *folder*. In a *league* an event only names its bots, and
    in a *draft* some may be missing.
    """

    def check(key: str, read: Callable[[], T]) -> T:
        try:
            return read()
        except (RulesError, ClockError) as error:
            raise EventFileError(f"{where}: {key}: {error}") from None

    def check_rules(event: Event) -> None:
        rules = check("rules", lambda: Rules.parse(event.rules))
        check("players", lambda: rules.check_players(event.players))

    formats = LEAGUE_FORMATS if league else FORMATS
    event = parse_event(source, where, formats, check_rules, draft=draft)
    rules = Rules.parse(event.rules)
    terms = check("at_limit", lambda: Terms.of(rules, event.limit, event.at_limit))
    control = check("clock", lambda: parse_clock(event.clock))
    if event.draws and not rules.draws:
        raise EventFileError(
            f"{where}: draws: expected false under {event.rules!r},"
            " where no draw can be agreed on, got true"
        )
    _check_connections(event, where)
    check_sandboxes(event.bots, where)

    def duration(key: str, text: str) -> int:
        return check(key, lambda: parse_duration(text))

    budgets = event.budgets
    return Settings(
        event=event,
        source=source,
        folder=folder,
        rules=rules,
        terms=terms,
        control=control,
        lag=None
        if event.lag is None
        else Lag(
            per_move=duration("lag.per_move", event.lag.per_move),
            cap=duration("lag.cap", event.lag.cap),
        ),
        waits=Waits(
            login=duration("budgets.login", budgets.login),
            start=duration("budgets.start", budgets.start),
            ready=duration("budgets.ready", budgets.ready),
            reconnect=duration("budgets.reconnect", budgets.reconnect),
            restart=duration("budgets.restart", budgets.restart),
            drain=duration("budgets.drain", budgets.drain),
        ),
        entries=entries_of(event),
        sides=sides_of(event),
        parallel=event.parallel or (UNLIMITED if league else max(1, (os.cpu_count() or 1) - 1)),
    )


def _check_connections(event: Event, where: str) -> None:
    """A bot that plays both seats of its pair needs two connections in every game."""
    for number, bot in enumerate(event.bots, start=1):
        if bot.connections is not None and bot.connections > MAX_SLOT:
            raise EventFileError(
                f"{where}: bots[{number}].connections: expected at most {MAX_SLOT},"
                f" got {bot.connections}"
            )
    if sides_of(event) == event.players:
        return
    alone = {entry.bots[0] for entry in entries_of(event) if len(set(entry.bots)) == 1}
    for number, bot in enumerate(event.bots, start=1):
        if bot.name in alone and bot.connections == 1:
            raise EventFileError(
                f"{where}: bots[{number}].connections: expected at least 2,"
                f" {bot.name!r} plays both seats of its pair, got 1"
            )


def check_sandboxes(bots: Sequence[Bot], where: str) -> None:
    """Raise `EventFileError` for a bot that could not be spoken with.

    A sandbox has no network, so what is in it speaks over its standard streams.
    """
    for number, bot in enumerate(bots, start=1):
        if bot.sandbox and not bot.stdio:
            raise EventFileError(
                f"{where}: bots[{number}].sandbox: expected stdio = true with it, got no such key"
            )
        if bot.stdio and bot.remote:
            raise EventFileError(
                f"{where}: bots[{number}].stdio: expected a command with it, got remote = true"
            )
