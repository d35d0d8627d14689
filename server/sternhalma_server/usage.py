"""What bots did with their turns: the time they took, and how far they jumped at once.

Standings know results only; this is in the moves of the records, and is what the author of a bot
wants to see of an event.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sternhalma import Board, Rules
from sternhalma_server.clock import milliseconds
from sternhalma_server.record import Ply, Record


@dataclass(frozen=True, slots=True)
class Extreme:
    """The most of something, and the first game and ply in which it was; `size` 0: never."""

    size: int = 0
    game: int = 0
    ply: int = 0

    @property
    def where(self) -> str:
        """The game and the ply in words."""
        return f"game {self.game}, ply {self.ply}" if self.size else ""


@dataclass(slots=True)
class Usage:
    """The moves of one bot: charged times in nanoseconds, `chain` in jumps."""

    moves: int = 0
    charged: int = 0
    longest: Extreme = field(default_factory=Extreme)
    chain: Extreme = field(default_factory=Extreme)

    @property
    def mean(self) -> int | None:
        """The mean time of a move, in nanoseconds; None before the first."""
        return self.charged // self.moves if self.moves else None


class Usages:
    """The usage of every bot; `add` takes the record of one more game, in any order."""

    def __init__(self) -> None:
        self.by_bot: dict[str, Usage] = {}

    def add(self, record: Record) -> None:
        """Count the moves that bots made by themselves."""
        board = Rules.parse(record.rules).board
        bots = {player.seat: player.bot for player in record.players}
        for bot in bots.values():
            self.by_bot.setdefault(bot, Usage())
        for happening in record.happened:
            if isinstance(happening, Ply) and happening.source is None:
                self._count(self.by_bot[bots[happening.seat]], record.game, happening, board)

    def _count(self, usage: Usage, game: int, ply: Ply, board: Board) -> None:
        usage.moves += 1
        jumps = jumps_of(ply.path, board)
        usage.chain = _more(usage.chain, Extreme(jumps, game, ply.number))
        if ply.charged is not None:
            usage.charged += ply.charged
            usage.longest = _more(usage.longest, Extreme(ply.charged, game, ply.number))


def jumps_of(path: str, board: Board) -> int:
    """How many jumps a written path with all its landings has; none for a step and for a pass.

    >>> jumps_of("b6-d8-f8", Rules.parse("tara").board)
    2
    """
    if path == "pass":
        return 0
    holes = [board.parse_hole(word) for word in path.split("-")]
    step = len(holes) == 2 and board.neighbours[holes[0]] >> holes[1] & 1
    return 0 if step else len(holes) - 1


USAGE_HEAD: Final = ("bot", "moves", "mean ms", "longest ms", "where", "longest chain", "where")
USAGE_ALIGN: Final = "lrrrlrl"


def usage_row(bot: str, usage: Usage) -> list[str]:
    """A line of a table under `USAGE_HEAD`; times are milliseconds."""
    return [
        bot,
        str(usage.moves),
        "" if usage.mean is None else milliseconds(usage.mean),
        milliseconds(usage.longest.size) if usage.longest.size else "",
        usage.longest.where,
        str(usage.chain.size),
        usage.chain.where,
    ]


def usage_json(usage: Usage) -> dict[str, object]:
    """The usage as JSON values; times are milliseconds as texts."""
    return {
        "moves": usage.moves,
        "total_ms": milliseconds(usage.charged),
        "mean_ms": None if usage.mean is None else milliseconds(usage.mean),
        "longest": {"ms": milliseconds(usage.longest.size)} | _place(usage.longest),
        "longest_chain": {"jumps": usage.chain.size} | _place(usage.chain),
    }


def _place(extreme: Extreme) -> dict[str, int | None]:
    return {"game": extreme.game or None, "ply": extreme.ply or None}


def _more(known: Extreme, new: Extreme) -> Extreme:
    """The greater one; of equal ones the earlier, so that the order of records does not matter."""
    if new.size == 0:
        return known
    key = (-new.size, new.game, new.ply)
    return new if known.size == 0 or key < (-known.size, known.game, known.ply) else known
