"""What browsers send: forms and addresses, read once and judged by what they may be."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

from sternhalma import OPTIONS

MOST: Final = 6  # seats of a table
HERE: Final = "here"  # a seat for somebody at the host's own screen
PERSON: Final = "person"
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_FIELDS: Final = 64


class FormError(ValueError):
    """A form that cannot be followed; says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A table that somebody wishes to open, as the form has it.

    `seats` has `HERE`, `PERSON` or a sample bot for each of six seats, of which `players` count;
    `names` are what those `HERE` call themselves. `options` are those of the rules.
    """

    base: str = "tara"
    options: frozenset[str] = frozenset()
    players: int = 2
    seats: tuple[str, ...] = (HERE, PERSON, PERSON, PERSON, PERSON, PERSON)
    names: tuple[str, ...] = ("",) * MOST
    clock: str = "none"
    limit: str = ""

    @property
    def rules(self) -> str:
        """The rules id: the options that go with the base, in their order."""
        known = OPTIONS.get(self.base, ())
        return "+".join([self.base, *(one for one in known if one in self.options)])

    @property
    def order(self) -> list[str]:
        """The seats as they are ordered: whoever is a person is one to the server."""
        return [PERSON if seat == HERE else seat for seat in self.seats[: self.players]]

    @property
    def here(self) -> dict[int, str]:
        """The names of those at the host's own screen, by number of the seat."""
        taken = enumerate(self.seats[: self.players])
        return {number: self.names[number] for number, seat in taken if seat == HERE}

    @property
    def turns(self) -> int | None:
        """The turns each may have, None for what the rules say. Raises `FormError`."""
        if not self.limit:
            return None
        if not _NUMBER.fullmatch(self.limit):
            raise FormError(
                f"turns each: expected a number from 1 to 99999, got {self.limit!r:.30}"
            )
        return int(self.limit)


def read_fields(body: bytes) -> dict[str, list[str]]:
    """The fields of a form that was sent as `application/x-www-form-urlencoded`.

    Raises `FormError`.
    """
    try:
        return parse_qs(
            body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=_FIELDS
        )
    except ValueError:
        raise FormError("expected a form that can be read") from None


def read_wish(fields: Mapping[str, Sequence[str]]) -> Wish:
    """The table that a form wishes for; what it lacks is as usual."""
    usual = Wish()

    def one(key: str, default: str) -> str:
        return fields.get(key, [default])[-1].strip()[:60]

    players = one("players", str(usual.players))
    return Wish(
        base=one("rules", usual.base),
        options=frozenset(fields.get("option", ())),
        players=int(players) if players in {"2", "3", "4", "5", "6"} else usual.players,
        seats=tuple(one(f"seat-{number}", usual.seats[number]) for number in range(MOST)),
        names=tuple(one(f"name-{number}", "") for number in range(MOST)),
        clock=one("clock", usual.clock) or usual.clock,
        limit=one("limit", ""),
    )


def read_places(fields: Mapping[str, Sequence[str]]) -> dict[int, str]:
    """The places that somebody takes, by number, with the names to be called by."""
    wanted: dict[int, str] = {}
    for text in fields.get("place", ()):
        if text.isdecimal() and text.isascii() and len(text) == 1:
            wanted[int(text)] = fields.get(f"name-{text}", [""])[-1]
    return wanted


def owner_of(host: str | None) -> str:
    """Whom a table counts for: a network address, of which IPv6 gives everybody 2**64.

    >>> owner_of("192.0.2.7"), owner_of("2001:db8::1:2"), owner_of(None)
    ('192.0.2.7', '2001:db8::/64', 'unknown')
    """
    try:
        address = ipaddress.ip_address((host or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
