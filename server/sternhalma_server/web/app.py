"""The site over HTTP: pages, their files, their streams, and what is mounted beside them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from sternhalma_server.pages.places import ASSETS, STREAM
from sternhalma_server.pages.templates import Templates, assets
from sternhalma_server.web.guard import Guard
from sternhalma_server.web.site import BusyError, Site
from sternhalma_server.web.streams import Streams

_KINDS: Final = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "html": "text/html",
    "txt": "text/plain",
}
_EMPTY: Final = (
    "There is nothing to show yet, or it is still being read. This page looks again by itself."
)
_BUSY: Final = "This page cannot be made now. It tries again by itself."


@dataclass(frozen=True, slots=True)
class Extension:
    """Something beside the pages: its `routes` come before theirs, `running` is entered while the
    site runs, `closing` is called when it is to end its streams."""

    routes: Sequence[BaseRoute]
    running: AbstractAsyncContextManager[object] | None = None
    closing: Callable[[], None] | None = None


def make_app(
    site: Site,
    streams: Streams,
    templates: Templates,
    names: Collection[str] = (),
    extensions: Sequence[Extension] = (),
) -> ASGIApp:
    """The application that answers for *site* under *names*, with *extensions* beside its pages."""
    files = {place.removeprefix(f"{ASSETS}/"): text for place, text in assets(live=True).items()}

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in files:
            return nothing(templates, request)
        return _answer(files[name], name)

    async def stream(request: Request) -> ASGIApp:
        await site.begun()
        if streams.is_full:
            return PlainTextResponse("expected a place, all are taken\n", 503)
        return streams.open(request.path_params["path"]) or nothing(templates, request)

    async def page(request: Request) -> Response:
        asked = request.path_params["path"]
        # A folder is the page in it; from there its links lead where they should.
        is_folder = bool(asked) and "." not in asked.rpartition("/")[2]
        path = f"{asked.rstrip('/')}/index.html" if is_folder else asked or "index.html"
        if not await site.begun():
            return problem(templates, request, 503, "nothing yet", _EMPTY)
        try:
            text = await site.page(path)
        except BusyError:
            return problem(templates, request, 503, "not now", _BUSY)
        if text is not None and is_folder:
            # Relative, as who is in front of this site may have it in a folder of their own.
            folder = asked.rstrip("/").rpartition("/")[2]
            there = "index.html" if asked.endswith("/") else f"{folder}/index.html"
            return RedirectResponse(there, 307)
        return nothing(templates, request) if text is None else _answer(text, path)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for one in extensions:
                if one.running is not None:
                    await stack.enter_async_context(one.running)
            yield

    return Starlette(
        routes=[
            *(route for one in extensions for route in one.routes),
            Route(f"/{ASSETS}/{{name}}", file),
            Route(f"/{STREAM}{{path:path}}", stream),
            Route("/{path:path}", page),
        ],
        middleware=[Middleware(Guard, names=names)],
        lifespan=lifespan,
    )


def problem(
    templates: Templates, request: Request, status: int, title: str, sentence: str
) -> Response:
    """The page that says why there is none, and tries again where that may help."""
    path = request.url.path.lstrip("/")
    text = templates.page(
        "problem.html", path, title=title, sentence=sentence, again=status == 503, live=False
    )
    return Response(text, status, media_type=_KINDS["html"])


def nothing(templates: Templates, request: Request) -> Response:
    """The page for a place where there is none."""
    return problem(templates, request, 404, "no such page", "There is no such page here.")


def _answer(text: str, name: str) -> Response:
    return Response(text, media_type=_KINDS[name.rpartition(".")[2]])
