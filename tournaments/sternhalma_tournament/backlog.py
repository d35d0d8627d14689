"""The games of a schedule that have been looked at and have not begun.

A schedule may have millions of games and is read in order; what is passed over on the way,
because somebody was busy or away, is held here until it begins. At most `REACH` numbers are looked
at beyond the first game that has not begun, so that memory does not depend on the number of games.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from sternhalma_tournament.schedule import Pairing, Schedule

REACH: Final = 20_000


@dataclass(slots=True)
class Passed:
    """A game that has been passed over.

    `turn` is for each entry the number of its game in the order; `absent` if the game was passed
    over because somebody was away, and is therefore not counted in anybody's turns.
    """

    pairing: Pairing
    turn: dict[str, int]
    absent: bool


class Backlog:
    """What of *schedule* has not begun, and how many games of each entry have.

    `turns` are the games begun and those passed over while all were present.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.begun = {entry.name: 0 for entry in schedule.entries}
        self.turns = self.begun.copy()
        self.left_out = 0
        self._frontier = schedule.before + 1  # the first number that has not been looked at
        self._passed: dict[int, Passed] = {}  # in order of numbers
        self._gone: set[str] = set()

    def __iter__(self) -> Iterator[Passed]:
        """What has been passed over, in order; looking further meanwhile is allowed."""
        return iter(list(self._passed.values()))

    def __len__(self) -> int:
        return len(self._passed)

    @property
    def exhausted(self) -> bool:
        """Whether every game of the schedule has been looked at."""
        return self._frontier > self.schedule.last

    def look_further(self, present: Collection[str], reach: int | None = REACH) -> Passed | None:
        """Pass over one more game, if there is one within *reach*."""
        while not self.exhausted:
            first = next(iter(self._passed), self._frontier)
            if reach is not None and self._frontier - first >= reach:
                return None
            pairing = self.schedule.pairing(self._frontier)
            self._frontier += 1
            if self._gone.isdisjoint(pairing.entries):
                return self._pass(pairing, absent=not all(n in present for n in pairing.entries))
            self.left_out += 1
        return None

    def begin(self, pairing: Pairing) -> None:
        """Take *pairing* out; ValueError if it is not one that has not begun."""
        while self._frontier <= pairing.number and self.look_further(self.begun, reach=None):
            pass
        game = self._passed.pop(pairing.number, None)
        if game is None or game.pairing != pairing:
            raise ValueError(f"expected a game that has not begun, got {pairing!r}")
        self._count(pairing, absent=game.absent)

    def begin_left_out(self, pairing: Pairing) -> None:
        """A game that had begun before one of its entries was taken out."""
        self.left_out -= 1
        self._count(pairing, absent=True)

    def put_back(self, pairing: Pairing) -> None:
        """A game that had begun has not; one of somebody who left is left out."""
        for name in pairing.entries:
            self.begun[name] -= 1
        if self.lacks(pairing):
            self.left_out += 1
            return
        turn = {name: self.begun[name] + 1 for name in pairing.entries}
        self._passed[pairing.number] = Passed(pairing, turn, absent=False)
        self._passed = dict(sorted(self._passed.items()))

    def take_out(self, entry: str) -> None:
        """Leave out all games of *entry* that have not begun."""
        self._gone.add(entry)
        for game in self:
            if entry in game.pairing.entries:
                del self._passed[game.pairing.number]
                self._leave_out(game)

    def take_in(self, entry: str) -> None:
        """Undo `take_out`, as long as no game has been looked at."""
        if self._frontier > self.schedule.before + 1:
            raise ValueError(f"expected {entry!r} before any game, got games looked at")
        self._gone.discard(entry)

    def lacks(self, pairing: Pairing) -> bool:
        """Whether *pairing* has an entry that was taken out."""
        return not self._gone.isdisjoint(pairing.entries)

    def skip(self, through: int) -> None:
        """Count the games up to number *through* as begun, before anything else."""
        games = self.schedule.table.games
        cycles, rest = divmod(through - self.schedule.before, games)
        names = [entry.name for entry in self.schedule.entries]
        # Every cycle has as many games of each entry as the first.
        for times, cycle, part in ((cycles, 0, games), (1, cycles, rest)):
            for index in range(part if times else 0):
                for entry in self.schedule.table.seating(cycle, index).entries:
                    self.begun[names[entry]] += times
        self.turns = self.begun.copy()
        self._frontier = through + 1

    def _pass(self, pairing: Pairing, *, absent: bool) -> Passed:
        turn: dict[str, int] = {}
        for name in pairing.entries:
            turn[name] = self.turns[name] + 1
            self.turns[name] += not absent
        game = self._passed[pairing.number] = Passed(pairing, turn, absent)
        return game

    def _count(self, pairing: Pairing, *, absent: bool) -> None:
        for name in pairing.entries:
            self.begun[name] += 1
            self.turns[name] += absent

    def _leave_out(self, left: Passed) -> None:
        self.left_out += 1
        if left.absent:
            return
        for name in left.pairing.entries:
            self.turns[name] -= 1
            for game in self:
                if game.pairing.number > left.pairing.number and name in game.turn:
                    game.turn[name] -= 1
