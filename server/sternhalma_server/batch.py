"""A batch of games in a process of its own: reads one order, plays it, and writes what comes of it.

    python -m sternhalma_server.batch < ORDER

An engine that spreads work over machines has threads and a loop of its own, which would stand in
the way of clocks. So its worker starts this process, which referees one game at a time with all
that a server of one machine has, and ends with the worker (`errand`). A line of JSON is read and
lines of JSON are written, see `orders`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import trio

from sternhalma_server.announce import Table
from sternhalma_server.archive import BOTS
from sternhalma_server.crew import Crew
from sternhalma_server.director import Director
from sternhalma_server.fingerprint import fingerprints
from sternhalma_server.house import open_hall
from sternhalma_server.keeping import GameLedger
from sternhalma_server.listener import Listener
from sternhalma_server.lookup import ProgramError
from sternhalma_server.orders import (
    Ended,
    Order,
    Over,
    Printed,
    Refused,
    Report,
    Told,
    format_report,
    own_version,
    parse_order,
)
from sternhalma_server.outcome import format_outcome, outcome_of
from sternhalma_server.record import format_record
from sternhalma_server.recording import record_of, signed
from sternhalma_server.referee import Finished
from sternhalma_server.settings import Settings, settings_of
from sternhalma_tournament.amendments import Withdrawal
from sternhalma_tournament.listed import ListedScheduler
from sternhalma_tournament.reading import EventFileError
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.trial import TrialState

Tell = Callable[[Report], None]


def main() -> int:
    """Play the order on standard input, one that has not come whole not at all."""
    line = sys.stdin.buffer.readline()

    def tell(report: Report) -> None:
        sys.stdout.buffer.write(format_report(report) + b"\n")
        sys.stdout.buffer.flush()

    if line.endswith(b"\n"):
        trio.run(play_order, parse_order(line), tell)
    return 0


async def play_order(order: Order, tell: Tell) -> None:
    """Play the games of *order*, and *tell* what comes of it, `Refused` or `Ended` last."""
    if order.server != own_version():
        tell(Refused(f"expected sternhalma {order.server} as the driver has, got {own_version()}"))
        return
    try:
        settings = settings_of(order.source, order.event, Path(order.folder))
        check_programs(settings, order)
    except (EventFileError, ProgramError, OSError) as error:
        tell(Refused(str(error)))
        return
    with tempfile.TemporaryDirectory(prefix="sternhalma-") as root:
        seconds = await _play(settings, order, tell, Path(root))
        for path in sorted((Path(root) / BOTS).glob("*.txt")):
            bot, _, slot = path.stem.rpartition("-")
            tell(Printed(bot, int(slot), path.read_bytes()))
    tell(Ended(seconds))


def check_programs(settings: Settings, order: Order) -> None:
    """Raise `ProgramError` unless the bots of *order* are the same programs here."""
    playing = {
        bot
        for entry in settings.entries
        if entry.name not in order.absent
        and any(entry.name in pairing.entries for pairing in order.pairings)
        for bot in entry.bots
    }
    bots = [bot for bot in settings.event.bots if bot.name in playing]
    for name, got in fingerprints(bots, settings.folder).items():
        right = order.programs[name]
        if got != right:
            raise ProgramError(
                f"expected the program of {name!r} that the driver has, {right}, got {got}"
            )


async def _play(settings: Settings, order: Order, tell: Tell, root: Path) -> float:
    crew = Crew(
        settings.event.bots,
        settings.folder,
        settings.event.limits,
        settings.waits.start,
        lambda sentence: tell(Told(sentence)),
        root=root,
        hidden=[Path(order.hidden)],
    )
    seats = settings.event.players // settings.sides
    listener = Listener("127.0.0.1", 0)
    async with open_hall(
        listener, crew, (), lambda _: "games are played one at a time", settings.waits.login
    ) as hall:
        director = Director(
            replace(settings, parallel=1),
            ListedScheduler(order.pairings, len(order.pairings), settings.entries, seats),
            hall,
            Reporting(order, tell),
            Quiet(tell),
            rulings=[Withdrawal("as ordered", entry, forfeit=True) for entry in order.absent],
        )
        began = time.monotonic()
        await director.run()
        seconds = time.monotonic() - began
        hall.farewell = ("event-over", "these games are over, thank you for playing")
    return seconds


class Reporting:
    """A keeper that reports finished games and stores nothing."""

    stalled = False
    batches = 0
    planned = None

    def __init__(self, order: Order, tell: Tell) -> None:
        self._programs = order.programs
        self._tell = tell
        self.played = 0
        self.epoch = time.time_ns() - time.monotonic_ns()

    def open(self, table: Table, letters: list[str]) -> GameLedger:
        """The ledger of a game."""
        return GameLedger(self, self, table, letters, self.epoch)

    def post(self, game: int, line: str) -> None:
        """Nothing: who loses a batch has its games played anew."""

    async def keep(self, finished: Finished, said: str) -> None:
        """Report a finished game."""
        record = signed(record_of(finished), self._programs)
        outcome = format_outcome(outcome_of(record))
        self._tell(Over(record.game, format_record(record), said, outcome))
        self.played += 1

    async def keep_bye(self, bye: GameResult) -> None:
        """Never: nobody is sent anywhere to sit out."""
        raise AssertionError(bye)


class Quiet:
    """An observer that passes on nothing but sentences for the host."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def listening(self, host: str, port: int) -> None:
        """Nobody dials in from elsewhere."""

    def resumed(self, finished: int, running: int) -> None:
        """A batch never goes on."""

    def planned(self, games: int) -> None:
        """That is known."""

    def started(self, table: Table) -> None:
        """A game has started."""

    def finished(self, finished: Finished) -> None:
        """The game is reported when it is kept."""

    def tested(self, trial: TrialState) -> None:
        """The test of a match is the driver's."""

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        self._tell(Told(sentence))


if __name__ == "__main__":
    sys.exit(main())
