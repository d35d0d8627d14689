"""A game that is being played, as a watcher is told of it.

Most games are looked at by nobody. So a line is only kept when it comes; the position, the clocks
and whatever else follows from the lines is worked out when somebody wants to see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sternhalma import Game, Hole, Seat
from sternhalma_server.clock import MILLISECOND, TimeControl, parse_clock
from sternhalma_server.pages.running import Shown
from sternhalma_server.record import Happening, Out, Ply, Source
from sternhalma_server.verdict import Reason

_MEASURED: Final = frozenset({"charged", "left", "credit"})  # of what is told, what records have
_SOURCES: Final[Mapping[str, Source]] = {"opening": "opening", "rules": "rules"}


class SceneError(ValueError):
    """A line that no server of this protocol sends; says what was expected and what came."""


class LiveGame:
    """The game that a line `game ...` tells of, heard at *now*.

    `name` is what the wire calls it, `event` that of its event where the name says one, `lines` are
    the lines `moved` and `out` since it was first heard of, `touched` when the last one came.
    Moments are whatever the caller's clock says. Raises `SceneError`.
    """

    __slots__ = (
        "_game",
        "_left",
        "_seen",
        "control",
        "event",
        "lines",
        "name",
        "number",
        "seats",
        "terms",
        "touched",
    )

    def __init__(self, line: str, now: float) -> None:
        words = line.split(" ")
        try:
            _, self.name, _, _, *pairs = words
            keys = dict(pair.split("=", 1) for pair in pairs)
            self.event, _, number = self.name.rpartition("/")
            self.number = int(number)
            seats = [seat.split(":", 1) for seat in keys["seats"].split(",")]
            self.seats = tuple((letter, bot) for letter, bot in seats)
            self.control: TimeControl = parse_clock(keys["clock"])
            self.terms = int(keys["limit"]), keys["at_limit"]
        except (ValueError, KeyError):
            raise SceneError(f"expected 'game GAME RULES - ...', got {line[:200]!r}") from None
        self.lines: list[str] = []
        self.touched = now
        self._seen = 0  # lines that are worked out
        self._game: Game | None = None
        self._left: dict[str, int | None] = {}

    def stand(self, line: str) -> None:
        """Hear `position ...`: how it stands. Raises `SceneError`."""
        words = line.split(" ", 3)
        limit, at_limit = self.terms
        try:
            game = Game.load(
                words[3], limit=limit, at_limit="progress" if at_limit == "progress" else "share"
            )
        except (ValueError, IndexError) as error:
            raise SceneError(f"expected 'position GAME PLY ...', got {line[:200]!r}") from error
        self._game = game
        self.lines = []  # another list: who has read the old one begins anew
        self._seen = 0
        first = self.control.limit(self.control.start())
        known = self.control.per_move or game.ply == 1
        left = None if first is None or not known else first // MILLISECOND
        self._left = {letter: left for letter, _ in self.seats}

    def hear(self, line: str, now: float) -> None:
        """Hear `moved ...` or `out ...`."""
        self.lines.append(line)
        self.touched = now

    def shown(self) -> Shown | None:
        """How it stands, None before that is known. Raises `SceneError`."""
        game = self._worked_out()
        if game is None:
            return None
        path: tuple[Hole, ...] = () if game.last is None else game.last.path
        return Shown(self.number, game.ply - 1, self.seats, game.position, path, self.event)

    def clocks(self) -> dict[str, Any]:
        """For the script: `left` for each seat in milliseconds, as far as it is known, and whose
        clock is `running`. Raises `SceneError`."""
        game = self._worked_out()
        turn = None if game is None else game.turn
        running = None if game is None or turn is None else game.position.seats[turn][0]
        known = {seat: left for seat, left in self._left.items() if left is not None}
        return {"left": known, "running": running}

    def _worked_out(self) -> Game | None:
        game = self._game
        if game is None:
            return None
        try:
            for line in self.lines[self._seen :]:
                happening = happening_of(line)
                game = after(game, happening)
                if isinstance(happening, Ply):
                    left = dict(happening.evidence).get("left", "-")
                    if left.isdecimal():
                        self._left[happening.seat] = int(left)
        except ValueError as error:
            raise SceneError(f"game {self.name}: {error}") from None
        self._seen = len(self.lines)
        self._game = game
        return game


def happening_of(line: str) -> Happening:
    """What a line `moved ...` or `out ...` tells, as a record has it. Raises `SceneError`."""
    words = line.split(" ")
    try:
        if words[0] == "moved":
            _, _, number, seat, path, *pairs = words
            keys = dict(pair.split("=", 1) for pair in pairs)
            measured = tuple((key, value) for key, value in keys.items() if key in _MEASURED)
            by = keys.get("by")
            return Ply(int(number), seat, path, None if by is None else _SOURCES[by], measured)
        _, _, seat, reason, more = line.split(" ", 4)
        ply, quoted, said = more.partition(" line=")
        last = said if quoted else None
        return Out(seat, Reason(reason), int(ply.removeprefix("ply=")), line=last)
    except (ValueError, KeyError):
        raise SceneError(f"expected 'moved ...' or 'out ...', got {line[:200]!r}") from None


def after(game: Game, happening: Happening) -> Game:
    """The game after *happening*; what it knows already changes nothing. Raises `ValueError`."""
    match happening:
        case Ply(number, _, path) if number == game.ply and not game.is_over:
            return game.play(path)
        case Ply(number) if number > game.ply:
            raise ValueError(f"expected ply {game.ply}, got ply {number}")
        case Out(letter) if not game.is_over:
            letters = [group[0] for group in game.position.seats]
            seat = Seat(letters.index(letter))
            return game.drop(seat) if seat in game.position.active else game
        case _:
            return game
