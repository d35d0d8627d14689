"""Print how strong the bots of one event or of several are, and how sure that is.

All scored games are rated at once: by Bradley and Terry's model where two sides meet, by Plackett
and Luce's where more do. The scale is Elo, 400 points being odds of ten to one; without anchors the
mean is 0. Each version of a bot is rated by itself, and its latest one is shown.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from sternhalma_server.cli.drawn import add_format, print_as
from sternhalma_server.cli.folder import found_in
from sternhalma_server.cli.league_folder import charter_in
from sternhalma_server.cli.parser import BadInputError, unknown
from sternhalma_server.folders import LEAGUE
from sternhalma_server.rated import RatedGame, rated_games
from sternhalma_server.rating import Choice, RatedGames
from sternhalma_server.store import Store, StoreError
from sternhalma_tournament.rating_list import RatingList, find_version
from sternhalma_tournament.rating_tables import (
    Basis,
    ratings_csv,
    ratings_json,
    ratings_markdown,
    superiority_csv,
)
from sternhalma_tournament.ratings import DEFAULT_PRIOR, RatingError, split_version


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `ratings`."""
    parser.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="a results folder, or a league's, or that of one of its events",
    )
    add_format(parser, "csv", "json")
    parser.add_argument(
        "--prior",
        type=_prior,
        metavar="N",
        help=f"draws that every bot starts with, 0 for none (default: {DEFAULT_PRIOR:g}, or what"
        " the league says)",
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
    choice = Choice(arguments.rules, arguments.players, arguments.without_forfeits)
    rated = RatedGames(choice)
    for folder, game in _games(arguments.folders):
        rated.add(game, str(folder))
    if not rated.orders:
        others = ", ".join(f"{count} {why}" for why, count in sorted(rated.left_out.items()))
        raise BadInputError(f"expected games to rate, got none{others and f' but {others}'}")
    prior, given = _given(arguments)
    try:
        ratings = rated.rate(prior, _anchors(given, rated.names, strict=bool(arguments.anchors)))
    except RatingError as error:
        raise BadInputError(str(error)) from None
    table = rated.table(
        ratings, all_versions=arguments.all_versions, superiority=arguments.superiority
    )
    return table, rated.basis(prior)


def _given(arguments: argparse.Namespace) -> tuple[float, Sequence[tuple[str, float]]]:
    """The prior and the anchors: those asked for, or those of the league that is rated."""
    charter = None
    if len(arguments.folders) == 1 and (arguments.folders[0] / LEAGUE).exists():
        charter = charter_in(arguments.folders[0])
    prior, anchors = arguments.prior, arguments.anchors
    if prior is None:
        prior = DEFAULT_PRIOR if charter is None else charter.prior
    if not anchors and charter is not None:
        anchors = list(charter.anchors.items())
    return prior, anchors


def _games(folders: Sequence[Path]) -> Iterator[tuple[Path, RatedGame]]:
    """The games of all *folders*, each of which must be a folder of its own."""
    seen: dict[str, Path] = {}
    for folder in folders:
        found = found_in(folder)
        try:
            with Store.read(found.store) as store:
                for event in store.events() if found.league is None else [found.stored(store)]:
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
    given: Sequence[tuple[str, float]], names: Sequence[str], *, strict: bool
) -> dict[str, float]:
    """The ratings that are given, by version. *strict* refuses one of whom there are no games."""
    anchors: dict[str, float] = {}
    for name, rating in given:
        found = find_version(name, names)
        if found is None and not strict:
            continue
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
