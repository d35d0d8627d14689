"""Alpha-beta on masks of holes, with make and unmake instead of new games.

There are two sides: the mover's colours, and everybody else's. With two players that is alpha-beta
as in any book. With more it is best-reply search: after each of our moves only one opponent
answers, the one whose answer is worst for us. To let everybody move in turn costs so much that the
search would end before our own next move.

Scores are differences of costs (`costs.py`), seen from the side to move. The search takes the
liberties that make it quick: only the `width` most gaining moves of a position are tried, and the
last move of a line is not made at all, only its gain is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Final

from sternhalma import Move, Position, Seat
from sternhalma_bot.bots.army import Army, Step, armies_of, as_move, fills, list_steps, pays

WIN: Final = 1_000_000
INFINITE: Final = 2 * WIN
DEEPEST: Final = 12
# Measured with six players: to hold up one of five rivals is worth less than to come along oneself.
# With two players any weight but 1 loses.
OWN_WEIGHT: Final = 2

# depth searched; score; -1, 0, 1: the score is at most, exactly, at least that; origin and target
# of the best step
Entry = tuple[int, int, int, int, int]


class OutOfBudget(Exception):  # noqa: N818 (a signal, not an error)
    """The search has spent what it was given."""


class Search:
    """One search for the best move of *seat* in *position*.

    *budget* is the number of marbles whose moves may be looked for, which is what takes the time,
    and *stop* is asked as often whether to end before that. *width* is how many moves are tried in
    a position. A move that gains nothing is held to be worth *impatience* less than it looks.
    """

    def __init__(
        self,
        position: Position,
        seat: Seat,
        *,
        budget: int,
        width: int,
        impatience: int,
        stop: Callable[[], bool],
    ) -> None:
        unit = position.seating.units[seat]
        rivals = [other for other in position.active if other not in unit]
        weight = OWN_WEIGHT if len(rivals) > 1 else 1
        self.sides: tuple[list[Army], list[Army]] = (
            armies_of(position, seat, weight),
            [army for rival in rivals for army in armies_of(position, rival, 1)],
        )
        self.marbles: list[int] = list(position.marbles)
        self.occupied: int = position.occupied
        self.effort = [
            sum(self.marbles[army.colour].bit_count() for army in side) for side in self.sides
        ]
        self.budget = budget
        self.width = width
        self.impatience = impatience * weight
        self.stop = stop
        self.known: tuple[dict[tuple[int, ...], Entry], dict[tuple[int, ...], Entry]] = ({}, {})

    def best(self, shuffle: Callable[[list[Step]], None]) -> Move:
        """The best move found within the budget; *shuffle* decides between equals."""
        steps = self.steps(0) or self.steps(0, every=True)
        shuffle(steps)
        steps.sort(key=itemgetter(0), reverse=True)
        score = self.cost_of(1) - self.cost_of(0)
        try:
            for depth in range(2, DEEPEST + 1):
                if abs(self._look(steps, depth, score)) >= WIN or len(steps) == 1:
                    break
        except OutOfBudget:
            pass
        return as_move(steps[0])

    def _look(self, steps: list[Step], depth: int, score: int) -> int:
        """Search all root steps; the best so far stands in front, also when cut short."""
        best = -INFINITE
        for number, step in enumerate(steps):
            penalty = self.impatience if step[0] <= 0 else 0
            value = self.value(0, step, depth, best + penalty, INFINITE, score) - penalty
            if value > best:
                best = value
                steps.insert(0, steps.pop(number))
        return best

    def value(self, side: int, step: Step, depth: int, alpha: int, beta: int, score: int) -> int:
        """What *step* is worth to *side*, searched *depth* moves deep, itself the first."""
        gain, army, origin, target = step
        change = origin | target
        self.marbles[army.colour] ^= change
        self.occupied ^= change
        if not army.fill & ~self.occupied and self.has_finished(side, army.seat):
            value = WIN + depth
        else:
            value = -self.search(1 - side, depth - 1, -beta, -alpha, -score - gain)
        self.marbles[army.colour] ^= change
        self.occupied ^= change
        return value

    def search(self, side: int, depth: int, alpha: int, beta: int, score: int) -> int:
        """The score that *side*, to move, reaches in *depth* moves; *score* is the one now."""
        self.budget -= self.effort[side]
        if self.budget < 0 or self.stop():
            raise OutOfBudget
        if depth == 1:
            return score + self.best_gain(side)
        known = self.known[side]
        key = tuple(self.marbles)
        entry = known.get(key)
        if entry is not None and entry[0] >= depth:
            _, value, bound, _, _ = entry
            if bound == 0 or (bound > 0 and value >= beta) or (bound < 0 and value <= alpha):
                return value
        steps = self.steps(side)
        if not steps:  # a pass, or as good as one
            return -self.search(1 - side, depth - 1, -beta, -alpha, -score)
        steps.sort(key=itemgetter(0), reverse=True)
        del steps[self.width :]
        if entry is not None:
            _bring_forward(steps, entry[3], entry[4])
        best, best_step, floor = -INFINITE, steps[0], alpha
        for step in steps:
            value = self.value(side, step, depth, alpha, beta, score)
            if value > best:
                best, best_step = value, step
                if value > alpha:
                    alpha = value
                    if alpha >= beta:
                        break
        bound = 1 if best >= beta else -1 if best <= floor else 0
        known[key] = (depth, best, bound, best_step[2], best_step[3])
        return best

    def steps(self, side: int, *, every: bool = False) -> list[Step]:
        """The moves of *side*, with *every* also those that lose much, in no order."""
        return list_steps(self.sides[side], self.occupied, self.marbles, every=every)

    def best_gain(self, side: int) -> int:
        """The greatest gain of any move of *side*; 0 where it has none that gains."""
        best = 0
        for army in self.sides[side]:
            cost, onward = army.cost, army.onward
            for origin, reach in army.destinations(self.occupied, self.marbles[army.colour]):
                left = reach & onward[origin]
                before = cost[origin] - best
                while left:
                    target = left & -left
                    left ^= target
                    if cost[target] < before:
                        best += before - cost[target]
                        before = cost[target]
        return best

    def has_finished(self, side: int, seat: Seat) -> bool:
        """Whether every army of *seat* fills its target."""
        return all(fills(army, self.marbles) for army in self.sides[side] if army.seat == seat)

    def cost_of(self, side: int) -> int:
        """What the marbles of *side* pay."""
        return sum(pays(army, self.marbles[army.colour]) for army in self.sides[side])


def _bring_forward(steps: list[Step], origin: int, target: int) -> None:
    for number, step in enumerate(steps):
        if step[2] == origin and step[3] == target:
            steps.insert(0, steps.pop(number))
            return
