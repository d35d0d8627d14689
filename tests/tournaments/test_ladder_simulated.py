"""Ladders of bots whose true strengths are known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import pytest

from sternhalma_tournament.bradley_terry import ELO
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.ladder import LadderScheduler
from sternhalma_tournament.plackett_luce import FinishingOrder
from sternhalma_tournament.ratings import Ratings, rate
from sternhalma_tournament.schedule import Pairing
from tournaments.results import game


@dataclass
class World:
    """True strengths, and the games played so far, each decided by Plackett and Luce's model."""

    sides: int
    seed: int
    true: dict[str, float] = field(default_factory=dict[str, float])
    orders: list[FinishingOrder] = field(default_factory=list[FinishingOrder])

    def __post_init__(self) -> None:
        self.chance = Chance(f"world {self.seed}")
        self.scheduler = LadderScheduler(self.sides, seed=self.seed)

    def join(self, name: str, strength: float) -> None:
        self.true[name] = strength
        self.scheduler.join(Entry(name, (name,)))

    def play(self, names: Sequence[str]) -> FinishingOrder:
        times = [self.true[name] / ELO - math.log(-math.log(self.chance.unit())) for name in names]
        places = tuple(1 + sum(other > time for other in times) for time in times)
        self.orders.append(FinishingOrder(tuple(names), places))
        return self.orders[-1]

    def ladder(self) -> FinishingOrder:
        """The next game of the ladder."""
        pairing = self.scheduler.next(dict.fromkeys(self.true, 1))
        assert pairing is not None
        order = self.play(pairing.entries)
        self.scheduler.finish(game(pairing.number, order.entries, order.places))
        return order

    def at_random(self, name: str | None = None) -> FinishingOrder:
        """A game of anybody, or of *name* and anybody."""
        names = sorted(self.true.keys() - {name})
        self.chance.shuffle(names)
        return self.play(([name] if name else names[:1]) + names[1 : self.sides])


def field_of(size: int, sides: int, seed: int) -> World:
    world = World(sides, seed)
    for number in range(size):
        world.join(f"n{number}", 40.0 * (number - (size - 1) / 2))
    return world


def in_order(believed: dict[str, float], world: World) -> float:
    """The share of all twos that are in the right order."""
    twos = [(one, other) for one in world.true for other in world.true if one < other]
    right = sum(
        (believed[one] > believed[other]) == (world.true[one] > world.true[other])
        for one, other in twos
    )
    return right / len(twos)


def fitted(ratings: Ratings) -> dict[str, float]:
    return {row.name: row.rating for row in ratings.rows if row.rating is not None}


def newcomers_interval(*, sides: int, seed: int, strength: float, laddered: bool) -> float:
    """The width of the newcomer's interval after its first 20 games, in Elo."""
    world = field_of(20, sides, seed)
    for _ in range(400 // sides):
        if laddered:
            world.ladder()
        else:
            world.at_random()
    world.join("late", strength)
    played = 0
    while played < 20:
        order = world.ladder() if laddered else world.at_random("late")
        played += "late" in order.entries
    row = rate(world.orders).row("late")
    assert row.high is not None
    assert row.low is not None
    return row.high - row.low


@pytest.mark.parametrize("sides", [2, 4])
def test_after_forty_games_each_the_fit_and_the_filter_know_who_is_stronger(sides: int) -> None:
    world = field_of(16, sides, seed=1)
    for _ in range(16 * 40 // sides):
        world.ladder()
    assert in_order(fitted(rate(world.orders)), world) > 0.9
    believed = {name: world.scheduler.strength(name) for name in world.true}
    assert in_order({name: one.mean for name, one in believed.items()}, world) > 0.9
    mean = sum(one.mean for one in believed.values()) / len(believed)
    errors = [
        (one.mean - mean - world.true[name]) / one.deviation for name, one in believed.items()
    ]
    assert 0.3 < math.sqrt(sum(error**2 for error in errors) / len(errors)) < 2


@pytest.mark.parametrize(("sides", "strength"), [(2, 0.0), (2, 350.0), (4, 350.0)])
def test_newcomers_are_known_sooner_than_by_games_against_anybody(
    sides: int, strength: float
) -> None:
    laddered, at_random = (
        sorted(
            newcomers_interval(sides=sides, seed=seed, strength=strength, laddered=way)
            for seed in range(5)
        )[2]
        for way in (True, False)
    )
    assert laddered < at_random


def test_everybody_is_known_better_than_after_as_many_games_of_anybody() -> None:
    laddered, at_random = field_of(16, 2, seed=2), field_of(16, 2, seed=2)
    for _ in range(320):
        laddered.ladder()
        at_random.at_random()

    def unsure(world: World) -> float:
        rows = rate(world.orders).rows
        return sum((row.high or 0) - (row.low or 0) for row in rows)

    assert unsure(laddered) < 0.95 * unsure(at_random)


@pytest.mark.parametrize(("size", "sides"), [(4, 2), (6, 2), (9, 3), (12, 4)])
def test_everybody_meets_everybody_even_if_all_of_them_could_play_at_once(
    size: int, sides: int
) -> None:
    scheduler, chance = LadderScheduler(sides), Chance("lengths")
    free = {f"n{number}": 1 for number in range(size)}
    for name in free:
        scheduler.join(Entry(name, (name,)))
    met: set[frozenset[str]] = set()
    running: list[Pairing] = []
    for _ in range(600):
        while pairing := scheduler.next(free):
            scheduler.start(pairing)
            running.append(pairing)
            met.update(map(frozenset, combinations(pairing.entries, 2)))
            free.update(dict.fromkeys(pairing.entries, 0))
        # Whichever ends, it ends alone.
        ended = running.pop(chance.below(len(running)))
        free.update(dict.fromkeys(ended.entries, 1))
        scheduler.finish(game(ended.number, ended.entries, range(1, sides + 1)))
    assert len(met) == math.comb(size, 2)
