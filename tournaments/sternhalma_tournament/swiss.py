"""Swiss system: in every round entries with equal points meet, and nobody meets anybody twice.

The next round follows from the results of all rounds before and from nothing else but the seed, so
that there has to be a barrier between rounds; inside a round any game may begin whose bots are
free. Whoever is left over has a bye, the one with the fewest byes and then the fewest points
first.

What a round has not begun is only a proposal: when somebody withdraws or comes late, those who
have not begun are paired anew. Game k of round r has the number (r - 1) * entries + k, with the
number of entries at the start of the event.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from sternhalma_tournament.chance import Chance
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.matching import Wishes, divide
from sternhalma_tournament.presence import Free, Needs
from sternhalma_tournament.schedule import Pairing, opening_key
from sternhalma_tournament.scores import BYE, GameResult, bye_half_points, game_half_points
from sternhalma_tournament.seating import SeatBook

_SEATS_WEIGHED = 3  # with more sides there is nearly always a good seating for any meeting


@dataclass(slots=True)
class _Book:
    """What all rounds before the current one add up to."""

    seats: SeatBook
    sides: int
    half_points: dict[str, int]
    byes: dict[str, int]
    met: dict[frozenset[str], int] = field(default_factory=dict[frozenset[str], int])

    def enter(self, result: GameResult) -> None:
        if result.reason == BYE:
            (name,) = result.entries
            self.byes[name] += 1
            self.half_points[name] += bye_half_points(self.sides)
            return
        sides = result.entries[: self.sides]
        self.seats.sit(sides)
        for pair in combinations(sides, 2):
            both = frozenset(pair)
            self.met[both] = self.met.get(both, 0) + 1
        if result.scored:
            for name, half in game_half_points(result).items():
                self.half_points[name] += half


class SwissScheduler:
    """A `Scheduler` of *rounds* rounds; every entry fills *seats* seats of a game."""

    def __init__(
        self, entries: Sequence[Entry], sides: int, rounds: int, seats: int = 1, seed: int = 0
    ) -> None:
        if len(entries) < sides or rounds < 1:
            raise ValueError(
                f"expected {sides} entries or more and a round, got {len(entries)} and {rounds!r}"
            )
        self._entries = {entry.name: entry for entry in entries}
        self._sides = sides
        self._rounds = rounds
        self._seats = seats
        self._seed = seed
        self._stride = len(entries)
        self._needs = Needs.of(entries, seats)
        self._book = _Book(
            SeatBook(sides), sides, dict.fromkeys(self._entries, 0), dict.fromkeys(self._entries, 0)
        )
        self._withdrawn: dict[str, int] = {}  # the last round in which an entry is still called
        self._first: dict[str, int] = {}  # the first round of a late entry
        self._round = 1
        self._running: dict[int, Pairing] = {}
        self._ended: dict[int, GameResult] = {}  # of the current round
        self._proposed: dict[int, Pairing] | None = None
        self._played = 0

    @property
    def round(self) -> int:
        """The current round, from 1; beyond the last when all is played."""
        self._proposals()
        return self._round

    @property
    def done(self) -> bool:
        """Whether the last round has ended, or too few are left to play."""
        return not self._proposals() and not self._running

    @property
    def games(self) -> int:
        """Games and byes so far, and what the rounds to come would have with those still there."""
        proposed = self._proposals()
        to_come = max(0, self._rounds - self._round)
        active = len(self._active())
        each = active // self._sides + active % self._sides if active >= self._sides else 0
        return self._played + len(self._running) + len(proposed) + to_come * each

    def next(self, free: Free) -> Pairing | None:
        """The first game of the round that may begin; a bye needs nobody to be free."""
        for pairing in self._proposals().values():
            needed = [name for name in pairing.entries if name not in self._withdrawn]
            if len(pairing.entries) == 1 or self._needs.ready(needed, free):
                return pairing
        return None

    def start(self, pairing: Pairing) -> None:
        """The game has begun; after a stop also one that is not proposed any more."""
        if self._proposed is None or pairing.number not in self._proposed:
            self._go_on_to(pairing.number)
        if not self._strike(pairing.number, pairing.entries):
            self._check_free(pairing)
            self._proposed = None
        self._running[pairing.number] = pairing

    def release(self, number: int) -> None:
        """The game goes back to the proposals of its round."""
        # Looked at before, while the round still has a game: without any it would be over.
        proposals = self._proposals()
        pairing = self._running.pop(number, None)
        if pairing is None:
            raise ValueError(f"expected the number of a running game, got {number!r}")
        self._proposed = dict(sorted({**proposals, number: pairing}.items()))

    def finish(self, result: GameResult) -> None:
        """The game has ended; with the last one the round ends."""
        if self._running.pop(result.number, None) is None:
            self._take(result)
        self._ended[result.number] = result
        self._played += 1

    def resume(self, results: Iterable[GameResult]) -> None:
        """Take *results*, in order of numbers."""
        for result in results:
            self._go_on_to(result.number)
            if not self._strike(result.number, result.entries):
                self._proposed = None
            self._ended[result.number] = result
            self._played += 1

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """*entry* is not paired any more; with *forfeit* after the current round."""
        self._check(entry)
        self._withdrawn[entry] = self._round if forfeit else self._round - 1
        self._proposed = self._proposed if forfeit else None

    def reinstate(self, entry: str) -> None:
        """*entry* is paired again, if possible in the current round."""
        self._check(entry)
        self._withdrawn.pop(entry, None)
        self._proposed = None

    def join(self, entry: Entry) -> None:
        """A late entry plays from the next round on, without points for what it missed."""
        if any(entry.name.casefold() == name.casefold() for name in self._entries):
            raise ValueError(f"expected a new name for a late entry, got {entry.name!r}")
        if len(self._entries) >= 2 * self._stride:
            raise ValueError(f"expected at most {2 * self._stride} entries, got {entry.name!r} too")
        self._entries[entry.name] = entry
        # Who comes after a round has begun has no bye in it.
        self._first[entry.name] = self._round + bool(self._running or self._ended)
        self._needs = Needs.of(self._entries.values(), self._seats)
        self._book.half_points[entry.name] = 0
        self._book.byes[entry.name] = 0
        self._proposed = None

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing."""
        self._check(entry)
        proposals = self._proposals()
        if entry in self._withdrawn:
            return f"{entry} is withdrawn"
        if self._round > self._rounds or self.done:
            return f"{entry} has played all rounds"
        if any(entry in pairing.entries for pairing in self._running.values()):
            return f"{entry} is playing in round {self._round}"
        lack = self._needs.lack(entry, free)
        if lack:
            return lack
        for pairing in proposals.values():
            if entry in pairing.entries:
                return self._why_proposed(entry, pairing, free)
        left = len(proposals) + len(self._running)
        return f"{entry} waits for the end of round {self._round}: games still to end: {left}"

    def _why_proposed(self, entry: str, pairing: Pairing, free: Free) -> str:
        for name in pairing.entries:
            if name != entry and not self._needs.present(name, free):
                return f"{entry} waits for {name}, who is not connected (game {pairing.number})"
        for name in pairing.entries:
            if not self._needs.ready((name,), free):
                return f"{entry} waits for a free connection of {name} (game {pairing.number})"
        return f"{entry} may begin game {pairing.number} as soon as the server has room for it"

    def _proposals(self) -> dict[int, Pairing]:
        """What the current round has still to begin; goes on to the next round when it is over."""
        while self._proposed is None or (not self._proposed and not self._running):
            if self._proposed is not None:
                self._close_round()
            if self._round > self._rounds or len(self._active()) < self._sides:
                self._proposed = {}
                break
            self._proposed = self._propose()
        return self._proposed

    def _go_on_to(self, number: int) -> None:
        """After a stop: that game *number* has begun tells that the rounds before it are over.

        A round of which nothing has begun yet is proposed as it was then.
        """
        while self._round < (number - 1) // self._stride + 1 and not self._running:
            self._close_round()
        fresh = self._proposed is None and not self._ended and not self._running
        if fresh and self._round <= self._rounds and len(self._active()) >= self._sides:
            self._proposed = self._propose()

    def _strike(self, number: int, entries: Sequence[str]) -> bool:
        """Whether game *number* of *entries* is proposed; it is not any more then."""
        proposed = None if self._proposed is None else self._proposed.get(number)
        if proposed is None or proposed.entries != tuple(entries[: len(proposed.entries)]):
            return False
        assert self._proposed is not None
        del self._proposed[number]
        return True

    def _close_round(self) -> None:
        for result in self._ended.values():
            self._book.enter(result)
        self._ended = {}
        self._round += 1
        self._proposed = None

    def _active(self) -> list[str]:
        return [
            name
            for name in self._entries
            if self._first.get(name, 1) <= self._round <= self._withdrawn.get(name, self._round)
        ]

    def _propose(self) -> dict[int, Pairing]:
        taken = {name for pairing in self._running.values() for name in pairing.entries}
        taken |= {name for result in self._ended.values() for name in result.entries}
        open_ = [name for name in self._active() if name not in taken]
        chance = Chance(f"{self._seed}/swiss/{self._round}")
        chance.shuffle(open_)
        byes = self._byes(open_)
        order = sorted(
            (name for name in open_ if name not in byes),
            key=lambda name: -self._book.half_points[name],
        )
        seat_cost = self._seat_cost if self._sides <= _SEATS_WEIGHED else _no_cost
        wishes = Wishes(self._book.half_points, self._book.met, seat_cost)
        games = [
            self._book.seats.seated(game) for game in divide(order, self._sides, wishes, chance)
        ]
        games += [(name,) for name in byes]
        first = (self._round - 1) * self._stride + 1
        numbers = (
            number
            for number in range(first, first + self._stride)
            if number not in self._running and number not in self._ended
        )
        return {
            number: Pairing(
                number=number,
                entries=names,
                round=self._round,
                cycle=1,
                opening=opening_key(names, str(self._round)),
            )
            for number, names in zip(numbers, games, strict=False)
        }

    def _byes(self, names: Sequence[str]) -> list[str]:
        ranked = sorted(names, key=lambda n: (self._book.byes[n], self._book.half_points[n]))
        return ranked[: len(names) % self._sides]

    def _seat_cost(self, game: tuple[str, ...]) -> int:
        return self._book.seats.cost(self._book.seats.seated(game))

    def _take(self, result: GameResult) -> None:
        """A result of a game that was not started."""
        proposed = self._proposals().get(result.number)
        if proposed is None or proposed.entries != result.entries[: len(proposed.entries)]:
            raise ValueError(f"expected a game of round {self._round}, got {result!r}")
        assert self._proposed is not None
        del self._proposed[result.number]

    def _check_free(self, pairing: Pairing) -> None:
        taken = {name for running in self._running.values() for name in running.entries}
        taken |= {name for result in self._ended.values() for name in result.entries}
        right_round = (pairing.number - 1) // self._stride + 1 == self._round == pairing.round
        number_free = pairing.number not in self._running and pairing.number not in self._ended
        if not (right_round and number_free) or taken.intersection(pairing.entries):
            raise ValueError(f"expected a game of round {self._round}, got {pairing!r}")

    def _check(self, entry: str) -> None:
        if entry not in self._entries:
            raise ValueError(f"expected an entry of the event, got {entry!r}")


def _no_cost(game: tuple[str, ...]) -> int:
    del game
    return 0
