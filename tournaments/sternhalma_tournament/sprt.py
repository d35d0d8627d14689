"""Whether a change made a bot stronger: a sequential test that stops as soon as the games say so.

Two claims about the Elo difference are compared while games come in: H0 says `elo0`, H1 says
`elo1`. The evidence is the generalized log-likelihood ratio: the best likelihood of the results
among all score distributions in which H1 holds, over the best in which H0 holds (Van den Bergh,
"The generalized maximum likelihood ratio for the expectation value of a distribution", and
"Normalized Elo"). Wald's bounds on it keep both error rates.

Games should be played in pairs, the seats swapped and the opening kept: the two games of one pair
share the opening's luck, so counting pairs (five cells) needs fewer games than counting games
(three cells), and counting them as single games would misjudge the noise.

Two scales for a claim. `logistic`: the usual Elo, a statement on the expected score. `normalized`:
the expected score's distance from a half in standard deviations of one game, scaled so that both
agree where no game is drawn and the bots are equal. The number of games a test takes depends on the
normalized difference alone, so its bounds mean the same under every rule set and draw rate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sternhalma_tournament.bradley_terry import ELO, expected_score

Model = Literal["logistic", "normalized"]
Verdict = Literal["H0", "H1"]

# A cell nobody has hit yet is not impossible; a thousandth of a game in it keeps the logarithms
# finite and moves no verdict.
EMPTY_CELL: Final = 0.001
# Standard deviations of one game's score per normalized Elo point: between equal bots without
# draws the deviation is a half, and one Elo is worth 1 / (4 ELO) of a point.
DEVIATIONS: Final = 1 / (2 * ELO)

SOLVER_ROUNDS: Final = 200
# The root may lie as near to a pole as the rarest cell is rare, so it is wanted to the last digits.
ROOT_PRECISION: Final = 1e-15
FIT_PRECISION: Final = 1e-10

# From about 230 on the rounds of the normalized fit need not converge, and no claim is that bold.
BOLDEST: Final[dict[Model, float]] = {"logistic": 1000.0, "normalized": 200.0}


class SprtError(ValueError):
    """A test, or counts given to it, that make no sense."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of *elo1* (H1) against *elo0* (H0) with error rates *alpha* and *beta*.

    *alpha* bounds the chance to accept H1 when H0 holds, *beta* the chance to accept H0 when H1
    holds. SprtError unless elo0 < elo1 within the model's range (`BOLDEST`), the rates are above 0
    and their sum is below 1.

    >>> test = Sprt(elo0=0, elo1=5)
    >>> round(test.llr((3, 260, 560, 300, 8)), 2), test.decide((3, 260, 560, 300, 8))
    (1.16, None)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"

    def __post_init__(self) -> None:
        if self.model not in BOLDEST:
            raise SprtError(f"expected one of {tuple(BOLDEST)}, got {self.model!r}")
        boldest = BOLDEST[self.model]
        if not -boldest <= self.elo0 < self.elo1 <= boldest:
            raise SprtError(
                f"expected elo0 < elo1, both within {boldest:g} Elo,"
                f" got {self.elo0!r} and {self.elo1!r}"
            )
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise SprtError(
                "expected alpha and beta above 0 and their sum below 1,"
                f" got {self.alpha!r} and {self.beta!r}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds: at or below the first H0 is accepted, at or above the second H1."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def llr(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 over H0; 0 before the first game.

        *counts* are single games as (losses, draws, wins), or pairs of games with the seats
        swapped by the tested bot's half points in both: (0, 1, 2, 3, 4), that is (LL, LD, DD + WL,
        WD, WW). SprtError for another number of cells or a count below 0.
        """
        if len(counts) not in {3, 5} or min(counts) < 0:
            raise SprtError(f"expected 3 or 5 counts of at least 0, got {tuple(counts)!r}")
        if not any(counts):
            return 0.0
        scores = tuple(cell / (len(counts) - 1) for cell in range(len(counts)))
        filled = [count or EMPTY_CELL for count in counts]
        total = sum(filled)
        seen = tuple(count / total for count in filled)
        under0, under1 = (
            self._best_fit(scores, seen, elo, games=(len(counts) - 1) // 2)
            for elo in (self.elo0, self.elo1)
        )
        return total * sum(
            share * math.log(fit1 / fit0)
            for share, fit0, fit1 in zip(seen, under0, under1, strict=True)
        )

    def decide(self, counts: Sequence[int]) -> Verdict | None:
        """The claim accepted after *counts* (as for `llr`), None while games must go on."""
        llr = self.llr(counts)
        lower, upper = self.bounds
        if llr >= upper:
            return "H1"
        if llr <= lower:
            return "H0"
        return None

    def games_expected(self) -> tuple[int, int]:
        """About how many games are played on average if H0 holds, and if H1 does.

        Wald's approximation, for a walk that drifts by half the squared distance of the claims a
        game: no level games, seats of equal worth, nothing for overshooting a bound. Between the
        claims it takes longer.

        >>> Sprt(elo0=0, elo1=20).games_expected()
        (1600, 1600)
        """
        low, high = self.bounds
        if self.model == "logistic":
            distance = 2 * (expected_score(self.elo1) - expected_score(self.elo0))
        else:
            distance = (self.elo1 - self.elo0) * DEVIATIONS
        under0 = -(self.alpha * high + (1 - self.alpha) * low)
        under1 = (1 - self.beta) * high + self.beta * low
        return (
            math.ceil(2 * under0 / distance**2),
            math.ceil(2 * under1 / distance**2),
        )

    def _best_fit(
        self, scores: Sequence[float], seen: Sequence[float], elo: float, games: int
    ) -> Sequence[float]:
        if self.model == "logistic":
            return fit_mean(scores, seen, expected_score(elo))
        # The mean of two games deviates by less than one game does.
        return fit_deviations(scores, seen, elo * DEVIATIONS * math.sqrt(games))


def fit_mean(scores: Sequence[float], seen: Sequence[float], mean: float) -> Sequence[float]:
    """The most likely distribution over *scores* with the given *mean*, *seen* being observed.

    *seen* are shares above 0 with the sum 1, *mean* lies strictly between the outer scores.
    """
    return _tilt(seen, [score - mean for score in scores])


def fit_deviations(
    scores: Sequence[float], seen: Sequence[float], deviations: float
) -> Sequence[float]:
    """The most likely distribution whose mean is *deviations* standard deviations above a half.

    The condition bends with the distribution, so it is met by rounds: each solves the condition's
    tangent at the last round's mean and deviation.
    """
    fit: Sequence[float] = [1 / len(scores)] * len(scores)
    for _ in range(SOLVER_ROUNDS):
        mean = sum(share * score for share, score in zip(fit, scores, strict=True))
        variance = sum(
            share * (score - mean) ** 2 for share, score in zip(fit, scores, strict=True)
        )
        deviation = math.sqrt(variance)
        tangent = [
            score - 0.5 - deviations * (deviation + (score - mean) ** 2 / deviation) / 2
            for score in scores
        ]
        last, fit = fit, _tilt(seen, tangent)
        if max(abs(new - old) for new, old in zip(fit, last, strict=True)) < FIT_PRECISION:
            break
    return fit


def _tilt(seen: Sequence[float], values: Sequence[float]) -> Sequence[float]:
    """The most likely distribution under which the mean of *values* is 0.

    By Lagrange it is seen / (1 + x values), and x is the root of a falling function between two
    poles: Newton's method, halving the bracket where a step would leave it.
    """
    low, high = -1 / max(values), -1 / min(values)
    x = 0.0
    for _ in range(SOLVER_ROUNDS):
        ratios = [value / (1 + x * value) for value in values]
        excess = sum(share * ratio for share, ratio in zip(seen, ratios, strict=True))
        slope = sum(share * ratio**2 for share, ratio in zip(seen, ratios, strict=True))
        if excess > 0:
            low = x
        else:
            high = x
        step = x + excess / slope
        last, x = x, step if low < step < high else (low + high) / 2
        if abs(x - last) <= ROOT_PRECISION * abs(x):
            break
    return [share / (1 + x * value) for share, value in zip(seen, values, strict=True)]
