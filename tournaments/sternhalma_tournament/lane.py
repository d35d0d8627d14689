"""One schedule's games, begun in no fixed order and yet nearly evenly.

There is no round barrier: a game may begin as soon as its bots are free. What holds the field
together is a bound on the spread of games played, so that neither can one slow bot stop everybody
nor do counts drift apart. For two entries of one group (challengers, field) that are present:

- A game may begin if it can put nobody in it more than the spread ahead of anybody, whatever game
  ends first: an entry counts what it has begun, the others count what they have ended, and what
  runs between the two counts for both. Games to come earlier in the order count as begun for this,
  so that they stay possible.
- Besides, the next game of the one that is most behind may begin. Without absences this adds
  nothing; after an absence it lets the returned catch up instead of waiting for ever.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from sternhalma_tournament.backlog import Backlog, Passed
from sternhalma_tournament.presence import Free, Needs, Survey
from sternhalma_tournament.schedule import Pairing, Schedule


@dataclass(frozen=True, slots=True)
class _View:
    """Who is there now, and what that means.

    `first` is the number of the next game of each entry that is present, with everybody in it
    present. `counted` are those with games that run or may come: nobody may get too far ahead of
    them; `ended` counts them in each group by how many games they have ended. `behind` is the
    fewest games that anybody has begun who has some to come.
    """

    hall: Survey
    first: dict[str, int]
    counted: set[str]
    ended: dict[bool, Counter[int]]
    behind: dict[bool, int]

    def floor(self, group: bool) -> int | None:
        """The fewest games that anybody in *group* has ended; None if nobody is there."""
        return min(self.ended[group], default=None)


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
        self._ended = dict.fromkeys(self._group, 0)
        # In how many games each entry is playing with each other one now.
        self._mates: dict[str, Counter[str]] = {name: Counter() for name in self._group}
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
        hall = self._survey(free)
        first = next(self._open(hall), None)
        if first is not None and self._fits_plainly(first):
            return first.pairing
        view = self._look(hall)
        for game in self._open(hall):
            if self._may_begin(game, view):
                return game.pairing
        while any(self._may_look_for(name, view) for name in hall.ready):
            ahead = self._backlog.look_further(hall.present)
            if ahead is None:
                break
            if hall.ready.issuperset(ahead.pairing.entries) and self._may_begin(ahead, view):
                return ahead.pairing
        return None if self._running else self._last_resort(view)

    def _open(self, hall: Survey) -> Iterator[Passed]:
        """What has been passed over and has everybody ready now, in order."""
        ready = hall.ready
        return (game for game in self._backlog if ready.issuperset(game.pairing.entries))

    def _fits_plainly(self, game: Passed) -> bool:
        """Whether it can be told without looking at everybody that *game* may begin.

        That is so if it puts nobody too far ahead even of those who are away: the usual case, and a
        thousand games begin at once by it.
        """
        if self.schedule.challengers:
            return False
        playing = (n for name, n in self._ended.items() if self._withdrawn.get(name, True))
        most = min(playing, default=0) + self.spread
        return all(self._turn(game, name) <= most for name in game.pairing.entries)

    def start(self, pairing: Pairing) -> None:
        """The game has begun; ValueError if it has begun before or is not of this schedule."""
        known = self.schedule.pairing(pairing.number)
        if self._backlog.lacks(known) and pairing.number not in self._running:
            self._backlog.begin_left_out(known)
        else:
            self._backlog.begin(pairing)
        self._running[pairing.number] = pairing
        self._meet(pairing, 1)

    def release(self, number: int) -> None:
        """Put a running game back to its place in the order."""
        pairing = self._running.pop(number, None)
        if pairing is None:
            raise ValueError(f"expected the number of a running game, got {number!r}")
        self._meet(pairing, -1)
        self._backlog.put_back(pairing)

    def finish(self, number: int) -> None:
        """The game has ended; one that had not begun is taken as begun."""
        if number not in self._running:
            self.start(self.schedule.pairing(number))
        pairing = self._running.pop(number)
        self._meet(pairing, -1)
        for name in pairing.entries:
            self._ended[name] += 1

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
        self._ended = self._backlog.begun.copy()
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
            hall = self._survey(free)
            full = [g for g in games if hall.present.issuperset(g.pairing.entries)]
            ready = (g for g in full if hall.ready.issuperset(g.pairing.entries))
            return self._why_not(entry, next(ready, (full or games)[0]), free)
        if self._backlog.exhausted:
            return f"{entry} has begun all its games"
        return f"{entry} waits for games that come before its next one"

    def _why_not(self, entry: str, game: Passed, free: Free) -> str:
        number = game.pairing.number
        hall = self._survey(free)
        others = [name for name in game.pairing.entries if name != entry]
        for name in others:
            if name not in hall.present:
                return f"{entry} waits for {name}, who is not connected (game {number})"
        for name in others:
            if name not in hall.ready:
                return f"{entry} waits for {name}, who is playing (game {number})"
        if self.next(free) == game.pairing:
            return f"{entry} may begin game {number} as soon as the server has room for it"
        view = self._look(hall)
        for name in game.pairing.entries:
            if self._gets_too_far(name, game, view):
                return f"{entry} waits because {self._ahead(name, view)} (game {number})"
        return f"{entry} may begin game {number} after games that come before it"

    def _ahead(self, name: str, view: _View) -> str:
        group = [
            other
            for other in view.counted
            if self._group[other] == self._group[name] and other != name
        ]
        behind = min(group, key=lambda other: (self._ended[other], other))
        return (
            f"{name} has begun {self.begun(name)} games, {behind} has ended {self._ended[behind]},"
            f" and nobody may get more than {self.spread} ahead"
        )

    def _survey(self, free: Free) -> Survey:
        """Who is there; of those who have withdrawn only whose games are called all the same."""
        hall = self._needs.survey(free)
        for name, forfeit in self._withdrawn.items():
            for some in (hall.present, hall.ready):
                some.add(name) if forfeit else some.discard(name)
        return hall

    def _turn(self, game: Passed, name: str) -> int:
        return max(game.turn[name], self.begun(name) + 1)

    def _may_begin(self, game: Passed, view: _View) -> bool:
        """Whether *game*, of which all are ready, keeps the spread, or helps who is behind."""
        names = game.pairing.entries
        ahead = {self._group[name] for name in names if self._gets_too_far(name, game, view)}
        return ahead <= {self._group[name] for name in names if self._is_behind(name, game, view)}

    def _is_behind(self, name: str, game: Passed, view: _View) -> bool:
        """Whether *game* is the next one of a most-behind entry that is not playing."""
        behind = self.begun(name) == view.floor(self._group[name])
        return behind and view.first.get(name) == game.pairing.number

    def _last_resort(self, view: _View) -> Pairing | None:
        """With two groups the returned of one may wait for the returned of the other, for ever."""
        for game in self._backlog:
            names = game.pairing.entries
            behind = any(self._is_behind(name, game, view) for name in names)
            if behind and view.hall.ready.issuperset(names):
                return game.pairing
        return None

    def _gets_too_far(self, name: str, game: Passed, view: _View) -> bool:
        """Whether *game* could put *name* more than the spread ahead of anybody of its group."""
        group = self._group[name]
        least = self._turn(game, name) - self.spread  # what everybody else must have ended
        low = sum(count for ended, count in view.ended[group].items() if ended < least)
        low -= name in view.counted and self._ended[name] < least
        if low <= 0:
            return False
        mates = self._mates[name]
        names = game.pairing.entries
        helped = 0
        for other in {*mates, *names} - {name}:
            if other not in view.counted or self._group[other] != group:
                continue
            ended = self._ended[other]
            helped += ended < least <= ended + mates[other] + (other in names)
        return helped < low

    def _may_look_for(self, name: str, view: _View) -> bool:
        """Whether a game further on in the order might be one that *name* may begin."""
        behind = view.behind.get(self._group[name], 0)
        return self._backlog.turns[name] <= behind + self.spread

    def _meet(self, pairing: Pairing, change: int) -> None:
        for name in pairing.entries:
            mates = self._mates[name]
            for other in pairing.entries:
                mates[other] += change
                if not mates[other]:
                    del mates[other]

    def _look(self, hall: Survey) -> _View:
        present = hall.present
        first = self._first_games(present)
        ended: dict[bool, Counter[int]] = {False: Counter(), True: Counter()}
        behind: dict[bool, int] = {}
        for name in first:
            group, begun = self._group[name], self.begun(name)
            behind[group] = min(begun, behind.get(group, begun))
        counted = {name for name in present if name in first or self._mates[name]}
        for name in counted:
            ended[self._group[name]][self._ended[name]] += 1
        return _View(hall, first, counted, ended, behind)

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
