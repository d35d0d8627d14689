"""How strong a bot seems while games go on: good enough to choose opponents by, never published.

Published ratings fit all games at once (`ratings`), which takes longer the more there are. Here
each bot is a mean and a variance on the Elo scale, and a game moves only those who played it: the
linear update of a Kalman filter that keeps no covariances, close to Glicko's (Glickman 1999). What
is not known of either blurs what can be foreseen, so that a result between strangers counts less
against the stronger mean.

A game of more than two counts as games between every two, each for less than a whole one, so that
for equals it tells as much as Plackett and Luce's model does: (k - H) / k of a unit for k sides, H
being 1 + 1/2 + ... + 1/k, where whole games would tell (k - 1) / 4.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sternhalma_tournament.bradley_terry import ELO
from sternhalma_tournament.scores import half_points

UNKNOWN: Final = 350.0**2  # Elo squared: what a newcomer's strength may be
# A new version is like the old one, as far as anybody can tell before its first game.
_CHANGE: Final = 200.0**2
# Without covariances the filter gets surer than it should; it is held here, so that a bot of a
# thousand games can still be told to be what it is.
_SUREST: Final = 20.0**2
# What both players' errors have in common after a game is not kept either. In simulated ladders of
# a deviation of 230 Elo whole games spread strengths 1.4 times too wide; half games spread those of
# 460 Elo too little.
_CAUTION: Final = 0.7  # of a game
# A logistic curve blurred by a normal distribution of variance v is nearly the same curve, flatter
# by the root of 1 + v * pi / 8 (MacKay 1992).
_BLUR: Final = math.pi / 8 / ELO**2


@dataclass(frozen=True, slots=True)
class Strength:
    """What is believed of a bot: mean in Elo, variance in Elo squared."""

    mean: float = 0.0
    variance: float = UNKNOWN

    @property
    def deviation(self) -> float:
        """The standard deviation, in Elo."""
        return math.sqrt(self.variance)

    def of_successor(self) -> "Strength":
        """What is believed of the next version of this bot."""
        return Strength(self.mean, min(self.variance + _CHANGE, UNKNOWN))


def foreseen(one: Strength, other: Strength) -> tuple[float, float]:
    """The score expected of *one* against *other*, 0 to 1, and how it rises with a point of Elo."""
    flatter = math.sqrt(1 + _BLUR * (one.variance + other.variance)) * ELO
    score = 1 / (1 + math.exp(-max(-700.0, min(700.0, (one.mean - other.mean) / flatter))))
    return score, score * (1 - score) / flatter


def lesson(one: Strength, other: Strength) -> float:
    """What a game of two promises to teach: p (1 - p) times what is not known of both."""
    # `foreseen` once more, and p (1 - p) at once: this is asked for every two who might play.
    unknown = one.variance + other.variance
    apart = (one.mean - other.mean) / (2 * ELO * math.sqrt(1 + _BLUR * unknown))
    return unknown / (4 * math.cosh(min(350.0, abs(apart))) ** 2)


def learned(strengths: Sequence[Strength], places: Sequence[int]) -> tuple[Strength, ...]:
    """What is believed of all players of a game after they came in on *places* (1 is best)."""
    sides = len(strengths)
    harmonic = sum(1 / n for n in range(1, sides + 1))
    weight = _CAUTION * 4 * (sides - harmonic) / (sides * (sides - 1))
    return tuple(
        _learned(
            strength,
            [
                (foreseen(strength, other), half_points(place, its) / 2)
                for rival, (other, its) in enumerate(zip(strengths, places, strict=True))
                if rival != seat
            ],
            weight,
        )
        for seat, (strength, place) in enumerate(zip(strengths, places, strict=True))
    )


def _learned(
    strength: Strength, games: Sequence[tuple[tuple[float, float], float]], weight: float
) -> Strength:
    """*strength* after *games*: what was foreseen, and the score of each, each for *weight*."""
    pull = told = 0.0
    for (score, slope), scored in games:
        spread = score * (1 - score)
        # Infinitely sure of the score, a curve has no slope that could tell anything.
        if spread > 0:
            pull += weight * slope / spread * (scored - score)
            told += weight * slope * slope / spread
    variance = strength.variance / (1 + strength.variance * told)
    return Strength(strength.mean + strength.variance * pull, max(_SUREST, variance))
