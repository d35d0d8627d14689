"""What every request and every answer has to have, whatever page it is for.

A page of another site must not be able to read these pages, not even by a name that it has lead to
this machine: so the host that is asked for has to be an address, or a name that is known. And what
is answered says what a browser may do with it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sternhalma_server.pages.templates import LIVE_POLICY

_HEADERS: Final[Mapping[str, str]] = {
    # The policy of the page itself cannot say who may frame it.
    "content-security-policy": f"{LIVE_POLICY}; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Lets requests for *names*, addresses and this machine itself through to *app*."""

    def __init__(self, app: ASGIApp, names: Collection[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower().rstrip(".") for name in (*names, "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-cache")
            await send(message)

        hosts = Headers(scope=scope).getlist("host")
        if is_known(hosts, self._names):
            await self._app(scope, receive, send_with_headers)
            return
        refusal = PlainTextResponse("expected a name by which this site is known\n", 421)
        await refusal(scope, receive, send_with_headers)


def is_known(hosts: Sequence[str], names: Collection[str]) -> bool:
    """Whether *hosts*, the Host headers of a request, are one address or one of *names*."""
    if len(hosts) != 1:
        return False
    host = hosts[0].lower()
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return False
        port = port[1:]
    else:
        name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdecimal()):
        return False
    if name.rstrip(".") in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
