"""One game of an event from its table to its record: set up, begun or taken up, and played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from sternhalma import Seat
from sternhalma_server.announce import Table, over_line
from sternhalma_server.hall import Hall
from sternhalma_server.happening import Happening, Ply
from sternhalma_server.keeping import Begun
from sternhalma_server.layout import Layout
from sternhalma_server.referee import Finished, Referee
from sternhalma_server.runner import Ledger, Runner
from sternhalma_server.seats import Holder
from sternhalma_server.settings import Settings
from sternhalma_server.verdict import Reason
from sternhalma_tournament.schedule import Pairing
from sternhalma_tournament.scores import GameResult


class Book(Ledger, Protocol):
    """The ledger of one game."""

    def begin(self, versions: Sequence[str | None], pairing: Pairing) -> None:
        """Note that the game begins."""
        ...

    def go_on(self, begun: Begun) -> None:
        """Take up a game that was begun before the server stopped."""
        ...


class Keeper(Protocol):
    """Where games are kept."""

    @property
    def epoch(self) -> int:
        """What added to the clock of the stamps gives wall time, in nanoseconds."""
        ...

    @property
    def stalled(self) -> bool:
        """Whether nothing can be stored just now: then no game is begun."""
        ...

    @property
    def batches(self) -> int:
        """How many times the disk has taken something for sure."""
        ...

    @property
    def played(self) -> int:
        """How many games are stored."""
        ...

    @property
    def planned(self) -> int | None:
        """How many games there are to be, played ones included; None if that is not known."""
        ...

    def open(self, table: Table, letters: list[str]) -> Book:
        """The ledger of a game."""
        ...

    async def keep_bye(self, bye: GameResult) -> None:
        """Store a bye."""
        ...


class Conductor:
    """Plays the games of the event of *settings*, keeping them with *keeper* and showing them to
    the audience of *hall*. Each game has a *referee* of its own."""

    def __init__(
        self,
        settings: Settings,
        keeper: Keeper,
        hall: Hall,
        referee: type[Referee] = Referee,
    ) -> None:
        self._settings = settings
        self._keeper = keeper
        self._referee = referee
        self._audience = hall.audience
        self._layout = Layout(settings, named=hall.named)
        self._letters = self._layout.letters

    def name(self, pairing: Pairing) -> str:
        """What the wire calls a game."""
        return self._layout.name(pairing)

    def table(
        self, pairing: Pairing, bots: tuple[str, ...], versions: Sequence[str | None]
    ) -> Table:
        """The table of a game: *bots* and their *versions* by seat."""
        return self._layout.table(pairing, bots, versions)

    async def void(self, table: Table, reason: Reason) -> Finished:
        """End a game that no seat is told of."""
        referee = Referee(table)
        referee.void(reason)
        assert referee.finished is not None
        await self._keeper.open(table, self._letters).keep(referee.finished)
        return referee.finished

    async def play(
        self,
        pairing: Pairing,
        table: Table,
        holders: Sequence[Holder | None],
        begun: Begun | None,
    ) -> Finished:
        """Play a game with *holders* in its seats, from where *begun* left it if there is one.

        If the server itself fails, the seats and the audience are told and the error is raised.
        """
        referee = self._referee(
            table,
            epoch=self._keeper.epoch,
            in_credit=[
                Seat(seat)
                for seat, holder in enumerate(holders)
                if holder is not None and not holder.is_near
            ],
        )
        try:
            return await self._runner(pairing, referee, holders, begun).play()
        except Exception:
            nobody = (0,) * len(self._letters)
            lost = over_line(table.game, Reason.SERVER_FAULT, self._letters, nobody, None)
            for holder in holders:
                if holder is not None:
                    holder.connection.send(f"{lost}\n")
            self._audience.tell(table.game, lost)
            raise
        finally:
            self._audience.closed(table.game)

    def _runner(
        self,
        pairing: Pairing,
        referee: Referee,
        holders: Sequence[Holder | None],
        begun: Begun | None,
    ) -> Runner:
        """A game begun, or taken up where it was, ready to be played."""
        book = self._keeper.open(referee.table, self._letters)
        happened: list[Happening] = []
        if begun is None:
            book.begin(referee.table.versions, pairing)
            self._show(referee)
            referee.begin()
        else:
            happened = begun.happened(self._letters)
            book.go_on(begun)
            referee.resume(happened)
            self._show(referee)
        for seat, holder in enumerate(holders):
            if holder is not None:
                holder.restate = referee.restater(Seat(seat))
                if holder.restart is not None:
                    holder.revive = _second_start(referee, Seat(seat), holder.restart)
        return Runner(
            referee,
            holders,
            book,
            now=next(h for h in holders if h is not None).connection.transport.now(),
            reconnect=self._settings.waits.reconnect,
            logged=len(happened),
            show=partial(self._audience.tell, referee.table.game),
        )

    def _show(self, referee: Referee) -> None:
        """Let those who watch see the game from here on."""
        self._audience.opened(referee.table.game, referee.opening_line(None), referee.position_line)


def _second_start(referee: Referee, seat: Seat, restart: Callable[[], bool]) -> Callable[[], bool]:
    """Once a game, a local bot that ends before its first move of it may be started again.

    A program that ends after each game often does so when the next has begun: that is no crash.
    """
    started = False

    def revive() -> bool:
        nonlocal started
        moved = any(
            isinstance(event, Ply) and event.seat == seat and event.source is None
            for event in referee.happened
        )
        if started or moved:
            return False
        started = True
        return restart()

    return revive
