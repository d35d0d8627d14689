"""Reading an event file, and what its values must have to do with each other.

Nothing in a file is guessed: an unknown key, a name used twice, a pair of unknown bots is refused
with the place in the file. What needs a board (rules, clock texts) is checked by the server, which
knows boards, with the same `wrong_value`.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import msgspec

from sternhalma_tournament.bracket import rounds_for
from sternhalma_tournament.event import (
    LADDER_SPREAD,
    SCHEDULED,
    Bot,
    Event,
    Format,
    entries_of,
    plays_in_pairs,
    sides_of,
)
from sternhalma_tournament.reading import EventFileError, read_struct, read_toml, wrong_value
from sternhalma_tournament.sprt import SprtError
from sternhalma_tournament.tiebreaks import SWISS_TIE_BREAKS

_KEYS_OF: Final[dict[str, tuple[Format, ...]]] = {
    "cycles": SCHEDULED,
    "spread": (*SCHEDULED, "ladder"),
    "challengers": ("gauntlet",),
    "rounds": ("swiss",),
    "games": ("knockout",),
    "third_place": ("knockout",),
    "sprt": ("match",),
}


def parse_event(
    data: bytes,
    where: str,
    formats: Collection[str] = ("round-robin",),
    check: Callable[[Event], None] | None = None,
    *,
    draft: bool = False,
) -> Event:
    """The event written in *data*; *where* names the file in errors (EventFileError).

    *formats* are those the caller can conduct; an event of another one is refused. *check* raises
    what a caller who knows boards has against its rules, before anything that hangs on them.
    Whoever can conduct a ladder is a league: its events name bots, and nothing more of them. A
    *draft* may lack entries, which are to come.
    """
    league = "ladder" in formats
    table = read_toml(data, where)
    if league:
        table.setdefault("bots", [])
    elif table.get("format") == "ladder":
        # Before anything that is missing, such as bots, which a ladder has none of.
        raise wrong_value(
            where, "format", "an event with an end, a ladder needs a league", "ladder"
        )
    event = read_struct(Event, table, where)
    if check is not None:
        check(event)
    if event.format not in formats:
        raise wrong_value(where, "format", f"one of {', '.join(formats)}", event.format)
    if event.format == "swiss" and "tie_breaks" not in table:
        event = msgspec.structs.replace(event, tie_breaks=SWISS_TIE_BREAKS)
    if event.format == "ladder" and "spread" not in table:
        event = msgspec.structs.replace(event, spread=LADDER_SPREAD)
    _check_format(event, table, where)
    _check_sprt(event, where)
    if league:
        _check_names([bot.name for bot in event.bots], "bots", where)
        _check_league(event, table, where)
    else:
        check_bots(event.bots, where)
    _check_pairs(event, where)
    _check_tie_breaks(event, where)
    _check_players(event, where)
    if draft:
        _check_room(event, where)
    elif event.format != "ladder":
        _check_numbers(event, where)
        _check_field(event, where)
    return event


def _check_format(event: Event, table: dict[str, Any], where: str) -> None:
    for key, formats in _KEYS_OF.items():
        if key in table and event.format not in formats:
            expected = f"this key only with format {' or '.join(map(repr, formats))}"
            raise wrong_value(where, key, expected, event.format)
    if event.format == "swiss" and event.rounds is None:
        raise EventFileError(f"{where}: rounds: expected rounds, from 1, got no such key")
    sides = sides_of(event)
    if event.games is not None and event.games % sides:
        raise wrong_value(
            where, "games", f"a multiple of {sides}, the seats of a game", event.games
        )


def _check_sprt(event: Event, where: str) -> None:
    if event.sprt is None:
        return
    sides = sides_of(event)
    if sides != 2:
        raise wrong_value(where, "sprt", "this table only where two sides meet", sides)
    if event.cycles % 2:
        expected = "an even number with [sprt], which counts pairs of games"
        raise wrong_value(where, "cycles", expected, event.cycles)
    try:
        _ = event.sprt.test
    except SprtError as error:
        raise EventFileError(f"{where}: sprt: {error}") from None


def _check_room(event: Event, where: str) -> None:
    """A draft may lack entries; it may not have more than can play."""
    sides, entered = sides_of(event), len(entries_of(event))
    if event.format == "match" and entered > sides:
        raise wrong_value(where, "format", f"{sides} entries for a match", entered)


def _check_field(event: Event, where: str) -> None:
    names = [entry.name for entry in entries_of(event)]
    sides = sides_of(event)
    most = len(names) - 1 + len(names) % 2
    if event.format == "swiss" and sides == 2 and (event.rounds or 1) > most:
        expected = f"at most {most}, so that nobody meets twice"
        raise wrong_value(where, "rounds", expected, event.rounds)
    if event.format == "match" and len(names) != sides:
        raise wrong_value(where, "format", f"{sides} entries for a match", len(names))
    if event.format == "knockout":
        try:
            rounds_for(len(names), sides)
        except ValueError as error:
            raise EventFileError(f"{where}: format: {error}") from error
    if event.format == "gauntlet":
        for number, name in enumerate(event.challengers, start=1):
            if name not in names:
                raise wrong_value(where, f"challengers[{number}]", "the name of an entry", name)
        left = len(names) - len(set(event.challengers))
        if not event.challengers or left < max(1, sides - 1):
            expected = f"a challenger or more, and at least {max(1, sides - 1)} others"
            raise wrong_value(where, "challengers", expected, list(event.challengers))


def _check_league(event: Event, table: dict[str, Any], where: str) -> None:
    """An event of a league says who plays in it; all else of the bots is the league's."""
    for key in ("tls", "limits"):
        if key in table:
            raise EventFileError(f"{where}: {key}: expected this key in the league's file only")
    if event.format == "ladder" and event.bots:
        expected = "none with format 'ladder', which all bots of the league play"
        raise wrong_value(where, "bots", expected, [bot.name for bot in event.bots])
    for number, bot in enumerate(event.bots, start=1):
        if bot != Bot(name=bot.name):
            raise EventFileError(
                f"{where}: bots[{number}]: expected a name and nothing else of a bot of the league,"
                f" got more of {bot.name!r}"
            )


