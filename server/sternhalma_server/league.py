"""A league that stays open: its events and ladders side by side, over one server and one store.

Whatever the host decides is written into the store first (`LeagueBook`), and then the league is
made to agree with it: events that are to run are staged, those that are not are drained, bots that
are registered are let in. So a server that was killed comes back as it was by looking at its store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio

from sternhalma_server.admission import Known
from sternhalma_server.almanac import Almanac
from sternhalma_server.app import heed_signals
from sternhalma_server.arbiter import Ruled
from sternhalma_server.archive import STORE, write_whole
from sternhalma_server.clock import SECOND
from sternhalma_server.control import serve_control
from sternhalma_server.crew import Crew
from sternhalma_server.folders import LEAGUE
from sternhalma_server.hall import Hall
from sternhalma_server.house import open_hall
from sternhalma_server.league_book import LeagueBook
from sternhalma_server.league_settings import LeagueSettings
from sternhalma_server.library import Library
from sternhalma_server.listener import Listener
from sternhalma_server.lock import StoreLock
from sternhalma_server.observer import Observer
from sternhalma_server.seats import Holder
from sternhalma_server.sentence import Sentence
from sternhalma_server.stage import Stage, rule_at_rest, set_stage
from sternhalma_server.store import EventId, Store, StoredEvent, StoreError
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.amendments import Amendment, LateEntry, parse_amendment
from sternhalma_tournament.reading import EventFileError

# Seconds for ratings and season when a league stops; they can be made later.
LAST_ISSUE: Final = 20.0

# Makes an observer of the event of that name.
Observers = Callable[[str], Observer]


class League:
    """The league of *settings* while its server runs; *tell* is given sentences for the host."""

    def __init__(
        self,
        settings: LeagueSettings,
        store: Store,
        root: Path,
        tell: Callable[[str], None],
        observers: Observers,
    ) -> None:
        self.book = LeagueBook(store, settings.charter, root)
        self._settings = settings
        self._store = store
        self._tell = tell
        self._observers = observers
        self._stages: dict[EventId, Stage] = {}
        self._batches = 0  # of events that are played no more
        self._members = self.book.members()
        self._hall: Hall | None = None
        self._nursery: trio.Nursery | None = None
        self._stopping = False
        self._deciding = trio.Lock()
        self._agreeing = trio.Lock()  # for whoever makes the league what its store says

    @property
    def stages(self) -> list[Stage]:
        """The events that are played now."""
        return list(self._stages.values())

    def known(self) -> list[Known]:
        """The registered bots as the server's admission wants them."""
        return [Known(bot, digest, MAX_SLOT) for bot, digest in self._members.items() if digest]

    def why(self, bot: str) -> str:
        """Why *bot* has no game now: by each event that needs it, or else by the ladders."""
        stages = [stage for stage in self.stages if stage.director.knows(bot)]
        wanting = [stage for stage in stages if stage.ladder is None and stage.director.needs(bot)]
        ladders = [stage for stage in stages if stage.ladder is not None]
        sentences = [f"{one.event.name}: {one.director.why(bot)}" for one in wanting or ladders]
        return "; ".join(sentences) or f"no event that is running has a game for {bot}"

    def arrived(self, holder: Holder) -> None:
        """A bot has logged in."""
        for stage in self.stages:
            if stage.ladder is not None:
                stage.ladder.arrived(holder)

    def spare(self, bot: str) -> int:
        """How many connections of *bot* are to be left to events, by a ladder."""
        return sum(
            stage.director.needs(bot) for stage in self._stages.values() if stage.ladder is None
        )

    async def run(self, hall: Hall, stop: trio.Event, playing: trio.CancelScope) -> None:
        """Play what is to be played until *stop*, and then let games end until *playing* is over.

        Games that are broken off go on from their last stored ply when the league is served again.
        """
        self._hall = hall
        async with trio.open_nursery() as self._nursery:
            await self._decided()
            await stop.wait()
            self._stopping = True
            seconds = self._settings.drain / SECOND
            for stage in self.stages:
                stage.director.drain()
            if self._stages:
                self._tell(
                    "stopping: no more games are begun, those that run have"
                    f" {seconds:g} s to finish; once more to stop at once"
                )
            playing.deadline = min(playing.deadline, trio.current_time() + seconds)

    async def decide(self, request: Mapping[str, Any]) -> list[str]:
        """Do what the host asks, see `LeagueBook.do`, and let it take effect.

        Raises `ValueError`, `StoreError`.
        """
        async with self._deciding:
            sentences = await trio.to_thread.run_sync(self.book.do, request)
            for sentence in sentences:
                self._tell(sentence)
            await self._decided()
        return sentences

    async def rule(self, name: str, ruling: Amendment) -> Ruled:
        """Store a ruling of the host on an event and let it take effect.

        Raises `ValueError`, `StoreError`, `OSError`.
        """
        # An event that is being staged must not miss it.
        async with self._deciding, self._agreeing:
            event = self.book.event(name)
            stage = self._stages.get(event.id)
            if stage is not None:
                if stage.keeper.stalled:
                    raise ValueError(f"{event.name}: expected room on the disk for a ruling")
                return await stage.rule(ruling)
            folder = self.book.folder(event)
            return await trio.to_thread.run_sync(rule_at_rest, self._store, event, folder, ruling)

    def facts(self) -> dict[str, Any]:
        """How the league stands."""
        assert self._hall is not None
        return {
            "league": self._settings.charter.name,
            "events": [self._facts(event) for event in self._store.events()],
            "connected": sorted({holder.name for holder in self._hall.connected}),
            "registered": len(self.known()),
            "running": self._hall.running,
            "listening": list(self._hall.address),
        }

    def gauges(self) -> dict[str, int]:
        """For who measures, see `Hall.gauges`; with how many batches the disk has taken."""
        assert self._hall is not None
        stages = self._stages.values()
        return {
            **self._hall.gauges(),
            "batches": self._batches + sum(stage.keeper.batches for stage in stages),
            "stalled": int(any(stage.keeper.stalled for stage in stages)),
        }

    def _facts(self, event: StoredEvent) -> dict[str, Any]:
        facts: dict[str, Any] = {"name": event.name, "state": event.state}
        stage = self._stages.get(event.id)
        if stage is not None:
            facts |= {
                "running": stage.director.running,
                "finished": stage.keeper.played,
                "games": None if stage.ladder is not None else stage.director.games,
            }
        return facts

    async def _decided(self) -> None:
        """Make the league what its store says."""
        assert self._hall is not None
        assert self._nursery is not None
        async with self._agreeing:
            if self._stopping:
                return
            self._admit(self._hall)
            for event in self._store.events():
                stage = self._stages.get(event.id)
                if stage is not None and event.state == "running":
                    stage.director.go_on()
                elif stage is not None:
                    stage.director.drain()
                elif event.state == "running":
                    await self._begin(event, self._hall, self._nursery)

    def _admit(self, hall: Hall) -> None:
        """Let in who is registered, and nobody else."""
        before, self._members = self._members, self.book.members()
        ladders = [stage.ladder for stage in self.stages if stage.ladder is not None]
        for bot in before.keys() - self._members.keys():
            hall.lobby.expel(bot, "unregistered", "this bot is not registered any more")
            for ladder in ladders:
                ladder.leave(bot)
        for bot, digest in self._members.items():
            if digest is not None and digest != before.get(bot):
                hall.lobby.invite(Known(bot, digest, MAX_SLOT))
            if bot in before:
                continue
            for ladder in ladders:
                if ladder.knows(bot):
                    ladder.come_back(bot)
                else:
                    ladder.join(bot)

    async def _begin(self, event: StoredEvent, hall: Hall, nursery: trio.Nursery) -> None:
        observer = self._observers(event.name)
        try:
            settings = self.book.settings(event)
            folder = self.book.folder(event)
            # All that the event has come to is gone through: the games of others play on meanwhile.
            stage = await trio.to_thread.run_sync(
                partial(set_stage, bots=list(self._members), spare=self.spare),
                self._store,
                event,
                settings,
                folder,
                hall,
                observer,
            )
        except (ValueError, StoreError, OSError) as error:
            # One event that cannot be played is no reason not to play the others.
            self._tell(Sentence(f"{event.name}: cannot be played: {error}", event=event.name))
            return
        if self._stopping:
            return
        if stage.ladder is not None:
            for holder in hall.lobby:
                stage.ladder.arrived(holder)
        self._stages[event.id] = stage
        nursery.start_soon(self._play, stage)

    async def _play(self, stage: Stage) -> None:
        try:
            complete = await stage.run()
        finally:
            del self._stages[stage.event.id]
            self._batches += stage.keeper.batches
        if complete:
            await trio.to_thread.run_sync(self._store.set_state, stage.event.id, "closed")
            name = stage.event.name
            self._tell(Sentence(f"{name}: closed, all its games have been played", event=name))
        # It may have been started again before its last game had ended.
        await self._decided()


