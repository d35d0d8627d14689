"""How strong the entries of any number of games are, seen from finishing orders.

Plackett and Luce: the place behind those already home goes to each entry still on the way with a
chance in proportion to its strength, so an order is a chain of choices, and with two seats it is
Bradley and Terry's model. All games are fitted at once, because programs do not get better while
they play: an online rating would make the table depend on the order of the games.

Entries that share a place: each of them is chosen over all who finished behind, and among
themselves they have a half-win each way, pair by pair. Nothing then depends on how a tie is
written down, and two seats keep the usual half-win for a draw. The price: a shared place speaks for
equal strength even where it only says that nobody looked on. If three of six always share the last
place at a turn limit, the ratings spread by about 0.6 of what full orders show.

Choices among the same entries differ only in who was chosen, so they are added up before the fit:
the likelihood needs how often each set was chosen from, and how often each entry was chosen. It is
concave in the logarithms of the strengths, and Newton's method finds its maximum in a few rounds.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, NamedTuple

from sternhalma_tournament.bradley_terry import Duel
from sternhalma_tournament.elimination import Elimination, Triangle, Vector

LONGEST_STEP: Final = 3.0  # natural units a round; keeps a first step from overshooting
GAIN_LEFT: Final = 1e-10  # of the log-likelihood; the last step squares what is left of the error
NOISE: Final = 1e-9  # relative error of a sum of so many logarithms


class OrderError(ValueError):
    """A finishing order that is none."""


@dataclass(frozen=True, slots=True)
class FinishingOrder:
    """One game: its entries in turn order and the place of each, 1 best, shared places equal.

    Only which place is smaller counts. OrderError unless there are two entries or more, each
    once (partners are one entry), and as many places.

    >>> FinishingOrder(("zoe", "max", "ann"), (2, 1, 2)).places
    (2, 1, 2)
    """

    entries: tuple[str, ...]
    places: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.entries) < 2 or len(set(self.entries)) < len(self.entries):
            raise OrderError(f"expected two entries or more, each once, got {self.entries!r}")
        if len(self.places) != len(self.entries):
            raise OrderError(
                f"expected {len(self.entries)} places for {self.entries!r}, got {self.places!r}"
            )


class Choice(NamedTuple):
    """*winner* was chosen *times* over all of *losers* (by index, ascending)."""

    winner: int
    losers: tuple[int, ...]
    times: float


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All that the models need of a set of games; the order of the games leaves no trace in it.

    *names* ascend, and indices elsewhere point into them. *games* counts each name's games. Games
    of two are *duels*, which keep the seats; those of more are *choices*.
    """

    names: tuple[str, ...]
    games: tuple[int, ...]
    duels: tuple[Duel, ...]
    choices: tuple[Choice, ...]


def compare(
    orders: Iterable[FinishingOrder] | Counter[FinishingOrder], also: Iterable[str] = ()
) -> Comparisons:
    """The sums over *orders*, read once; *also* names entries that need not have played.

    A counter says how often each order came.
    """
    counted = orders if isinstance(orders, Counter) else Counter(orders)
    games = Counter[str]()
    played = Counter[tuple[str, str]]()
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    chosen: defaultdict[tuple[str, tuple[str, ...]], float] = defaultdict(float)
    for order, often in counted.items():
        for name in order.entries:
            games[name] += often
        if len(order.entries) == 2:
            first, second = order.entries
            place, other = order.places
            played[first, second] += often
            points[first, second] += often * (1 + (place < other) - (place > other)) / 2
        else:
            for winner, losers, times in _choices(order):
                chosen[winner, losers] += often * times
    names = tuple(sorted({*games, *also}))
    index = {name: number for number, name in enumerate(names)}
    return Comparisons(
        names,
        tuple(games[name] for name in names),
        tuple(
            Duel(index[pair[0]], index[pair[1]], played[pair], points[pair])
            for pair in sorted(played)
        ),
        tuple(
            Choice(index[winner], tuple(index[loser] for loser in losers), times)
            for (winner, losers), times in sorted(chosen.items())
        ),
    )


