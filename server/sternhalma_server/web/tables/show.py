"""What a page is shown of a table: one value, whole, so that the latest is all a page needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sternhalma import STAR, Game, Hole, Position
from sternhalma_server.web.tables.party import Chair, Party
from sternhalma_server.web.tables.story import Step, Story
from sternhalma_server.web.tables.ways import ways_of

_STAR: Final = ("north", "north-east", "south-east", "south", "south-west", "north-west")
_SQUARE: Final = ("north-west", "north-east", "south-east", "south-west")
_DOINGS: Final[Mapping[str, str]] = {
    "resign": "resigned",
    "time": "ran out of time",
    "disconnect": "left",
    "illegal": "played no legal move",
    "malformed": "sent what is no message",
    "flood": "sent too much",
    "no-start": "did not come",
}
_ENDS: Final[Mapping[str, str]] = {
    "goal": "the goal is reached",
    "progress": "all turns have been played, and places go by progress",
    "share": "all turns have been played, and who is not home shares a place",
    "agreement": "a draw was agreed on",
    "aborted": "it was broken off",
    "server-fault": "the server has failed",
}


def shown(party: Party, chair: Chair, now: float) -> dict[str, Any]:
    """All that the pages of *chair* are shown, at the time *now*."""
    story = party.story
    asked = party.asked(chair)
    game = party.start if story is None else story.now
    return {
        "version": party.version,
        "phase": _phase(party),
        "closed": party.closed,
        "game": None if story is None else story.opened.game,
        "ply": game.ply,
        "seats": [_seat(party, chair, letter, game, now) for letter in party.letters],
        "turn": None if story is None else story.turn,
        "mine": asked is not None,
        "clock": party.plan.clock != "none",
        "start": letters_of((party.start if story is None else story.start).position),
        "steps": [] if story is None else _steps(party, story),
        "ways": ways_of(game) if asked is not None else {},
        "draws": story is not None and story.opened.draws,
        "offers": [] if story is None else [_who(party, one) for one in sorted(story.offers)],
        "back": _back(party, chair),
        "own": _last_own(party, chair),
        "hint": _hint(party, chair),
        "asking": chair.is_asking,
        "note": chair.note,
        "ending": _ending(party),
        "invitation": party.invitation if chair.is_host and party.free else None,
        "host": chair.is_host,
    }


def letters_of(position: Position) -> str:
    """A letter for each hole with a marble, a dot for each without."""
    holes = range(len(position.seating.board.coordinates))
    return "".join(position.letter_at(Hole(hole)) or "." for hole in holes)


def direction(game: Game, letter: str) -> str:
    """Where the marbles of a seat go, in words.

    >>> direction(Game.new("tara"), "A")
    'from the north to the south'
    """
    board = game.rules.board
    sides = dict(zip(board.letters, _STAR if board is STAR else _SQUARE, strict=True))
    group = next(group for group in game.position.seats if group[0] == letter)
    ways = [f"from the {sides[one]} to the {sides[board.opposite(one)]}" for one in group]
    return ", ".join(ways)


def _phase(party: Party) -> str:
    if party.closed is not None:
        return "closed"
    if party.story is None:
        return "waiting"
    return "over" if party.is_over else "playing"


def _seat(party: Party, chair: Chair, letter: str, game: Game, now: float) -> dict[str, Any]:
    place, story = party.place_of(letter), party.story
    seat = [group[0] for group in game.position.seats].index(letter)
    position = game.position
    progress = position.progress(position.seating.seats[seat])
    left = None if story is None else story.left.get(letter)
    if left is not None and story is not None and story.turn == letter:
        left = max(0, left - int((now - party.turned) * 1000))
    ended = None if story is None else story.ended
    state = ""
    if any(seat in unit for unit in position.out):
        state = "out"
    elif any(seat in group for group in position.finished):
        state = "finished"
    return {
        "letter": letter,
        "name": place.name,
        "person": place.token is not None,
        "here": place in chair.places,
        "free": place.is_free,
        "away": _is_away(party, letter),
        "home": progress.home,
        "togo": progress.distance,
        "state": state,
        "left": left,
        "place": 0 if ended is None else dict(ended.places).get(letter, 0),
        "target": _targets(position, position.seats[seat]),
        "north": all(_starts_north(game, one) for one in position.seats[seat]),
    }


def _targets(position: Position, letters: str) -> str:
    """Where marbles of *letters* are to go, in words: `the point D`."""
    board = position.rules.board
    kind = "point" if board is STAR else "corner"
    many = kind if len(letters) == 1 else f"{kind}s"
    return f"the {many} {' and '.join(board.opposite(one) for one in letters)}"


def _starts_north(game: Game, letter: str) -> bool:
    """Whether the marbles of a letter start in the upper half of the picture."""
    board = game.rules.board
    sides = dict(zip(board.letters, _STAR if board is STAR else _SQUARE, strict=True))
    return sides[letter].startswith("north")


def _is_away(party: Party, letter: str) -> bool:
    """Whether somebody has taken the seat, and has no page open now."""
    place = party.place_of(letter)
    chairs = [chair for chair in party.chairs if place in chair.places]
    return bool(chairs) and not any(chair.pages for chair in chairs)


def _who(party: Party, letter: str) -> str:
    return f"{letter} {party.place_of(letter).name}"


def _steps(party: Party, story: Story) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    before = story.start
    for step in story.steps:
        shown_step: dict[str, Any] = {
            "ply": step.ply,
            "seat": step.letter,
            "path": [],
            "text": _text(party, step),
        }
        if step.path is None:
            was, is_ = letters_of(before.position), letters_of(step.after.position)
            shown_step["lift"] = [at for at, letter in enumerate(was) if letter != is_[at]]
        elif step.after.last is not None:
            shown_step["path"] = list(step.after.last.path)
        steps.append(shown_step)
        before = step.after
    return steps


def _text(party: Party, step: Step) -> str:
    who = _who(party, step.letter)
    if step.path is None:
        return f"{who} is out: {_DOINGS.get(step.reason or '', step.reason)}"
    if step.path == "pass":
        return f"{who} has no move and passes"
    return f"{who}: {step.path}"


def _back(party: Party, chair: Chair) -> dict[str, Any] | None:
    back = party.take_back
    if back is None or back.sent:
        return None
    missing = [one for one in party.voters() if one not in back.agreed]
    return {
        "ply": back.ply,
        "by": _names(back.by),
        "waiting": [_names(one) for one in missing],
        "mine": chair in missing,
        "own": back.by is chair,
    }


def _names(chair: Chair) -> str:
    return " and ".join(place.name for place in chair.places)


def _last_own(party: Party, chair: Chair) -> int | None:
    """The ply of the last move of *chair*, None where there is nothing to take back."""
    story = party.story
    if story is None or story.ended is not None:
        return None
    own = party.letters_of(chair)
    had = [s.ply for s in story.steps if s.letter in own and s.path is not None and s.by is None]
    return had[-1] if had else None


def _hint(party: Party, chair: Chair) -> list[int] | None:
    story = party.story
    if story is None or chair.hint is None:
        return None
    if chair.hinted != (story.opened.game, story.now.ply):
        return None
    board = story.now.rules.board
    return [int(board.parse_hole(name)) for name in chair.hint.split("-")]


def _ending(party: Party) -> str | None:
    """How the game has ended, in a sentence; None while it is played."""
    story = party.story
    if story is None or story.ended is None or not party.is_over:
        return None
    ended = story.ended
    if ended.letter is None:
        why = _ENDS.get(ended.reason, ended.reason)
    else:
        why = f"{_who(party, ended.letter)} {_DOINGS.get(ended.reason, ended.reason)}"
    places = sorted((place, letter) for letter, place in ended.places if place)
    won = [f"{place}. {_who(party, letter)}" for place, letter in places]
    return f"{why}: {', '.join(won)}" if won else why
