"""Who plays in a rehearsal: the house bots, one a kind of wrong, and honest bots to suffer them.

The event becomes a gauntlet. The house bots are its challengers and meet only honest bots, so each
game has one wrong in it and what becomes of the game is due to that one. One honest bot is a
challenger too: its games show what the others' wrongs do to games beside theirs. Nobody meets
everybody; a host asks whether the server holds, not who is best.

House bots dial in where any bot of the event does, and are programs of the server where none does.
"""

from __future__ import annotations

import math
import secrets
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from sternhalma_server.admission import token_digest
from sternhalma_server.clock import SECOND
from sternhalma_server.settings import Settings
from sternhalma_server.testing.house_bots import HOUSE_BOTS, read_diary
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import Bot, Pair, entries_of
from sternhalma_tournament.formats import scheduler_of

NAME: Final = "rehearsal"
SAMPLES: Final = ("greedy", "random")  # of sternhalma-bot, by turns
STARTING: Final = 1.0  # seconds a program takes until it is there


class RehearsalError(ValueError):
    """A rehearsal that cannot be held as asked; one sentence."""


@dataclass(frozen=True, slots=True)
class Field:
    """The copy of an event that is played.

    `house` are the names of the house bots and their kinds, `honest` the other bots; `tokens` are
    those of house bots that dial in, none where the server starts them. `endless` are the kinds
    that are not seated because nothing would ever end their games. `commands` start the house bots,
    `needs` is how many connections each has in a game, `diaries` the folder of what they write
    down.
    """

    settings: Settings
    house: Mapping[str, str]
    honest: tuple[str, ...]
    tokens: Mapping[str, str]
    endless: tuple[str, ...]
    commands: Mapping[str, tuple[str, ...]]
    needs: int
    diaries: Path

    @property
    def games(self) -> int:
        """All games there are."""
        return scheduler_of(self.settings.event).games

    @property
    def seconds(self) -> float:
        """About how long the server will wait for house bots, in all."""
        each = self.games / (len(self.house) + 1)
        waits = [patience(self.settings, kind) + STARTING for kind in self.house.values()]
        at_once = min(self.settings.parallel, len(waits))
        return max([each * sum(waits) / at_once, *(each * wait for wait in waits)])

    def came(self, bot: str) -> list[int]:
        """When a house bot has connected (nanoseconds of the monotonic clock), in order."""
        diary = _diary(self.diaries, bot)
        if not diary.exists():
            return []
        found = read_diary(diary.read_text(encoding="utf-8"))
        return sorted(moment for moment, sentence in found if sentence == "connected")


def field_of(settings: Settings, games: int, kinds: Collection[str], diaries: Path) -> Field:
    """The field for *settings* in which each of *kinds* plays *games* games or some more.

    Raises `RehearsalError` where nothing is left to be played.
    """
    endless = tuple(
        kind for kind in kinds if HOUSE_BOTS[kind].by_clock and not settings.control.timed
    )
    seated = [kind for kind in kinds if kind not in endless]
    if not seated:
        raise RehearsalError(
            f"expected misbehaviour that ends a game without a clock, got {', '.join(kinds)}"
        )
    names = {bot.name for bot in settings.event.bots} | {its.name for its in settings.entries}
    taken = {name.lower() for name in names}
    house = {_free_name(f"house-{kind}", taken): kind for kind in seated}
    remote = any(bot.remote for bot in settings.event.bots)
    needs = settings.event.players // settings.sides  # seats of an entry
    tokens = {name: secrets.token_urlsafe(18) for name in house} if remote else {}
    tls = settings.event.tls is not None and remote
    commands = {
        name: _command(kind, _diary(diaries, name), tls=tls) for name, kind in house.items()
    }
    honest, bots = _honest(settings, taken)
    honest = honest[: games + 1 if settings.sides == 2 else settings.sides]
    names = {bot for entry in honest for bot in entry.bots}
    field = [bot for bot in bots if bot.name in names]
    for name in house:
        if remote:
            digest = f"sha256:{token_digest(tokens[name])}"
            field.append(Bot(name=name, remote=True, token=digest, connections=needs))
        else:
            field.append(Bot(name=name, command=commands[name], connections=needs))
    event = msgspec.structs.replace(
        settings.event,
        name=NAME,
        format="gauntlet",
        cycles=1,
        rounds=None,
        games=None,
        challengers=(*house, honest[0].name),
        bots=tuple(field),
        pairs=_pairs(settings, honest, house),
    )
    each = scheduler_of(event).games // (len(house) + 1)
    event = msgspec.structs.replace(event, cycles=math.ceil(games / each))
    return Field(
        settings=replace(
            settings,
            event=event,
            source=msgspec.json.encode(event),
            entries=entries_of(event),
        ),
        house=house,
        honest=tuple(bot.name for bot in field if bot.name not in house),
        tokens=tokens,
        endless=endless,
        commands=commands,
        needs=needs,
        diaries=diaries,
    )


def patience(settings: Settings, kind: str) -> float:
    """For how many seconds the settings let a house bot of *kind* hold up a game."""
    waits, remote = settings.waits, any(bot.remote for bot in settings.event.bots)
    clock = settings.control.limit(settings.control.start())
    time = math.inf if clock is None else clock
    wait: float
    match kind:
        case "drip":
            wait = waits.ready if remote else min(waits.start, waits.login)
        case "crasher" if not remote:  # the server sees its own program end
            wait = 0
        case "crasher" | "dropper" | "half-closer":
            wait = min(waits.reconnect, time)
        case _ if HOUSE_BOTS[kind].by_clock:
            wait = time
        case _:
            wait = 0
    return wait / SECOND


def _honest(settings: Settings, taken: set[str]) -> tuple[list[Entry], list[Bot]]:
    """The honest entries and all bots they may be of: local ones, filled up with samples."""
    local = {bot.name for bot in settings.event.bots if not bot.remote}
    entries = [entry for entry in settings.entries if local.issuperset(entry.bots)]
    bots = [bot for bot in settings.event.bots if bot.name in local]
    for number in range(max(2, settings.sides) - len(entries)):
        sample = SAMPLES[number % len(SAMPLES)]
        name = _free_name(sample if number < len(SAMPLES) else f"{sample}-{number}", taken)
        bots.append(Bot(name=name, command=("sternhalma-bot", sample)))
        entries.append(Entry(name, (name,)))
    return entries, bots


def _pairs(
    settings: Settings, honest: Sequence[Entry], house: Mapping[str, str]
) -> tuple[Pair, ...]:
    """The pairs of an event in which pairs are named: a house bot is its own partner."""
    if not settings.event.pairs:
        return ()
    pairs = [(entry.name, (entry.bots[0], entry.bots[-1])) for entry in honest]
    pairs += [(name, (name, name)) for name in house]
    return tuple(Pair(name=name, bots=bots) for name, bots in pairs)


def _command(kind: str, diary: Path, *, tls: bool) -> tuple[str, ...]:
    module = "sternhalma_server.testing.house_bots"
    words = (sys.executable, "-m", module, kind, "--diary", str(diary))
    return (*words, "--tls") if tls else words


def _diary(diaries: Path, bot: str) -> Path:
    return diaries / f"{bot}.txt"


def _free_name(name: str, taken: set[str]) -> str:
    """*name*, or one like it that nobody has; it is taken from now on."""
    found, number = name, 1
    while found.lower() in taken:
        number += 1
        found = f"{name}-{number}"
    taken.add(found.lower())
    return found
