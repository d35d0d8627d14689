"""Messages as lines of text: what bots may say, and how the server says things.

When a message is allowed is the session's business, what it means the referee's; here it is only
spelled. `parse_message` reads every message of protocol.md that a bot can send.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, NamedTuple

VERSION: Final = 1
QUOTED: Final = 200  # characters of a peer's line that are ever quoted
MAX_SLOT: Final = 64

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}", re.ASCII)
# A hyphen alone is how records write that there is no version.
_BOT_VERSION: Final = re.compile(r"(?!-$)[A-Za-z0-9._+-]{1,32}", re.ASCII)
_WORD: Final = re.compile(r"[!-~]{1,64}", re.ASCII)
_SLOT: Final = re.compile(r"[1-9][0-9]?", re.ASCII)


NoteCode = Literal["early", "stale", "no-draws", "no-offer", "no-game", "unfinished"]


class WireError(ValueError):
    """A line that is no message; says what was expected and what came."""


class Login(NamedTuple):
    """`login NAME ...`: who the bot is."""

    name: str
    token: str | None = None
    slot: int = 1
    version: str | None = None
    moves: bool = False
    key: str | None = None


class MoveMade(NamedTuple):
    """`move GAME PLY PATH`: the answer to a turn."""

    game: str
    ply: int
    path: str
    offers_draw: bool = False


class Resign(NamedTuple):
    """`resign GAME`."""

    game: str


class AgreeDraw(NamedTuple):
    """`draw GAME PLY`: the answer to an offer."""

    game: str
    ply: int


class Undo(NamedTuple):
    """`undo GAME PLY`: take back one's own move of that ply, and all that came after it."""

    game: str
    ply: int


class Ping(NamedTuple):
    """`ping WORD`."""

    word: str


class Pong(NamedTuple):
    """`pong WORD`."""

    word: str


class Why(NamedTuple):
    """`why`: what am I waiting for?"""


class Watch(NamedTuple):
    """`watch all` or `watch game=GAME`: a login as a watcher of everything or of one game."""

    game: str | None = None


class Fetch(NamedTuple):
    """`transcript NAME GAME ...`: in place of a login, for what a bot was told in a game."""

    name: str
    game: str
    token: str | None = None
    seat: str | None = None


class Leave(NamedTuple):
    """`bye`."""


Message = Login | MoveMade | Resign | AgreeDraw | Undo | Ping | Pong | Why | Watch | Fetch | Leave


def parse_message(text: str) -> Message:
    """The message in the line *text*. Raises `WireError`."""
    words = text.split(" ")
    reader = _READERS.get(words[0])
    if reader is None:
        raise WireError(f"expected a message, {', '.join(_READERS)}, got {quote(words[0], 40)}")
    try:
        return reader(words)
    except WireError:
        if "" not in words:
            raise
        before = quote(words[words.index("") - 1], 40)
        raise WireError(f"expected single spaces between words, got more behind {before}") from None


def _move(words: list[str]) -> MoveMade:
    if len(words) < 4:
        raise WireError(f"expected 'move GAME PLY PATH', got {quote(' '.join(words), 60)}")
    if len(words) > 4 and words[4] and "=" not in words[4] and "-" not in words[3]:
        got = quote(" ".join(words[3:5]), 40)
        raise WireError(f"expected a path such as d5-e5 in 'move', got {got}")
    offers = len(words) > 4 and _keys(words[4:], "move").get("draw") == "offer"
    return MoveMade(words[1], _ply(words[2], "move"), words[3], offers)


def _ply(word: str, message: str) -> int:
    # Almost every ply is a few ASCII digits; the pattern is for the words that are not.
    if word.isdecimal() and word.isascii() and len(word) < 10 and word[0] != "0":
        return int(word)
    raise WireError(f"expected the ply of the turn in {message!r}, a number, got {quote(word, 40)}")


def _login(words: list[str]) -> Login:
    if len(words) < 2 or not NAME.fullmatch(words[1]):
        got = quote(words[1], 40) if len(words) > 1 else "nothing"
        raise WireError(f"expected 'login NAME' with a name of 1 to 32 of A-Za-z0-9._-, got {got}")
    keys = _keys(words[2:], "login")
    slot = keys.get("slot", "1")
    if not _SLOT.fullmatch(slot) or int(slot) > MAX_SLOT:
        raise WireError(f"expected slot=1 to slot={MAX_SLOT}, got {quote(slot, 40)}")
    version = keys.get("version")
    if version is not None and not _BOT_VERSION.fullmatch(version):
        raise WireError(
            f"expected a version of 1 to 32 of A-Za-z0-9._+- and not '-', got {quote(version, 40)}"
        )
    moves = keys.get("moves", "no")
    if moves not in {"yes", "no"}:
        raise WireError(f"expected moves=yes or moves=no, got {quote(moves, 40)}")
    return Login(words[1], keys.get("token"), int(slot), version, moves == "yes", keys.get("key"))


