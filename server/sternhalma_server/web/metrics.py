"""Figures for who watches over a league with Prometheus: `/metrics`, in its text format.

What has happened is read from the store when somebody asks, what is going on the server is asked
for, over its control socket. Nothing is counted by the server itself but what it counts anyway: a
move does not get dearer for being measured.

Of games all are counted that the store has. Moves, forfeits and the histograms begin when a site is
asked first, as those of a process that was started again do.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sternhalma_server.archive import STORE
from sternhalma_server.clock import SECOND
from sternhalma_server.outcome import outcome_of
from sternhalma_server.record import Ply, Record, parse_record
from sternhalma_server.stamping import stamp_errors
from sternhalma_server.store import Store, StoreError
from sternhalma_server.timing import length
from sternhalma_server.web.app import Extension
from sternhalma_server.web.asking import ask_server

KIND: Final = "text/plain; version=0.0.4; charset=utf-8"
PATIENCE: Final = 2.0  # seconds for the server to answer
ROUNDS: Final = 3  # tries of a stamp each time somebody asks

_THOUGHT: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_SHORT: Final = (1e-5, 3e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


class Server(Collector):
    """What the server said last of itself; nothing but that it is not there, where it is not."""

    def __init__(self) -> None:
        self.gauges: Mapping[str, int] | None = None

    def collect(self) -> Iterator[Metric]:
        """The server's own figures."""
        yield GaugeMetricFamily(
            "sternhalma_up", "Whether a server plays here.", float(self.gauges is not None)
        )
        if self.gauges is None:
            return
        for name, text in (
            ("connections", "Connections of bots that have logged in."),
            ("watchers", "Connections that watch."),
            ("running", "Games that are being played or prepared."),
            ("stalled", "Whether the disk takes nothing now."),
        ):
            yield GaugeMetricFamily(f"sternhalma_{name}", text, float(self.gauges.get(name, 0)))
        yield CounterMetricFamily(
            "sternhalma_store_batches",
            "Times that the disk has taken something for sure.",
            float(self.gauges.get("batches", 0)),
        )


class Meter:
    """The figures of the event or the league in the folder *root*."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._places: dict[int, int] = {}  # how far each event has been read
        registry = self._registry = CollectorRegistry(auto_describe=False)
        self.server = Server()
        registry.register(self.server)
        self._games = Counter(
            "sternhalma_games_finished", "Games that are over.", ["event"], registry=registry
        )
        self._moves = Counter(
            "sternhalma_moves", "Moves of games that are over.", ["event"], registry=registry
        )
        self._forfeits = Counter(
            "sternhalma_forfeits", "Forfeits.", ["event", "reason"], registry=registry
        )
        self._charged = Histogram(
            "sternhalma_charged_seconds",
            "What clocks were charged for a move.",
            ["event"],
            buckets=_THOUGHT,
            registry=registry,
        )
        self._late = Histogram(
            "sternhalma_server_lateness_seconds",
            "How much later than it came the server has read an answer; nobody is charged for it.",
            buckets=_SHORT,
            registry=registry,
        )
        self._error = Histogram(
            "sternhalma_clock_error_seconds",
            "By how much an arrival that is read late is stamped late, tried on this machine.",
            buckets=_SHORT,
            registry=registry,
        )

    def text(self) -> bytes:
        """All figures as they are now. Raises `StoreError`, `ValueError`."""
        with self._lock:
            if (self._root / STORE).exists():
                with Store.read(self._root / STORE) as store:
                    self._read(store)
            for error in stamp_errors(ROUNDS):
                self._error.observe(error / SECOND)
            return generate_latest(self._registry)

    def _read(self, store: Store) -> None:
        """Count what has been played since the last time."""
        for event in store.events():
            games, reached = store.reached(event.id)
            place = self._places.get(event.id)
            if place is None:
                self._games.labels(event.name).inc(games)
                place = reached
            elif reached < place:  # another store: the event is played anew
                place = 0
            self._places[event.id] = place
            for game in store.finished_games(event.id, place):
                # First, so that one whose record cannot be read is not counted each time again.
                self._places[event.id] = game.place
                self._games.labels(event.name).inc()
                self._count(event.name, parse_record(game.record))

    def _count(self, event: str, record: Record) -> None:
        charged = self._charged.labels(event)
        moves = 0
        for ply in record.happened:
            if isinstance(ply, Ply) and ply.charged is not None:
                moves += 1
                charged.observe(ply.charged / SECOND)
                late = dict(ply.evidence).get("late")
                if late is not None:
                    self._late.observe(length(late) / SECOND)
        self._moves.labels(event).inc(moves)
        for reason in outcome_of(record).forfeits:
            if reason is not None:
                self._forfeits.labels(event, reason).inc()


def metrics(root: Path) -> Extension:
    """`/metrics` for the folder *root*."""
    disable_created_metrics()  # type: ignore[no-untyped-call]
    meter = Meter(root)

    async def answer(_request: Request) -> Response:
        meter.server.gauges = await _gauges(root)
        try:
            text = await asyncio.to_thread(meter.text)
        except (StoreError, ValueError, OSError) as problem:
            return Response(f"{problem}\n", 503, media_type="text/plain")
        return Response(text, headers={"content-type": KIND})

    return Extension([Route("/metrics", answer)])


async def _gauges(root: Path) -> Mapping[str, int] | None:
    """What the server of the folder *root* says of itself, None where none answers."""
    try:
        async with asyncio.timeout(PATIENCE):
            facts = await ask_server(root, "metrics")
    except (OSError, ValueError):
        return None
    gauges = {name: value for name, value in facts.items() if isinstance(value, int)}
    return gauges or None