def check_bots(bots: Sequence[Bot], where: str) -> None:
    """Raise `EventFileError` unless all have names of their own and a way to come."""
    _check_names([bot.name for bot in bots], "bots", where)
    for number, bot in enumerate(bots, start=1):
        at = f"bots[{number}]"
        if bot.remote == (bot.command is not None):
            got = "both" if bot.remote else "neither"
            expected = "either command or remote = true"
            raise EventFileError(f"{where}: {at}: expected {expected}, got {got} for {bot.name!r}")
        if not bot.remote:
            _check_command(bot, at, where)
        if bot.token is not None and not bot.remote:
            expected = "a token only with remote = true"
            raise EventFileError(f"{where}: {at}.token: expected {expected}, got a command too")


def _check_command(bot: Bot, at: str, where: str) -> None:
    try:
        words = bot.argv
    except ValueError as error:
        raise wrong_value(
            where, f"{at}.command", "a command with closed quotes", bot.command
        ) from error
    if not words or not words[0]:
        raise wrong_value(where, f"{at}.command", "a program to start", bot.command)
    if any("\0" in word for word in words):
        raise wrong_value(where, f"{at}.command", "words without a zero byte", bot.command)


def _check_pairs(event: Event, where: str) -> None:
    if not event.pairs:
        return
    if not plays_in_pairs(event):
        raise EventFileError(
            f"{where}: pairs: expected rules with the option pairs, got {event.rules!r}"
        )
    _check_names([pair.name for pair in event.pairs], "pairs", where)
    known = {bot.name for bot in event.bots}
    taken: dict[str, str] = {}
    for number, pair in enumerate(event.pairs, start=1):
        at = f"pairs[{number}].bots"
        for name in dict.fromkeys(pair.bots):
            if name not in known:
                raise wrong_value(where, at, "the name of a bot of this file", name)
            if name in taken:
                raise wrong_value(where, at, f"a bot that is not in {taken[name]} already", name)
            taken[name] = f"pairs[{number}]"
    for number, bot in enumerate(event.bots, start=1):
        if bot.name not in taken:
            raise wrong_value(where, f"bots[{number}].name", "a bot that is in a pair", bot.name)


def _check_tie_breaks(event: Event, where: str) -> None:
    for number, tie_break in enumerate(event.tie_breaks, start=1):
        if tie_break in event.tie_breaks[: number - 1]:
            raise wrong_value(where, f"tie_breaks[{number}]", "each tie-break once", tie_break)


def _check_players(event: Event, where: str) -> None:
    if plays_in_pairs(event) and event.players not in {4, 6}:
        raise wrong_value(where, "players", "4 or 6 with the option pairs", event.players)


def _check_numbers(event: Event, where: str) -> None:
    least = max(2, sides_of(event))
    key = "pairs" if event.pairs else "bots"
    count = len(entries_of(event))
    if count < least:
        raise wrong_value(where, key, f"at least {least} for {event.players} players a game", count)


def _check_names(names: list[str], key: str, where: str) -> None:
    seen: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        first = seen.setdefault(name.casefold(), number)
        if first != number:
            expected = f"a name unlike that of {key}[{first}], whatever the case"
            raise wrong_value(where, f"{key}[{number}].name", expected, name)