def _choices(order: FinishingOrder) -> Iterable[tuple[str, tuple[str, ...], float]]:
    levels: defaultdict[int, list[str]] = defaultdict(list)
    for entry, place in zip(order.entries, order.places, strict=True):
        levels[place].append(entry)
    behind: list[str] = []
    for place in sorted(levels, reverse=True):
        level = levels[place]
        if behind:
            losers = tuple(sorted(behind))
            for entry in level:
                yield entry, losers, 1.0
        for one, other in permutations(level, 2):
            yield one, (other,), 0.5
        behind += level


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be fitted: *size* strengths by index, and after the last of them the seat term.

    *fixed* holds the strengths (natural logarithms) that are given and not fitted; the index *size*
    is among them where no seat term is wanted. *equals* counts drawn games between two equals: they
    speak on the seat only.
    """

    size: int
    fixed: Mapping[int, float]
    duels: Sequence[Duel]
    choices: Sequence[Choice]
    equals: float = 0.0


@dataclass(frozen=True, slots=True)
class Fit:
    """The maximum: strengths (natural logarithms), the seat term last, and their covariance.

    *covariance* is the inverse of the Fisher information, with zeros for what was fixed.
    """

    strengths: Sequence[float]
    covariance: Sequence[Sequence[float]]


def maximize(problem: Problem) -> Fit:
    """The maximum of the likelihood by Newton's method, a step being shortened if it overshoots.

    The caller sees to it that there is one: in every group that games connect something is
    fixed, and no part of a group won or lost everything against the rest.
    """
    sums = _sum_up(problem)
    strengths = [problem.fixed.get(index, 0.0) for index in range(problem.size + 1)]
    free = [index for index in range(problem.size + 1) if index not in problem.fixed]
    value, slope, information = _likelihood(sums, strengths)
    gain = math.inf if free else 0.0
    while gain > GAIN_LEFT:
        step = Elimination(information, free).solve([slope[index] for index in free])
        gain = sum(slope[index] * part for index, part in zip(free, step, strict=True))
        floor = value - NOISE * abs(value)
        scale = min(1.0, LONGEST_STEP / max(LONGEST_STEP, *map(abs, step)))
        start = list(strengths)
        while True:
            for index, part in zip(free, step, strict=True):
                strengths[index] = start[index] + scale * part
            value, slope, information = _likelihood(sums, strengths)
            if value >= floor:
                break
            scale /= 2
    covariance = [[0.0] * len(strengths) for _ in strengths]
    for index, values in zip(free, Elimination(information, free).inverse(), strict=True):
        for other, entry in zip(free, values, strict=True):
            covariance[index][other] = entry
    return Fit(strengths, covariance)


@dataclass(frozen=True, slots=True)
class _Sums:
    """How often each index was chosen, and how often each set (ascending) was chosen from."""

    won: Sequence[float]
    duels: Sequence[tuple[int, int, float]]
    sets: Sequence[tuple[tuple[int, ...], float]]
    equals: float


def _sum_up(problem: Problem) -> _Sums:
    won = [0.0] * (problem.size + 1)
    won[problem.size] = problem.equals / 2
    for first, second, games, points in problem.duels:
        won[first] += points
        won[second] += games - points
        won[problem.size] += points
    sets: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for winner, losers, times in problem.choices:
        won[winner] += times
        sets[tuple(sorted((winner, *losers)))] += times
    duels = [(first, second, games) for first, second, games, _ in problem.duels]
    return _Sums(won, duels, sorted(sets.items()), problem.equals)


def _likelihood(sums: _Sums, strengths: Vector) -> tuple[float, Vector, Triangle]:
    """The log-likelihood, its slope, and the information."""
    seat = len(strengths) - 1
    powers = [math.exp(strength) for strength in strengths]
    value = sum(won * strength for won, strength in zip(sums.won, strengths, strict=True))
    slope = list(sums.won)
    information = [defaultdict[int, float](float) for _ in strengths]
    for first, second, games in sums.duels:
        power, other = powers[first] * powers[seat], powers[second]
        expected = games * power / (power + other)
        weight = expected * other / (power + other)
        value -= games * math.log(power + other)
        slope[first] -= expected
        slope[second] -= games - expected
        slope[seat] -= expected
        information[first][first] += weight
        information[second][second] += weight
        information[max(first, second)][min(first, second)] -= weight
        information[seat][seat] += weight
        information[seat][first] += weight
        information[seat][second] -= weight
    for members, times in sums.sets:
        total = sum([powers[member] for member in members])
        value -= times * math.log(total)
        shares = [powers[member] / total for member in members]
        for number, (member, share) in enumerate(zip(members, shares, strict=True)):
            expected = times * share
            slope[member] -= expected
            row = information[member]
            row[member] += expected * (1 - share)
            for other in range(number):
                row[members[other]] -= expected * shares[other]
    share = powers[seat] / (powers[seat] + 1)
    value -= sums.equals * math.log(powers[seat] + 1)
    slope[seat] -= sums.equals * share
    information[seat][seat] += sums.equals * share * (1 - share)
    return value, slope, information
