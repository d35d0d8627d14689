"""Games that are still played, as pages show them: their boards in small, and the empty ones.

A page that hears how games go on draws the boards of those that begin later on a copy of the empty
board, its frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from sternhalma import Board, Hole, Position, Rules
from sternhalma_server.pages.replays import letters_of
from sternhalma_server.pages.templates import drawn
from sternhalma_server.picture import picture
from sternhalma_server.telling import Telling

if TYPE_CHECKING:
    from markupsafe import Markup

BOARDS: Final = 24  # on a page; the list of games has all of them


@dataclass(frozen=True, slots=True)
class Shown:
    """A running game after `ply` turns; `seats` are letters and bots, `path` its last move's."""

    number: int
    ply: int
    seats: tuple[tuple[str, str], ...]
    position: Position
    path: tuple[Hole, ...] = ()
    event: str = ""

    @classmethod
    def of(cls, telling: Telling) -> Self:
        """The game that is told."""
        record, game = telling.record, telling.game
        return cls(
            record.game,
            record.ply,
            tuple((player.seat, player.bot) for player in record.players),
            game.position,
            () if game.last is None else game.last.path,
            record.event,
        )

    @property
    def title(self) -> str:
        """The game and how far it is."""
        return f"game {self.number}, after ply {self.ply}"


@dataclass(frozen=True, slots=True)
class Running:
    """A game that is still played: its board in small, and where more of it is."""

    key: str
    text: str
    href: str
    seats: tuple[tuple[str, str], ...]
    board: Markup


@dataclass(frozen=True, slots=True)
class Frame:
    """An empty board; `holes` are the names of its holes, with spaces between."""

    name: str
    holes: str
    board: Markup


def running_of(shown: Shown, href: str, key: str, name: str = "") -> Running:
    """The game for a page; *name* stands for its event where there are several."""
    title = f"{name} {shown.title}".lstrip()
    board = picture(shown.position, title, path=shown.path, key=f"game-{key}", small=True)
    return Running(key, title, href, shown.seats, drawn(board))


def frames_of(rules: Iterable[Rules]) -> list[Frame]:
    """The frames of the boards that *rules* are played on."""
    boards = {frame_name(one.board): one for one in rules}
    frames: list[Frame] = []
    for name, one in boards.items():
        position = Position.start(one, one.players[0])
        board = picture(position, "a board", key=f"frame-{name}", small=True)
        frames.append(Frame(name, " ".join(one.board.names), drawn(board)))
    return frames


def frame_name(board: Board) -> str:
    """What the frame of *board* is called: boards with the same points and holes are the same."""
    points = "".join(sorted(board.points))
    marbles = max(holes.bit_count() for holes in board.points.values())
    return f"{len(board.names)}-{points}-{marbles}".lower()


def board_state(shown: Shown, href: str, name: str = "") -> dict[str, Any]:
    """The game as the script of a page draws it; *href* is a link from that page."""
    seats: Sequence[Sequence[str]] = [list(seat) for seat in shown.seats]
    return {
        "frame": frame_name(shown.position.seating.board),
        "title": f"{name} {shown.title}".lstrip(),
        "href": href,
        "seats": seats,
        "letters": letters_of(shown.position),
        "path": list(shown.path),
    }