async def serve_league(
    settings: LeagueSettings,
    listener: Listener,
    root: Path,
    tell: Callable[[str], None],
    observers: Observers,
    listening: Callable[[str, int], None],
) -> None:
    """Keep the league of *settings* open over *listener*, in the folder *root*, until a signal.

    *listening* is told where, once bots can come and the host can ask. Raises `StoreError`,
    `LockedError`, `OSError`, and `EventFileError` for an event file that the league's file names,
    before anything is begun.
    """
    root.mkdir(parents=True, exist_ok=True)
    with StoreLock(root / STORE), Store.open(root / STORE) as store:
        store.found_league(settings.charter.name)
        league = League(settings, store, root, tell, observers)
        for sentence in league.book.check_names(settings.charter.name):
            tell(sentence)
        files = _event_files(settings, league.book)
        write_whole(root / LEAGUE, settings.source)
        _add_events(files, store, league.book, tell)
        crew = Crew(
            settings.charter.bots,
            settings.folder,
            settings.charter.limits,
            settings.start,
            tell,
            root=root,
        )
        almanac = Almanac(root, tell)
        async with open_hall(
            listener,
            crew,
            league.known(),
            league.why,
            settings.login,
            arrived=league.arrived,
            room=settings.parallel,
            named=True,
        ) as hall:
            hall.lobby.library = Library(root)
            with trio.CancelScope() as playing:
                async with trio.open_nursery() as nursery:
                    stop = trio.Event()
                    nursery.start_soon(heed_signals, stop, playing)
                    await nursery.start(serve_control, root, _answer(league, stop))
                    nursery.start_soon(almanac.run, lambda: _games(league))
                    listening(listener.host, listener.port)
                    await league.run(hall, stop, playing)
                    nursery.cancel_scope.cancel()
            hall.farewell = ("server-stops", "the server stops, the league goes on later")
        with trio.move_on_after(LAST_ISSUE, shield=True):
            await almanac.write()


