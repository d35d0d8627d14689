"""Which page an address names: the places are those of the pages in a folder (`pages.places`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["index", "games", "game", "record", "entry", "league", "bot"]

_GAME: Final = re.compile(r"games/([0-9]{6,9})\.(html|txt)", re.ASCII)
_LIST: Final = re.compile(r"games/list-([1-9][0-9]{0,6})\.html", re.ASCII)
_BOT: Final = re.compile(r"bots/([A-Za-z0-9_-]{1,300})\.html", re.ASCII)
_EVENT: Final = re.compile(r"events/([A-Za-z0-9_-]{1,300})/(.*)", re.ASCII)
_INDEX: Final = "index.html"


@dataclass(frozen=True, slots=True)
class Place:
    """A page: `event` and `name` as their files are called, `number` that of a game, or of a list
    of older ones.

    The event is empty for the one of a folder of its own, and for a league's own pages.
    """

    kind: Kind
    event: str = ""
    name: str = ""
    number: int = 0


def place_of(path: str, *, league: bool) -> Place | None:
    """The place that *path* names, which has no slash before it; None if there is none."""
    if not league:
        return _in_event(path, "")
    if path in {"", _INDEX}:
        return Place("league")
    bot = _BOT.fullmatch(path)
    if bot is not None:
        return Place("bot", name=bot[1])
    event = _EVENT.fullmatch(path)
    return None if event is None else _in_event(event[2], event[1])


def _in_event(path: str, event: str) -> Place | None:
    if path in {"", _INDEX}:
        return Place("index", event)
    if path == f"games/{_INDEX}":
        return Place("games", event)
    older = _LIST.fullmatch(path)
    if older is not None:
        return Place("games", event, number=int(older[1]))
    game = _GAME.fullmatch(path)
    if game is not None:
        kind: Kind = "game" if game[2] == "html" else "record"
        return Place(kind, event, number=int(game[1]))
    entry = _BOT.fullmatch(path)
    return None if entry is None else Place("entry", event, name=entry[1])
