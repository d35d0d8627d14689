"""What goes to a worker and what comes back: an order for games, and reports of what came of it.

Everything that decides a game is in the order: which number it has, who plays it, from which seat
and opening. So a batch can be played anywhere, and again, and comes to the same games.
"""

from __future__ import annotations

from importlib.metadata import version

import msgspec

from sternhalma_tournament.schedule import Pairing


class Order(msgspec.Struct, frozen=True):
    """Games to be played one after the other.

    `server` is the version of who ordered them, `source` and `folder` the event file and where its
    commands are run. `hidden` is a folder that no bot in a sandbox may see. `absent` are entries
    whose games are played without them, and `programs` the fingerprints of programs by bot.
    """

    server: str
    event: str
    source: bytes
    folder: str
    hidden: str
    pairings: tuple[Pairing, ...]
    absent: tuple[str, ...]
    programs: dict[str, str]


class Report(msgspec.Struct, frozen=True, tag_field="is"):
    """One thing that came of an order."""


class Over(Report, frozen=True, tag="over"):
    """A game is over: its record, the raw lines of its seats, and in short how it ended."""

    game: int
    record: str
    said: str
    outcome: str


class Told(Report, frozen=True, tag="told"):
    """A sentence for the host."""

    sentence: str


class Printed(Report, frozen=True, tag="printed"):
    """What the programs of a bot's slot have printed, as the results folder keeps it."""

    bot: str
    slot: int
    text: bytes


class Refused(Report, frozen=True, tag="refused"):
    """Nothing was played: what this machine has is not what the order speaks of."""

    reason: str


class Ended(Report, frozen=True, tag="ended"):
    """All games are over; it took *seconds* from the first to the last."""

    seconds: float


AnyReport = Over | Told | Printed | Refused | Ended


def own_version() -> str:
    """The version of this server, which both ends of an order must have."""
    return version("sternhalma")


def format_order(order: Order) -> bytes:
    """*order* as one line of JSON without its line feed; `parse_order` reads it back."""
    return msgspec.json.encode(order)


def parse_order(line: bytes) -> Order:
    """The order in *line*; ValueError if it is none."""
    return msgspec.json.decode(line, type=Order)


def format_report(report: Report) -> bytes:
    """*report* as one line of JSON without its line feed; `parse_report` reads it back."""
    return msgspec.json.encode(report)


def parse_report(line: bytes) -> AnyReport:
    """The report in *line*; ValueError if it is none."""
    return _REPORTS.decode(line)


_REPORTS = msgspec.json.Decoder(AnyReport)
