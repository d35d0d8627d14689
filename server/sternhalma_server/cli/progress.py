"""What `run` shows while games are played: a line for each game, or a live table on a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TextIO

from sternhalma_server.announce import Table
from sternhalma_server.referee import Finished
from sternhalma_tournament.sprt import Verdict
from sternhalma_tournament.text import counted
from sternhalma_tournament.trial import TrialState
from sternhalma_tournament.trial_text import trial_line

if TYPE_CHECKING:
    from rich.console import RenderableType

COUNTED_EVERY: Final = 60.0  # seconds between two sentences on how far an event of a league is


def outcome(finished: Finished) -> str:
    """A finished game in one line: who came where, why it ended, and who had gone out before."""
    table = finished.table
    result = finished.result
    if result is None:
        return f"game {table.game}: {', '.join(table.bots)}: {finished.reason}, not scored"
    order = sorted(zip(result.places, table.bots, strict=True))
    placed = ", ".join(f"{place} {bot}" for place, bot in order)
    cause = "" if finished.cause is None else f" of {table.bots[finished.cause.seat]}"
    plies = counted(finished.last.ply - 1, "ply", "plies")
    outs = "".join(
        f"; {table.bots[fall.seat]} out by {fall.reason}"
        for fall in finished.falls
        if fall is not finished.cause
    )
    return f"game {table.game}: {placed} ({finished.reason}{cause}, {plies}{outs})"


def resumption(finished: int, running: int) -> str:
    """Where an event goes on, as a sentence."""
    return f"going on: {counted(finished, 'game')} over before, {counted(running, 'game')} running"


class LineProgress:
    """A line for each game that ends; for pipes and logs."""

    def __init__(self, event: str, stream: TextIO) -> None:
        self._event = event
        self._total = 0
        self._stream = stream
        self._done = 0
        self._trial: TrialState | None = None
        self._said = ""  # of the trial, last

    def listening(self, host: str, port: int) -> None:
        """Say where the server listens."""
        self._say(f"{self._event}: listening on {host} port {port}")

    def resumed(self, finished: int, running: int) -> None:
        """Say where the event goes on."""
        self._done = finished
        self._say(resumption(finished, running))

    def planned(self, games: int) -> None:
        """Remember how many games there are to be."""
        self._total = games

    def started(self, table: Table) -> None:
        """A game has started: nothing to say yet."""

    def finished(self, finished: Finished) -> None:
        """Say how the game ended."""
        self._done += 1
        self._say(f"[{self._done}/{self._total}] {outcome(finished)}")
        if self._trial is not None and trial_line(self._trial) != self._said:
            self._said = trial_line(self._trial)
            self._say(f"{self._event}: {self._said}")

    def tested(self, trial: TrialState) -> None:
        """Remember where the test stands, to be said behind the game that moved it."""
        self._trial = trial

    def tell(self, sentence: str) -> None:
        """Say *sentence* on standard error."""
        with suppress(OSError):
            print(sentence, file=sys.stderr, flush=True)

    def _say(self, sentence: str) -> None:
        # Whoever read this may have gone away: that is no reason to end an event.
        with suppress(OSError):
            print(sentence, file=self._stream, flush=True)

    @contextmanager
    def shown(self) -> Generator[None]:
        """Nothing to set up, nothing to clear away."""
        yield


class LeagueProgress:
    """What is said of one event of a league: now and then how many games are over."""

    def __init__(self, say: Callable[[str], None], event: str) -> None:
        self._say = say
        self._event = event
        self._done = 0
        self._total = 0
        self._due = time.monotonic() + COUNTED_EVERY
        self._verdict: Verdict | None = None

    def listening(self, host: str, port: int) -> None:
        """Nothing: the league says where it listens."""

    def resumed(self, finished: int, running: int) -> None:
        """Say where the event goes on."""
        self._done = finished
        self.tell(resumption(finished, running))

    def planned(self, games: int) -> None:
        """Remember how many games there are to be."""
        self._total = games

    def started(self, table: Table) -> None:
        """A game has started: nothing to say."""

    def finished(self, finished: Finished) -> None:
        """Count the game; say what went wrong in it, and now and then how far the event is."""
        self._done += 1
        if finished.falls or finished.reason.is_void:
            self.tell(outcome(finished))
        now = time.monotonic()
        if now >= self._due:
            self._due = now + COUNTED_EVERY
            whole = f" of {self._total}" if self._total > self._done else ""
            self.tell(f"{self._done}{whole} games over")

    def tested(self, trial: TrialState) -> None:
        """Say what the test of a match has come to."""
        if trial.verdict != self._verdict:
            self._verdict = trial.verdict
            self.tell(trial_line(trial))

    def tell(self, sentence: str) -> None:
        """Say *sentence* of the event."""
        self._say(f"{self._event}: {sentence}")


class LiveProgress:
    """A bar with the believed end, the games that run, and points so far; for terminals."""

    def __init__(self, event: str, entries: list[str]) -> None:
        from rich.live import Live

        self._event = event
        self._total = 0
        self._running: dict[str, Table] = {}
        self._done = 0
        self._before = 0  # games that an earlier run had played
        self._started = time.monotonic()
        self._half_points = Counter(dict.fromkeys(entries, 0))
        self._games: Counter[str] = Counter()
        self._last = ""
        self._trial = ""
        self._live = Live(get_renderable=self._render, refresh_per_second=4, transient=True)

    def listening(self, host: str, port: int) -> None:
        """Say where the server listens."""
        self._live.console.print(f"{self._event}: listening on {host} port {port}", markup=False)

    def resumed(self, finished: int, running: int) -> None:
        """Say where the event goes on."""
        self._done = self._before = finished
        self.tell(resumption(finished, running))

    def planned(self, games: int) -> None:
        """Remember how many games there are to be."""
        self._total = games

    def started(self, table: Table) -> None:
        """Show the game among those that run."""
        self._running[table.game] = table

    def finished(self, finished: Finished) -> None:
        """Count the game."""
        from sternhalma_server.recording import record_of
        from sternhalma_server.results import result_of
        from sternhalma_tournament.scores import game_half_points

        self._running.pop(finished.table.game, None)
        self._done += 1
        self._last = outcome(finished)
        result = result_of(record_of(finished))
        if result.scored:
            self._half_points.update(game_half_points(result))
            self._games.update(set(result.entries))

    def tested(self, trial: TrialState) -> None:
        """Show where the test stands."""
        self._trial = trial_line(trial)

    def tell(self, sentence: str) -> None:
        """Put *sentence* above the table, where it stays."""
        self._live.console.print(sentence, style="yellow", markup=False, highlight=False)

    @contextmanager
    def shown(self) -> Generator[None]:
        """Show the table while the event runs."""
        with self._live:
            yield

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table as Grid
        from rich.text import Text

        head = Grid.grid(padding=(0, 2))
        head.add_row(
            f"{self._done}/{self._total} games",
            ProgressBar(total=self._total, completed=self._done, width=40),
            self._remaining(),
        )
        table = Grid("entry", "points", "games", box=None)
        for entry, half_points in sorted(self._half_points.items(), key=lambda item: -item[1]):
            table.add_row(Text(entry), f"{half_points / 2:g}", str(self._games[entry]))
        running = [f"game {t.game}: {' - '.join(t.bots)}" for t in self._running.values()]
        trial = [Text(self._trial)] if self._trial else []
        last = Text(self._last, style="dim")
        return Group(head, table, *trial, *map(Text, running[:8]), last)

    def _remaining(self) -> str:
        played = self._done - self._before
        if not played:
            return ""
        seconds = (time.monotonic() - self._started) / played * (self._total - self._done)
        minutes, seconds = divmod(round(seconds), 60)
        return f"about {minutes}:{seconds:02} to go"
