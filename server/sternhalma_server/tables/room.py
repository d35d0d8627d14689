"""All tables of a server: opened, limited and closed, and the orders that say so.

Whoever opens a table counts for its network address, since there are no accounts; a table where
nothing happens is closed after a while, so that what is forgotten does not fill the room.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import trio

from sternhalma import Game, IllegalMoveError, NotationError
from sternhalma_server.admission import Known, token_digest
from sternhalma_server.hall import Hall
from sternhalma_server.seats import Holder
from sternhalma_server.tables.adviser import Adviser, NoHintError
from sternhalma_server.tables.orders import (
    Opening,
    OrderError,
    read_opening,
    table_name,
    table_settings,
)
from sternhalma_server.tables.table import PeoplesTable, chairs_of
from sternhalma_server.wire import MAX_SLOT

LOOKS: Final = 20  # how often, in the time after which an idle table is closed, it is looked for

Order = Mapping[str, Any]
# What is told unasked: that a table is closed, and why.
Tell = Callable[[Order], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be open at once: tables of one owner, tables and sample bots in all.

    `idle` is after how many seconds without anything a table is closed.
    """

    each: int = 4
    tables: int = 64
    samples: int = 48
    idle: float = 3600.0


class Room:
    """The tables that are open in *hall*, with *samples* as sample bots to choose from."""

    def __init__(
        self,
        hall: Hall,
        samples: Sequence[str],
        limits: Limits,
        nursery: trio.Nursery,
        tell: Tell,
    ) -> None:
        self._hall = hall
        self._samples = tuple(samples)
        self._limits = limits
        self._nursery = nursery
        self._tell = tell
        self._tables: dict[str, PeoplesTable] = {}
        self._slots: set[tuple[str, int]] = set()  # of sample bots, that tables have
        self._adviser = Adviser(hall.crew, hall.lobby, hall.address)

    async def watch(self) -> None:
        """Close tables where nothing happens; never returns."""
        idle = self._limits.idle
        while True:
            await trio.sleep(idle / LOOKS)
            for table in list(self._tables.values()):
                if trio.current_time() - table.touched >= idle:
                    table.close(f"nothing has happened here for {_length(idle)}")

    def arrived(self, holder: Holder) -> None:
        """Somebody has sat down at a table, or come back to one."""
        table = self._tables.get(table_name(holder.name))
        if table is not None:
            table.touch()

    async def answer(self, order: Order) -> Order:
        """Do what is ordered, and say what came of it: `error` is a sentence that says why not."""
        try:
            match order.get("order"):
                case "open":
                    return self._open(read_opening(order, self._samples))
                case "again":
                    return self._again(str(order.get("table")))
                case "close":
                    return self._close(str(order.get("table")))
                case "hint":
                    return await self._hint(str(order.get("position")))
                case other:
                    raise OrderError(
                        f"order: expected open, again, close or hint, got {other!r:.60}"
                    )
        except (OrderError, NoHintError) as problem:
            return {"error": str(problem)}

    def _open(self, opening: Opening) -> Order:
        self._check_room(opening)
        name = _new_name()
        settings = table_settings(name, opening, secrets.randbelow(1 << 31))
        chairs = chairs_of(name, opening, self._slot)
        people: list[Order] = []
        for chair in chairs:
            token = secrets.token_urlsafe(18)
            if chair.is_person:
                self._hall.lobby.invite(Known(chair.name, token_digest(token), slots=1))
                people.append({"name": chair.name, "token": token})
        table = PeoplesTable(name, opening, settings, chairs, self._hall)
        self._tables[name] = table
        self._nursery.start_soon(self._see_through, table)
        return {"table": name, "people": people, "limit": settings.terms.limit}

    def _check_room(self, opening: Opening) -> None:
        limits = self._limits
        owners = Counter(table.owner for table in self._tables.values())
        if owners[opening.owner] >= limits.each:
            raise OrderError(
                f"expected fewer than {limits.each} tables open from your address;"
                " one that nobody plays at is closed after a while"
            )
        if len(self._tables) >= limits.tables:
            raise OrderError(f"expected fewer than {limits.tables} tables open, try again later")
        if len(self._slots) + len(opening.samples) > limits.samples:
            raise OrderError("expected fewer sample bots at work, try again later")
        for sample, count in Counter(opening.samples).items():
            taken = sum(name == sample for name, _ in self._slots)
            if taken + count > MAX_SLOT:
                raise OrderError(f"expected fewer of {sample} at work, try again later")

    def _slot(self, sample: str) -> int:
        """A slot of a sample bot that no table has; the table has it from now on."""
        slot = min(set(range(1, MAX_SLOT + 1)) - {n for name, n in self._slots if name == sample})
        self._slots.add((sample, slot))
        return slot

    async def _see_through(self, table: PeoplesTable) -> None:
        try:
            why = await table.run()
        finally:
            del self._tables[table.name]
            self._slots.difference_update(
                (chair.name, chair.slot) for chair in table.chairs if not chair.is_person
            )
        self._tell({"closed": table.name, "why": why})

    def _again(self, name: str) -> Order:
        if not self._table(name).again():
            raise OrderError("expected the game at this table to be over, it is not")
        return {}

    def _close(self, name: str) -> Order:
        self._table(name).close("who opened it has closed it")
        return {}

    def _table(self, name: str) -> PeoplesTable:
        table = self._tables.get(name)
        if table is None:
            raise OrderError(f"table: expected one that is open, got {name!r:.60}")
        return table

    async def _hint(self, position: str) -> Order:
        try:
            game = Game.load(position, puzzle=True)
        except ValueError as problem:
            raise OrderError(f"position: {problem}") from None
        if game.is_over or game.must_pass:
            raise OrderError("position: expected one with a move to make")
        try:
            return {"path": await self._adviser.advise(game)}
        except (IllegalMoveError, NotationError) as problem:
            raise NoHintError(f"the adviser has no move: {problem}") from None


def _new_name() -> str:
    """A name for a table: short, as it stands in names of games and people on the wire."""
    return f"t{secrets.token_hex(5)}"


def _length(seconds: float) -> str:
    """
    >>> _length(3600.0), _length(90.0), _length(0.5)
    ('60 minutes', '1.5 minutes', '0.5 seconds')
    """
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} seconds"
