"""Whether ratings and sequential tests keep their promises, by simulation.

    nice python -m bench.ratings [--quick]

Leagues are drawn whose strengths are known, and the 95 % intervals of their ratings are counted
that hold the truth. Matches are drawn in which one claim of a sequential test is true, and counted
is how often the other one is accepted, by the pairs of games and in the order in which a match
counts them. All is seeded: two runs of the same version print the same figures.

Tests hold smaller runs of the same against bounds; this prints the figures beside what is asked.
They scatter: shares of 600 by a point, of 6,000 by 0.3, of 800 verdicts by 0.8, of 200 by 1.5.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import cycle, islice, permutations
from random import Random
from typing import Final, NamedTuple

from sternhalma_tournament.bradley_terry import ELO, expected_score
from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.ratings import DEFAULT_PRIOR, rate
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.sprt import DEVIATIONS, Model, Sprt
from sternhalma_tournament.trial import Trial

ASKED: Final = "93 to 96 %"
BOTS: Final = 10
SPREAD: Final = 150.0  # Elo, the deviation of the strengths in a league
SEAT: Final = 40.0  # Elo, what moving first is worth
DRAWN: Final = 0.1  # the share of level games in a match
MOST: Final = 20_000  # pairs of a match, more than any takes

Truth = dict[str, float]  # Elo by bot, the mean is 0


class League(NamedTuple):
    """A kind of league: so many seats a game, and so many games."""

    seats: int
    games: int


LEAGUES: Final = (League(2, 180), League(2, 900), League(4, 50), League(4, 250))


class Match(NamedTuple):
    """A kind of match: H1's claim, the error rate asked of both claims, and how many are drawn."""

    model: Model
    elo1: float
    rate: float
    times: int


MATCHES: Final = (
    Match("logistic", 100, 0.05, 800),
    Match("normalized", 100, 0.05, 800),
    Match("logistic", 50, 0.05, 200),
    Match("normalized", 50, 0.05, 200),
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.ratings",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    part = 10 if parser.parse_args().quick else 1
    print(f"95 % intervals of {BOTS} bots, prior {DEFAULT_PRIOR:g}; asked: {ASKED} hold the truth")
    print(f"{'seats':>6} {'games':>6} {'intervals':>10} {'of bots':>9} {'of the seat':>12}")
    for league in LEAGUES:
        print(league_row(league, 600 // part), flush=True)
    print()
    print(f"sequential tests of 0 against elo1, {100 * DRAWN:.0f} % of the games level")
    head = f"{'model':>11} {'elo1':>5} {'truth':>6} {'matches':>8} {'wrong':>7} {'asked':>7}"
    print(f"{head} {'games':>7} {'most':>6} {'a fixed number':>15}")
    for match in MATCHES:
        for truth in ("H0", "H1"):
            print(match_row(match, truth, match.times // part), flush=True)


def league_row(league: League, leagues: int) -> str:
    """How many of the intervals of so many *leagues* hold the truth."""
    chance = Random(f"{league}")
    draw: Callable[[Random, Truth, int], Iterable[FinishingOrder]] = (
        duels if league.seats == 2 else races
    )
    hits = seats = 0
    for _ in range(leagues):
        truth = a_truth(chance)
        orders = Counter(draw(chance, truth, league.games))
        ratings = rate(orders, seat_advantage=True)
        hits += sum(_holds(row.low, truth[row.name], row.high) for row in ratings.rows)
        assert ratings.seat is not None
        seats += _holds(ratings.seat.low, SEAT, ratings.seat.high)
    seat = f"{100 * seats / leagues:10.1f} %" if league.seats == 2 else ""
    intervals = leagues * BOTS
    shares = f"{100 * hits / intervals:7.1f} % {seat}"
    return f"{league.seats:6} {league.games:6} {intervals:10} {shares}".rstrip()


def _holds(low: float | None, truth: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= truth <= high


def a_truth(chance: Random) -> Truth:
    """The strengths of a league's bots."""
    elos = [chance.gauss(0, SPREAD) for _ in range(BOTS)]
    mean = sum(elos) / BOTS
    return {f"bot{number}": elo - mean for number, elo in enumerate(elos)}


def duels(chance: Random, truth: Truth, games: int) -> Iterable[FinishingOrder]:
    """A round robin of so many games of two."""
    for first, second in islice(cycle(permutations(truth, 2)), games):
        won = chance.random() < expected_score(truth[first] + SEAT - truth[second])
        yield FinishingOrder((first, second), (1, 2) if won else (2, 1))


def races(chance: Random, truth: Truth, games: int) -> Iterable[FinishingOrder]:
    """So many games of four, in which each next place falls in proportion to strength."""
    for _ in range(games):
        entries = chance.sample(list(truth), 4)
        # Who needs least time is home first: exponential times make it a race as Plackett's.
        times = {name: chance.expovariate(math.exp(truth[name] / ELO)) for name in entries}
        order = sorted(entries, key=times.__getitem__)
        yield FinishingOrder(tuple(entries), tuple(order.index(name) + 1 for name in entries))


def match_row(match: Match, truth: str, matches: int) -> str:
    """How often so many *matches* come to the wrong verdict, and the games they take."""
    chance = Random(f"{match} {truth}")
    test = Sprt(0, match.elo1, match.rate, match.rate, match.model)
    score = a_score(match.model, match.elo1 if truth == "H1" else 0)
    wrong, lengths = 0, list[int]()
    for _ in range(matches):
        trial = Trial("zoe", "max", test, MOST)
        number = 0
        while trial.verdict is None and number < 2 * MOST:
            number += 1
            trial.enter(a_game(chance, number, score))
        wrong += trial.verdict != truth
        lengths.append(number)
    mean = sum(lengths) / matches
    name = f"{match.model:>11} {match.elo1:5g} {truth:>6} {matches:8}"
    rates = f"{100 * wrong / matches:5.1f} % {100 * match.rate:5.1f} %"
    return f"{name} {rates} {mean:7.0f} {max(lengths):6} {fixed(match):15,}"


def a_score(model: Model, elo: float) -> float:
    """The expected score of a bot that is *elo* ahead on the scale of the model."""
    if model == "logistic":
        return expected_score(elo)
    deviations = elo * DEVIATIONS
    # The deviation of one game's score depends on the score in turn.
    return 0.5 + deviations * math.sqrt((1 - DRAWN) / 4 / (1 + deviations**2))


def a_game(chance: Random, number: int, score: float) -> GameResult:
    """Game *number* of a match, in which zoe expects *score*."""
    luck = chance.random()
    level = score - DRAWN / 2 <= luck < score + DRAWN / 2
    zoe, other = (1, 1) if level else (1, 2) if luck < score else (2, 1)
    swapped = number % 2 == 0
    entries = ("max", "zoe") if swapped else ("zoe", "max")
    places = (other, zoe) if swapped else (zoe, other)
    return GameResult(number, entries, places, (None, None), "goal", 90)


def fixed(match: Match) -> int:
    """How many games a test of a number fixed before takes for the same error rates."""
    score = a_score(match.model, match.elo1)
    # Both claims lie so many deviations of a mean apart that each is missed with the asked rate.
    quantile = 2 * 1.6449
    variance = score * (1 - score) - DRAWN / 4
    return math.ceil(quantile**2 * variance / (score - 0.5) ** 2)


if __name__ == "__main__":
    began = time.perf_counter()
    main()
    print(f"\nin {time.perf_counter() - began:.0f} s")