def _resign(words: list[str]) -> Resign:
    return Resign(_argument(words, "GAME"))


def _draw(words: list[str]) -> AgreeDraw:
    if len(words) < 3:
        raise WireError(f"expected 'draw GAME PLY', got {quote(' '.join(words), 60)}")
    return AgreeDraw(words[1], _ply(words[2], "draw"))


def _undo(words: list[str]) -> Undo:
    if len(words) < 3:
        raise WireError(f"expected 'undo GAME PLY', got {quote(' '.join(words), 60)}")
    return Undo(words[1], _ply(words[2], "undo"))


def _watch(words: list[str]) -> Watch:
    if len(words) == 2:
        if words[1] == "all":
            return Watch()
        key, _, game = words[1].partition("=")
        if key == "game" and _WORD.fullmatch(game):
            return Watch(game)
    raise WireError(f"expected 'watch all' or 'watch game=GAME', got {quote(' '.join(words), 60)}")


def _fetch(words: list[str]) -> Fetch:
    if len(words) < 3 or not NAME.fullmatch(words[1]) or not _WORD.fullmatch(words[2]):
        raise WireError(f"expected 'transcript NAME GAME', got {quote(' '.join(words), 60)}")
    if words[2].startswith(("token=", "seat=")):
        raise WireError("expected 'transcript NAME GAME', got no GAME")
    keys = _keys(words[3:], "transcript")
    seat = keys.get("seat")
    if seat is not None and not _WORD.fullmatch(seat):
        raise WireError(f"expected a seat's letter, got {quote(seat, 40)}")
    return Fetch(words[1], words[2], keys.get("token"), seat)


def _ping(words: list[str]) -> Ping:
    return Ping(_argument(words, "WORD"))


def _pong(words: list[str]) -> Pong:
    return Pong(_argument(words, "WORD"))


def _argument(words: list[str], what: str) -> str:
    if len(words) < 2 or not _WORD.fullmatch(words[1]):
        got = quote(words[1], 40) if len(words) > 1 else "nothing behind it"
        raise WireError(f"expected '{words[0]} {what}', got {got}")
    return words[1]


def _keys(words: Iterable[str], message: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise WireError(f"expected key=value in {message!r}, got {quote(word, 40)}")
        if key in keys:
            raise WireError(f"expected {quote(key, 40)} once in {message!r}, got it twice")
        keys[key] = value
    return keys


_READERS: Final[Mapping[str, Callable[[list[str]], Message]]] = {
    "login": _login,
    "move": _move,
    "resign": _resign,
    "draw": _draw,
    "undo": _undo,
    "ping": _ping,
    "pong": _pong,
    "why": lambda _words: Why(),
    "watch": _watch,
    "transcript": _fetch,
    "bye": lambda _words: Leave(),
}


def clean(text: str, length: int = QUOTED) -> str:
    """What a peer wrote, fit to be shown: printable ASCII, the rest escaped, cut to *length*."""
    cut = text[: length + 1]
    if not (cut.isascii() and cut.isprintable()):
        cut = cut.encode("unicode_escape", "backslashreplace").decode("ascii")
    return cut if len(cut) <= length else cut[:length] + "..."


def quote(text: str, length: int = QUOTED) -> str:
    """`clean` text between quotes, for the middle of a sentence."""
    return f"'{clean(text, length)}'"


def greeting(login_milliseconds: int, line_bytes: int) -> str:
    """The server's first line."""
    return f"sternhalma {VERSION} line={line_bytes} login={login_milliseconds} can=moves,draw,watch"


def welcome(name: str, slot: int, key: str | None) -> str:
    """The answer to a login that was accepted; *key* is for who has no token to come back with."""
    return f"welcome {name} slot={slot}" + (f" key={key}" if key else "")


def bye(code: str, sentence: str) -> str:
    """The last line on a connection."""
    return f"bye {code} {sentence}"


def note(code: NoteCode, sentence: str) -> str:
    """Something the bot may want to know, without consequence."""
    return f"note {code} {sentence}"


def error(code: str, sentence: str, tries: int | None = None) -> str:
    """Something the bot did wrong; *tries* is how often it may still."""
    left = "" if tries is None else f"tries={tries} "
    return f"error {code} {left}{sentence}"
