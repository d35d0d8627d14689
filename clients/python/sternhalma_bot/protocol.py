"""What the server says, line by line, as values; protocol.md is the contract.

Reading is lenient where the contract is: messages and keys that are not known are passed over, and
keys may be missing. A message that is known but lacks what it cannot be understood without is the
server's fault, and a `ProtocolError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from sternhalma_bot.messages import (
    Bye,
    Error,
    Game,
    Greeting,
    Message,
    Moved,
    Note,
    Offer,
    Out,
    Over,
    Ping,
    Pong,
    Turn,
    Welcome,
    Why,
)

VERSION: Final = 1
MAX_LINE: Final = 65_536  # bytes of a line from the server, LF included
POSITION_WORDS: Final = 6


class ProtocolError(ValueError):
    """A line from the server that protocol.md does not allow."""


def parse_message(text: str) -> Message | None:
    """The message in the line *text*, None for one that is not known. Raises `ProtocolError`.

    >>> parse_message("moved 1 7 A d5-e5 charged=12.345 left=1987").charged
    12.345
    """
    word, _, rest = text.partition(" ")
    reader = _READERS.get(word)
    if reader is None:
        return None
    try:
        return reader(rest)
    except ValueError as error:
        raise ProtocolError(f"expected a {word!r} that can be read, got {text[:200]!r}") from error


def _greeting(rest: str) -> Greeting:
    version, *words = rest.split(" ")
    keys = _keys(words)
    can = frozenset(keys["can"].split(",")) if "can" in keys else frozenset[str]()
    return Greeting(int(version), _number(keys, "line"), _number(keys, "login"), can)


def _welcome(rest: str) -> Welcome:
    name, *words = rest.split(" ")
    keys = _keys(words)
    return Welcome(name, _number(keys, "slot"), keys.get("key"))


def _game(rest: str) -> Game:
    game, rules, seat, *words = rest.split(" ")
    keys = _keys(words)
    return Game(
        id=game,
        rules=rules,
        seat=seat,
        seats=_pairs(keys.get("seats", "")),
        limit=_number(keys, "limit"),
        at_limit=keys.get("at_limit"),
        clock=keys.get("clock"),
        lag=keys.get("lag"),
        seed=int(keys.get("seed", "0")),
        draws=keys.get("draws") == "yes",
        undo=keys.get("undo") == "yes",
    )


def _turn(rest: str) -> Turn:
    game, ply, milliseconds, *words = rest.split(" ")
    position, keys = words[:POSITION_WORDS], _keys(words[POSITION_WORDS:])
    if len(position) != POSITION_WORDS:
        raise ValueError(f"expected a position of {POSITION_WORDS} words, got {len(position)}")
    return Turn(
        game=game,
        ply=int(ply),
        milliseconds=None if milliseconds == "-" else int(milliseconds),
        position=" ".join(position),
        moves=tuple(keys["moves"].split(",")) if keys.get("moves") else (),
        periods=_number(keys, "periods"),
    )


def _moved(rest: str) -> Moved:
    game, ply, seat, path, *words = rest.split(" ")
    keys = _keys(words)
    return Moved(
        game=game,
        ply=int(ply),
        seat=seat,
        path=path,
        charged=_fraction(keys, "charged"),
        left=_number(keys, "left"),
        by=keys.get("by"),
        credit=_fraction(keys, "credit"),
        periods=_number(keys, "periods"),
    )


def _out(rest: str) -> Out:
    game, seat, reason, *_ = rest.split(" ")
    return Out(game, seat, reason)


def _over(rest: str) -> Over:
    # The last line of a bot is free text and stands last: it may itself look like keys.
    head, _, line = rest.partition(" line=")
    game, reason, *words = head.split(" ")
    keys = _keys(words)
    return Over(
        game=game,
        reason=reason,
        places=tuple((letter, int(at)) for letter, at in _pairs(keys.get("places", ""))),
        seat=keys.get("seat"),
        ply=_number(keys, "ply"),
        line=line or None,
    )


def _offer(rest: str) -> Offer:
    game, seat, *_ = rest.split(" ")
    return Offer(game, seat)


def _error(rest: str) -> Error:
    code, _, sentence = rest.partition(" ")
    if not sentence.startswith("tries="):
        return Error(code, sentence)
    tries, _, sentence = sentence.removeprefix("tries=").partition(" ")
    return Error(code, sentence, int(tries))


def _coded(make: Callable[[str, str], Message]) -> Callable[[str], Message]:
    def read(rest: str) -> Message:
        code, _, sentence = rest.partition(" ")
        return make(code, sentence)

    return read


def _keys(words: Iterable[str]) -> dict[str, str]:
    return {key: value for key, equals, value in (word.partition("=") for word in words) if equals}


def _number(keys: Mapping[str, str], key: str) -> int | None:
    # `left=-`: there is no clock.
    value = keys.get(key, "-")
    return None if value == "-" else int(value)


def _fraction(keys: Mapping[str, str], key: str) -> float | None:
    value = keys.get(key, "-")
    return None if value == "-" else float(value)


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """`A:zoe,D:max` as pairs."""
    pairs = (word.partition(":") for word in text.split(",") if word)
    return tuple((letter, value) for letter, _, value in pairs)


_READERS: Final[Mapping[str, Callable[[str], Message]]] = {
    "sternhalma": _greeting,
    "welcome": _welcome,
    "game": _game,
    "turn": _turn,
    "moved": _moved,
    "out": _out,
    "over": _over,
    "offer": _offer,
    "note": _coded(Note),
    "error": _error,
    "ping": Ping,
    "pong": Pong,
    "why": Why,
    "bye": _coded(Bye),
}
