"""Whole events in a results folder, played for real: over TCP, with bots that answer at once."""

from __future__ import annotations

import csv
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from sternhalma_server.announce import Table
from sternhalma_server.control import SOCKET
from sternhalma_server.hosting import host_event
from sternhalma_server.listener import Listener
from sternhalma_server.observer import Summary
from sternhalma_server.referee import Finished
from sternhalma_server.settings import settings_of
from sternhalma_server.testing import ScriptedPeer, dial, first_moves
from sternhalma_server.testing.peer import Script
from sternhalma_tournament.trial import TrialState

PATIENCE = 120.0  # seconds for a whole event, on a machine that is busy


@dataclass
class Onlooker:
    """What an event told its host."""

    sentences: list[str] = field(default_factory=list[str])
    total: int = 0
    over: int = 0
    trials: list[TrialState] = field(default_factory=list[TrialState])

    def listening(self, host: str, port: int) -> None:
        """The server listens."""

    def resumed(self, finished: int, running: int) -> None:
        """The event goes on."""
        self.over = finished

    def planned(self, games: int) -> None:
        """So many games are planned."""
        self.total = games

    def started(self, table: Table) -> None:
        """A game has started."""

    def finished(self, finished: Finished) -> None:
        """A game is over."""
        self.over += 1

    def tested(self, trial: TrialState) -> None:
        """A test stands so."""
        self.trials.append(trial)

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        self.sentences.append(sentence)


class Hosted:
    """An event that a server plays, in the folder `root`."""

    def __init__(self, root: Path, port: int, nursery: trio.Nursery) -> None:
        self.root = root
        self.told = Onlooker()
        self.summary: Summary | None = None
        self._port = port
        self._nursery = nursery
        self._ended = trio.Event()

    async def seat(self, name: str, script: Script = first_moves, keys: str = "moves=yes") -> None:
        """Let a bot dial in and do what *script* says."""
        peer = ScriptedPeer(await dial("127.0.0.1", self._port), PATIENCE)
        try:
            await peer.login(name, keys)
        except AssertionError:
            peer.close()
            raise
        self._nursery.start_soon(self._act, peer, script)

    async def _act(self, peer: ScriptedPeer, script: Script) -> None:
        try:
            await script(peer)
        finally:
            peer.close()

    async def play(self, text: str, listener: Listener) -> None:
        """Play the event to its end, or until it is stopped."""
        settings = settings_of(text.encode(), "event.toml")
        self.summary = await host_event(settings, listener, self.root, self.told)
        self._ended.set()

    async def open(self) -> None:
        """Return when the server can be asked."""
        with trio.fail_after(PATIENCE):
            while not (self.root / SOCKET).exists():
                await trio.sleep(0.01)

    async def ended(self) -> Summary:
        """Return when the event is over."""
        with trio.fail_after(PATIENCE):
            await self._ended.wait()
        assert self.summary is not None
        return self.summary


@asynccontextmanager
async def hosted(root: Path, text: str) -> AsyncGenerator[Hosted]:
    """Play the event whose file has the text *text* in the folder *root*."""
    listener = Listener("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        event = Hosted(root, listener.port, nursery)
        nursery.start_soon(event.play, text, listener)
        yield event
        nursery.cancel_scope.cancel()


@dataclass(frozen=True)
class Row:
    """A row of results.csv: entries and places go by seat."""

    game: int
    entries: tuple[str, ...]
    places: tuple[int, ...]
    reason: str
    forfeits: tuple[str, ...]


def rows(root: Path) -> list[Row]:
    """The rows of the folder's results.csv."""
    with (root / "results.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(
                game=int(row["game"]),
                entries=tuple(row["entries"].split(" ")),
                places=tuple(map(int, row["places"].split(" "))),
                reason=row["reason"],
                forfeits=tuple(row["forfeits"].split(" ")),
            )
            for row in csv.DictReader(file)
        ]
