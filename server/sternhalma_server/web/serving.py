"""The web server: uvicorn over a socket that is there already, ended quickly by SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from sternhalma_server.pages.templates import Linked, Templates
from sternhalma_server.web.app import Extension, make_app
from sternhalma_server.web.metrics import metrics
from sternhalma_server.web.scene import Scene
from sternhalma_server.web.shelf import Shelf
from sternhalma_server.web.site import Site
from sternhalma_server.web.streams import DROP, Streams
from sternhalma_server.web.watcher import watch

LAST: Final = 0.4  # seconds to tell all viewers how things stood in the end
GRACE: Final = 1  # seconds for answers that are under way when the site is ended
CONNECTIONS: Final = 4000  # at once
ASKING: Final = 20.0  # seconds for a request to come whole
TAKING: Final = 20.0  # seconds in which something of what was sent has to be taken
NICE: Final = 10  # how far behind those who play

# Makes what is mounted beside the pages, given the templates that those use.
Extending = Callable[[Templates], Extension]


class DroppingProtocol(H11Protocol):
    """HTTP over a connection that can be ended at once, however much it has not taken.

    It is ended so where a request does not come, or an answer is not taken: who does neither would
    have one of the `CONNECTIONS` for good, and could have them all.
    """

    _asking: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        self.app_state = {**self.app_state, DROP: transport.abort}
        super().connection_made(transport)
        self._asking = self.loop.call_later(ASKING, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take more of a request, or all that was left of it."""
        super().data_received(data)
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self._has_asked()
        elif self._asking is None:
            self._asking = self.loop.call_later(ASKING, self.transport.abort)

    def pause_writing(self) -> None:
        """Send no more for now."""
        super().pause_writing()
        self._wait_until_taken(None)

    def resume_writing(self) -> None:
        """Send on."""
        self._has_taken()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._has_asked()
        self._has_taken()
        super().connection_lost(exc)

    def _wait_until_taken(self, before: int | None) -> None:
        """Wait on, unless as much is left as *before*: a line may be slow, and a page large."""
        left = self.transport.get_write_buffer_size()
        if before is not None and left >= before:
            self.transport.abort()
        else:
            self._taking = self.loop.call_later(TAKING, self._wait_until_taken, left)

    def _has_asked(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _has_taken(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _is_worth_telling(record: logging.LogRecord) -> bool:
    """Whether a log is to have it: what was cut off when the site was ended is no news."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is not asyncio.CancelledError and not str(record.msg).startswith("Cancel ")


def serve(
    root: Path,
    sock: socket.socket,
    names: Collection[str] = (),
    *,
    beside: Sequence[Linked] = (),
    folders: Sequence[Path] = (),
    extending: Iterable[Extending] = (),
) -> None:
    """Serve the pages of the event or league in the folder *root* over *sock* until SIGTERM.

    *names* are those the site is known by; *beside* and *folders* are as for `Templates`, for what
    *extending* makes. Raises `MissingTemplatesError`.
    """
    templates = Templates(live=True, beside=beside, folders=folders)
    extensions = [metrics(root), *(one(templates) for one in extending)]
    os.nice(NICE)
    logging.getLogger("uvicorn.error").addFilter(_is_worth_telling)
    if asyncio.run(_serve(root, sock, names, templates, extensions)):
        # Ratings of a large league take their time, and nobody wants them any more.
        sys.stdout.flush()
        os._exit(0)


def http_server(app: ASGIApp) -> uvicorn.Server:
    """What serves *app* to browsers, until its `should_exit` is set; signals are the caller's."""
    return _Server(
        uvicorn.Config(
            app,
            loop="asyncio",
            http=DroppingProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=GRACE,
        )
    )


async def _serve(
    root: Path,
    sock: socket.socket,
    names: Collection[str],
    templates: Templates,
    extensions: Sequence[Extension],
) -> bool:
    """Serve until a signal; whether the store is still being read."""
    scene = Scene()
    site = Site(Shelf(root, templates), scene)
    app = make_app(site, Streams(site), templates, names, extensions)
    server = http_server(app)

    async def end() -> None:
        # Who looks on is to see how things stood in the end.
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST):
                await site.last()
        site.close()
        for one in extensions:
            if one.closing is not None:
                one.closing()
        server.should_exit = True

    ending: list[asyncio.Task[None]] = []

    def asked_to_end() -> None:
        if not ending:
            ending.append(asyncio.create_task(end()))

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_end)
    working = [asyncio.create_task(site.run()), asyncio.create_task(watch(root, scene, site))]
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    # A site whose work has failed shows what was long ago: better none, and somebody starts it.
    done, _ = await asyncio.wait({*working, serving}, return_when=asyncio.FIRST_COMPLETED)
    if serving not in done:
        await end()
        await serving
    for task in working:
        task.cancel()
    results = await asyncio.gather(*working, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return site.busy
