"""The scheduler of a ladder: a rated league without an end, where bots come and go at any time.

No schedule could say who will be there tomorrow, so each game is chosen when it can begin: who
needs most first (`contenders`), among those who are not too far ahead of who else waits (`pace`).
What is kept grows with the number of bots, not with the number of games.

With two sides games come in pairs (`returns`): the next game of two bots has the seats swapped and
the opening of the one before. Which game is a return depends on which had ended when it began, and
results do not tell that. So after a stop no game waits for its return, nor does a game that was
void: whoever checks the openings later finds each explained by one game that was played.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sternhalma_tournament.attendance import Attendance
from sternhalma_tournament.chance import Chance
from sternhalma_tournament.contenders import Contender, neediest, opponents
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.pace import Pace
from sternhalma_tournament.presence import Free, Survey
from sternhalma_tournament.returns import Returns
from sternhalma_tournament.schedule import Pairing, opening_key
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.seat_order import seat_order
from sternhalma_tournament.seating import SeatBook
from sternhalma_tournament.strength import Strength, learned


@dataclass(frozen=True, slots=True)
class _Running:
    """A game that has begun: which version of each plays, and the game it is the return of."""

    pairing: Pairing
    versions: tuple[int, ...]
    first: Pairing | None


class LadderScheduler:
    """A `Scheduler` of games of *sides* entries, each on *seats* seats, without an end.

    Nobody begins a game while it is *spread* or more games ahead of anybody who waits for one; less
    than 2 cannot be promised and is taken as 2.
    """

    def __init__(self, sides: int, seats: int = 1, spread: int = 10, seed: int = 0) -> None:
        if sides < 2:
            raise ValueError(f"expected two sides or more, got {sides!r}")
        self._sides = sides
        self._seed = seed
        self._attendance = Attendance(seats)
        self._pace = Pace(spread)
        self._book = SeatBook(sides)
        self._returns = Returns()
        self._known: dict[str, Contender] = {}
        self._withdrawn: set[str] = set()
        self._running: dict[int, _Running] = {}
        self._last = 0  # number
        self._over = 0

    @property
    def done(self) -> bool:
        """Never: there is always a game to come."""
        return False

    @property
    def games(self) -> int:
        """The games that run and those that are over, void ones included."""
        return len(self._running) + self._over

    @property
    def held(self) -> int:
        """How many things are remembered: what memory depends on."""
        lately = sum(one.held for one in self._known.values())
        return len(self._running) + len(self._pace) + len(self._returns) + lately

    def strength(self, entry: str) -> Strength:
        """What is believed of the current version of *entry*, to choose opponents by."""
        return self._find(entry).strength

    def level(self, entry: str) -> int:
        """How many games *entry* counts as having begun, against others that are present."""
        self._find(entry)
        return self._pace.level(entry)

    def next(self, free: Free) -> Pairing | None:
        """The game to begin now; nothing changes until `start`, but that presence is noted."""
        chosen = self._choose(self._survey(free))
        return self._pairing(chosen) if chosen else None

    def start(self, pairing: Pairing) -> None:
        """The game has begun; ValueError if it runs already or cannot be one of this ladder."""
        if pairing.number in self._running or pairing.number < 1:
            raise ValueError(f"expected the number of a game to come, got {pairing!r}")
        names = pairing.entries
        if len(names) != self._sides or len(set(names)) < self._sides:
            raise ValueError(f"expected {self._sides} different entries, got {pairing!r}")
        players = [self._find(name) for name in names]
        self._last = max(self._last, pairing.number)
        self._pace.begin(names)
        self._book.sit(names)
        for player in players:
            player.meet(names)
        first = self._returns.take(pairing) if self._sides == 2 else None
        versions = tuple(player.number for player in players)
        self._running[pairing.number] = _Running(pairing, versions, first)

    def release(self, number: int) -> None:
        """The game was not played after all; ValueError if it is not running.

        Its number is not used again. (After a stop it is, unless the game comes with `resume` as a
        void one.)
        """
        if number not in self._running:
            raise ValueError(f"expected the number of a running game, got {number!r}")
        game = self._end(number)
        self._forget(game)
        if game.first is not None and self._unchanged(game):
            self._returns.wait(game.first)

    def finish(self, result: GameResult) -> None:
        """The game has ended; one that was not started is taken as started, a void one forgotten.

        Nothing is learned about a version from a game that began before it.
        """
        names = result.entries[: self._sides]
        told = result.number in self._running
        if not told:
            self.start(self._game(result.number, names))
        game = self._running[result.number]
        if game.pairing.entries != names:
            raise ValueError(f"expected the entries of {game.pairing!r}, got {result!r}")
        self._end(result.number)
        self._over += 1
        if not result.scored:
            self._forget(game)
            return
        players = [self._known[name] for name in names]
        places = result.places[: self._sides]
        strengths = learned([player.strength for player in players], places)
        for player, version, strength in zip(players, game.versions, strengths, strict=True):
            if player.number == version:
                player.strength = strength
        if told and self._is_first(game):
            self._returns.wait(game.pairing)

    def resume(self, results: Iterable[GameResult]) -> None:
        """`finish` for many results, in order of numbers.

        May be called again and again, with what else happened (`join`, `renew`) in between.
        """
        for result in results:
            self.finish(result)

    def join(self, entry: Entry) -> None:
        """*entry* is known from now on; ValueError if its name or a bot of it is already."""
        self._attendance.join(entry)
        luck = Chance(f"{self._seed}/ladder/{entry.name}").bits()
        self._known[entry.name] = Contender(entry.name, entry, luck)

    def renew(self, entry: str, version: str) -> None:
        """*entry* is *version* now; nothing happens if it has been that, or had no game before."""
        contender = self._find(entry)
        if contender.version == version:
            return
        if contender.version is None and not contender.begun:
            contender.version = version
            return
        self._returns.drop(entry)
        contender.renew(version)

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """*entry* plays no more; *forfeit* means nothing here, where no games are to come."""
        del forfeit
        self._find(entry)
        self._returns.drop(entry)
        self._withdrawn.add(entry)

    def reinstate(self, entry: str) -> None:
        """*entry*, which had withdrawn, plays again."""
        self._find(entry)
        self._withdrawn.discard(entry)

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing; notes presence as `next` does."""
        contender = self._find(entry)
        if entry in self._withdrawn:
            return f"{entry} is withdrawn"
        lack = self._attendance.lack(contender.entry, free)
        if lack:
            return lack + self._playing(entry)
        hall = self._survey(free)
        if len(hall.present) < self._sides:
            more = self._sides - len(hall.present)
            return f"{entry} waits for {more} more to connect or to be free"
        names = [one.name for one in self._choose(hall)]
        if entry in names:
            return f"{entry} may begin game {self._last + 1} as soon as the server has room for it"
        if entry not in self._pace.within(hall.ready):
            lowest = _some(sorted(self._pace.lowest(hall.ready)))
            ahead = f"{self._pace.ahead(entry, hall.ready)} games ahead of {lowest}, who may play"
            return f"{entry} waits, being {ahead}: nobody may get {self._pace.spread} ahead"
        if names:
            return f"{entry} waits while a game of {_some(names)} goes first"
        busy = sorted(hall.present - hall.ready)
        return f"{entry} waits for opponents: {self._listed(busy)}"

    def _survey(self, free: Free) -> Survey:
        hall = self._attendance.survey(free, self._withdrawn, lambda n: self._known[n].playing > 0)
        self._pace.note(hall.present)
        return hall

    def _choose(self, hall: Survey) -> tuple[Contender, ...]:
        """Who is to play the next game, in no order of seats; nobody if no game may begin."""
        near = [self._known[name] for name in self._pace.within(hall.ready)]
        if len(near) >= self._sides:
            first = neediest(near)
            returning = self._return(first, near)
            if not returning and self._rather_wait(first, near, hall):
                return ()
            return returning or opponents([first], near, self._sides)
        # Who is as far ahead as may be can only play if that lifts all of the lowest.
        if len(hall.ready) < self._sides:
            return ()
        lowest = sorted(self._pace.lowest(hall.ready))
        ready = [self._known[name] for name in hall.ready]
        return opponents([self._known[name] for name in lowest], ready, self._sides)

    def _rather_wait(self, first: Contender, near: Sequence[Contender], hall: Survey) -> bool:
        """Whether nobody but the same again is there, and somebody else is playing."""
        same = first.is_tired_of(one.name for one in near)
        return same and len(hall.present) > len(hall.ready)

    def _return(self, first: Contender, pool: Sequence[Contender]) -> tuple[Contender, ...]:
        """*first* and the one of *pool* who has waited longest for a return, if there is one."""
        waiting = self._returns.of(first.name)
        others = [other for other in pool if other.name in waiting] if waiting else []
        oldest = min(others, key=lambda other: waiting[other.name][0].number, default=None)
        return (first, oldest) if oldest else ()

    def _pairing(self, chosen: Sequence[Contender]) -> Pairing:
        number, names = self._last + 1, tuple(one.name for one in chosen)
        waiting = self._returns.of(names[0]).get(names[1])
        if not waiting:
            return self._game(number, seat_order(names, self._book))
        return replace(waiting[0], number=number, entries=waiting[0].entries[::-1])

    def _game(self, number: int, names: tuple[str, ...]) -> Pairing:
        """Game *number* with an opening of its own."""
        return Pairing(number, names, round=1, cycle=1, opening=opening_key(names, str(number)))

    def _is_first(self, game: _Running) -> bool:
        own = self._game(game.pairing.number, game.pairing.entries)
        return self._sides == 2 and game.pairing == own and self._unchanged(game)

    def _unchanged(self, game: _Running) -> bool:
        """Whether all are the versions that began *game*."""
        players = (self._known[name] for name in game.pairing.entries)
        return game.versions == tuple(player.number for player in players)

    def _end(self, number: int) -> _Running:
        game = self._running.pop(number)
        for name in game.pairing.entries:
            self._known[name].playing -= 1
        return game

    def _forget(self, game: _Running) -> None:
        """*game* has not been played, but for the levels (`pace`) and who met lately.

        Who could not play each other just now should not be the first to try again.
        """
        players = [self._known[name] for name in game.pairing.entries]
        for seat, (player, version) in enumerate(zip(players, game.versions, strict=True)):
            self._book.count[player.name][seat] -= 1
            if player.number == version:
                player.begun -= 1

    def _in(self, entry: str) -> list[int]:
        """The numbers of the games that *entry* is in."""
        return sorted(n for n, game in self._running.items() if entry in game.pairing.entries)

    def _listed(self, names: Sequence[str]) -> str:
        """*names* with the games they are in, or the first of them if there are many."""
        return _some([name + self._playing(name) for name in names])

    def _playing(self, entry: str) -> str:
        games = ", ".join(map(str, self._in(entry)))
        return f" (playing game {games})" if games else ""

    def _find(self, entry: str) -> Contender:
        contender = self._known.get(entry)
        if contender is None:
            raise ValueError(f"expected an entry of the ladder, got {entry!r}")
        return contender


def _some(names: Sequence[str]) -> str:
    """The first of *names*, and how many more there are."""
    shown, more = names[:3], len(names) - 3
    return " and ".join([*shown, f"{more} more"] if more > 0 else shown)
