"""What `run` shows while games are played: a line for each game, or a live table on a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from sternhalma_server.announce import Table
from sternhalma_server.referee import Finished

if TYPE_CHECKING:
    from rich.console import RenderableType


def outcome(finished: Finished) -> str:
    """A finished game in one line: who came where, and why it ended."""
    table = finished.table
    result = finished.result
    if result is None:
        return f"game {table.game}: {', '.join(table.bots)}: {finished.reason}, not scored"
    order = sorted(zip(result.places, table.bots, strict=True))
    placed = ", ".join(f"{place} {bot}" for place, bot in order)
    cause = "" if finished.cause is None else f" of {table.bots[finished.cause.seat]}"
    return f"game {table.game}: {placed} ({finished.reason}{cause}, {finished.last.ply - 1} plies)"


def resumption(finished: int, total: int, running: int) -> str:
    """Where an event goes on, as a sentence."""
    games = "game that was" if running == 1 else "games that were"
    return f"going on: {finished} of {total} games are over, {running} {games} running go on"


class LineProgress:
    """A line for each game that ends; for pipes and logs."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._done = 0

    def resumed(self, finished: int, running: int) -> None:
        """Say where the event goes on."""
        self._done = finished
        print(resumption(finished, self._total, running), file=self._stream, flush=True)

    def started(self, table: Table) -> None:
        """A game has started: nothing to say yet."""

    def finished(self, finished: Finished) -> None:
        """Say how the game ended."""
        self._done += 1
        print(f"[{self._done}/{self._total}] {outcome(finished)}", file=self._stream, flush=True)

    def tell(self, sentence: str) -> None:
        """Say *sentence* on standard error."""
        print(sentence, file=sys.stderr, flush=True)

    @contextmanager
    def shown(self) -> Generator[None]:
        """Nothing to set up, nothing to clear away."""
        yield


class LiveProgress:
    """A bar with the believed end, the games that run, and points so far; for terminals."""

    def __init__(self, total: int, entries: list[str]) -> None:
        from rich.live import Live

        self._total = total
        self._running: dict[str, Table] = {}
        self._done = 0
        self._before = 0  # games that an earlier run had played
        self._started = time.monotonic()
        self._half_points = Counter(dict.fromkeys(entries, 0))
        self._games: Counter[str] = Counter()
        self._last = ""
        self._live = Live(get_renderable=self._render, refresh_per_second=4, transient=True)

    def resumed(self, finished: int, running: int) -> None:
        """Say where the event goes on."""
        self._done = self._before = finished
        self.tell(resumption(finished, self._total, running))

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
        return Group(head, table, *map(Text, running[:8]), Text(self._last, style="dim"))

    def _remaining(self) -> str:
        played = self._done - self._before
        if not played:
            return ""
        seconds = (time.monotonic() - self._started) / played * (self._total - self._done)
        minutes, seconds = divmod(round(seconds), 60)
        return f"about {minutes}:{seconds:02} to go"
