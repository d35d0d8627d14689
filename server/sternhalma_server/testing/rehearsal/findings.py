"""What a rehearsal has shown: the verdict on every wrong, how long it took, and who suffered.

Findings are worked out from finished games alone, with the moments at which they began and ended.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sternhalma_server.announce import Table
from sternhalma_server.clock import MILLISECOND, SECOND
from sternhalma_server.happening import Fall, Ply
from sternhalma_server.referee import Finished
from sternhalma_server.testing.house_bots import HOUSE_BOTS
from sternhalma_server.testing.rehearsal.field import Field
from sternhalma_server.verdict import Reason

NO_VERDICT: Final = "none"


@dataclass(slots=True)
class Verdicts:
    """What became of the games of one house bot; `longest` is how many seconds one was held up."""

    kind: str
    games: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    longest: float | None = None

    @property
    def right(self) -> bool:
        """Whether it played, and every verdict was its own."""
        own = {str(reason) for reason in HOUSE_BOTS[self.kind].verdicts} or {NO_VERDICT}
        return self.games > 0 and own.issuperset(self.reasons)

    def add(self, fall: Fall | None, seconds: float | None) -> None:
        """Count one game: how it went out, and after how long."""
        self.games += 1
        self.reasons[NO_VERDICT if fall is None else str(fall.reason)] += 1
        if seconds is not None:
            self.longest = max(seconds, self.longest or 0)


class Findings:
    """What is found in the games of *field* as they end.

    `forfeits` are those of honest bots, `voids` the games that count for nobody, `late` the longest
    that the server read a move late, in nanoseconds, which nobody was charged for; `overrun` is
    whether the rehearsal took too long and was ended.
    """

    def __init__(self, field: Field) -> None:
        self.field = field
        self.verdicts = {name: Verdicts(kind) for name, kind in field.house.items()}
        self.forfeits: list[tuple[str, str, Reason]] = []  # bot, game, reason
        self.games = 0
        self.voids = 0
        self.late = 0
        self.seconds = 0.0
        self.complete = False
        self.overrun = False
        self.told: list[str] = []
        self._begun: dict[str, int] = {}  # game: monotonic nanoseconds
        self._waited_since: dict[str, int] = {}  # house bot: its last game's end, or the beginning
        self._opened = 0

    def opened(self) -> None:
        """The server listens."""
        self._opened = time.monotonic_ns()

    def begun(self, table: Table) -> None:
        """A game begins, whoever has come to it."""
        self._begun[table.game] = time.monotonic_ns()

    def add(self, finished: Finished) -> str:
        """Count a game that is over; a sentence about it."""
        self.games += 1
        self.voids += finished.reason.is_void
        falls = {finished.table.bots[fall.seat]: fall for fall in reversed(finished.falls)}
        said: list[str] = []
        for bot in dict.fromkeys(finished.table.bots):
            fall = falls.get(bot)
            if bot in self.verdicts:
                seconds = None if fall is None else self._held_up(bot, fall, finished)
                self.verdicts[bot].add(fall, seconds)
                self._waited_since[bot] = time.monotonic_ns()
                how = "plays to the end" if fall is None else str(fall.reason)
                said.append(f"{bot} {how}" + ("" if seconds is None else f" after {seconds:.1f} s"))
            elif fall is not None and fall.reason.is_forfeit:
                self.forfeits.append((bot, finished.table.game, fall.reason))
                said.append(f"{bot}, which is honest, FORFEITS ({fall.reason})")
        for event in finished.happened:
            if isinstance(event, Ply) and event.evidence is not None:
                self.late = max(self.late, event.evidence.late)
        return "; ".join(said) or f"{' and '.join(finished.table.bots)} play to the end"

    def _held_up(self, bot: str, fall: Fall, finished: Finished) -> float | None:
        """For how many seconds *bot* held up the game before it went out."""
        if fall.reason is Reason.NO_START:
            since = self._waited_since.get(bot, self._opened)
            if not self.field.tokens:  # a program is waited for since it has been started
                since = next((came for came in self.field.came(bot) if came > since), since)
            return (self._begun[finished.table.game] - since) / SECOND
        if fall.waited is not None:
            return fall.waited / SECOND
        if fall.sent is None:
            return None
        at = finished.happened.index(fall)
        asked = [
            event.evidence.sent
            for event in finished.happened[at:]
            if isinstance(event, Ply) and event.evidence is not None
        ]
        return (min([time.time_ns(), *asked[:1]]) - fall.sent) / SECOND

    @property
    def good(self) -> bool:
        """Whether every wrong got its own verdict and no honest bot forfeited."""
        return (
            self.complete
            and not self.field.endless
            and not self.forfeits
            and not self.voids
            and all(verdicts.right for verdicts in self.verdicts.values())
        )

    def facts(self) -> Mapping[str, Any]:
        """All of it, ready for JSON."""
        return {
            "good": self.good,
            "complete": self.complete,
            "games": self.games,
            "seconds": round(self.seconds, 1),
            "misbehaviour": {
                its.kind: {
                    "games": its.games,
                    "verdicts": dict(sorted(its.reasons.items())),
                    "right": its.right,
                    "seconds": None if its.longest is None else round(its.longest, 3),
                }
                for its in self.verdicts.values()
            },
            "endless": list(self.field.endless),
            "honest": list(self.field.honest),
            "forfeits": [
                {"bot": bot, "game": game, "reason": str(reason)}
                for bot, game, reason in self.forfeits
            ],
            "void": self.voids,
            "late_ms": round(self.late / MILLISECOND, 3),
        }
