"""Where each page is, and the links between them: relative ones, as a folder may lie anywhere."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from sternhalma_server.folders import EVENTS

INDEX: Final = "index.html"
ASSETS: Final = "assets"
SHEET: Final = f"{ASSETS}/sternhalma.css"
SCRIPT: Final = f"{ASSETS}/replay.js"
BOARD_SCRIPT: Final = f"{ASSETS}/board.js"
LIVE_SCRIPT: Final = f"{ASSETS}/live.js"  # of a server alone
ICON: Final = f"{ASSETS}/icon.svg"
STREAM: Final = "live/"  # before the place of a page: where a server tells how it goes on


@dataclass(frozen=True, slots=True)
class EventPlaces:
    """The pages of one event, in `folder` with a slash at its end, or empty for the top."""

    folder: str = ""

    @property
    def index(self) -> str:
        """The event's own page."""
        return f"{self.folder}{INDEX}"

    @property
    def games(self) -> str:
        """The list of its games."""
        return f"{self.folder}games/{INDEX}"

    def older(self, number: int) -> str:
        """A list of older games: the oldest ones are in that with the number 1."""
        return f"{self.folder}games/list-{number}.html"

    def game(self, number: int, ply: int | None = None) -> str:
        """The page of a game, or the place of a ply in it."""
        page = f"{self.folder}games/{number:06}.html"
        return page if ply is None else f"{page}#ply-{ply}"

    def record(self, number: int) -> str:
        """The record of a game as text."""
        return f"{self.folder}games/{number:06}.txt"

    def entry(self, name: str) -> str:
        """The page of an entry."""
        return f"{self.folder}bots/{file_name(name)}.html"


def event_places(name: str) -> EventPlaces:
    """The pages of the event *name* of a league."""
    return EventPlaces(f"{EVENTS}/{file_name(name)}/")


def bot_place(name: str) -> str:
    """The page of a bot of a league."""
    return f"bots/{file_name(name)}.html"


def file_name(name: str) -> str:
    """*name* as a file may be called on any system; different names stay different.

    >>> file_name("n-1"), file_name("b.4"), file_name("../x")
    ('n-1', 'b_2e_4', '_2e__2e__2f_x')
    """
    return re.sub(r"[^A-Za-z0-9-]", lambda found: f"_{ord(found[0]):x}_", name)


def link(page: str, target: str) -> str:
    """The link from *page* to *target*, both as they lie in the folder."""
    path, hash_, anchor = target.partition("#")
    relative = posixpath.relpath(path, posixpath.dirname(page) or ".")
    return f"{quote(relative)}{hash_}{anchor}"
