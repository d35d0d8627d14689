"""An event's results as they came, one after the other: each is checked, and added up.

A record has to agree with the engine, with the clocks, with the event file and with what the event
had to play when it came.
"""

from __future__ import annotations

from itertools import zip_longest

from sternhalma import Game
from sternhalma_server.agenda import Agenda
from sternhalma_server.archive import SUMS, sums
from sternhalma_server.opening import opening_of
from sternhalma_server.record import Ply, Record, RecordError
from sternhalma_server.replay import replay
from sternhalma_server.results import Results, result_of
from sternhalma_server.rulings import read_amendment
from sternhalma_server.settings import Settings
from sternhalma_server.store import Amendment
from sternhalma_server.timing import prove_times
from sternhalma_tournament.amendments import LateEntry
from sternhalma_tournament.entries import Entry, bots_by_seat
from sternhalma_tournament.event import entries_of
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scheduler import bye_result
from sternhalma_tournament.scores import GameResult


class Examiner:
    """Told the results of an event in the order in which they came.

    `results` is what they add up to, `agenda` what is still to be played. With *sits_out* byes are
    entered as they come up, for want of a store that has them.
    """

    def __init__(self, settings: Settings, *, sits_out: bool = False) -> None:
        event = settings.event
        self.results = Results(event)
        self.agenda = Agenda(event, sits_out=sits_out)
        self._settings = settings
        self._entries = {entry.name: entry for entry in entries_of(event)}
        terms = settings.terms
        self._start = Game.new(
            settings.rules, event.players, limit=terms.limit, at_limit=terms.at_limit
        )

    def check(self, record: Record) -> None:
        """Check the record of the game that came next.

        Raises `RecordError` naming the game, the line and the difference.
        """
        replay(record)
        pairing = self._check_place(record)
        self._check_opening(record, pairing)
        prove_times(record, self._settings.lag)

    def count(self, record: Record, *, in_tables: bool = True) -> None:
        """The game is over, and counted *in_tables* or only as played.

        Raises `ValueError` for a game that cannot be counted.
        """
        if in_tables:
            self.results.add(record)
        self.agenda.finish(result_of(record))

    def amend(self, amendment: Amendment) -> None:
        """Heed what was decided about the event. Raises `ValueError`."""
        match read_amendment(amendment):
            case None:
                pass
            case GameResult() as bye:
                right = bye_result(self.agenda.pairing(bye.number, bye.entries))
                if bye != right:
                    raise ValueError(f"expected {right!r}, got {bye!r}")
                self.results.add_bye(bye)
                self.agenda.finish(bye)
            case ruling:
                if isinstance(ruling, LateEntry):
                    self._entries[ruling.entry] = Entry(ruling.entry, ruling.bots)
                self.results.amend(ruling)
                self.agenda.amend(ruling)

    def files(self) -> dict[str, str]:
        """The list of results, the tables and the digests, in the order in which they are written.

        By the names of their files.
        """
        while self.agenda.byes:
            self.results.add_bye(self.agenda.byes.pop())
        files = self.results.files()
        return files | {SUMS: sums(self._settings.source, files)}

    def _check_place(self, record: Record) -> Pairing:
        """Hold what the record says of itself against what the event had to play."""
        settings, event = self._settings, self._settings.event
        check_terms(record, settings)
        seated = tuple(player.entry for player in record.players)
        try:
            pairing = self.agenda.pairing(record.game, seated[: settings.sides])
        except ValueError as error:
            raise _error(record, 3, str(error)) from None
        entries = tuple(self._entries[entry] for entry in pairing.entries)
        bots = bots_by_seat(entries, event.players)
        names = [entries[seat % len(entries)].name for seat in range(event.players)]
        _expect(
            record,
            6,
            "the seats",
            " ".join(f"{bot}/{entry}" for bot, entry in zip(bots, names, strict=True)),
            " ".join(f"{player.bot}/{player.entry}" for player in record.players),
        )
        check_start(record, self._start)
        return pairing

    def _check_opening(self, record: Record, pairing: Pairing) -> None:
        """The plies by chance at the beginning are those that follow from the event file."""
        if never_begun(record):
            return
        event = self._settings.event
        right = opening_of(self._start, event.opening, event.seed, pairing.opening)
        played = opening_played(record)
        # `replay` has seen to it that they come before all moves, and nobody goes out before them.
        for number, (path, got) in enumerate(zip_longest(right, played, fillvalue="none")):
            line = record.line_of(min(number, len(record.happened)))
            _expect(record, line, "the opening ply", path, got)


def check_terms(record: Record, settings: Settings) -> None:
    """Raise `RecordError` unless the game was played as the event has it."""
    event, terms = settings.event, settings.terms
    _expect(record, 2, "event", event.name, record.event)
    _expect(record, 4, "rules", event.rules, record.rules)
    _expect(
        record,
        5,
        "terms",
        f"limit={terms.limit} at_limit={terms.at_limit} clock={settings.control.text}",
        f"limit={record.limit} at_limit={record.at_limit} clock={record.clock}",
    )


def check_start(record: Record, start: Game) -> None:
    """Raise `RecordError` unless the game began as *start* does."""
    _expect(record, record.start_line, "start", str(start), record.start)


def never_begun(record: Record) -> bool:
    """Whether nobody came to the game, or the server failed it, before its first ply."""
    return record.reason.is_void and not record.happened


def opening_played(record: Record) -> list[str]:
    """The paths of the plies by chance at the beginning."""
    return [
        happening.path
        for happening in record.happened
        if isinstance(happening, Ply) and happening.source == "opening"
    ]


def _expect(record: Record, line: int, what: str, right: str, written: str) -> None:
    if right != written:
        raise _error(record, line, f"expected {what} {right!r} of the event, got {written!r}")


def _error(record: Record, line: int, problem: str) -> RecordError:
    return RecordError(f"game {record.game}, line {line}: {problem}")
