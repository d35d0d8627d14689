"""Knockout: mini-matches with balanced seats, whose winners go on.

A match is so many games that everybody sits in every seat equally often, the seatings of a set
with one opening. A tie goes into further sets, and if those leave it tied, the fewest forfeits in
the match decide, then the better place in the event file: something must, and it must be known
before. There is no round barrier: a match begins when its entries are known.

With two sides any number of entries will do: the first in the file are spared the first round where
numbers do not fit, and the losers of the semi-finals play for the third place. With more sides the
winner of each game's group goes on, and the number of entries is a power of the number of sides.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sternhalma_tournament.bracket import THIRD_PLACE, MatchState, match_name, rounds_for, seeding
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.presence import Free, Needs
from sternhalma_tournament.schedule import Pairing, opening_key
from sternhalma_tournament.scores import GameResult, game_half_points

DECIDERS = 3  # sets of games after a tie


@dataclass(slots=True)
class _Match:
    """What has happened in one match."""

    running: dict[int, Pairing] = field(default_factory=dict[int, Pairing])
    ended: set[int] = field(default_factory=set[int])
    half_points: dict[str, int] = field(default_factory=dict[str, int])
    forfeits: dict[str, int] = field(default_factory=dict[str, int])


class KnockoutScheduler:
    """A `Scheduler` of matches of *games* games, a multiple of *sides*."""

    def __init__(
        self,
        entries: Sequence[Entry],
        sides: int,
        games: int,
        seats: int = 1,
        *,
        third: bool = True,
    ) -> None:
        if games < sides or games % sides:
            raise ValueError(f"expected games a match to be a multiple of {sides}, got {games!r}")
        self._names = [entry.name for entry in entries]
        self._sides = sides
        self._games = games
        self._needs = Needs.of(entries, seats)
        self._rounds = rounds_for(len(entries), sides)
        # The matches of a round are numbered on from those of the round before.
        self._first = [0]
        for round_ in range(self._rounds):
            self._first.append(self._first[-1] + sides ** (self._rounds - 1 - round_))
        self._third = third and sides == 2 and len(entries) > 3
        self._count = self._first[-1] + self._third
        self._seeds = seeding(sides, self._rounds)
        self._matches = [_Match() for _ in range(self._count)]
        self._withdrawn: dict[str, bool] = {}
        self._stride = games + DECIDERS * sides

    @property
    def done(self) -> bool:
        """Whether every match is decided."""
        return all(
            self.state(match).winner is not None and not self._matches[match].running
            for match in range(self._count)
        )

    @property
    def games(self) -> int:
        """The games of all matches, with the further sets that are needed as far as is known."""
        return sum(
            max(len(match.ended) + len(match.running), self._planned(at))
            for at, match in enumerate(self._matches)
        )

    def matches(self) -> Iterator[MatchState]:
        """All matches, round by round, the one for the third place last."""
        return (self.state(match) for match in range(self._count))

    def next(self, free: Free) -> Pairing | None:
        """The first game of an undecided match that may begin; earlier matches go first."""
        for match in range(self._count):
            for pairing in self._open_games(match):
                needed = [name for name in pairing.entries if name not in self._withdrawn]
                if self._needs.ready(needed, free):
                    return pairing
        return None

    def start(self, pairing: Pairing) -> None:
        """The game has begun."""
        match, game = self._place(pairing.number)
        state = self._matches[match]
        self._check_entries(match, pairing.entries)
        if game in state.ended or game in state.running:
            raise ValueError(f"expected a game that has not begun, got {pairing!r}")
        state.running[game] = pairing

    def release(self, number: int) -> None:
        """The game that had begun is to be played again later."""
        match, game = self._place(number)
        if self._matches[match].running.pop(game, None) is None:
            raise ValueError(f"expected the number of a running game, got {number!r}")

    def finish(self, result: GameResult) -> None:
        """The game has ended; with the last one of a match its winner goes on."""
        match, game = self._place(result.number)
        state = self._matches[match]
        self._check_entries(match, result.entries)
        if game in state.ended:
            raise ValueError(f"expected a game that has not ended, got {result!r}")
        state.running.pop(game, None)
        state.ended.add(game)
        if not result.scored:
            return
        for name, half in game_half_points(result).items():
            state.half_points[name] = state.half_points.get(name, 0) + half
        for name, reason in zip(result.entries, result.forfeits, strict=True):
            if reason is not None:
                state.forfeits[name] = state.forfeits.get(name, 0) + 1

    def resume(self, results: Iterable[GameResult]) -> None:
        """Take *results*, in order of numbers."""
        for result in results:
            self.finish(result)

    def withdraw(self, entry: str, *, forfeit: bool = False) -> None:
        """*entry* plays no more: with two sides whoever meets it wins by walkover.

        With *forfeit*, and with more sides, its matches are called and entered as forfeits.
        """
        self._check(entry)
        self._withdrawn[entry] = forfeit

    def reinstate(self, entry: str) -> None:
        """*entry* plays again; before anything else."""
        self._check(entry)
        self._withdrawn.pop(entry, None)

    def join(self, entry: Entry) -> None:
        """Refused: a bracket has no room for late entries."""
        raise ValueError(f"expected no late entry in a knockout, got {entry.name!r}")

    def why(self, entry: str, free: Free) -> str:
        """Why *entry* is not playing."""
        self._check(entry)
        if entry in self._withdrawn:
            return f"{entry} is withdrawn"
        match = self._current(entry)
        if match is None:
            return self._why_out(entry)
        state = self.state(match)
        if any(entry in pairing.entries for pairing in self._matches[match].running.values()):
            return f"{entry} is playing in the {state.name}"
        lack = self._needs.lack(entry, free)
        if lack:
            return lack
        if None in state.entries:
            return f"{entry} waits for its opponent in the {state.name}"
        for name in state.entries:
            if name is not None and name != entry and not self._needs.present(name, free):
                return f"{entry} waits for {name}, who is not connected ({state.name})"
        for pairing in self._open_games(match):
            if self._needs.ready(pairing.entries, free):
                return (
                    f"{entry} may begin game {pairing.number} as soon as the server has room for it"
                )
        return f"{entry} waits for a free connection in the {state.name}"

    def state(self, match: int) -> MatchState:
        """The match number *match*, from 0."""
        entries = self._entries_of(match)
        played = self._matches[match]
        winner, decided_by = self._decide(match, entries)
        return MatchState(
            round=self._round_of(match) + 1,
            name=self._name(match),
            entries=entries,
            half_points=tuple(played.half_points.get(name or "", 0) for name in entries),
            games=len(played.ended),
            winner=winner,
            decided_by=decided_by,
        )

    def _entries_of(self, match: int) -> tuple[str | None, ...]:
        if self._third and match == self._count - 1:
            return tuple(self._loser(semi) for semi in self._feeders(self._count - 2))
        round_ = self._round_of(match)
        if round_ == 0:
            seeds = self._seeds[match * self._sides : (match + 1) * self._sides]
            return tuple(self._names[seed] for seed in seeds if seed < len(self._names))
        return tuple(self.state(feeder).winner for feeder in self._feeders(match))

    def _feeders(self, match: int) -> range:
        round_ = self._round_of(match)
        place = match - self._first[round_]
        first = self._first[round_ - 1] + place * self._sides
        return range(first, first + self._sides)

    def _loser(self, match: int) -> str | None:
        state = self.state(match)
        if state.winner is None:
            return None
        return next((name for name in state.entries if name != state.winner), None)

    def _round_of(self, match: int) -> int:
        if match >= self._first[-1]:
            return self._rounds - 1
        return next(r for r in range(self._rounds) if match < self._first[r + 1])

    def _decide(self, match: int, entries: tuple[str | None, ...]) -> tuple[str | None, str | None]:
        if None in entries:
            return None, None
        names = [name for name in entries if name is not None]
        if len(names) == 1:
            return names[0], "bye"
        played = self._matches[match]
        if played.running:
            return None, None
        sets, rest = divmod(len(played.ended) - self._games, self._sides)
        leader, decided_by = None, None
        if sets >= 0 and rest == 0:
            leader, decided_by = self._leader(match, names, sets)
        left = [name for name in names if self._withdrawn.get(name) is not False]
        if leader is None and self._sides == 2 and len(left) < 2:
            # What was played out before stands. Somebody must go on, be it one who withdrew later.
            gone = [name for name in self._withdrawn if name in names]
            return (left or gone)[-1], "walkover"
        return leader, decided_by

    def _leader(self, match: int, names: Sequence[str], sets: int) -> tuple[str | None, str | None]:
        played = self._matches[match]
        best = max(played.half_points.get(name, 0) for name in names)
        level = [name for name in names if played.half_points.get(name, 0) == best]
        if len(level) == 1:
            return level[0], "points"
        if sets < DECIDERS:
            return None, None
        fewest = min(played.forfeits.get(name, 0) for name in level)
        clean = [name for name in level if played.forfeits.get(name, 0) == fewest]
        if len(clean) == 1:
            return clean[0], "forfeits"
        return min(clean, key=self._names.index), "seeding"

    def _open_games(self, match: int) -> Iterator[Pairing]:
        state = self.state(match)
        if state.winner is not None or None in state.entries:
            return
        played = self._matches[match]
        names = [name for name in state.entries if name is not None]
        for game in range(self._within_reach(played)):
            if game in played.ended or game in played.running:
                continue
            at, turn = divmod(game, self._sides)
            entries = tuple(names[turn:] + names[:turn])
            yield Pairing(
                number=match * self._stride + game + 1,
                entries=entries,
                round=state.round,
                cycle=1,
                opening=opening_key(entries, f"{match + 1}.{at + 1}"),
            )

    def _within_reach(self, played: _Match) -> int:
        """The match's games so far; the next set is there when all before have ended level."""
        games = self._games
        while games <= len(played.ended):
            games += self._sides
        return games

    def _name(self, match: int) -> str:
        if match >= self._first[-1]:
            return THIRD_PLACE
        round_ = self._round_of(match)
        return match_name(self._rounds, self._sides, round_, match - self._first[round_])

    def _planned(self, match: int) -> int:
        """The games of *match*, further sets as they are needed; none after a walkover."""
        state = self.state(match)
        if state.winner is not None or len(state.entries) < self._sides:
            return 0
        return self._within_reach(self._matches[match])

    def _current(self, entry: str) -> int | None:
        for match in range(self._count):
            state = self.state(match)
            if entry in state.entries and state.winner is None:
                return match
        return None

    def _why_out(self, entry: str) -> str:
        last = max(m for m in range(self._count) if entry in self._entries_of(m))
        state = self.state(last)
        if state.winner == entry:
            return f"{entry} has won the {state.name}"
        return f"{entry} is out: {state.winner} won the {state.name}"

    def _place(self, number: int) -> tuple[int, int]:
        match, game = divmod(number - 1, self._stride)
        if not 0 <= match < self._count:
            raise ValueError(f"expected the number of a game of the event, got {number!r}")
        return match, game

    def _check_entries(self, match: int, names: Sequence[str]) -> None:
        """Who plays a match follows from the matches before; a ruling on those comes too late."""
        entries = self._entries_of(match)
        if set(entries) != set(names):
            raise ValueError(
                f"expected {' and '.join(name or 'nobody yet' for name in entries)} in the "
                f"{self._name(match)}, got {' and '.join(dict.fromkeys(names))}"
            )

    def _check(self, entry: str) -> None:
        if entry not in self._names:
            raise ValueError(f"expected an entry of the event, got {entry!r}")
