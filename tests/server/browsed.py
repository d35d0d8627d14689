"""Pages as a browser takes them apart, and the pages of events and leagues to be looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from server.conducted import Chances
from server.kept import CUP
from server.kept_league import CHARTER
from sternhalma_server.archive import STORE
from sternhalma_server.pages.event_pages import EventPages
from sternhalma_server.pages.league_pages import league_pages
from sternhalma_server.pages.places import EventPlaces
from sternhalma_server.pages.summary import Seen, Summary, summary_of
from sternhalma_server.pages.templates import Templates, assets
from sternhalma_server.record import Record
from sternhalma_server.rulings import stored_event
from sternhalma_server.settings import settings_of
from sternhalma_server.store import EventId, Store, StoredEvent
from sternhalma_tournament.charter import parse_charter
from sternhalma_tournament.standings import standings_of
from sternhalma_tournament.tally import Tally

FAILING = Chances(late=0.1, silent=0.05, wrong=0.04, absent=0.02)
VOID = {"meta", "link", "input"}
Files = Mapping[str, str]


class Browser(HTMLParser):
    """What is seen of a page: elements with their attributes, texts, and what is wrong."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.problems: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.problems.append(f"<{tag}> has an attribute twice")
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def skeleton(self) -> list[tuple[str, list[str]]]:
        """The elements and the names of their attributes."""
        return [(tag, list(attributes)) for tag, attributes in self.elements]

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.elements if "id" in attributes]


@cache
def templates() -> Templates:
    return Templates()


def pages_of(root: Path) -> dict[str, str]:
    """All files of the report of the event in the folder *root*."""
    with Store.read(root / STORE) as store:
        summary = summary_of(store, stored_event(store))
        pages = dict(EventPages(templates(), summary, EventPlaces()).pages(store))
    return assets() | pages


def league_pages_of(root: Path) -> dict[str, str]:
    """All files of the report of the league in the folder *root*."""
    with Store.read(root / STORE) as store:
        charter = parse_charter(CHARTER, "league.toml")
        return assets() | dict(league_pages(store, charter, templates()))


def html(files: Files) -> Iterator[tuple[str, Browser]]:
    for name, text in files.items():
        if name.endswith(".html"):
            yield name, Browser(text)


def links(page: Browser) -> Iterator[str]:
    for _, attributes in page.elements:
        for name in ("href", "src"):
            if name in attributes:
                yield str(attributes[name])


def data_of(page: str) -> dict[str, Any]:
    """The data of the replay as the browser reads it."""
    (block,) = re.findall(r'<script type="application/json" id="game-data">(.*?)</script>', page)
    value: dict[str, Any] = json.loads(block)
    return value


def game_page(record: Record) -> str:
    tally = Tally(())
    summary = Summary(
        stored=StoredEvent(EventId(1), "cup", CUP, "", "closed"),
        settings=settings_of(CUP, "event.toml"),
        head="",
        entries=(),
        standings=standings_of(tally),
        tally=tally,
        table="",
        rulings=(),
        usages=Seen().usages,
        games=(),
        forfeits=(),
    )
    return EventPages(templates(), summary, EventPlaces()).game(record, "")[1]
