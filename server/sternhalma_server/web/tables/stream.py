"""The stream of a page: what is to be shown, as soon as it can be sent, and only the latest.

There is no queue: while one state is being sent others may come and go unseen. A page that does not
take what it is sent is dropped; if it is still there it comes back by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.types import Receive, Scope, Send

from sternhalma_server.web.streams import drop

BEAT: Final = 15.0  # seconds between two signs of life, if nothing changes
PATIENCE: Final = 10.0  # seconds for a page to take what it is sent
RETRY: Final = 1000  # milliseconds until a browser comes back


class StateStream:
    """Sends what *state* returns, now and whenever what was *changed* then is set.

    *opened* is called with 1 when the stream begins and with -1 when it ends; a state of None is
    the end.
    """

    def __init__(
        self,
        state: Callable[[], str | None],
        changed: Callable[[], asyncio.Event],
        opened: Callable[[int], None],
    ) -> None:
        self._state = state
        self._changed = changed
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the page has gone, or does not take what it is sent."""
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "HEAD":
            await send(_body("", more=False))
            return
        self._opened(1)
        telling = asyncio.create_task(self._tell(scope, send))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._opened(-1)
            for task in (telling, leaving):
                task.cancel()
            await asyncio.gather(telling, leaving, return_exceptions=True)

    async def _tell(self, scope: Scope, send: Send) -> None:
        sign = f"retry: {RETRY}\n\n"
        told = None
        while True:
            changed = self._changed()
            state = self._state()
            if state is None:
                break
            text = sign if state == told else f"{sign}data: {state}\n\n"
            told = state
            if text:
                try:
                    async with asyncio.timeout(PATIENCE):
                        await send(_body(text, more=True))
                except TimeoutError:
                    drop(scope)
                    return
            sign = ""
            try:
                async with asyncio.timeout(BEAT):
                    await changed.wait()
            except TimeoutError:
                sign = ": still here\n\n"
        await send(_body("", more=False))


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _body(text: str, *, more: bool) -> dict[str, object]:
    return {"type": "http.response.body", "body": text.encode("ascii"), "more_body": more}
