"""All tables that this process shows, and what it takes to open, join and end them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sternhalma import Game
from sternhalma_server.web.tables.names import clean_name
from sternhalma_server.web.tables.office import Office
from sternhalma_server.web.tables.party import ActError, Chair, Party, Place, Plan
from sternhalma_server.web.tables.person import Person

PERSON: Final = "person"  # as orders call it
KEPT: Final = 64  # closed tables whose last game can still be looked at


class Tables:
    """The tables of one server; *limits* are those of `sternhalma_server.tables.room.Limits`."""

    def __init__(self, limits: Mapping[str, float] | None = None) -> None:
        self.office = Office(limits or {}, self._closed, self._gone)
        self._parties: dict[str, Party] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.closing = False  # whether the server stops, and pages are told nothing more

    async def start(self) -> None:
        """Be ready for tables. Raises `OfficeError`."""
        await self.office.start()

    def end_streams(self) -> None:
        """Tell pages nothing more: the server stops."""
        self.closing = True
        for party in self._parties.values():
            party.change()

    async def stop(self) -> None:
        """End all tables."""
        self.end_streams()
        await self.office.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def get(self, name: str) -> Party | None:
        """The table called *name*, None if there is none, or none any more."""
        return self._parties.get(name)

    async def open(
        self,
        owner: str,
        rules: str,
        seats: Sequence[str],
        clock: str,
        limit: int | None,
        here: Mapping[int, str],
    ) -> tuple[Party, Chair]:
        """Open a table for *owner*, and seat its host.

        *seats* has `PERSON` or a sample bot for each seat, *here* the names of those who share the
        host's screen, by number of the seat. Raises `OfficeError`.
        """
        opened = await self.office.order(
            "open", owner=owner, rules=rules, seats=list(seats), clock=clock, limit=limit
        )
        party = Party(
            opened["table"],
            Plan(rules, clock, opened["limit"]),
            _places(rules, seats, opened["people"]),
            time.monotonic,
        )
        self._forget()
        self._parties[party.name] = party
        return party, self.seat(party, here, is_host=True)

    def seat(self, party: Party, wanted: Mapping[int, str], *, is_host: bool = False) -> Chair:
        """Seat somebody in the *wanted* places, by number and with names. Raises `ActError`."""
        letters = {place.number: place.letter for place in party.places}
        names = {
            number: clean_name(name, f"player {letters[number]}")
            for number, name in wanted.items()
            if number in letters
        }
        chair = party.seat(names, is_host=is_host)
        for place in chair.places:
            assert place.token is not None, "only free places can be taken, and those are people's"
            place.client = Person(place.wire, place.token, party.hear)
            self._spawn(place.client)
        party.change()
        return chair

    async def hint(self, party: Party, chair: Chair) -> None:
        """Have *chair* advised what to play. Raises `ActError`, `OfficeError`."""
        if chair.is_asking:
            raise ActError("a hint is on its way already")
        position = party.position(chair)
        story = party.story
        assert story is not None
        turn = story.opened.game, story.now.ply
        chair.is_asking = True
        party.change()
        try:
            told = await self.office.order("hint", position=position)
            chair.hint, chair.hinted = told["path"], turn
        finally:
            chair.is_asking = False
            party.change()

    async def again(self, party: Party) -> None:
        """Begin another game at a table. Raises `ActError`, `OfficeError`."""
        if not party.is_over:
            raise ActError("expected the game to be over first")
        await self.office.order("again", table=party.name)

    async def close(self, party: Party) -> None:
        """Close a table. Raises `OfficeError`."""
        await self.office.order("close", table=party.name)

    def _spawn(self, client: Person) -> None:
        task = asyncio.create_task(client.run(*self.office.address))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _closed(self, name: str, why: str) -> None:
        party = self._parties.get(name)
        if party is not None:
            party.close(why)

    def _gone(self) -> None:
        for party in self._parties.values():
            party.close("the server of the tables has ended")
        for task in self._tasks:
            task.cancel()

    def _forget(self) -> None:
        """Forget the oldest of the closed tables, where there are many."""
        closed = [name for name, party in self._parties.items() if party.closed is not None]
        for name in closed[:-KEPT]:
            del self._parties[name]


def _places(rules: str, seats: Sequence[str], people: Sequence[Mapping[str, Any]]) -> list[Place]:
    letters = [group[0] for group in Game.new(rules, len(seats)).position.seats]
    left = iter(people)
    places: list[Place] = []
    for number, (letter, seat) in enumerate(zip(letters, seats, strict=True)):
        if seat == PERSON:
            person = next(left)
            token: str = person["token"]
            places.append(Place(number, letter, person["name"], f"player {letter}", token))
        else:
            places.append(Place(number, letter, seat, seat))
    return places
