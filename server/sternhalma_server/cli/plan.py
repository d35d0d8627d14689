"""Say what an event will be, before it is played: games, seats, balance, and how long it takes.

How long is told by the clock, and by games that were played before: those in --from DIR, or in the
event's own results folder if there is one. Beside it stands how many games it takes to tell two
bots apart: with that many, every second time the interval of what they score leaves out a half.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from sternhalma_server.archive import STORE
from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.folder import results_in
from sternhalma_server.cli.parser import BadInputError
from sternhalma_server.clock import SECOND, milliseconds
from sternhalma_server.forecast import Forecast, History, forecast, time_text
from sternhalma_server.settings import Settings, load_settings
from sternhalma_server.usage import Usages
from sternhalma_tournament.bradley_terry import expected_score, games_needed
from sternhalma_tournament.plan import Plan, plan_of
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.tables import json_text
from sternhalma_tournament.text import counted, markdown_table

APART: Final = (20, 50, 100)  # points of Elo between two bots


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `plan`."""
    parser.add_argument("event", type=Path, metavar="EVENT.toml", help="the event file")
    parser.add_argument(
        "--from",
        dest="history",
        type=Path,
        metavar="DIR",
        help="the results folder of games like those to come (default: results/NAME)",
    )
    add_format(parser, "json")


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; 0 if there is one."""
    try:
        settings = load_settings(arguments.event)
    except EventFileError as error:
        raise BadInputError(str(error)) from None
    folder: Path | None = arguments.history
    own = Path("results") / settings.event.name
    if folder is None and (own / STORE).exists():
        folder = own
    history = None if folder is None else history_in(folder)
    if history is None and arguments.history is not None:
        raise BadInputError(f"expected games that are over, {folder} has none")
    plan = plan_of(settings.event)
    times = forecast(settings, plan, history)
    print_as(
        arguments.format,
        {
            "md": lambda: _markdown(settings, plan, times, history, folder),
            "json": lambda: json_text(_facts(settings, plan, times, history)),
        },
    )
    return 0


def history_in(folder: Path) -> History | None:
    """How long the games of *folder* took; None if there are none. Raises `BadInputError`."""
    usages = Usages()
    _, results = results_in(folder, usages.add)
    played = [result for result in results if result.plies]
    if not played:
        return None
    charged = sum(usage.charged for usage in usages.by_bot.values())
    plies = sum(result.plies for result in played)
    meetings = results.tally.against.values()
    met = sum(one.games for one in meetings)
    level = sum(one.level for one in meetings) / met if met else 0.0
    return History(len(played), plies / len(played), charged // len(played), level)


def separations(history: History | None) -> tuple[float, dict[int, int]]:
    """The share of level games assumed, and how many games tell bots so many points apart.

    It is the share of *history*, as far as such differences leave room for it.
    """
    room = min(2 * (1 - expected_score(points)) for points in APART)
    level = 0.0 if history is None else min(history.level, room)
    return level, {points: games_needed(points, level) for points in APART}


def _markdown(
    settings: Settings, plan: Plan, times: Forecast, history: History | None, folder: Path | None
) -> str:
    event = settings.event
    each = _range(plan.games_each)
    at_least = "" if plan.groups else "at least "
    head = [
        f"# {event.name}",
        "",
        (
            f"- {event.format} of {plan.entries} entries, {plan.sides} in a game,"
            f" by {settings.rules.id}"
        ),
        f"- {at_least}{counted(plan.games, 'game')}, {each} for each entry",
    ]
    if event.sprt is not None:
        under0, under1 = event.sprt.test.games_expected()
        head.append(
            f"- fewer if its test is decided before: about {under0} on average if H0 holds,"
            f" {under1} if H1 does"
        )
    if plan.spread is not None:
        head.append(f"- nobody gets more than {counted(plan.spread, 'game')} ahead of anybody")
    head.append(f"- {counted(times.at_once, 'game')} at once")
    if history is None:
        basis = "if half of the turns and of their time are used"
    else:
        basis = (
            f"from {counted(history.games, 'game')} in {folder}, of {history.plies:.0f} plies"
            f" and {milliseconds(history.charged)} ms each"
        )
    if times.expected is not None:
        head.append(f"- expected to take {time_text(times.expected)}, {basis}")
    head.append(
        f"- at worst {time_text(times.worst)}, a game {time_text(times.game_at_worst)};"
        " waiting for bots that do not come is not counted"
    )
    head.append(_apart(history))
    parts = ["\n".join(head) + "\n"]
    if plan.groups:
        parts += [_balance(plan), _seats(plan)]
    return "\n".join(parts)


def _apart(history: History | None) -> str:
    level, games = separations(history)
    share = "none is" if not level else f"{100 * level:.0f} % are"
    return (
        f"- two bots {_listed(games)} points apart can be told apart, at 95 %, after"
        f" {_listed(games.values())} games between them, if {share} level"
    )


def _listed(numbers: Iterable[int]) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}"


def _balance(plan: Plan) -> str:
    rows = [
        [
            group.name,
            str(len(group.entries)),
            _range(group.imbalance.games),
            _range(group.imbalance.meetings),
            _range(group.imbalance.seats),
            _range(group.imbalance.neighbours),
        ]
        for group in plan.groups
    ]
    head = ["group", "entries", "games", "meetings of two", "in a seat", "just before another"]
    return markdown_table(head, rows, "lrrrrr")


def _seats(plan: Plan) -> str:
    rows = [[name, *map(str, counts), str(sum(counts))] for name, counts in plan.seats]
    head = ["entry", *(f"seat {seat}" for seat in range(1, plan.sides + 1)), "games"]
    return markdown_table(head, rows, "l" + "r" * (plan.sides + 1))


def _facts(
    settings: Settings, plan: Plan, times: Forecast, history: History | None
) -> dict[str, Any]:
    level, games = separations(history)
    return {
        "event": settings.event.name,
        "format": settings.event.format,
        "entries": plan.entries,
        "sides": plan.sides,
        "games": plan.games,
        "games_each": plan.games_each,
        "spread": plan.spread,
        "groups": [
            {
                "name": group.name,
                "entries": group.entries,
                "games": group.imbalance.games,
                "meetings": group.imbalance.meetings,
                "seats": group.imbalance.seats,
                "neighbours": group.imbalance.neighbours,
            }
            for group in plan.groups
        ],
        "seats": dict(plan.seats),
        "at_once": times.at_once,
        "expected_seconds": _seconds(times.expected),
        "worst_seconds": _seconds(times.worst),
        "worst_game_seconds": _seconds(times.game_at_worst),
        "history": None
        if history is None
        else {
            "games": history.games,
            "plies": f"{history.plies:.2f}",
            "charged_ms": milliseconds(history.charged),
        },
        "told_apart": {"level": f"{level:.4f}", "games": games},
        "test_expected": None
        if settings.event.sprt is None
        else dict(zip(("H0", "H1"), settings.event.sprt.test.games_expected(), strict=True)),
    }


def _seconds(nanoseconds: int | None) -> int | None:
    return None if nanoseconds is None else -(-nanoseconds // SECOND)


def _range(values: tuple[int, int]) -> str:
    least, most = values
    return str(least) if least == most else f"{least} to {most}"
