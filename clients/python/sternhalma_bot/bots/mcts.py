"""Monte Carlo tree search, as it has been published for Chinese Checkers.

Where the search leaves its tree the game is played on: each player makes the move that gains most
or, now and then, any other. After a few moves that is cut off, and who is how far ahead becomes a
share of a point for each seat. Each seat goes after its own share, so that one tree does for any
number of players. What a move came to wherever it was made leads the search where a position has
hardly been visited: "progressive history" (P. Nijssen and M. Winands, "Enhancements for
multi-player Monte-Carlo tree search", 2011).

The budget counts marbles whose moves are looked for, as that of `lookahead` does, so that the
answer depends on the seed and the position alone.
"""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

import sternhalma
from sternhalma_bot.bots.army import Army, Step, armies_of, as_move, fills, list_steps, pays
from sternhalma_bot.turn import Turn

BUDGET: Final = 8_000  # marbles whose moves are looked for
LONG_HOPS: Final = 4  # how much dearer a marble is with long hops
A_PLAYOUT: Final = 10  # marbles that one counts for beside, since one may end at once
BREADTH: Final = 10  # moves of a position that enter the tree: those that gain most
EPSILON: Final = 0.05  # how often a playout makes any move
CUT_OFF: Final = 4  # moves of a playout
EXPLORATION: Final = 0.2
HISTORY: Final = 1.0
SCALE: Final = 8  # of cost: who is so far ahead has about three quarters of a point
BRAKE: Final = 0.5  # of the time left for the move

Made = tuple[int, int, int]  # a move wherever it is made: colour, origin and target
Branch = tuple[Step, "Tally", "Node"]  # a move of a position, how it did, and where it leads


@dataclass(slots=True, eq=False)
class Tally:
    """How often something was tried, and what it came to for who tried it."""

    visits: int = 0
    points: float = 0.0

    def add(self, points: float) -> None:
        """Count one more."""
        self.visits += 1
        self.points += points

    @property
    def mean(self) -> float:
        """Points for each visit; a half where there was none."""
        return self.points / self.visits if self.visits else 0.5


@dataclass(slots=True, eq=False)
class Node:
    """A position in the tree: who is to move, and where the moves lead that were tried."""

    seat: int
    visits: int = 0
    waiting: list[Step] | None = None  # moves that were not tried yet, the best last
    children: list[Branch] = field(default_factory=list[Branch])


class Table:
    """The marbles as they are moved to and fro in a search, and what they pay."""

    def __init__(self, position: sternhalma.Position) -> None:
        self.seats: tuple[int, ...] = position.active
        self.armies: dict[int, list[Army]] = {
            seat: armies_of(position, seat, 1) for seat in position.active
        }
        self.units = position.seating.units
        self.marbles: list[int] = list(position.marbles)
        self.occupied: int = position.occupied
        self.paid: dict[int, int] = {
            seat: sum(pays(army, self.marbles[army.colour]) for army in armies)
            for seat, armies in self.armies.items()
        }
        self.effort = 0  # marbles whose moves were looked for

    def after(self, seat: int) -> int:
        """Who moves after *seat*."""
        return self.seats[(self.seats.index(seat) + 1) % len(self.seats)]

    def steps(self, seat: int, *, every: bool = False) -> list[Step]:
        """The moves of *seat*, see `list_steps`."""
        armies = self.armies[seat]
        self.effort += sum(self.marbles[army.colour].bit_count() for army in armies)
        return list_steps(armies, self.occupied, self.marbles, every=every)

    def move(self, step: Step) -> None:
        """Make *step*."""
        gain, army, origin, target = step
        self.marbles[army.colour] ^= origin | target
        self.occupied ^= origin | target
        self.paid[army.seat] -= gain

    def back(self, step: Step) -> None:
        """Unmake *step*."""
        gain, army, origin, target = step
        self.move((-gain, army, origin, target))

    def has_finished(self, seat: int) -> bool:
        """Whether *seat* fills all its targets."""
        return all(fills(army, self.marbles) for army in self.armies[seat])

    def shares(self) -> dict[int, float]:
        """For each seat its share of a point as things stand; partners have the same."""
        finished = {seat for seat in self.seats if self.has_finished(seat)}
        together = {
            seat: sum(self.paid.get(member, 0) for member in self.units[seat])
            for seat in self.seats
        }
        shares: dict[int, float] = {}
        for seat in self.seats:
            unit = self.units[seat]
            if finished:
                shares[seat] = float(not finished.isdisjoint(unit))
            else:
                rivals = [together[other] for other in self.seats if other not in unit]
                lead = min(rivals, default=0) - together[seat]
                shares[seat] = 1 / (1 + math.exp(-lead / SCALE))
        return shares


