"""How long an event may take: at worst by its clock, and as it is to be expected.

The worst that a clock allows is seldom near the truth; games that were played before say more.
Nothing here is measured: games before are an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sternhalma_server.clock import SECOND, TimeControl
from sternhalma_server.settings import Settings
from sternhalma_tournament.event import Bot
from sternhalma_tournament.plan import Leg, Plan

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


@dataclass(frozen=True, slots=True)
class History:
    """Games that were played: how many, the means of their plies and of the time charged in one,
    all players together, in nanoseconds, and the share of meetings of two that were level."""

    games: int
    plies: float
    charged: int
    level: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """Times in nanoseconds, None where there is no bound; `at_once` are games side by side."""

    at_once: int
    game_at_worst: int | None
    worst: int | None
    expected: int | None


def forecast(settings: Settings, plan: Plan, history: History | None) -> Forecast:
    """What *plan* of the event takes; without *history* half of the turns and of their time are
    expected to be used."""
    players, limit = settings.event.players, settings.terms.limit
    worst_each = longest(settings.control, limit)
    half_each = longest(settings.control, -(-limit // 2))
    worst = None if worst_each is None else players * worst_each
    expected = None if half_each is None else players * half_each // 2
    if history is not None:
        expected = history.charged
    capacities = [_capacity(settings, entry.bots) for entry in settings.entries]
    at_once = max(1, min(settings.parallel, sum(capacities) // plan.sides))
    turns = sum(_turns(leg, at_once, min(capacities)) for leg in plan.legs)
    return Forecast(
        at_once=at_once,
        game_at_worst=worst,
        worst=None if worst is None else turns * worst,
        expected=None if expected is None else turns * expected,
    )


def longest(control: TimeControl, turns: int) -> int | None:
    """The most that one player can be charged for so many *turns*; None if there is no bound.

    >>> longest(TimeControl("2s", per_move=True, base=2), turns=10)
    20
    """
    if not control.timed:
        return None
    if control.per_move:
        return turns * control.base
    if control.periods:
        # All periods but one may be used up; the last is kept by every move that ends in it.
        return control.base + (control.periods - 1 + turns) * control.period
    return control.base + max(0, turns - 1) * control.increment


def time_text(nanoseconds: int | None) -> str:
    """A length of time for people, in its two largest units.

    >>> time_text(4_850_000_000_000), time_text(700_000_000)
    ('1 h 20 min', '1 s')
    """
    if nanoseconds is None:
        return "no bound"
    seconds = max(1, round(nanoseconds / SECOND))
    at = next(place for place, (_, size) in enumerate(_UNITS) if seconds >= size)
    unit, size = _UNITS[at]
    text = f"{seconds // size} {unit}"
    if at + 1 < len(_UNITS):
        smaller, its = _UNITS[at + 1]
        rest = seconds % size // its
        text += f" {rest} {smaller}" if rest else ""
    return text


def _capacity(settings: Settings, bots: Sequence[str]) -> int:
    """How many games an entry may play at once."""
    seats = settings.event.players // settings.sides
    return min(
        _connections(settings, settings.bot(bot)) // (seats // len(set(bots)))
        for bot in dict.fromkeys(bots)
    )


def _connections(settings: Settings, bot: Bot) -> int:
    """A bot that dials in brings as many connections as it likes; counted is one for each seat."""
    if bot.remote and bot.connections is None:
        return settings.event.players // settings.sides
    return settings.slots(bot)


def _turns(leg: Leg, at_once: int, capacity: int) -> int:
    """After how many games one after the other the last game of *leg* is over, at the best."""
    return max(-(-leg.games // at_once), -(-leg.games_each // max(1, capacity)))
