"""Print how strong the bots of one event or of several are, and how sure that is.

All scored games are rated at once: by Bradley and Terry's model where two sides meet, by Plackett
and Luce's where more do. The scale is Elo, 400 points being odds of ten to one; without anchors the
mean is 0. Each version of a bot is rated by itself, and its latest one is shown.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sternhalma_server.archive import STORE
from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.parser import BadInputError, unknown
from sternhalma_server.rated import RatedGame, rated_games
from sternhalma_server.store import Store, StoreError
from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.rating_list import RatingList, find_version, rating_list
from sternhalma_tournament.rating_tables import (
    Basis,
    ratings_csv,
    ratings_json,
    ratings_markdown,
    superiority_csv,
)
from sternhalma_tournament.ratings import DEFAULT_PRIOR, RatingError, rate, split_version

_FORFEITED: Final = "forfeited"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `ratings`."""
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="a results folder")
    add_format(parser, "csv", "json")
    parser.add_argument(
        "--prior",
        type=_prior,
        default=DEFAULT_PRIOR,
        metavar="N",
        help="draws that every bot starts with, 0 for none (default: %(default)g)",
    )
    parser.add_argument(
        "--anchor",
        dest="anchors",
        type=_anchor,
        action="append",
        default=[],
        metavar="NAME=RATING",
        help="a rating that is given: of a bot's latest version, or of 'NAME VERSION'",
    )
    parser.add_argument("--rules", metavar="ID", help="rate only games by these rules")
    parser.add_argument(
        "--players", type=int, choices=(2, 3, 4, 6), help="rate only games of so many players"
    )
    parser.add_argument(
        "--without-forfeits",
        action="store_true",
        help="leave forfeited games out, instead of counting them as lost",
    )
    parser.add_argument(
        "--all-versions", action="store_true", help="show all versions, not only the latest"
    )
    parser.add_argument(
        "--superiority",
        action="store_true",
        help="say of every two how likely the one is stronger than the other",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the list; 0 if there is one."""
    table, basis = _rated(arguments)
    print_as(
        arguments.format,
        {
            "md": lambda: ratings_markdown(table, basis),
            "csv": lambda: superiority_csv(table) if table.superiority else ratings_csv(table),
            "json": lambda: ratings_json(table, basis),
        },
    )
    return 0


def _rated(arguments: argparse.Namespace) -> tuple[RatingList, Basis]:
    orders = Counter[FinishingOrder]()
    left_out = Counter[str]()
    rules = Counter[tuple[str, int]]()
    events: set[str] = set()
    forfeited = 0
    for folder, game in _games(arguments.folders):
        reason = _reason(game, arguments)
        if reason is not None:
            left_out[reason] += 1
            continue
        orders[FinishingOrder(game.sides, game.places)] += 1
        rules[game.rules, game.players] += 1
        events.add(f"{folder}/{game.event}")
        forfeited += game.forfeited
    if not orders:
        others = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        raise BadInputError(f"expected games to rate, got none{others and f' but {others}'}")
    anchors = _anchors(arguments.anchors, orders)
    try:
        ratings = rate(orders, prior=arguments.prior, anchors=anchors, seat_advantage=True)
    except RatingError as error:
        raise BadInputError(str(error)) from None
    basis = Basis(
        games=orders.total(),
        events=len(events),
        rules=[(*kind, count) for kind, count in sorted(rules.items())],
        left_out=sorted(left_out.items()),
        forfeited=forfeited,
        prior=arguments.prior,
    )
    table = rating_list(
        ratings,
        orders,
        all_versions=arguments.all_versions,
        superiority=arguments.superiority,
    )
    return table, basis


def _reason(game: RatedGame, arguments: argparse.Namespace) -> str | None:
    """Why *game* is left out; None if it is rated."""
    if arguments.rules not in {None, game.rules}:
        return "of other rules"
    if arguments.players not in {None, game.players}:
        return "of other players a game"
    if game.left_out is None and game.forfeited and arguments.without_forfeits:
        return _FORFEITED
    return game.left_out


def _games(folders: Sequence[Path]) -> Iterator[tuple[Path, RatedGame]]:
    """The games of all *folders*, each of which must be a folder of its own."""
    seen: dict[str, Path] = {}
    for folder in folders:
        if not (folder / STORE).exists():
            raise BadInputError(
                f"expected a results folder, with {STORE} in it, got {str(folder)!r}"
            )
        try:
            with Store.read(folder / STORE) as store:
                for event in store.events():
                    # A copy of a folder is no second event.
                    head = store.head(event.id)
                    if head in seen:
                        raise BadInputError(
                            f"expected each event once, got {event.name!r} in"
                            f" {str(seen[head])!r} and in {str(folder)!r}"
                        )
                    seen[head] = folder
                    for game in rated_games(store, [event.name]):
                        yield folder, game
        except (StoreError, ValueError) as error:
            raise BadInputError(f"{folder}: {error}") from None


def _anchors(
    given: Sequence[tuple[str, float]], orders: Counter[FinishingOrder]
) -> dict[str, float]:
    names = sorted({name for order in orders for name in order.entries})
    anchors: dict[str, float] = {}
    for name, rating in given:
        found = find_version(name, names)
        if found is None:
            known = [f"{bot} {version}" for bot, version in map(split_version, names) if version]
            raise BadInputError(unknown("anchor", name, [*_bots(names), *known]))
        if found in anchors:
            raise BadInputError(f"expected one rating for an anchor, got two for {name!r}")
        anchors[found] = rating
    return anchors


def _bots(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(split_version(name)[0] for name in names))


def _prior(text: str) -> float:
    """The type of `--prior`; that it is too weak is for `rate` to say."""
    number = _number(text)
    if number is None or number < 0:
        raise argparse.ArgumentTypeError(f"expected a number from 0, got {text[:40]!r}")
    return number


def _anchor(text: str) -> tuple[str, float]:
    name, equals, rating = text.rpartition("=")
    number = _number(rating)
    if not (name and equals) or number is None:
        raise argparse.ArgumentTypeError(f"expected NAME=RATING, got {text[:80]!r}")
    return name, number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