class Tree:
    """One search of *position*; *rng* is its chance."""

    def __init__(self, position: sternhalma.Position, rng: random.Random) -> None:
        self.table = Table(position)
        self.rng = rng
        self.history: defaultdict[Made, Tally] = defaultdict(Tally)
        seat = position.turn or 0
        steps = self.table.steps(seat) or self.table.steps(seat, every=True)
        self.root = Node(seat, waiting=self._chosen(steps))

    def best(self) -> Step:
        """The move tried most often, of those the one that came to most."""
        step, _, _ = max(self.root.children, key=lambda child: (child[1].visits, child[1].points))
        return step

    def playout(self) -> None:
        """Go down the tree and on to the cut-off, and note what it came to."""
        self.table.effort += A_PLAYOUT
        node, nodes = self.root, [self.root]
        steps: list[Step] = []
        tallies: list[Tally] = []
        is_new = is_over = False
        while not is_new and not is_over:
            is_new = bool(node.waiting)
            step, tally, node = self._grown(node) if is_new else self._most_urgent(node)
            self.table.move(step)
            steps.append(step)
            tallies.append(tally)
            nodes.append(node)
            is_over = self.table.has_finished(step[1].seat) or not self._can_go_on(node)
        if not is_over:
            steps += self._played_on(node.seat)
        shares = self.table.shares()
        for node in nodes:
            node.visits += 1
        for step, tally in zip(steps, tallies, strict=False):
            tally.add(shares[step[1].seat])
        for step in reversed(steps):
            self.history[_made(step)].add(shares[step[1].seat])
            self.table.back(step)

    def _can_go_on(self, node: Node) -> bool:
        """Whether a move leads on from *node*, where the marbles stand now."""
        if node.waiting is None:
            node.waiting = self._chosen(self.table.steps(node.seat))
        return bool(node.waiting or node.children)

    def _chosen(self, steps: list[Step]) -> list[Step]:
        self.rng.shuffle(steps)
        steps.sort(key=itemgetter(0))
        return steps[-BREADTH:]

    def _grown(self, node: Node) -> Branch:
        assert node.waiting
        child = node.waiting.pop(), Tally(), Node(self.table.after(node.seat))
        node.children.append(child)
        return child

    def _most_urgent(self, node: Node) -> Branch:
        known = math.log(node.visits)

        def urgency(child: Branch) -> float:
            step, tally, _ = child
            lost = tally.visits - tally.points
            return (
                tally.mean
                + EXPLORATION * math.sqrt(known / tally.visits)
                + HISTORY * self.history[_made(step)].mean / (lost + 1)
            )

        return max(node.children, key=urgency)

    def _played_on(self, seat: int) -> list[Step]:
        played: list[Step] = []
        for _ in range(CUT_OFF):
            if steps := self.table.steps(seat):
                any_move = self.rng.random() < EPSILON
                step = self.rng.choice(steps) if any_move else max(steps, key=itemgetter(0))
                self.table.move(step)
                played.append(step)
                if self.table.has_finished(seat):
                    break
            seat = self.table.after(seat)
        return played


def choose(turn: Turn) -> sternhalma.Move:
    """The move tried most often when the budget is spent."""
    position = turn.game.position
    began = time.monotonic()
    brake = None if turn.time_left is None else began + BRAKE * turn.time_left
    tree = Tree(position, turn.rng)
    budget = BUDGET // (LONG_HOPS if position.rules.long else 1)
    while True:
        tree.playout()
        if tree.table.effort > budget or (brake is not None and time.monotonic() > brake):
            return as_move(tree.best())


def _made(step: Step) -> Made:
    _, army, origin, target = step
    return army.colour, origin, target
