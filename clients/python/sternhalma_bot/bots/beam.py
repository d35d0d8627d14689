"""Two moves of its own at once: a beam over what its army could do if nobody were in the way.

The hop that a first move makes possible is what wins games, and to see it takes no opponent. So the
beam makes its own moves only, one after the other, and keeps the best lines after each. Against
others it looks two moves ahead, for more than that they do not leave alone. Once all of them are
behind it looks to the end: then the rest is a puzzle.

A marble pays more for a hole the farther behind it is (`_dear`). With plain costs an army alone on
the board crosses in 29 or 30 moves, with these in 27, which is known to be the least (G. Bell, "The
shortest game of Chinese Checkers and related problems", 2009).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import sternhalma
from sternhalma_bot.bots.army import Army, Step, armies_of, as_move, fills, list_steps
from sternhalma_bot.turn import Turn

WIDTH: Final = 40  # lines kept after each move
DEPTH: Final = 2  # moves, while others are in the way
TO_THE_END: Final = 60


class Line(NamedTuple):
    """Some moves of one army, the `first` of them, and where all marbles are after them.

    `worth` is what they gain, then what the first of them gains and what its marble paid before:
    of lines that gain the same the one is best that gains early, and for the rearmost marble.
    """

    worth: tuple[int, int, int]
    first: Step
    marbles: tuple[int, ...]


def choose(turn: Turn) -> sternhalma.Move:
    """The first move of the best line; the shortest line that finishes is the best of all."""
    position, seat = turn.game.position, turn.game.turn or sternhalma.Seat(0)
    armies = armies_of(position, seat, 1)
    steps = list_steps(armies, position.occupied, position.marbles) or list_steps(
        armies, position.occupied, position.marbles, every=True
    )
    turn.rng.shuffle(steps)
    lines = [_begun(step, position.marbles) for step in steps]
    for _ in range((TO_THE_END if _is_alone(armies, position.marbles) else DEPTH) - 1):
        beam = _best(lines)
        if any(_has_finished(armies, line) for line in beam):
            break
        lines = [after for line in beam for after in _continued(armies, line)] or lines
    finished = [line for line in _best(lines) if _has_finished(armies, line)]
    return as_move(max(finished or lines, key=attrgetter("worth")).first)


def _begun(step: Step, marbles: tuple[int, ...]) -> Line:
    gain = _gain(step)
    _, army, origin, _ = step
    return Line((gain, gain, army.cost[origin]), step, _after(step, marbles))


def _continued(armies: Sequence[Army], line: Line) -> Iterator[Line]:
    (gain, early, before), first, marbles = line
    for step in list_steps(armies, sum(marbles), marbles):
        yield Line((gain + _gain(step), early, before), first, _after(step, marbles))


def _gain(step: Step) -> int:
    _, army, origin, target = step
    return _dear(army.cost[origin]) - _dear(army.cost[target])


def _dear(cost: int) -> int:
    return cost * (64 + cost)


def _after(step: Step, marbles: tuple[int, ...]) -> tuple[int, ...]:
    _, army, origin, target = step
    colour = army.colour
    return (*marbles[:colour], marbles[colour] ^ (origin | target), *marbles[colour + 1 :])


def _best(lines: list[Line]) -> list[Line]:
    """The best lines, of those that lead to the same marbles only the best."""
    found: dict[tuple[int, ...], Line] = {}
    for line in heapq.nlargest(4 * WIDTH, lines, key=attrgetter("worth")):
        found.setdefault(line.marbles, line)
    return list(found.values())[:WIDTH]


def _has_finished(armies: Sequence[Army], line: Line) -> bool:
    return all(fills(army, line.marbles) for army in armies)


def _is_alone(armies: Sequence[Army], marbles: Sequence[int]) -> bool:
    """Whether no marble of others is as near to a target as the rearmost of its own."""
    own = {army.colour for army in armies}
    others = sum(mask for colour, mask in enumerate(marbles) if colour not in own)
    return all(
        _least(army, others) > max(army.cost[hole] for hole in _bits(marbles[army.colour]))
        for army in armies
    )


def _least(army: Army, marbles: int) -> int:
    return min((army.cost[hole] for hole in _bits(marbles)), default=1_000_000)


def _bits(marbles: int) -> Iterator[int]:
    while marbles:
        low = marbles & -marbles
        yield low
        marbles ^= low
