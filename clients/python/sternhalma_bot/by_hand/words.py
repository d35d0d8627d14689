"""What a person reads, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import sternhalma
from sternhalma import STAR, Hole, Mask
from sternhalma.board import holes_of
from sternhalma_bot import messages
from sternhalma_bot.by_hand.picture import NONE
from sternhalma_bot.by_hand.replay import Replay
from sternhalma_bot.by_hand.story import Step
from sternhalma_bot.by_hand.typed import HELP

_STAR: Final = ("north", "north-east", "south-east", "south", "south-west", "north-west")
_SQUARE: Final = ("north-west", "north-east", "south-east", "south-west")


INTRODUCTION: Final = "type a move such as d5-e5, a hole to see where its marble may go, or help"
# Reasons of the protocol, as they read behind a player's name, and where nobody caused them.
_DOINGS: Final[Mapping[str, str]] = {
    "resign": "resigned",
    "illegal": "played no legal move",
    "malformed": "sent what is no message",
    "time": "ran out of time",
    "disconnect": "left",
    "flood": "sent too many lines",
    "no-start": "did not come",
}
_QUOTED: Final = {"illegal", "malformed", "flood"}  # where the last line says more
_ENDS: Final[Mapping[str, str]] = {
    "goal": "the goal is reached",
    "progress": "all turns have been played, placed by progress",
    "share": "all turns have been played, and who is not home shares a place",
    "agreement": "a draw was agreed on",
    "server-fault": "the server failed, and it does not count",
    "aborted": "it was broken off",
}


def player(game: messages.Game, letter: str) -> str:
    """The letter and name of a seat.

    >>> player(messages.Game("1", "duel", "A", (("A", "zoe"), ("D", "max"))), "A")
    'A zoe (you)'
    """
    name = dict(game.seats).get(letter, "")
    yours = " (you)" if letter == game.seat and name != "you" else ""
    return f"{letter} {name}{yours}".rstrip()


def opening(game: messages.Game, start: sternhalma.Game) -> str:
    """What is played, by whom, and where the person's marbles go."""
    board = start.rules.board
    sides = dict(zip(board.letters, _STAR if board is STAR else _SQUARE, strict=True))
    groups = {group[0]: group for group in start.position.seats}
    ways = [
        f"{letter} from the {sides[letter]} to the {sides[board.opposite(letter)]}"
        for letter in groups.get(game.seat, "")
    ]
    clock = "" if game.clock in {None, "none"} else f", clock {game.clock}"
    players = ", ".join(player(game, letter) for letter, _ in game.seats)
    return (
        f"game {game.id}: {game.rules}, {start.terms.limit} turns each{clock}; {players}\n"
        f"you play {', '.join(ways)}"
    )


def standing(game: messages.Game, now: sternhalma.Game) -> list[str]:
    """How far each player has come."""
    position = now.position
    lines: list[str] = []
    for seat in position.seating.seats:
        letter = position.seats[seat][0]
        share = position.progress(seat)
        gone = any(seat in unit for unit in position.out)
        done = any(seat in group for group in position.finished)
        state = ", out" if gone else ", finished" if done else ""
        steps = f"{share.home} home, {share.distance} steps to go"
        lines.append(f"{player(game, letter)}: {steps}{state}")
    return lines


def no_hole(board: sternhalma.Board, name: str) -> str:
    """Why *board* has no hole called *name*.

    >>> no_hole(STAR, "d9")
    'there is no hole d9: row d has d5 to d8'
    """
    if board is not STAR:
        return f"there is no hole {name}: they go from a1 to p16, files a to p and ranks 1 to 16"
    row = [hole for hole in board.by_name if hole[0] == name[:1]]
    if not row:
        return f"there is no hole {name}: rows go from a to q, as beside the board"
    return f"there is no hole {name}: row {name[0]} has {_span(row)}"


def _span(row: Sequence[str]) -> str:
    return row[0] if len(row) == 1 else f"{row[0]} to {row[-1]}"


def told(game: messages.Game, step: Step) -> str:
    """One step of a game."""
    who = player(game, step.seat)
    is_you = who.endswith(" you")  # the name of who gives none
    if step.path is None:
        return f"{who} {'are' if is_you else 'is'} out: {_doing(step.reason)}"
    if step.path == "pass":
        return f"{who} {'have no move and pass' if is_you else 'has no move and passes'}"
    opened = ", by the opening" if step.by == "opening" else ""
    return f"{who}: {step.path}{opened}"


def ended(game: messages.Game, over: messages.Over) -> str:
    """How a game ended."""
    if over.seat is None:
        cause = _ENDS.get(over.reason, over.reason)
    else:
        cause = f"{player(game, over.seat)} {_doing(over.reason)}"
        if over.line is not None and over.reason in _QUOTED:
            cause += f", {over.line!r}"
    ranked = sorted(over.places, key=lambda place: place[1])
    places = ", ".join(f"{at} {player(game, letter)}" for letter, at in ranked if at)
    return f"game {game.id} is over: {cause}" + (f"; places: {places}" if places else "")


def _doing(reason: str | None) -> str:
    """What a player did who went out for *reason*."""
    return _DOINGS.get(reason or "", reason or "for an unknown reason")


def destinations(now: sternhalma.Game, hole: Hole) -> tuple[str, Mask]:
    """Where the marble in *hole* may go, as a sentence and as holes."""
    name = now.rules.board.format_hole
    reach = now.reach()
    goals = reach.get(hole, NONE)
    if goals:
        names = ", ".join(name(goal) for goal in holes_of(goals))
        return f"{name(hole)} may go to {names}", goals
    letter = now.position.letter_at(hole)
    if letter is None:
        return f"{name(hole)} is empty", goals
    assert now.turn is not None
    if letter not in now.position.seats[now.turn]:
        return f"the marble in {name(hole)} is {letter}'s", goals
    return f"the marble in {name(hole)} has no move now", goals


def moves(now: sternhalma.Game) -> list[str]:
    """All legal moves, a marble a line."""
    name = now.rules.board.format_hole
    return [
        f"{name(hole)}: {' '.join(name(goal) for goal in holes_of(goals))}"
        for hole, goals in sorted(now.reach().items())
    ]


def place_of(replay: Replay) -> str:
    """Where a replay stands."""
    at = f"ply {replay.ply} of {replay.last_ply}"
    step = replay.step
    return f"{at}: the start" if step is None else f"{at}: {told(replay.story.game, step)}"


def in_replay(replay: Replay) -> str:
    """What may be typed in a replay."""
    return f"next (or Enter), back, a ply from 0 to {replay.last_ply}, or end"


def help_lines(commands: Mapping[str, str] = HELP) -> list[str]:
    """What may be typed: *commands*, with what each does."""
    width = max(map(len, commands))
    return [f"{word:{width}}  {meaning}" for word, meaning in commands.items()]


def time_left(seconds: float | None) -> str:
    """Time on a clock, for a prompt.

    >>> time_left(75.2), time_left(9.96), time_left(None)
    (', 1:15 left', ', 10.0 s left', '')
    """
    if seconds is None:
        return ""
    if seconds < 60:
        return f", {seconds:.1f} s left"
    return f", {int(seconds) // 60}:{int(seconds) % 60:02d} left"
