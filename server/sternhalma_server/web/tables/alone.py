"""Tables without an event or a league beside them: a site for people alone."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from sternhalma_server.pages.templates import Templates
from sternhalma_server.web.guard import Guard
from sternhalma_server.web.serving import NICE, http_server
from sternhalma_server.web.tables.extension import FOLDERS, tables_extension
from sternhalma_server.web.tables.pages import NEW
from sternhalma_server.web.tables.tables import Tables


def serve_alone(sock: socket.socket, names: Collection[str], limits: Mapping[str, float]) -> None:
    """Serve tables over *sock* until SIGTERM or SIGINT, under *names* and with *limits*.

    Raises `MissingTemplatesError`.
    """
    templates = Templates(live=True, folders=FOLDERS)
    os.nice(NICE)
    asyncio.run(_serve(templates, sock, names, Tables(limits)))


async def _serve(
    templates: Templates, sock: socket.socket, names: Collection[str], tables: Tables
) -> None:
    server = http_server(_app(templates, names, tables))

    def end() -> None:
        tables.end_streams()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    await server.serve(sockets=[sock])


def _app(templates: Templates, names: Collection[str], tables: Tables) -> ASGIApp:
    extension = tables_extension(templates, tables, alone=True)

    async def home(_request: Request) -> Response:
        return RedirectResponse(f"/{NEW}", 303)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        assert extension.running is not None
        async with extension.running:
            yield

    return Starlette(
        routes=[*extension.routes, Route("/", home)],
        middleware=[Middleware(Guard, names=names)],
        lifespan=lifespan,
    )
