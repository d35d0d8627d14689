"""What becomes of a league of the soak: how many bots, which events, and when its servers end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from bench.soak.league_checks import Stored

SLOTS: Final = 4  # one for each event, and one for the ladder
GONE: Final = 7  # the number of the bot that is taken out of the league while it plays an event
OF_GONE: Final = "four"  # that event
SPREAD: Final = 6
HALF: Final = 0.5

LEAGUE: Final = (
    'name = "soak"\nevents = ["ladder.toml"]\nparallel = 8\nseason = { points = [5, 3, 2, 1] }\n'
)
LADDER: Final = (
    'name = "ladder"\nformat = "ladder"\nrules = "tara"\nplayers = 2\nclock = "20s"\nlimit = 20\n'
    f'opening = 4\nparallel = 6\nspread = {SPREAD}\nbudgets = {{ restart = "10s" }}\n'
)
_EVENT: Final = (
    'rules = "tara"\nclock = "20s"\nlimit = 20\nat_limit = "progress"\nopening = 2\nparallel = 1\n'
    'budgets = { ready = "8s", restart = "10s" }\n'
)


@dataclass(frozen=True, slots=True)
class Life:
    """One server of the league: until which part of the whole time it lives, and how it ends."""

    until: float
    end: Literal["kill", "stop"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A league of *bots*, of which *late* join later and the first *in_events* play events too.

    Its servers live one after the other, the first *old_lives* of them of an older version.
    """

    bots: int
    late: int
    in_events: int
    lives: tuple[Life, ...]
    old_lives: int = 0

    @property
    def kill(self) -> float:
        """When the server is killed that is killed nearest to half of the time."""
        kills = [life.until for life in self.lives if life.end == "kill"]
        return min(kills, key=lambda until: abs(until - HALF))


AN_EVENING: Final = Shape(20, 4, 12, (Life(HALF, "kill"), Life(1, "stop")))
# The machine crashes on four of seven days, and is brought up to date after the second.
A_WEEK: Final = Shape(
    bots=60,
    late=12,
    in_events=24,
    lives=(
        Life(1 / 7, "kill"),
        Life(2 / 7, "stop"),
        Life(3 / 7, "kill"),
        Life(4 / 7, "stop"),
        Life(5 / 7, "kill"),
        Life(6 / 7, "kill"),
        Life(1, "stop"),
    ),
    old_lives=2,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """An event: its file and who plays it; when it is added, started, paused and started again.

    Those are parts of the whole time, and seconds beyond.
    """

    name: str
    file: str
    bots: Sequence[int]
    add: float
    start: tuple[float, float]
    pause: float | None
    resume: float


def plans(minutes: float, shape: Shape) -> list[Plan]:
    """The events of a league of *shape* that is open for so many *minutes*.

    The one that is over soonest is started just before a kill.
    """
    everybody = f'name = "everybody"\nplayers = 2\ncycles = {2 * round(1.2 * minutes)}\n{_EVENT}'
    swiss = f'name = "swiss"\nformat = "swiss"\nplayers = 2\nrounds = 9\n{_EVENT}'
    odd = [number for number in range(shape.in_events) if number != GONE]  # somebody has a bye
    four = f'name = "{OF_GONE}"\nplayers = 4\ncycles = {round(2 * minutes)}\n{_EVENT}'
    some = range(4, min(12, shape.in_events))
    return [
        Plan("everybody", everybody, range(8), 0.03, (0.05, 0), 0.2, 0.27),
        Plan("swiss", swiss, odd, 0.1, (shape.kill, -2.5), None, 0),
        Plan(OF_GONE, four.replace("tara", "corner"), some, 0.15, (0.17, 0), 0.3, 0.6),
    ]


@dataclass(slots=True)
class Tally:
    """What was done, and how much memory the servers had, settled and in the end."""

    commands: int = 0
    joined: int = 0
    removed: int = 0
    left: int = 0
    versions: int = 0
    pauses: int = 0
    kills: int = 0
    stops: int = 0
    memory: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # bytes
    kept: dict[tuple[str, int], Stored] = field(default_factory=dict[tuple[str, int], Stored])
    begun: int = 0  # games that kills found running
    told: set[str] = field(default_factory=set[str])  # whose end was told before the last server
    problems: list[str] = field(default_factory=list[str])
    seconds: float = 0.0
