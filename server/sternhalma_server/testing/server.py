"""A whole event in memory: the lobby and the director of a real one, and nothing below them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from sternhalma_server.announce import Table
from sternhalma_server.audience import Audience
from sternhalma_server.clock import SECOND
from sternhalma_server.crew import Crew
from sternhalma_server.director import Director
from sternhalma_server.hall import Hall
from sternhalma_server.keeping import Begun
from sternhalma_server.observer import Summary
from sternhalma_server.recording import record_of
from sternhalma_server.referee import Finished
from sternhalma_server.results import result_of
from sternhalma_server.seats import Doors, Lobby
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.testing.collector import Collector, Keep
from sternhalma_server.testing.memory import CAPACITY, memory_pair
from sternhalma_server.testing.peer import LONG, Script, ScriptedPeer, first_moves
from sternhalma_tournament.formats import scheduler_of
from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.trial import TrialState

Toml = str | int | bool | Mapping[str, str | int | bool]


def remote_event(*bots: str, **keys: Toml) -> str:
    """The text of an event file in which *bots* dial in; *keys* are put before the bots.

    Without other keys it is `duel` for two, one cycle, 2 s a move, a game at a time.
    """
    defaults: dict[str, Toml] = {
        "name": "test",
        "rules": "duel",
        "players": 2,
        "clock": "2s",
        "parallel": 1,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in (defaults | keys).items()]
    tables = [f'[[bots]]\nname = "{bot}"\nremote = true' for bot in bots]
    return "\n".join([*lines, *tables, ""])


def _toml(value: Toml) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items())} }}"
    return f'"{value}"' if isinstance(value, str) else str(value)


class MemoryServer:
    """A whole event in memory (`memory_server`): lobby and director as in a real one.

    `games` are the finished games in the order in which they were kept, `tables` those that were
    begun, `sentences` what the host was told; `keeper` has the journal of the games that run, and
    `stored` are the results of those that are over, an earlier server's included.
    """

    def __init__(
        self,
        settings: Settings,
        nursery: trio.Nursery,
        *,
        keep: Keep | None = None,
        after: MemoryServer | None = None,
    ) -> None:
        local = [bot.name for bot in settings.event.bots if not bot.remote]
        if local:
            raise ValueError(f"expected remote bots in memory, got a program for {local[0]!r}")
        self.games: list[Finished] = []
        self.tables: list[Table] = []
        self.sentences: list[str] = []
        self._nursery = nursery
        self._keep = keep
        self._summary: Summary | None = None
        self._ended = trio.Event()
        doors = Doors(login=settings.waits.login / SECOND)
        self._audience = audience = Audience()
        nursery.start_soon(audience.run)
        self.lobby = Lobby(nursery, settings.known(), self._why, doors, audience, {})
        crew = Crew((), settings.folder, settings.event.limits, settings.waits.start, self.tell)
        hall = Hall(self.lobby, crew, audience, ("memory", 0))
        self.keeper: Collector = Collector(self.keep, after.keeper.journal if after else None)
        self.stored: dict[int, GameResult] = dict(after.stored) if after else {}
        begun = {game: Begun(lines) for game, lines in self.keeper.journal.items()}
        scheduler = scheduler_of(settings.event)
        scheduler.resume(self.stored[game] for game in sorted(self.stored))
        self.director = Director(settings, scheduler, hall, self.keeper, self, begun)

    def _why(self, bot: str) -> str:
        return self.director.why(bot)

    async def keep(self, finished: Finished) -> None:
        """Store a finished game."""
        if self._keep is not None:
            await self._keep(finished)
        self.games.append(finished)
        self.stored[finished.table.number] = result_of(record_of(finished))

    def listening(self, host: str, port: int) -> None:
        """Never: in memory nothing is listened on."""

    def planned(self, games: int) -> None:
        """So many games there are to be."""

    def resumed(self, finished: int, running: int) -> None:
        """Never: in memory every event is new."""

    def started(self, table: Table) -> None:
        """A game has started."""
        self.tables.append(table)

    def finished(self, finished: Finished, planned: int = 0) -> None:
        """A game is over and stored."""

    def tested(self, trial: TrialState) -> None:
        """Where the test of a match stands is in its tables."""

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        self.sentences.append(sentence)

    def connect(
        self, *, address: str = "127.0.0.1", capacity: int = CAPACITY, patience: float = LONG
    ) -> ScriptedPeer:
        """A new connection from *address*, not logged in yet."""
        here, there = memory_pair(f"{address}:1", capacity=capacity)
        self._nursery.start_soon(self.lobby.serve, there)
        return ScriptedPeer(here, patience)

    async def seat(
        self,
        name: str,
        script: Script = first_moves,
        keys: str = "moves=yes",
        *,
        address: str = "127.0.0.1",
    ) -> ScriptedPeer:
        """A new connection, logged in as *name*, which from now on does what *script* says."""
        peer = self.connect(address=address)
        await peer.login(name, keys)
        self._nursery.start_soon(script, peer)
        return peer

    async def run(self) -> None:
        """Play the event, then say good-bye to all connections."""
        self._summary = await self.director.run()
        farewell = ("event-over", "the event has ended, thank you for playing")
        self.lobby.close(*farewell)
        await self._audience.close(*farewell)
        self._ended.set()

    async def ended(self) -> Summary:
        """Return when the event is over, with what became of it."""
        await self._ended.wait()
        assert self._summary is not None
        return self._summary


@asynccontextmanager
async def memory_server(
    event: str,
    *,
    keep: Keep | None = None,
    after: MemoryServer | None = None,
) -> AsyncGenerator[MemoryServer, None]:
    """Play the event whose file has the text *event*; all its bots must be remote.

    At the end of the block the server stops at once, wherever it is; *after* is such a server,
    whose event this one goes on with.
    """
    settings = settings_of(event.encode(), "event.toml", Path())
    async with trio.open_nursery() as nursery:
        server = MemoryServer(settings, nursery, keep=keep, after=after)
        nursery.start_soon(server.run)
        yield server
        nursery.cancel_scope.cancel()
