"""The pages as they are now, and for each that is looked at a feed of what changes in it.

Everything here happens in the event loop but the shelf's work, which is done in a thread of its
own, one thing after the other. Feeds that nobody hears are forgotten.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, ParamSpec, TypeVar

from sternhalma_server.pages.places import EventPlaces, event_places, link
from sternhalma_server.pages.running import BOARDS, Shown, board_state
from sternhalma_server.store import StoreError
from sternhalma_server.web.feed import Feed
from sternhalma_server.web.live_game import LiveGame
from sternhalma_server.web.pace import Pace, progress
from sternhalma_server.web.places import Place, place_of
from sternhalma_server.web.scene import Scene
from sternhalma_server.web.shelf import NoPageError, Outlook, Scenery, Shelf

EVERY: Final = 0.2  # seconds between two looks at what has changed
LOOK_EVERY: Final = 1.0  # seconds at least between two looks at the store
LOOK_ANYHOW: Final = 3.0  # and at most, whether or not anything was heard
SHARE: Final = 4  # times as long as a look took, at least, until the next one
PARTS_EVERY: Final = 1.5  # seconds between two makings of parts for games that go on
FRESH: Final = 0.3  # seconds for which a page that was made is handed out again
PATIENCE: Final = 10.0  # seconds for the first look at the store
KEPT: Final = 64  # pages that are kept so long

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


class BusyError(Exception):
    """A page that cannot be made now."""


@dataclass(slots=True, eq=False)
class Hearing:
    """A feed, who hears it, and what it was made from last."""

    place: Place
    feed: Feed = field(default_factory=Feed)
    viewers: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    parts: Mapping[str, str] = field(default_factory=dict[str, str])  # as JSON
    made_of: object = None  # what the parts were made from
    made_at: float = 0.0
    ended: int = 0
    game: LiveGame | None = None
    over: bool = False


class Site:
    """The site of *shelf* and *scene*; `run` must run beside whoever asks."""

    def __init__(self, shelf: Shelf, scene: Scene) -> None:
        self.connected = False
        self.elsewhere: int | None = None  # games that run where nobody can watch
        self.closing = False
        self._ending: asyncio.Event | None = None  # set by the last pass over the feeds
        self._shelf = shelf
        self._scene = scene
        self._thread = ThreadPoolExecutor(1, "shelf")
        self._working = 0
        self._hearings: dict[str, Hearing] = {}
        self._outlook: Outlook | None = None
        self._seen = asyncio.Event()  # set once the store has been looked at
        self._paces: dict[str, Pace] = {}
        self._ended = -1
        self._look_at = 0.0
        self._looked = 0.0
        self._made: dict[str, tuple[float, str]] = {}
        self._boards: dict[str, tuple[LiveGame, int, str]] = {}

    async def begun(self) -> bool:
        """Whether there is a store with something in it; waits a while for the first look."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._seen.wait()
        return self._outlook is not None and not self.closing

    async def page(self, path: str) -> str | None:
        """The text at *path*, None where there is no page. Raises `BusyError`."""
        place = self._place(path)
        if place is None:
            return None
        now = time.monotonic()
        made = self._made.get(path)
        if made is not None and now - made[0] < FRESH:
            return made[1]
        try:
            text = await self._work(self._shelf.page, path, place, self._scenery())
        except NoPageError:
            return None
        except (StoreError, ValueError, OSError) as error:
            log.warning("page %s: %s", path, error)
            raise BusyError(str(error)) from error
        while len(self._made) >= KEPT:
            self._made.pop(next(iter(self._made)))
        self._made.pop(path, None)
        self._made[path] = now, text
        return text

    def hearing(self, path: str) -> Hearing | None:
        """What the viewers of the page at *path* are told; None where nothing ever changes."""
        place = self._place(path)
        if place is None or place.kind == "record":
            return None
        if path not in self._hearings:
            self._hearings[path] = Hearing(place)
        return self._hearings[path]

    async def run(self) -> None:
        """Keep all feeds up to date, until cancelled."""
        while True:
            ending = self._ending
            await self._look(anyhow=ending is not None)
            for path, hearing in list(self._hearings.items()):
                if not hearing.viewers:
                    del self._hearings[path]
                    await self._work(self._shelf.forget, hearing.place)
                    continue
                try:
                    things = await self._things(hearing)
                except NoPageError:
                    continue
                except (StoreError, ValueError, OSError) as error:
                    log.warning("what changes in %s: %s", path, error)
                    continue
                if hearing.feed.update_texts(things):
                    _wake(hearing)
            if ending is not None:
                ending.set()
            await asyncio.sleep(EVERY)

    async def last(self) -> None:
        """Return when all feeds have been brought up to date once more."""
        self._ending = asyncio.Event()
        await self._ending.wait()

    def close(self) -> None:
        """Let all viewers go."""
        self.closing = True
        self._seen.set()
        for hearing in self._hearings.values():
            _wake(hearing)

    @property
    def busy(self) -> bool:
        """Whether the shelf's thread is at work."""
        return self._working > 0

    async def _work(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        self._working += 1
        work = loop.run_in_executor(self._thread, lambda: function(*arguments, **options))
        work.add_done_callback(self._worked)
        # Whoever waits may go away; what is begun is done all the same.
        return await asyncio.shield(work)

    def _worked(self, work: asyncio.Future[Any]) -> None:
        self._working -= 1
        if not work.cancelled():
            work.exception()  # it was for who asked; perhaps they are gone

    def _place(self, path: str) -> Place | None:
        if self._outlook is None:
            return None
        return place_of(path, league=self._outlook.league)

    async def _look(self, *, anyhow: bool) -> None:
        """See what is new in the store: soon after a game has ended, else now and then."""
        now = time.monotonic()
        news = self._scene.ended != self._ended or self._outlook is None
        due = now >= self._look_at and (news or now >= self._looked + LOOK_ANYHOW)
        if not due and not anyhow:
            return
        self._ended = self._scene.ended
        try:
            outlook = await self._work(self._shelf.look)
        except (StoreError, ValueError, OSError) as error:
            log.warning("the store: %s", error)
            outlook = self._outlook
        self._looked = time.monotonic()
        self._look_at = self._looked + max(LOOK_EVERY, SHARE * (self._looked - now))
        self._outlook = outlook
        self._seen.set()
        if outlook is not None:
            for event, (over, _) in outlook.games.items():
                self._paces.setdefault(event, Pace()).see(self._looked, over)

    def _event_of(self, game: LiveGame) -> str:
        """The name of its event, which the wire leaves out where there is only one."""
        outlook = self._outlook
        if game.event or outlook is None or outlook.league:
            return game.event
        return next(iter(outlook.games), "")

    def _scenery(self) -> Scenery:
        """What is known of games that run, for the shelf."""
        outlook = self._outlook
        assert outlook is not None
        now = time.monotonic()
        running: dict[str, list[Shown]] | None = None
        if self.connected:
            running = {}
            for game in self._scene.games.values():
                shown = game.shown()
                if shown is not None:
                    running.setdefault(self._event_of(game), []).append(shown)
        sentences: dict[str, str] = {}
        for event, (over, planned) in outlook.games.items():
            if outlook.states.get(event) == "closed":
                continue
            count = self.elsewhere if running is None else len(running.get(event, ()))
            pace = self._paces.get(event)
            left = None if pace is None or planned is None else pace.left(now, planned)
            sentences[event] = progress(over, planned, count, left, datetime.now(UTC))
        return Scenery(running, sentences)

    async def _things(self, hearing: Hearing) -> dict[str, str]:
        """All that may change on a page, as JSON by key. Raises `NoPageError`, `ValueError`."""
        place = hearing.place
        if self._outlook is None:
            raise NoPageError("expected a store")
        if place.kind == "game":
            return await self._game_things(hearing)
        now = time.monotonic()
        known = self._outlook.stamp, self.connected
        # The sentence on how far an event is changes with time alone.
        wait = PARTS_EVERY if self._scene.ended != hearing.ended else LOOK_ANYHOW
        if hearing.made_of != known or now > hearing.made_at + wait:
            hearing.made_of, hearing.made_at, hearing.ended = known, now, self._scene.ended
            parts = await self._work(self._shelf.parts, place, self._scenery())
            hearing.parts = _as_parts(parts)
        return {**hearing.parts, **self._board_things(place)}

    def _board_things(self, place: Place) -> dict[str, str]:
        """The boards on a page, of those that have any."""
        if place.kind not in {"index", "league"} or not self.connected:
            return {}
        things: dict[str, str] = {}
        for game in self._scene.games.values():
            event = self._event_of(game)
            league = self._outlook is not None and self._outlook.league
            places = event_places(event) if league else EventPlaces()
            if (
                place.kind == "index"
                and league
                and places.index != f"events/{place.event}/index.html"
            ):
                continue
            if len(things) >= BOARDS:
                break
            key = game.name if place.kind == "league" else str(game.number)
            page = "index.html" if place.kind == "league" else places.index
            text = self._board(
                f"{place.kind}/{game.name}", game, link(page, places.game(game.number))
            )
            if text:
                things[f"board/{key}"] = text
        return things

    def _board(self, key: str, game: LiveGame, href: str) -> str:
        """The board of a game as JSON, made once for all who want to see it."""
        made = self._boards.get(key)
        if made is not None and made[0] is game and made[1] == len(game.lines):
            return made[2]
        shown = game.shown()
        if shown is None:
            return ""
        named = game.event if key.startswith("league") else ""
        state = board_state(shown, href, named) | {"clock": _clock(game)}
        if len(self._boards) > 4 * BOARDS:
            self._boards = {k: m for k, m in self._boards.items() if m[0].name in self._scene.games}
        text = json.dumps(state, separators=(",", ":"))
        self._boards[key] = game, len(game.lines), text
        return text

    async def _game_things(self, hearing: Hearing) -> dict[str, str]:
        """What may change on the page of a game: its steps, clocks and parts while it runs, and all
        of it once when it is over."""
        place = hearing.place
        if hearing.over:
            return dict(hearing.parts)
        name = await self._work(self._shelf.name_of, place)
        live = next(
            (
                game
                for game in self._scene.games.values()
                if game.number == place.number and self._event_of(game) == name
            ),
            None,
        )
        if hearing.game not in {None, live} and live is not None:
            await self._work(self._shelf.forget, place)  # it may have begun anew
        hearing.game = live or hearing.game
        if live is None:
            over = await self._work(self._shelf.over, place)
            if over is None:
                return dict(hearing.parts)
            hearing.over = True
            parts, data = over
            hearing.parts = _as_parts(parts) | {"data": json.dumps(data, separators=(",", ":"))}
            return dict(hearing.parts)
        steps = await self._work(self._shelf.steps, place, live.lines)
        now = time.monotonic()
        if hearing.made_of != len(steps) and now > hearing.made_at + PARTS_EVERY:
            hearing.made_of, hearing.made_at = len(steps), now
            parts = await self._work(self._shelf.running_parts, place)
            hearing.parts = _as_parts(parts)
        clock = json.dumps(_clock(live), separators=(",", ":"))
        return {**steps, "clock": clock, **hearing.parts}


def _wake(hearing: Hearing) -> None:
    hearing.changed.set()
    hearing.changed = asyncio.Event()


def _clock(game: LiveGame) -> dict[str, Any]:
    """The clocks of a game; `since` is when the last move was heard of, in milliseconds."""
    return game.clocks() | {"since": round(game.touched * 1000)}


def _as_parts(parts: Mapping[str, str]) -> dict[str, str]:
    return {f"part/{name}": json.dumps(text) for name, text in parts.items()}
