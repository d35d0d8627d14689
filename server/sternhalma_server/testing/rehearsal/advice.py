"""What a host might change before the event: what the settings let one bad bot cost the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sternhalma_server.clock import SECOND
from sternhalma_server.settings import Settings
from sternhalma_server.testing.rehearsal.field import patience
from sternhalma_server.testing.rehearsal.findings import Findings

LONG: Final = 60.0  # seconds for which it is worth a word that one bot holds up a game
SLOW: Final = 5.0  # seconds that a verdict may take longer than the settings say


def advice_for(settings: Settings, findings: Findings) -> list[str]:
    """Sentences for the host of *settings*, the event as it is."""
    return [
        *_endless(settings, findings),
        *_long_waits(settings),
        *_standstill(settings),
        *_open_names(settings),
        *_slow_verdicts(settings, findings),
    ]


def _endless(settings: Settings, findings: Findings) -> Iterable[str]:
    if findings.field.endless:
        kinds = ", ".join(findings.field.endless)
        yield (
            f"with clock = {settings.control.text!r} nothing ends a game with a bot that does not"
            f" answer (not seated: {kinds}); give the event a clock, an hour if need be"
        )


def _long_waits(settings: Settings) -> Iterable[str]:
    silent = patience(settings, "silent")
    if settings.control.timed and silent >= LONG:
        yield (
            f"one silent bot holds up a game for {_span(silent)}: that is what the clock"
            f" {settings.control.text!r} gives it"
        )
    for kind, key, what in (
        ("dropper", "reconnect", "a bot that goes away in its turn"),
        ("drip", "ready", "a bot that does not come"),
    ):
        seconds = patience(settings, kind)
        if LONG <= seconds != silent and (key != "ready" or _has_remote(settings)):
            yield f"{what} holds up a game for {_span(seconds)}: see budgets.{key}"
    start = settings.waits.start / SECOND
    if start >= LONG and not all(bot.remote for bot in settings.event.bots):
        what = "a program that does not log in"
        yield f"{what} holds up a game for {_span(start)}: see budgets.start"


def _standstill(settings: Settings) -> Iterable[str]:
    longest = max(patience(settings, kind) for kind in ("dropper", "drip"))
    if settings.control.timed:
        longest = max(longest, patience(settings, "silent"))
    if settings.parallel == 1 and longest >= SLOW:
        yield (
            "one game is played at a time: while a bot is waited for, up to"
            f" {_span(longest)}, nobody plays; see parallel"
        )


def _open_names(settings: Settings) -> Iterable[str]:
    names = [bot.name for bot in settings.event.bots if bot.remote and bot.token is None]
    if names:
        verb = "has" if len(names) == 1 else "have"
        yield (
            f"{', '.join(names)} {verb} no token, so anybody who can connect can play in that name;"
            " see sternhalma token"
        )


def _slow_verdicts(settings: Settings, findings: Findings) -> Iterable[str]:
    for its in findings.verdicts.values():
        expected = patience(settings, its.kind)
        if its.longest is not None and its.longest > expected + SLOW:
            yield (
                f"{its.kind}: the verdict took {its.longest:.1f} s where the settings say"
                f" {expected:.1f} s; this machine is busy, or too slow for parallel ="
                f" {settings.parallel}"
            )


def _has_remote(settings: Settings) -> bool:
    return any(bot.remote for bot in settings.event.bots)


def _span(seconds: float) -> str:
    """A time for people.

    >>> _span(90), _span(300), _span(20)
    ('90 s', '5 min', '20 s')
    """
    if seconds >= 120 and seconds % 60 == 0:
        return f"{seconds / 60:g} min"
    return f"{seconds:g} s"
