"""One table: who sits there, and its games, one after the other, until it is closed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import trio

from sternhalma import Game
from sternhalma_server.announce import Table as Terms
from sternhalma_server.announce import over_line
from sternhalma_server.conductor import Conductor
from sternhalma_server.hall import Hall
from sternhalma_server.practice import begun_from, send_away
from sternhalma_server.programs import ScarcityError
from sternhalma_server.seats import Holder
from sternhalma_server.settings import Settings
from sternhalma_server.tables.ledger import Forgetful
from sternhalma_server.tables.orders import PERSON, Opening, person_name
from sternhalma_server.tables.referee import TableReferee
from sternhalma_server.takeback import TakenBack
from sternhalma_server.verdict import Reason
from sternhalma_tournament.schedule import Pairing

CLOSED: Final = "table-closed"

log = logging.getLogger(__name__)


class NoBotError(Exception):
    """A sample bot of a table does not come; says which."""


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat of a table: the wire's name and slot of who has it, a person's or a sample bot's."""

    name: str
    slot: int
    is_person: bool


def chairs_of(name: str, opening: Opening, slots: Callable[[str], int]) -> tuple[Chair, ...]:
    """The chairs of the table *name*; *slots* takes a slot of a sample bot."""
    return tuple(
        Chair(person_name(name, number), 1, is_person=True)
        if seat == PERSON
        else Chair(seat, slots(seat), is_person=False)
        for number, seat in enumerate(opening.seats)
    )


class PeoplesTable:
    """A table that is open. `owner` has opened it, `touched` is when something happened last."""

    def __init__(
        self,
        name: str,
        opening: Opening,
        settings: Settings,
        chairs: Sequence[Chair],
        hall: Hall,
    ) -> None:
        self.name = name
        self.owner = opening.owner
        self.chairs = tuple(chairs)
        self.touched = trio.current_time()
        self._settings = settings
        self._hall = hall
        self._conductor = Conductor(settings, Forgetful(self.touch), hall, TableReferee)
        self._letters = [group[0] for group in Game.new(settings.rules, len(chairs)).position.seats]
        self._games = 0
        self._shift = 0  # how many seats everybody has moved on since the first game
        self._scope = trio.CancelScope()
        self._why = "the table is closed"
        self._again = trio.Event()
        self.is_over = False  # whether its game is over, so that another may be asked for

    def touch(self) -> None:
        """Something has happened here."""
        self.touched = trio.current_time()

    def close(self, why: str) -> None:
        """Close it: `run` then returns. *why* is the sentence that everybody there is told."""
        self._why = why
        self._scope.cancel()

    def again(self) -> bool:
        """Begin another game, with everybody one seat further; False while one is played."""
        self.touch()
        if not self.is_over:
            return False
        self._again.set()
        return True

    async def run(self) -> str:
        """Play game after game until it is closed; why it was."""
        try:
            with self._scope:
                await self._games_on_end()
        except NoBotError as problem:
            self._why = str(problem)
        except Exception:
            log.exception("table %s failed", self.name)
            self._why = "the server has failed this table"
        finally:
            self._send_all_away()
        return self._why

    async def _games_on_end(self) -> None:
        back: TakenBack | None = None
        while True:
            holders = await self._everybody()
            back = await self._play(holders, back)
            if back is None:
                self.is_over, self._again = True, trio.Event()
                await self._again.wait()
                self.is_over = False
                self._shift += 1

    async def _everybody(self) -> list[Holder]:
        """Everybody who sits here, once all of them are there and free, in the order of seats."""
        while True:
            people = [chair for chair in self.chairs if chair.is_person]
            if len(self._there(people)) < len(people):
                await self._hall.lobby.changed()
                continue
            # Programs are started once there is somebody to play with.
            for chair in self.chairs:
                if not chair.is_person:
                    await self._sample(chair)
            there = self._there(self.chairs)
            if len(there) == len(self.chairs):
                shift = self._shift % len(there)
                return there[-shift:] + there[:-shift]

    def _there(self, chairs: Sequence[Chair]) -> list[Holder]:
        """Who of *chairs* is there and in no game."""
        holders = [self._hall.lobby.get(chair.name, chair.slot) for chair in chairs]
        return [holder for holder in holders if holder is not None and holder.game is None]

    async def _sample(self, chair: Chair) -> None:
        hall = self._hall
        try:
            holder = await hall.crew.seat(chair.name, chair.slot, hall.lobby, hall.address)
        except ScarcityError as problem:
            raise NoBotError(str(problem)) from None
        if holder is None:
            raise NoBotError(f"the sample bot {chair.name} cannot be started")

    async def _play(self, holders: list[Holder], back: TakenBack | None) -> TakenBack | None:
        """Play one game, from where *back* left another if there is one; what is taken back."""
        self._games += 1
        self.touch()
        lobby, settings = self._hall.lobby, self._settings
        names = tuple(holder.name for holder in holders)
        pairing = Pairing(self._games, names[: settings.sides], 1, 1, str(self._games))
        versions = [holder.login.version for holder in holders]
        terms = replace(self._conductor.table(pairing, names, versions), undo=True)
        begun = None if back is None else begun_from(back, pairing)
        for holder in holders:
            await lobby.claim(holder, terms.game)
        try:
            finished = await self._conductor.play(pairing, terms, holders, begun)
            send_away(finished, holders)
        except trio.Cancelled:
            self._break_off(terms, holders)
            raise
        finally:
            for holder in holders:
                lobby.release(holder)
        return finished if isinstance(finished, TakenBack) else None

    def _break_off(self, terms: Terms, holders: Sequence[Holder]) -> None:
        """Tell everybody that the game has ended with the table."""
        line = over_line(terms.game, Reason.ABORTED, self._letters, (0,) * len(holders), None)
        for holder in holders:
            holder.connection.send(f"{line}\n")

    def _send_all_away(self) -> None:
        """End what belongs to the table alone: the names of its people, and its sample bots."""
        lobby = self._hall.lobby
        for chair in self.chairs:
            if chair.is_person:
                lobby.expel(chair.name, CLOSED, self._why)
            elif (holder := lobby.get(chair.name, chair.slot)) is not None:
                holder.session.close(CLOSED, self._why)
                if holder.idle is not None:
                    holder.idle.cancel()
                lobby.dismiss(holder)
