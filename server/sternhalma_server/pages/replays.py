"""A game as the page's script plays it: a start, and steps that move and lift marbles.

The script knows no rules. Whatever changes on the board is worked out here by the engine, so that
what is shown is what was played.
"""

from __future__ import annotations

from typing import Any

from sternhalma import Game, Hole, Position, Seat, parse_position
from sternhalma_server.record import Draw, Happening, Out, Ply, Slip
from sternhalma_server.report import event_text
from sternhalma_server.telling import Telling, keys_of, ply_of


def replay_data(telling: Telling) -> dict[str, Any]:
    """The game for the script.

    `start` is a letter or a dot for each hole, `holes` are their names. A step has the `text` that
    tells it and the `ply` it belongs to; a move also its `seat`, the holes of its `path`, and what
    was `left` on the clock in milliseconds; a seat that goes out the holes that are lifted.
    """
    record = telling.record
    position = parse_position(record.start)
    game = Game.from_position(position, limit=record.limit, at_limit=record.at_limit)
    steps: list[dict[str, Any]] = []
    for happening in telling.happened:
        step, game = step_of(game, happening)
        steps.append(step)
    return {
        "start": letters_of(position),
        "holes": list(position.seating.board.names),
        "seats": [group[0] for group in position.seats],
        "steps": steps,
    }


def letters_of(position: Position) -> str:
    """A letter for each hole with a marble, a dot for each without."""
    holes = range(len(position.seating.board.coordinates))
    return "".join(position.letter_at(Hole(hole)) or "." for hole in holes)


def step_of(game: Game, happening: Happening) -> tuple[dict[str, Any], Game]:
    """The step that *happening* is in *game*, and the game after it.

    Raises `ValueError` for one that cannot be in it.
    """
    step: dict[str, Any] = {"ply": ply_of(happening)}
    match happening:
        case Ply(number, seat, path, source):
            by = f" by {source}" if source else ""
            step |= {"seat": seat, "text": f"ply {number}: {seat} {path}{by}"}
            game = game.play(path)
            assert game.last is not None
            step["path"] = list(game.last.path)
            left = keys_of(happening).get("left", "-")
            if left.isdecimal():
                step["left"] = int(left)
        case Out(seat):
            before = letters_of(game.position)
            letters = [group[0] for group in game.position.seats]
            game = game.drop(Seat(letters.index(seat)))
            after = letters_of(game.position)
            lifted = [at for at, letter in enumerate(before) if letter != after[at]]
            step |= {"text": event_text(happening), "lift": lifted}
        case Draw():
            game = game.agree()
            step["text"] = event_text(happening)
        case Slip():
            step["text"] = event_text(happening)
    return step, game
