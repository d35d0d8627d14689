"""Two seats: what a difference in strength, and the seat itself, are worth.

Two entries are told apart by their difference alone. On the Elo scale 400 points are odds of ten to
one, so a natural (logistic) strength times 400 / ln 10 is Elo. A drawn game is half a win for each
side: entries of one round robin with equal scores then get equal ratings (Bradley and Terry 1952).

Who moves first may matter. That is one number for the whole set of games, added to the first
seat's strength. Without a prior it can be told only where seats and strengths do not run together:
see `seat_can_be_told`.
"""

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

ELO: Final = 400 / math.log(10)  # Elo points in one unit of natural (logistic) strength


class Duel(NamedTuple):
    """All games of one ordered pair of entries (by index)."""

    first: int
    second: int
    games: float
    points: float  # the first's; a drawn game is half a point


class Win(NamedTuple):
    """*winner* came out above *loser*, or level with it, at least once.

    *seat* is 1 where the winner moved first, -1 where it moved second, 0 where seats do not count.
    """

    winner: int
    loser: int
    seat: int


def expected_score(elo: float) -> float:
    """The points per game expected of an entry that is *elo* points stronger than the other.

    >>> round(expected_score(100), 4)
    0.6401
    """
    return 1 / (1 + math.exp(-elo / ELO))


def wins_of(duels: Iterable[Duel]) -> Iterable[Win]:
    """Who came out above whom in *duels*; a draw counts both ways."""
    for first, second, games, points in duels:
        if points > 0:
            yield Win(first, second, 1)
        if points < games:
            yield Win(second, first, -1)


def connected(size: int, links: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The groups of indices (0 to *size* - 1) in which *links* lead from each to every other.

    Links have a direction. Groups are ordered along the links, so winners come before those who
    never beat them; members ascend. The method is Kosaraju's.
    """
    onward: list[list[int]] = [[] for _ in range(size)]
    backward: list[list[int]] = [[] for _ in range(size)]
    for start, end in sorted(set(links)):
        onward[start].append(end)
        backward[end].append(start)
    seen = [False] * size
    # Started from the last index, so that groups without a link come in the order of their indices.
    finished = [node for start in reversed(range(size)) for node in _finish(start, onward, seen)]
    seen = [False] * size
    groups = (_finish(start, backward, seen) for start in reversed(finished))
    return [tuple(sorted(group)) for group in groups if group]


def _finish(start: int, ways: list[list[int]], seen: list[bool]) -> list[int]:
    """What is reached from *start* and not *seen* yet, each after what is reached through it."""
    if seen[start]:
        return []
    seen[start] = True
    finished: list[int] = []
    path = [(start, iter(ways[start]))]
    while path:
        node, further = path[-1]
        for other in further:
            if not seen[other]:
                seen[other] = True
                path.append((other, iter(ways[other])))
                break
        else:
            finished.append(node)
            path.pop()
    return finished


def seat_can_be_told(wins: Iterable[Win]) -> bool:
    """Whether the likelihood of games with these *wins* has its maximum at a finite seat term.

    It has, exactly if there is a ring of wins (a above b, b above c, ..., above a) in which the
    first seat won more often than the second, and another in which the second did. Otherwise the
    seat could explain every win, and the better so the more it is worth. A ring of the one kind
    is a negative cycle of `seat` or of `-seat`, which Bellman and Ford's method finds.
    """
    edges = {1: dict[tuple[int, int], int](), -1: dict[tuple[int, int], int]()}
    for winner, loser, seat in wins:
        for sign, cheapest in edges.items():
            pair = (winner, loser)
            cheapest[pair] = min(cheapest.get(pair, 1), sign * seat)
    return all(_has_negative_cycle(cheapest) for cheapest in edges.values())


def _has_negative_cycle(edges: dict[tuple[int, int], int]) -> bool:
    distance = dict.fromkeys((node for pair in edges for node in pair), 0)
    falling = True
    while falling:
        falling = False
        for (start, end), weight in edges.items():
            reached = distance[start] + weight
            if reached < distance[end]:
                distance[end] = reached
                falling = True
                # No edge is cheaper than -1, so a path without a ring cannot be this cheap.
                if reached <= -len(distance):
                    return True
    return False


def games_needed(
    elo_difference: float, draw_rate: float = 0.0, confidence: float = 0.95, *, power: float = 0.5
) -> int:
    """How many games between two bots tell them apart: the planner's rule of thumb.

    After n games the mean score has the standard error s / sqrt(n), s being the deviation of one
    game's score: with expected score e and share of draws d, s² = e (1 - e) - d / 4. The bots are
    told apart when the two-sided interval of the given *confidence* around the mean score leaves
    out one half. With n = (z s / (e - 1/2))² games the interval of an average run just does, so
    every second run does: *power* is that share. Ask for a power of 0.8 or 0.95 to be surer.

    Half the difference takes four times the games. Draws help, as they are less noisy than wins at
    the same expected score; which is why a difference in Elo is worth more where draws are common.

    ValueError for a difference of 0, which no number of games shows, for a draw rate that leaves
    no room for the expected score, and for a confidence or power outside 0..1.

    >>> games_needed(50), games_needed(50, power=0.8), games_needed(25)
    (185, 377, 741)
    """
    if elo_difference == 0 or not math.isfinite(elo_difference):
        raise ValueError(f"expected a difference in Elo other than 0, got {elo_difference!r}")
    if not (0 < confidence < 1 and 0 < power < 1):
        raise ValueError(
            f"expected confidence and power between 0 and 1, got {confidence!r} and {power!r}"
        )
    score = expected_score(abs(elo_difference))
    if not 0 <= draw_rate <= 2 * (1 - score):
        raise ValueError(
            f"expected a draw rate of 0 to {2 * (1 - score):.3f} at {elo_difference!r} Elo,"
            f" got {draw_rate!r}"
        )
    variance = score * (1 - score) - draw_rate / 4
    quantiles = normal_quantile((1 + confidence) / 2) + normal_quantile(power)
    return max(1, math.ceil(max(quantiles, 0.0) ** 2 * variance / (score - 0.5) ** 2))


def normal_share(deviations: float) -> float:
    """The share of a normal distribution that lies below so many standard deviations."""
    return math.erfc(-deviations / math.sqrt(2)) / 2


def normal_quantile(share: float) -> float:
    """The standard deviations below which the given *share* lies; `normal_share` inverts it.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    low, high = -40.0, 40.0
    while low < (middle := (low + high) / 2) < high:
        if normal_share(middle) < share:
            low = middle
        else:
            high = middle
    return middle
