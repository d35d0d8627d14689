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
from sternhalma_server.outcome import outcome_of
from sternhalma_server.record import Out, Ply, Record
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import (
    NO_RULINGS,
    Amendment,
    Annulment,
    Correction,
    LateEntry,
    Rulings,
    check_game,
)
from sternhalma_tournament.bracket import (
    MatchState,
    bracket_json,
    bracket_markdown,
    knockout_standings,
)
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.event import Event, entries_of, sides_of
from sternhalma_tournament.extent import extent_of
from sternhalma_tournament.formats import scheduler_after
from sternhalma_tournament.knockout import KnockoutScheduler
from sternhalma_tournament.scores import GameResult, bye_half_points
from sternhalma_tournament.standings import Standings, standings_of
from sternhalma_tournament.tables import (
    csv_text,
    standings_csv,
    standings_json,
    standings_markdown,
)
from sternhalma_tournament.tally import Tally
from sternhalma_tournament.trial import Trial, TrialState
from sternhalma_tournament.trial_text import trial_json, trial_markdown

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
        self._entries = list(entries_of(event))
        self._extent = extent_of(event)
        self._amendments: list[Amendment] = []
        self._rulings = NO_RULINGS
        self._history: list[GameResult | Amendment] = []
        self._results: dict[int, GameResult] = {}
        self._tally: Tally | None = Tally(self._names(), bye=self._bye)
        self._times = {bot.name: Times() for bot in event.bots}
        self._rows: dict[int, Sequence[str]] = {}
        self._trial = Trial.of(event)
        self.forfeits: Counter[tuple[str, Reason]] = Counter()  # by bot and reason
        self.voids = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[GameResult]:
        """The results as they were played, byes among them, by number."""
        return (self._results[game] for game in sorted(self._results))

    @property
    def history(self) -> Sequence[GameResult | Amendment]:
        """Results and rulings in the order in which they came."""
        return self._history

    @property
    def entries(self) -> list[Entry]:
        """The entries of the event file and those that came late."""
        return list(self._entries)

    @property
    def planned(self) -> int:
        """How many games and byes count or are to be, as far as can be said now."""
        return self._extent.games

    @property
    def planned_games(self) -> int:
        """The same without byes."""
        return self._extent.games - self._extent.byes

    def result(self, number: int) -> GameResult | None:
        """The result of game *number* as it was played, if it is over."""
        return self._results.get(number)

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
        """Let a ruling of the host count: nothing is struck out, the tables are added up anew.

        Raises `ValueError` for a ruling on a game that is over and to which it does not fit.
        """
        if isinstance(amendment, Correction | Annulment) and amendment.number in self._results:
            check_game(amendment, self._results[amendment.number])
        self._amendments.append(amendment)
        self._history.append(amendment)
        self._rulings = Rulings.of(self._amendments)
        if isinstance(amendment, LateEntry):
            self._entries.append(Entry(amendment.entry, amendment.bots))
            for bot in amendment.bots:
                self._times.setdefault(bot, Times())
        self._extent.rule(self._amendments, self)
        self._trial = Trial.of(self._event, self._rulings.apply(self))
        self._tally = None

    def standings(self) -> Standings:
        """The table."""
        table = standings_of(self.tally, self._event.tie_breaks, self._rulings, self.planned)
        return knockout_standings(table, self.matches()) if self._is_knockout else table

    def matches(self) -> list[MatchState]:
        """The bracket of a knockout; empty for any other format."""
        if not self._is_knockout:
            return []
        scheduler = scheduler_after(self._event, self._history)
        assert isinstance(scheduler, KnockoutScheduler)
        return list(scheduler.matches())

    @property
    def trial(self) -> TrialState | None:
        """Where the test of a match stands; None if there is none."""
        return None if self._trial is None else self._trial.state

    @property
    def tally(self) -> Tally:
        """What the results add up to, with what has been ruled."""
        if self._tally is None:
            self._tally = Tally(self._names(), self._rulings.apply(self), bye=self._bye)
        return self._tally

    def files(self) -> dict[str, str]:
        """The text of every table and of the list of results, by the name of its file."""
        table, matches, trial = self.standings(), self.matches(), self.trial
        return {
            RESULTS: csv_text([_HEAD, *(self._rows[game] for game in sorted(self._rows))]),
            "standings.md": self.table(table),
            "standings.csv": standings_csv(table),
            "standings.json": standings_json(
                table, bracket_json(matches), trial_json(trial) if trial else None
            ),
            "times.csv": csv_text([_TIMES_HEAD, *map(_times_row, self._times.items())]),
        }

    def table(self, standings: Standings | None = None) -> str:
        """The text of the table, with what else decides; *standings* if they are there already."""
        matches, trial = self.matches(), self.trial
        more = f"\n{bracket_markdown(matches)}" if matches else ""
        more += f"\n{trial_markdown(trial)}" if trial else ""
        return standings_markdown(self.standings() if standings is None else standings) + more

    def _names(self) -> list[str]:
        return [entry.name for entry in self._entries]

    @property
    def _is_knockout(self) -> bool:
        return self._event.format == "knockout"

    def _count(self, result: GameResult) -> None:
        if result.number in self._results:
            raise ValueError(f"expected each game once, got game {result.number} again")
        counted = list(self._rulings.apply([result]))
        for one in counted:
            if self._tally is not None:
                self._tally.add(one)
            if self._trial is not None:
                self._trial.enter(one)
        self._results[result.number] = result
        self._history.append(result)
        self._extent.enter(result)


def result_of(record: Record) -> GameResult:
    """The game of *record* as standings want it."""
    return outcome_of(record).result(record.game)


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
