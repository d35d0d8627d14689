"""What the records of an event add up to: the list of results and the tables.

The run and `sternhalma verify` derive the tables here, from the same records: there is no second
way to come by them. Everything is added up one game at a time, and nothing depends on the order in
which games end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sternhalma_server.clock import milliseconds
from sternhalma_server.record import Out, Ply, Record
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment, Rulings, late_entries
from sternhalma_tournament.event import Event, entries_of, sides_of
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.scores import GameResult, bye_half_points
from sternhalma_tournament.standings import Standings, standings_of
from sternhalma_tournament.tables import (
    csv_text,
    standings_csv,
    standings_json,
    standings_markdown,
)
from sternhalma_tournament.tally import Tally

RESULTS: Final = "results.csv"
TABLES: Final = ("standings.md", "standings.csv", "standings.json", "times.csv")

_HEAD: Final = ("game", "seats", "entries", "places", "reason", "forfeits", "plies", "sha256")
_TIMES_HEAD: Final = ("bot", "moves", "total", "mean", "longest")


@dataclass(slots=True)
class Times:
    """What one bot was charged, in nanoseconds."""

    moves: int = 0
    total: int = 0
    longest: int = 0

    def add(self, charged: int) -> None:
        """Count one move."""
        self.moves += 1
        self.total += charged
        self.longest = max(self.longest, charged)


class Results:
    """The results of *event* so far; `add` takes the record of one more game."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._bye = bye_half_points(sides_of(event))
        self._entries = [entry.name for entry in entries_of(event)]
        self._planned = scheduler_of(event).games
        self._amendments: list[Amendment] = []
        self._results: dict[int, GameResult] = {}
        self._tally = self._empty()
        self._times = {bot.name: Times() for bot in event.bots}
        self._rows: dict[int, Sequence[str]] = {}
        self.forfeits: Counter[tuple[str, Reason]] = Counter()  # by bot and reason
        self.voids = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[GameResult]:
        """The results as they were played, byes among them, by number."""
        return (self._results[game] for game in sorted(self._results))

    def add(self, record: Record) -> None:
        """Count the game of *record*.

        Raises `ValueError` for a game that is counted already, and for one of other entries or bots
        than the event's.
        """
        if record.game in self._rows:
            raise ValueError(f"expected each game once, got game {record.game} again")
        for player in record.players:
            if player.bot not in self._times:
                raise ValueError(f"expected bots of the event, got {player.bot!r}")
        result = result_of(record)
        self._count(result)
        self._rows[record.game] = _row(record, result)
        self.voids += record.reason.is_void
        bots = {player.seat: player.bot for player in record.players}
        for happening in record.happened:
            if isinstance(happening, Ply) and happening.charged is not None:
                self._times[bots[happening.seat]].add(happening.charged)
            elif isinstance(happening, Out) and happening.reason.is_forfeit:
                self.forfeits[bots[happening.seat], happening.reason] += 1

    def add_bye(self, bye: GameResult) -> None:
        """Count a bye, which has no record. Raises `ValueError` for a number counted already."""
        self._count(bye)

    def amend(self, amendment: Amendment) -> None:
        """Let a ruling of the host count: the tables are added up anew, nothing is struck out.

        Raises `ValueError` for a ruling that does not fit the results.
        """
        amendments = [*self._amendments, amendment]
        entries = [*self._entries, *(late.entry for late in late_entries(amendments))]
        rulings = Rulings.of(amendments)
        tally = Tally(entries, rulings.apply(self), bye=self._bye)
        self._amendments, self._tally = amendments, tally

    def standings(self) -> Standings:
        """The table."""
        rulings = Rulings.of(self._amendments)
        return standings_of(self._tally, self._event.tie_breaks, rulings, self._planned)

    @property
    def tally(self) -> Tally:
        """What the results add up to, with what has been ruled."""
        return self._tally

    def files(self) -> dict[str, str]:
        """The text of every table and of the list of results, by the name of its file."""
        table = self.standings()
        return {
            RESULTS: csv_text([_HEAD, *(self._rows[game] for game in sorted(self._rows))]),
            "standings.md": standings_markdown(table),
            "standings.csv": standings_csv(table),
            "standings.json": standings_json(table),
            "times.csv": csv_text([_TIMES_HEAD, *map(_times_row, self._times.items())]),
        }

    def _empty(self) -> Tally:
        return Tally(self._entries, bye=self._bye)

    def _count(self, result: GameResult) -> None:
        if result.number in self._results:
            raise ValueError(f"expected each game once, got game {result.number} again")
        self._results[result.number] = result
        rulings = Rulings.of(self._amendments)
        for counted in rulings.apply([result]):
            self._tally.add(counted)


def result_of(record: Record) -> GameResult:
    """The game of *record* as standings want it."""
    faults: dict[str, str] = {}
    for happening in record.happened:
        if isinstance(happening, Out) and happening.reason.is_forfeit:
            faults[happening.seat] = happening.reason.value
    return GameResult(
        number=record.game,
        entries=tuple(player.entry for player in record.players),
        places=record.places,
        forfeits=tuple(faults.get(player.seat) for player in record.players),
        reason=record.reason.value,
        plies=record.ply,
    )


def _row(record: Record, result: GameResult) -> Sequence[str]:
    return (
        str(record.game),
        " ".join(f"{player.seat}:{player.bot}" for player in record.players),
        " ".join(result.entries),
        " ".join(map(str, result.places)),
        result.reason,
        " ".join(fault or "-" for fault in result.forfeits),
        str(result.plies),
        record.digest,
    )


def _times_row(item: tuple[str, Times]) -> Sequence[str]:
    bot, times = item
    # The mean to the nearest microsecond, in whole numbers: a float would round as it likes.
    microseconds = times.total // 1000
    mean = (2 * microseconds + times.moves) // (2 * times.moves) if times.moves else 0
    return (
        bot,
        str(times.moves),
        milliseconds(times.total),
        milliseconds(mean * 1000) if times.moves else "",
        milliseconds(times.longest) if times.moves else "",
    )
