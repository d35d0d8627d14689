"""The marbles of one colour as the search moves them: everything in masks, looked up, not computed.

A hole is a mask with one bit here, as in `sternhalma.movegen`, whose moves these tables prune.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sternhalma import Hole, Lane, Move, Position, Seat
from sternhalma.movegen import moves_for
from sternhalma.rules import HOST_COUNTS_AFTER, Filling
from sternhalma_bot.bots.costs import hole_costs

SLACK: Final = 1  # the greatest loss of a move that is looked at at all


@dataclass(frozen=True, slots=True)
class Army:
    """One colour of one seat.

    `cost` is what a marble pays in a hole, `onward` the holes where a marble there may be moved to
    without losing much, `helpers` the colours that help to fill the target.
    """

    seat: Seat
    colour: int
    fill: int
    destinations: Callable[[int, int], list[tuple[int, int]]]
    cost: dict[int, int]
    onward: dict[int, int]
    helpers: tuple[int, ...]


# gain, army, origin and target; the holes as masks
Step = tuple[int, Army, int, int]


def armies_of(position: Position, seat: Seat, weight: int) -> list[Army]:
    """The armies of *seat*, as they stand in *position*, all their costs times *weight*."""
    armies: list[Army] = []
    for lane in position.seating.lanes_of[seat]:
        cost, onward = _tables(hole_costs(position, lane), weight)
        armies.append(
            Army(
                seat=seat,
                colour=lane.colour,
                fill=lane.fill,
                destinations=moves_for(position.seating)[lane.colour].destinations,
                cost=cost,
                onward=onward,
                helpers=_helpers(position, seat, lane),
            )
        )
    return armies


def list_steps(
    armies: Sequence[Army], occupied: int, marbles: Sequence[int], *, every: bool = False
) -> list[Step]:
    """The moves of *armies*, with *every* also those that lose much, in no order.

    *occupied* is every marble on the board, *marbles* those of each colour.
    """
    found: list[Step] = []
    for army in armies:
        cost, onward = army.cost, army.onward
        for origin, reach in army.destinations(occupied, marbles[army.colour]):
            left = reach if every else reach & onward[origin]
            before = cost[origin]
            while left:
                target = left & -left
                left ^= target
                found.append((before - cost[target], army, origin, target))
    return found


def as_move(step: Step) -> Move:
    """*step* as the engine writes it."""
    _, _, origin, target = step
    return Move((Hole(origin.bit_length() - 1), Hole(target.bit_length() - 1)))


def fills(army: Army, marbles: Sequence[int]) -> bool:
    """Whether *army* fills its target, with the help of those who may help."""
    own = there = marbles[army.colour]
    for colour in army.helpers:
        there |= marbles[colour]
    return bool(own & army.fill) and not army.fill & ~there


def pays(army: Army, marbles: int) -> int:
    """What *marbles* of *army* pay together."""
    return sum(cost for hole, cost in army.cost.items() if hole & marbles)


@lru_cache(maxsize=1024)
def _tables(costs: tuple[int, ...], weight: int) -> tuple[dict[int, int], dict[int, int]]:
    onward = {
        limit: sum(1 << hole for hole, cost in enumerate(costs) if cost <= limit + SLACK)
        for limit in set(costs)
    }
    return (
        {1 << hole: cost * weight for hole, cost in enumerate(costs)},
        {1 << hole: onward[cost] for hole, cost in enumerate(costs)},
    )


def _helpers(position: Position, seat: Seat, lane: Lane) -> tuple[int, ...]:
    """The colours whose marbles in the target count; see rule table `Filling` of the engine."""
    gone = {colour for unit in position.out for s in unit for colour in _colours(position, s)}
    match position.rules.filling:
        case Filling.OWN:
            helping: set[int] = set()
        case Filling.HOST_LATER:
            late = min(position.counts[s] for s in position.active) >= HOST_COUNTS_AFTER
            helping = {lane.opposite} if late else set()
        case Filling.ANY:
            partner = position.seating.partners[seat]
            helping = set(range(len(position.marbles)))
            if partner is not None:
                helping -= _colours(position, partner)
    return tuple(sorted(helping | gone))


def _colours(position: Position, seat: Seat) -> set[int]:
    return {lane.colour for lane in position.seating.lanes_of[seat]}
