"""One schedule's games, begun in no fixed order and yet nearly evenly.

There is no round barrier: a game may begin as soon as its bots are free. What holds the field
together is a bound on the spread of games begun, so that neither can one slow bot stop everybody
nor do counts drift apart. For two entries of one group (challengers, field) that are present:

- A game may begin if nobody in it gets more than the spread ahead of the one that is most behind.
  Games to come earlier in the order count as played for this, so that they stay possible.
- Besides, the next game of the one that is most behind may begin. Without absences this adds
  nothing; after an absence it lets the returned catch up instead of waiting for ever.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from sternhalma_tournament.backlog import Backlog, Passed
from sternhalma_tournament.presence import Free, Needs
from sternhalma_tournament.schedule import Pairing, Schedule


@dataclass(frozen=True, slots=True)
class _View:
    """Who is there now, and what that means.

    `first` is the number of the next game of each entry that is present, with everybody in it
    present; `floor` the fewest games begun of those in each group.
    """

    free: Free
    present: set[str]
    first: dict[str, int]
    floor: dict[bool, int]
    spread: int

    def most(self, group: bool) -> int:
        """As many games may anybody in *group* have begun."""
        return self.floor.get(group, 0) + self.spread


class Lane:
    """Games of *schedule*, every entry on *seats* seats of a game, begun at most *spread* apart."""

    def __init__(self, schedule: Schedule, seats: int = 1, spread: int = 2) -> None:
        self.schedule = schedule
        self.spread = max(spread, schedule.table.spread)
        self._needs = Needs.of(schedule.entries, seats)
        self._group = {
            entry.name: place < schedule.challengers for place, entry in enumerate(schedule.entries)
        }
        self._backlog = Backlog(schedule)
        self._running: dict[int, Pairing] = {}
        self._withdrawn: dict[str, bool] = {}  # whether its games are forfeited

    @property
    def done(self) -> bool:
        """Whether all games have ended and none is to come."""
        if self._running or len(self._backlog):
            return False
        return self._backlog.look_further(self._group) is None

    @property
    def games(self) -> int:
        """All games but those left out so far for withdrawn entries."""
        return len(self.schedule) - self._backlog.left_out

    @property
    def held(self) -> int:
        """How many games are held because they were passed over."""
        return len(self._backlog)

    def to_come(self, entry: str) -> bool:
        """Whether *entry* may have games that have not begun."""
        return not self._backlog.exhausted or any(
            entry in game.pairing.entries for game in self._backlog
        )

    def begun(self, entry: str) -> int:
        """How many games of *entry* have begun."""
        return self._backlog.begun[entry]

    def next(self, free: Free) -> Pairing | None:
        """The first game in the order that may begin now."""
        plain = self._plainly_next(free)
        if plain is not None:
            return plain
        view = self._look(free)
        for game in self._backlog:
            if self._may_begin(game, view):
                return game.pairing
        idle = [name for name in view.present if self._ready((name,), free)]
        while any(self._backlog.turns[name] < view.most(self._group[name]) for name in idle):
            ahead = self._backlog.look_further(view.present)
            if ahead is None:
                break
            if self._may_begin(ahead, view):
                return ahead.pairing
        return None if self._running else self._last_resort(view)

    def _plainly_next(self, free: Free) -> Pairing | None:
        """The next game if that can be told without looking at everybody, else None.

        It is the first one passed over of which all are free, if that puts nobody too far ahead
        even of those who are away: the usual case, and a thousand games begin at once by it.
        """
        if self.schedule.challengers:
            return None
        most = min(self._backlog.begun.values()) + self.spread
        for game in self._backlog:
            names = game.pairing.entries
            if self._ready(names, free) and all(self._present(name, free) for name in names):
                fits = all(self._turn(game, name) <= most for name in names)
                return game.pairing if fits else None
        return None

    def start(self, pairing: Pairing) -> None:
        """The game has begun; ValueError if it has begun before or is not of this schedule."""
        known = self.schedule.pairing(pairing.number)
        if self._backlog.lacks(known) and pairing.number not in self._running:
            self._backlog.begin_left_out(known)
        else:
            self._backlog.begin(pairing)
        self._running[pairing.number] = pairing

    def release(self, number: int) -> None:
        """Put a running game back to its place in the order."""
        pairing = self._running.pop(number, None)
        if pairing is None:
            raise ValueError(f"expected the number of a running game, got {number!r}")
        self._backlog.put_back(pairing)

    def finish(self, number: int) -> None:
        """The game has ended; one that had not begun is taken as begun."""
        if number not in self._running:
            self.start(self.schedule.pairing(number))
        del self._running[number]

    def resume(self, numbers: Iterator[int]) -> None:
        """Games have ended, in order of *numbers*; whole cycles are taken at once."""
        through = self.schedule.before
        beyond: tuple[int, ...] = ()
        for number in numbers:
            if number != through + 1:
                beyond = (number,)
                break
            through = number
        self._backlog.skip(through)
        for number in chain(beyond, numbers):
            self.finish(number)

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """*entry* plays no more; its games that have not begun are left out or forfeited."""
        self._check(entry)
        self._withdrawn[entry] = forfeit
        if not forfeit:
            self._backlog.take_out(entry)

    def reinstate(self, entry: str) -> None:
        """*entry* plays again; before any game has been looked at."""
        self._check(entry)
        self._withdrawn.pop(entry, None)
        self._backlog.take_in(entry)

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing."""
        self._check(entry)
        if entry in self._withdrawn:
            return f"{entry} is withdrawn"
        lack = self._needs.lack(entry, free)
        if lack:
            return lack
        self.next(free)  # looks ahead as far as it would for a game
        games = [game for game in self._backlog if entry in game.pairing.entries]
        if games:
            full = (g for g in games if all(self._present(n, free) for n in g.pairing.entries))
            return self._why_not(entry, next(full, games[0]), free)
        if self._backlog.exhausted:
            return f"{entry} has begun all its games"
        return f"{entry} waits for games that come before its next one"

    def _why_not(self, entry: str, game: Passed, free: Free) -> str:
        number = game.pairing.number
        others = [name for name in game.pairing.entries if name != entry]
        for name in others:
            if not self._present(name, free):
                return f"{entry} waits for {name}, who is not connected (game {number})"
        for name in others:
            if not self._ready((name,), free):
                return f"{entry} waits for {name}, who is playing (game {number})"
        if self.next(free) == game.pairing:
            return f"{entry} may begin game {number} as soon as the server has room for it"
        view = self._look(free)
        for name in game.pairing.entries:
            if self._turn(game, name) > view.most(self._group[name]):
                return f"{entry} waits because {self._ahead(name, view)} (game {number})"
        return f"{entry} may begin game {number} after games that come before it"

    def _ahead(self, name: str, view: _View) -> str:
        group = [other for other in view.first if self._group[other] == self._group[name]]
        behind = min(group, key=lambda other: (self.begun(other), other))
        gap = self.begun(name) - self.begun(behind)
        return f"{name} is {gap} games ahead of {behind} and may be {self.spread}"

    def _present(self, name: str, free: Free) -> bool:
        if name in self._withdrawn:
            return self._withdrawn[name]
        return self._needs.present(name, free)

    def _ready(self, names: Iterable[str], free: Free) -> bool:
        return self._needs.ready([name for name in names if name not in self._withdrawn], free)

    def _turn(self, game: Passed, name: str) -> int:
        return max(game.turn[name], self.begun(name) + 1)

    def _may_begin(self, game: Passed, view: _View) -> bool:
        if not self._could_begin(game, view):
            return False
        names = game.pairing.entries
        ahead = {
            self._group[name]
            for name in names
            if self._turn(game, name) > view.most(self._group[name])
        }
        return ahead <= {self._group[name] for name in names if self._is_behind(name, game, view)}

    def _could_begin(self, game: Passed, view: _View) -> bool:
        names = game.pairing.entries
        return view.present.issuperset(names) and self._ready(names, view.free)

    def _is_behind(self, name: str, game: Passed, view: _View) -> bool:
        """Whether *game* is the next one of a most-behind entry."""
        behind = self.begun(name) == view.floor.get(self._group[name])
        return behind and view.first[name] == game.pairing.number

    def _last_resort(self, view: _View) -> Pairing | None:
        """With two groups the returned of one may wait for the returned of the other, for ever."""
        for game in self._backlog:
            behind = any(self._is_behind(name, game, view) for name in game.pairing.entries)
            if behind and self._could_begin(game, view):
                return game.pairing
        return None

    def _look(self, free: Free) -> _View:
        present = {name for name in self._group if self._present(name, free)}
        first = self._first_games(present)
        floor: dict[bool, int] = {}
        for name in first:
            group, begun = self._group[name], self.begun(name)
            floor[group] = min(begun, floor.get(group, begun))
        return _View(free, present, first, floor, self.spread)

    def _first_games(self, present: set[str]) -> dict[str, int]:
        """The number of the next game of each entry that is present with everybody in it present.

        Looks ahead until everybody has one, as far as that goes.
        """
        first: dict[str, int] = {}
        games = iter(self._backlog)
        while len(first) < len(present):
            game = next(games, None) or self._backlog.look_further(present)
            if game is None:
                break
            if present.issuperset(game.pairing.entries):
                for name in game.pairing.entries:
                    first.setdefault(name, game.pairing.number)
        return first

    def _check(self, entry: str) -> None:
        if entry not in self._group:
            raise ValueError(f"expected an entry of the event, got {entry!r}")