def _games(league: League) -> int:
    return sum(stage.keeper.played for stage in league.stages)


def _event_files(settings: LeagueSettings, book: LeagueBook) -> dict[str, tuple[str, bytes]]:
    """The event files that the league's file names: where each is, and its bytes, by the name of
    the event. Raises `EventFileError`."""
    files: dict[str, tuple[str, bytes]] = {}
    for path in settings.charter.events:
        file = settings.folder / path
        try:
            source = file.read_bytes()
        except OSError as error:
            raise EventFileError(
                f"{file}: expected an event file that can be read: {error.strerror}"
            ) from None
        name = book.read(source, str(file)).event.name
        if name in files:
            raise EventFileError(
                f"{file}: name: expected another one than in {files[name][0]}, got {name!r}"
            )
        files[name] = str(file), source
    return files


def _add_events(
    files: Mapping[str, tuple[str, bytes]],
    store: Store,
    book: LeagueBook,
    tell: Callable[[str], None],
) -> None:
    """Create and start the events of *files*, unless they are there."""
    there = {event.name: event for event in store.events()}
    for name, (where, source) in files.items():
        if name in there:
            # Bots that were entered stand behind what the file said.
            if not there[name].source.startswith(source):
                tell(
                    f"{name}: {where} is another file now, the event has the one it was added with"
                )
            continue
        tell(book.add(source, where))
        try:
            tell(book.set_state(name, "start"))
        except ValueError as error:
            tell(f"{error}; not started")


def _answer(league: League, stop: trio.Event) -> Callable[..., Any]:
    """What the control socket answers."""

    async def answer(request: Mapping[str, Any]) -> Mapping[str, Any]:
        match request:
            case {"command": "status"}:
                return league.facts()
            case {"command": "metrics"}:
                return league.gauges()
            case {"command": "why", "bot": str(bot)}:
                return {"why": league.why(bot)}
            case {"command": "stop"}:
                stop.set()
                facts = league.facts()
                return {"league": facts["league"], "running": facts["running"]}
            case {"command": "amend", "event": str(name), "ruling": str(text)}:
                try:
                    return {"ruled": await _rule(league, name, text)}
                except (ValueError, StoreError) as problem:
                    return {"error": str(problem)}
            case _:
                try:
                    return {"done": await league.decide(request)}
                except (ValueError, StoreError) as problem:
                    return {"error": str(problem)}

    return answer


async def _rule(league: League, name: str, text: str) -> list[str]:
    ruling = parse_amendment(text)
    if isinstance(ruling, LateEntry) and ruling.entry not in league.book.members():
        raise ValueError(f"expected a bot of the league, got {ruling.entry[:40]!r}")
    ruled = await league.rule(name, ruling)
    return list(ruled.sentences)
