"""Why an answer was not played, in words for whoever wrote the bot.

On the wire there is one sentence, which has to do for a league. Whoever practises wants more: what
the line was taken for, which hop failed, and what would have been legal.
"""

from __future__ import annotations

from typing import Final

from sternhalma import Game, Hole, IllegalMoveError, Mask, Move, NotationError
from sternhalma_server.framing import MAX_LINE
from sternhalma_server.wire import (
    Fetch,
    Login,
    Message,
    MoveMade,
    Undo,
    Watch,
    WireError,
    clean,
    parse_message,
)

NO_LOGIN: Final = "expected no second login"
NO_UNDO: Final = "expected no undo: in this game no move is taken back"
FLUSHES: Final = "does the program flush its output after each line?"
SHOWN: Final = 12  # holes or moves that are listed
WHOLE: Final = 2 * MAX_LINE  # a sentence quotes the path first, which may be as long as a line


def explain(game: Game, line: str) -> list[str]:
    """Why *line*, said by the seat to move in *game*, was not played: sentences, the reason first.

    An answer that is legal has none.
    """
    try:
        message = parse_message(line)
    except WireError as problem:
        return [str(problem)]
    if not isinstance(message, MoveMade):
        return [_no_answer(message) or f"expected a move, got {clean(line, 60)!r}"]
    try:
        move = game.parse_move(message.path)
    except NotationError as problem:
        return [str(problem)]
    try:
        game.resolve(move)
    except IllegalMoveError as problem:
        return [clean(str(problem), WHOLE), *_instead(game, move)]
    return []


def _no_answer(message: Message) -> str | None:
    """Why *message* never answers a turn, None for what is wrong with its game or ply alone."""
    match message:
        case Login() | Watch() | Fetch():
            return NO_LOGIN
        case Undo():
            return NO_UNDO
        case _:
            return None


def _instead(game: Game, move: Move) -> list[str]:
    """What would have been legal in place of *move*."""
    reach = game.reach()
    name = game.rules.board.format_hole
    if move.path and move.origin in reach:
        other = game.find_path(move.origin, move.target)
        if other is not None:
            way = game.format_move(other)
            short = f"{name(move.origin)}-{name(move.target)}"
            return [f"another way leads there, {way}; {short!r} finds one by itself"]
        holes = [name(hole) for hole in _holes(reach[move.origin])]
        return [f"the marble on {name(move.origin)} may go to {_some(holes)}"]
    seat = game.turn
    if move.path and seat is not None and game.position.own(seat) >> move.origin & 1:
        return [f"the marble on {name(move.origin)} has no move now"]
    marbles = [name(hole) for hole in sorted(reach)]
    return [f"marbles that may move are on {_some(marbles)}"]


def _holes(mask: Mask) -> list[Hole]:
    return [Hole(hole) for hole in range(mask.bit_length()) if mask >> hole & 1]


def _some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
