"""Dask as the engine that spreads games over machines; nowhere else is it named.

It is asked for as little as there is: to run a function on some worker and say what came of it.
All that has to do with games, what is played again and who is to blame, is decided elsewhere, so
that another engine would take another module like this one.

Dask's client has a thread and a loop of its own. What it tells it tells in that thread, and is
brought into trio's by its token.
"""

from __future__ import annotations

import importlib
import logging
import os
import secrets
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any, Final

import trio

from sternhalma_server.errand import parse_answer, run_errand
from sternhalma_server.fleet import FleetError, Lost, Played

CONNECT: Final = 30.0  # seconds until a scheduler that does not answer counts as none
ASK: Final = 60.0  # seconds for an answer of one that did
STOP: Final = 5.0  # seconds for workers of our own to end

# How a cluster of our own is configured, beside what whoever runs it has configured.
_OWN: Final[Mapping[str, object]] = {
    # A worker that is lost is told at once: what to do about it is decided elsewhere.
    "distributed.scheduler.allowed-failures": 0,
    # No pages: there is nothing in them about games, and nobody asked for them.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Bots inherit a worker's environment, and find in it what they would find without one.
    "distributed.nanny.pre-spawn-environ": {},
    # What takes memory are bots, of which Dask knows nothing.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}


class DaskFleet:
    """The workers of a Dask cluster, each of whose threads stands for a core of its own.

    `address` is where its scheduler listens.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self.address = address
        self._refused: set[str] = set()
        self._numbers = count(1)
        # What two drivers ask for must never be one task to the scheduler, not even by chance.
        self._run = secrets.token_hex(8)

    async def cores(self) -> int:
        """How many orders can be played at once now."""
        threads = await self._threads()
        return sum(cores for worker, cores in threads.items() if worker not in self._refused)

    async def play(self, order: bytes) -> Played | Lost:
        """Have *order* played by some worker."""
        where: dict[str, Any] = {}
        if self._refused:
            left = [worker for worker in await self._threads() if worker not in self._refused]
            if not left:
                raise FleetError("no worker is left that may play this event")
            where = {"workers": left, "allow_other_workers": False}
        key = f"sternhalma-{self._run}-{next(self._numbers)}"
        # Asked of the thread that speaks with the scheduler, which does not wait for it.
        future = self._client.submit(errand, order, key=key, pure=False, retries=0, **where)
        done, token = trio.Event(), trio.lowlevel.current_trio_token()

        def tell(_: object) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(done.set)

        future.add_done_callback(tell)
        try:
            await done.wait()
            # What a worker holds may be lost with it even now; then it is played again by itself.
            fetch = partial(self._fetch, future)
            return await trio.to_thread.run_sync(fetch, abandon_on_cancel=True)
        finally:
            with suppress(Exception):
                future.release()

    def refuse(self, worker: str) -> None:
        """Have *worker* play no more orders."""
        self._refused.add(worker)

    async def _threads(self) -> dict[str, int]:
        ask = partial(self._client.nthreads)
        try:
            with trio.fail_after(ASK):
                found: dict[str, int] = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
        except (OSError, trio.TooSlowError, ValueError):
            raise self._gone() from None
        return found

    def _gone(self) -> FleetError:
        return FleetError(f"the scheduler at {self.address} is gone")

    def _fetch(self, future: Any) -> Played | Lost:
        """What came of a task that is over, in a thread."""
        scheduler = _module("distributed.scheduler")
        futures = _module("distributed.client")
        try:
            worker, answer = future.result()
        except scheduler.KilledWorker as error:
            return Lost(_words(error).partition(". ")[0])
        except futures.FutureCancelledError:
            raise self._gone() from None
        except Exception as error:
            raise FleetError(f"expected a worker that can play, got {_words(error)}") from None
        try:
            return Played(worker, parse_answer(answer))
        except ValueError as error:
            return Lost(f"expected an answer of {worker}, got something else: {_words(error)}")


def errand(order: bytes) -> tuple[str, bytes]:
    """On a worker: play *order*; the worker's address and what came of it."""
    worker = _module("distributed").get_worker()
    return worker.address, run_errand(order)


def dask_setup(_: object) -> None:
    """On a worker of our own, before it works: a Ctrl-C in the driver's terminal is not for it."""
    os.setpgrp()


@contextmanager
def fleet_at(address: str, security: Any = None) -> Generator[DaskFleet]:
    """The cluster whose scheduler listens at *address*. Raises `FleetError`.

    Without *security* it is spoken with as Dask is configured here.
    """
    distributed = _module("distributed")
    # What is lost is told in a sentence; pages of how Dask found out, also later, would hide it.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(
            address, timeout=CONNECT, set_as_default=False, security=security
        )
    except (OSError, ValueError) as error:
        raise FleetError(
            f"expected the scheduler of a Dask cluster at {address}: {_words(error)}"
        ) from None
    try:
        yield DaskFleet(client, address)
    finally:
        with suppress(Exception):
            client.close(timeout=STOP)


@contextmanager
def fleet_of(workers: int, *, secret: bool = True) -> Generator[DaskFleet]:
    """A cluster of so many *workers* on this machine, for as long as the block lasts.

    A scheduler runs what it is sent by whoever can connect to it, other users of this machine
    among them. So this one is *secret*: it speaks TLS, with a certificate that nobody else has.
    Raises `FleetError`.
    """
    distributed, dask = _module("distributed"), _module("dask")
    try:
        security = distributed.Security.temporary() if secret else None
    except ImportError as error:
        raise FleetError(_missing(error.name or "cryptography")) from None
    with dask.config.set(_OWN):
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                security=security,
                preload=[__name__],
            )
        except (OSError, RuntimeError, ValueError) as error:
            raise FleetError(f"cannot start {workers} workers: {_words(error)}") from None
        try:
            with fleet_at(cluster.scheduler_address, security) as fleet:
                yield fleet
        finally:
            with suppress(Exception):
                cluster.close(timeout=STOP)


def _module(name: str) -> Any:
    """A module of Dask, which is an extra and knows little of types. Raises `FleetError`."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FleetError(_missing(error.name or name)) from None


def _missing(package: str) -> str:
    return (
        f"expected the package {package!r}, which the extra 'cluster' brings:"
        " pip install 'sternhalma[cluster]', or in a clone pip install --editable '.[cluster]'"
    )


def _words(error: BaseException) -> str:
    """The first line of what *error* says, or its kind."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
