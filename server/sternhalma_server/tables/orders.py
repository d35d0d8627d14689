"""What may be ordered of the tables: read once, into values that cannot be wrong.

An order comes from the process that shows the pages, but what is in it was typed by anybody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from sternhalma import BASES
from sternhalma_server.settings import Settings, settings_of
from sternhalma_tournament.reading import EventFileError

PERSON: Final = "person"
TRIES: Final = 1000  # wrong answers a game that are forgiven: people type, and nobody rates it
AWAY: Final = "24h"  # how long a person may be away; a table where nobody moves is closed sooner

_WORD: Final = re.compile(r"[A-Za-z0-9+.]{1,40}", re.ASCII)  # rules ids and clocks
_OWNER: Final = re.compile(r"[!-~]{1,80}", re.ASCII)
_MOST: Final = 6  # seats of a table


class OrderError(ValueError):
    """An order that cannot be followed; says in one sentence what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A table that is wanted: who has each seat, `PERSON` or a sample bot, and for whom it is.

    `owner` is who is counted as having it open: the network address of the host.
    """

    owner: str
    rules: str
    seats: tuple[str, ...]
    clock: str = "none"
    limit: int | None = None

    @property
    def people(self) -> int:
        """How many seats are for people."""
        return self.seats.count(PERSON)

    @property
    def samples(self) -> tuple[str, ...]:
        """The sample bots in seats, one item for each."""
        return tuple(seat for seat in self.seats if seat != PERSON)


def read_opening(asked: Mapping[str, Any], samples: Collection[str]) -> Opening:
    """The table that an order asks for, with *samples* to choose from. Raises `OrderError`."""
    known = [PERSON, *samples]
    seats = cast("Sequence[Any]", asked.get("seats"))
    if not isinstance(seats, list) or not 0 < len(seats) <= _MOST:
        raise OrderError(f"seats: expected a list of 2 to {_MOST}, got {seats!r:.60}")
    for seat in seats:
        if seat not in known:
            raise OrderError(f"seats: expected one of {', '.join(known)}, got {seat!r:.60}")
    limit = asked.get("limit")
    if limit is not None and (type(limit) is not int or not 0 < limit < 100_000):
        raise OrderError(f"limit: expected a number of turns or nothing, got {limit!r:.60}")
    opening = Opening(
        owner=_text(asked, "owner", _OWNER),
        rules=_text(asked, "rules", _WORD),
        seats=tuple(map(str, seats)),
        clock=_text(asked, "clock", _WORD, "none"),
        limit=limit,
    )
    if not opening.people:
        raise OrderError("seats: expected a person in one of them, got sample bots alone")
    return opening


def _text(
    asked: Mapping[str, Any], key: str, form: re.Pattern[str], default: str | None = None
) -> str:
    value = asked.get(key, default)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise OrderError(f"{key}: expected {form.pattern}, got {value!r:.60}")
    return value


def table_settings(name: str, opening: Opening, seed: int) -> Settings:
    """The settings by which the games of the table *name* are played. Raises `OrderError`."""
    base = BASES.get(opening.rules)
    lines = [
        f'name = "{name}"',
        f'rules = "{opening.rules}"',
        f"players = {len(opening.seats)}",
        f'clock = "{opening.clock}"',
        f"seed = {seed}",
        f"tries = {TRIES}",
        *([] if opening.limit is None else [f"limit = {opening.limit}"]),
        *(["draws = true"] if base is not None and base.draws else []),
        "[budgets]",
        f'reconnect = "{AWAY}"',
    ]
    for number in range(len(opening.seats)):
        lines += ["[[bots]]", f'name = "{person_name(name, number)}"', "remote = true"]
    try:
        return settings_of("\n".join(lines).encode(), "table")
    except EventFileError as error:
        raise OrderError(str(error).removeprefix("table: ")) from None


def person_name(table: str, seat: int) -> str:
    """What the wire calls the person in a seat of a table, counted from 0."""
    return f"{table}.{seat + 1}"


def table_name(person: str) -> str:
    """The table of a person whom the wire calls so; `person_name` gives that."""
    return person.rpartition(".")[0]
