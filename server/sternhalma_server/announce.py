"""What the server tells the seats of a game, spelled as protocol.md says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sternhalma import Position, Rules, Seat, Terms, format_position
from sternhalma_server.clock import MILLISECOND, Budget, Lag, TimeControl, milliseconds
from sternhalma_server.happening import Fall, Ply
from sternhalma_server.verdict import Reason


@dataclass(frozen=True, slots=True)
class Table:
    """A game as it is set up: who sits where, under which rules and terms.

    `game` is what the wire calls it: its number, behind the event's name where a server has several
    events at once. `bots`, `entries`, `versions` and `seeds` have one item for each seat; an entry
    is who scores, which with pairs is not the bot itself. `opening` are the paths played before the
    first turn, `lag` the credit for the network, None where the event gives none. `undo` is whether
    moves may be taken back, which is for practice alone.
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
    lag: Lag | None = None
    undo: bool = False

    @property
    def number(self) -> int:
        """The game's number in its event."""
        return int(self.game.rpartition("/")[2])


def game_line(table: Table, letters: Sequence[str], seat: Seat | None) -> str:
    """`game ...`, the opening line for *seat*, or for a watcher."""
    letter, seed = ("-", "-") if seat is None else (letters[seat], table.seeds[seat])
    lag = "" if table.lag is None else f" lag={table.lag.text}"
    undo = " undo=yes" if table.undo else ""
    seats = ",".join(f"{letter}:{bot}" for letter, bot in zip(letters, table.bots, strict=True))
    return (
        f"game {table.game} {table.rules.id} {letter} seats={seats}"
        f" limit={table.terms.limit} at_limit={table.terms.at_limit} clock={table.control.text}"
        f"{lag} seed={seed} draws={'yes' if table.draws else 'no'}{undo}"
    )


def turn_line(
    game: str, ply: int, limit: int | None, budget: Budget, position: Position, board: str
) -> str:
    """`turn ...`; *limit* is the time for the move in nanoseconds, *board* the board field."""
    left = "-" if limit is None else limit // MILLISECOND
    periods = f" periods={budget.periods}" if budget.periods else ""
    return f"turn {game} {ply} {left} {format_position(position, board)}{periods}"


def position_line(game: str, ply: int, position: Position) -> str:
    """`position ...`: how a game stands, for a watcher who joins it."""
    return f"position {game} {ply} {format_position(position)}"


def moved_line(game: str, letter: str, ply: Ply, budget: Budget) -> str:
    """`moved ...` for a move that a bot has made; *budget* is what it has left."""
    left = "-" if ply.left is None else ply.left // MILLISECOND
    more = f" periods={budget.periods}" if budget.periods else ""
    if ply.evidence is not None and ply.evidence.credit is not None:
        more += f" credit={milliseconds(ply.evidence.credit)}"
    return (
        f"moved {game} {ply.number} {letter} {ply.path}"
        f" charged={milliseconds(ply.charged)} left={left}{more}"
    )


def unasked_line(game: str, ply: int, letter: str, path: str, by: str) -> str:
    """`moved ...` for a ply that no bot chose: an opening ply or a forced pass."""
    return f"moved {game} {ply} {letter} {path} by={by}"


def offer_line(game: str, letter: str) -> str:
    """`offer ...`: a draw has been offered."""
    return f"offer {game} {letter}"


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
