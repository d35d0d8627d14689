"""What the server tells the seats of a game, spelled as protocol.md says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sternhalma import Position, Rules, Seat, Terms, format_position
from sternhalma_server.clock import MILLISECOND, TimeControl, milliseconds
from sternhalma_server.verdict import Reason
from sternhalma_server.wire import clean


@dataclass(frozen=True, slots=True)
class Table:
    """A game as it is set up: who sits where, under which rules and terms.

    `bots`, `entries`, `versions` and `seeds` have one item for each seat; an entry is who scores,
    which with pairs is not the bot itself. `opening` are the paths played before the first turn.
    """

    event: str
    game: str
    rules: Rules
    terms: Terms
    control: TimeControl
    bots: tuple[str, ...]
    entries: tuple[str, ...]
    versions: tuple[str | None, ...]
    seeds: tuple[int, ...]
    opening: tuple[str, ...] = ()
    draws: bool = False
    tries: int = 0


def game_line(table: Table, letters: Sequence[str], seat: Seat) -> str:
    """`game ...`, the opening line for *seat*."""
    seats = ",".join(f"{letter}:{bot}" for letter, bot in zip(letters, table.bots, strict=True))
    return (
        f"game {table.game} {table.rules.id} {letters[seat]} seats={seats}"
        f" limit={table.terms.limit} at_limit={table.terms.at_limit} clock={table.control.text}"
        f" seed={table.seeds[seat]} draws={'yes' if table.draws else 'no'}"
    )


def turn_line(game: str, ply: int, limit: int | None, position: Position) -> str:
    """`turn ...`; *limit* is the time for the move in nanoseconds."""
    left = "-" if limit is None else limit // MILLISECOND
    return f"turn {game} {ply} {left} {format_position(position)}"


def moved_line(game: str, ply: int, letter: str, path: str, charged: int, limit: int | None) -> str:
    """`moved ...`; *charged* and *limit*, the time for the next move, in nanoseconds."""
    left = "-" if limit is None else limit // MILLISECOND
    return f"moved {game} {ply} {letter} {path} charged={milliseconds(charged)} left={left}"


def unasked_line(game: str, ply: int, letter: str, path: str, by: str) -> str:
    """`moved ...` for a ply that no bot chose: an opening ply or a forced pass."""
    return f"moved {game} {ply} {letter} {path} by={by}"


def offer_line(game: str, letter: str) -> str:
    """`offer ...`: a draw has been offered."""
    return f"offer {game} {letter}"


@dataclass(frozen=True, slots=True)
class Fall:
    """How a seat went out: by what, at which ply, and its last line where there was one."""

    seat: Seat
    reason: Reason
    ply: int
    line: str | None

    @property
    def keys(self) -> str:
        """The keys that tell it, `line` last."""
        line = "" if self.line is None else f" line={clean(self.line)}"
        return f"ply={self.ply}{line}"


def out_line(game: str, letter: str, fall: Fall) -> str:
    """`out ...`: a player has gone out and the game goes on."""
    return f"out {game} {letter} {fall.reason} {fall.keys}"


def over_line(
    game: str, reason: Reason, letters: Sequence[str], places: Sequence[int], fall: Fall | None
) -> str:
    """`over ...`: the result, and whose fall caused it if one did."""
    ranks = ",".join(f"{letter}:{place}" for letter, place in zip(letters, places, strict=True))
    cause = "" if fall is None else f" seat={letters[fall.seat]} {fall.keys}"
    return f"over {game} {reason} places={ranks}{cause}"
