"""One stream of server-sent events for each page that is looked at.

A viewer is told the latest state, as fast as it reads. What it does not take within a while ends
its stream: there is no queue for it, so it costs no more than what its socket holds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from starlette.types import Receive, Scope, Send

from sternhalma_server.web.site import Hearing, Site

PLACES: Final = 1000  # viewers at once
PATIENCE: Final = 10.0  # seconds for a viewer to take what it is sent
BEAT: Final = 15.0  # seconds between two signs of life, if nothing changes
RETRY: Final = 2000  # milliseconds until a browser comes back
DROP: Final = "drop"  # in the state of a request: what ends its connection


class Streams:
    """The streams of a site, *places* at once; each viewer has *patience* seconds to read."""

    def __init__(self, site: Site, places: int = PLACES, patience: float = PATIENCE) -> None:
        self._site = site
        self._places = places
        self._patience = patience
        self.viewers = 0

    def open(self, path: str) -> Stream | None:
        """The stream of the page at *path*, None where there is none."""
        hearing = self._site.hearing(path)
        return None if hearing is None else Stream(self, hearing)

    @property
    def is_full(self) -> bool:
        """Whether nobody else can be told anything."""
        return self.viewers >= self._places or self._site.closing

    async def tell(self, hearing: Hearing, scope: Scope, send: Send) -> None:
        """Tell a viewer what changes, until it is to go."""
        known: int | None = None
        text = f"retry: {RETRY}\n\n"
        while True:
            closing, changed = self._site.closing, hearing.changed
            news = hearing.feed.since(known) if hearing.feed.version else None
            if news is not None:
                known = hearing.feed.version
                text += f'data: {{"now":{round(time.monotonic() * 1000)},{news}}}\n\n'
            if closing:
                text += "event: end\ndata: {}\n\n"
            if text:
                try:
                    async with asyncio.timeout(self._patience):
                        await send(_body(text, more=not closing))
                except TimeoutError:
                    # Whatever is still to be sent over it would keep the connection open.
                    drop(scope)
                    return
            if closing:
                return
            text = ""
            try:
                async with asyncio.timeout(BEAT):
                    await changed.wait()
            except TimeoutError:
                text = ": still here\n\n"


class Stream:
    """One stream, as an answer to a request."""

    def __init__(self, streams: Streams, hearing: Hearing) -> None:
        self._streams = streams
        self._hearing = hearing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell whoever asked, until they have left."""
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (b"content-type", b"text/event-stream; charset=utf-8"),
                    (b"x-accel-buffering", b"no"),
                ],
            }
        )
        if scope["method"] == "HEAD":
            await send(_body("", more=False))
            return
        self._streams.viewers += 1
        self._hearing.viewers += 1
        telling = asyncio.create_task(self._streams.tell(self._hearing, scope, send))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._streams.viewers -= 1
            self._hearing.viewers -= 1
            telling.cancel()
            leaving.cancel()
            await asyncio.gather(telling, leaving, return_exceptions=True)


def drop(scope: Scope) -> None:
    """End the connection of a request at once, where the server under it can (`serving`)."""
    end: Callable[[], None] | None = scope.get("state", {}).get(DROP)
    if end is not None:
        end()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _body(text: str, *, more: bool) -> dict[str, object]:
    return {"type": "http.response.body", "body": text.encode("ascii"), "more_body": more}
