"""How a game ended, in short: what ratings and tables of a whole league are added up from.

A record says it too, and is what counts; this is stored beside it, so that whoever reads a million
games reads a few words of each. An audit holds the two against each other.
"""

from __future__ import annotations

import msgspec

from sternhalma_server.record import Out, Record, parse_record
from sternhalma_tournament.scores import GameResult


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """Entries, bots, their versions, places and forfeits by seat, the reason, and the plies."""

    entries: tuple[str, ...]
    bots: tuple[str, ...]
    versions: tuple[str | None, ...]
    places: tuple[int, ...]
    forfeits: tuple[str | None, ...]
    reason: str
    plies: int

    def result(self, number: int) -> GameResult:
        """The same as standings want it, of game *number*."""
        return GameResult(number, self.entries, self.places, self.forfeits, self.reason, self.plies)


def outcome_of(record: Record) -> Outcome:
    """How the game of *record* ended."""
    faults: dict[str, str] = {}
    for happening in record.happened:
        if isinstance(happening, Out) and happening.reason.is_forfeit:
            faults[happening.seat] = happening.reason.value
    players = record.players
    return Outcome(
        entries=tuple(player.entry for player in players),
        bots=tuple(player.bot for player in players),
        versions=tuple(player.version for player in players),
        places=record.places,
        forfeits=tuple(faults.get(player.seat) for player in players),
        reason=record.reason.value,
        plies=record.ply,
    )


def format_outcome(outcome: Outcome) -> str:
    """*outcome* as it is stored, one line; `read_outcome` reads it back."""
    return _ENCODER.encode(outcome).decode()


def read_outcome(text: str | None, record: str | None) -> Outcome:
    """The outcome that is stored as *text*, or without one that of the text of a *record*.

    Raises `ValueError` for a text that is none.
    """
    if text is None:
        return outcome_of(parse_record(record or ""))
    try:
        return _DECODER.decode(text)
    except msgspec.MsgspecError as error:
        raise ValueError(f"expected an outcome, got {text[:80]!r}: {error}") from None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Outcome)
