"""What the server says to a person, read from the lines of protocol.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_POSITION_WORDS: Final = 6


@dataclass(frozen=True, slots=True)
class Opened:
    """`game`: a game, as it is told to the seat `letter`; `seats` are letters and wire names."""

    game: str
    rules: str
    letter: str
    seats: tuple[tuple[str, str], ...]
    limit: int
    at_limit: str
    clock: str
    draws: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """`turn`: the seat is to move; `left` is the time for it in milliseconds, None without end."""

    game: str
    ply: int
    left: int | None
    position: str


@dataclass(frozen=True, slots=True)
class Moved:
    """`moved`: somebody has moved; `left` is what that player has now, `by` who moved for it."""

    game: str
    ply: int
    letter: str
    path: str
    left: int | None
    by: str | None


@dataclass(frozen=True, slots=True)
class Gone:
    """`out`: a player has gone out, the others play on."""

    game: str
    letter: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """`over`: the game has ended; `letter` is whose doing it was, where it was one player's."""

    game: str
    reason: str
    places: tuple[tuple[str, int], ...]
    letter: str | None


@dataclass(frozen=True, slots=True)
class Offered:
    """`offer`: a draw is offered."""

    game: str
    letter: str


@dataclass(frozen=True, slots=True)
class Remark:
    """`note` or `error`: something was not as the server wants it."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Farewell:
    """`bye`: the connection ends."""

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Greeted:
    """`sternhalma`: the server waits for the login."""


@dataclass(frozen=True, slots=True)
class Welcomed:
    """`welcome`: the login is accepted."""


Told = Opened | Asked | Moved | Gone | Ended | Offered | Remark | Farewell | Greeted | Welcomed


def read_line(line: str) -> Told | None:
    """What the *line* says, None for what a person need not know. Raises `ValueError`."""
    word, _, rest = line.partition(" ")
    reader = _READERS.get(word)
    return None if reader is None else reader(rest)


def _opened(rest: str) -> Opened:
    game, rules, letter, *words = rest.split(" ")
    keys = _keys(words)
    return Opened(
        game=game,
        rules=rules,
        letter=letter,
        seats=_pairs(keys["seats"]),
        limit=int(keys["limit"]),
        at_limit=keys["at_limit"],
        clock=keys["clock"],
        draws=keys.get("draws") == "yes",
    )


def _asked(rest: str) -> Asked:
    game, ply, left, *words = rest.split(" ")
    position = " ".join(words[:_POSITION_WORDS])
    return Asked(game, int(ply), None if left == "-" else int(left), position)


def _moved(rest: str) -> Moved:
    game, ply, letter, path, *words = rest.split(" ")
    keys = _keys(words)
    left = keys.get("left", "-")
    return Moved(game, int(ply), letter, path, None if left == "-" else int(left), keys.get("by"))


def _gone(rest: str) -> Gone:
    game, letter, reason, *_ = rest.split(" ")
    return Gone(game, letter, reason)


def _ended(rest: str) -> Ended:
    # What follows `line=` was typed by a player, and may look like keys.
    game, reason, *words = rest.partition(" line=")[0].split(" ")
    keys = _keys(words)
    places = tuple((letter, int(place)) for letter, place in _pairs(keys.get("places", "")))
    return Ended(game, reason, places, keys.get("seat"))


def _offered(rest: str) -> Offered:
    game, letter, *_ = rest.split(" ")
    return Offered(game, letter)


def _error(rest: str) -> Remark:
    code, _, sentence = rest.partition(" ")
    if sentence.startswith("tries="):
        sentence = sentence.partition(" ")[2]
    return Remark(code, sentence)


def _note(rest: str) -> Remark:
    code, _, sentence = rest.partition(" ")
    return Remark(code, sentence)


def _farewell(rest: str) -> Farewell:
    code, _, sentence = rest.partition(" ")
    return Farewell(code, sentence)


def _keys(words: Iterable[str]) -> dict[str, str]:
    return {key: value for key, equals, value in (word.partition("=") for word in words) if equals}


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (word.partition(":") for word in text.split(",") if word)
    return tuple((letter, value) for letter, _, value in pairs)


_READERS: Final[Mapping[str, Callable[[str], Told]]] = {
    "sternhalma": lambda _rest: Greeted(),
    "welcome": lambda _rest: Welcomed(),
    "game": _opened,
    "turn": _asked,
    "moved": _moved,
    "out": _gone,
    "over": _ended,
    "offer": _offered,
    "note": _note,
    "error": _error,
    "bye": _farewell,
}
