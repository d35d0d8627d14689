"""The addresses of people's tables, and what is done at each.

Whoever has the address of a chair sits in it, so these addresses are secrets: they are compared in
constant time, no page of ours tells them to anybody else by a referrer, and no cache keeps them.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final, cast

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from sternhalma_server.pages.templates import assets
from sternhalma_server.web.tables.forms import (
    FormError,
    Wish,
    owner_of,
    read_fields,
    read_places,
    read_wish,
)
from sternhalma_server.web.tables.office import OfficeError
from sternhalma_server.web.tables.pages import NEW, SCRIPTS, TablePages
from sternhalma_server.web.tables.party import ActError, Chair, Party
from sternhalma_server.web.tables.show import shown
from sternhalma_server.web.tables.stream import StateStream
from sternhalma_server.web.tables.tables import Tables

BODY: Final = 1 << 14  # bytes of a form or an order
PAGES: Final = 8  # pages that may be open for one chair at once

_ASSETS: Final = Path(__file__).parent / "assets"
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_PRIVATE: Final = {"Cache-Control": "no-store"}


class TableRoutes:
    """Answers requests for *tables* with *pages*; if *alone* also for what all pages need."""

    def __init__(self, tables: Tables, pages: TablePages, *, alone: bool = False) -> None:
        self._tables = tables
        self._pages = pages
        self._assets = assets(live=True) if alone else {}
        for place in SCRIPTS.values():
            self._assets[place] = (_ASSETS / Path(place).name).read_text(encoding="utf-8")

    def routes(self) -> list[Route]:
        """All routes, for an app to have them among its own."""
        chair = "/t/{table}/{secret}"
        return [
            *(Route(f"/{place}", self._asset) for place in self._assets),
            Route(f"/{NEW}", self._new, methods=["GET"]),
            Route(f"/{NEW}", self._open, methods=["POST"]),
            Route(chair, self._look, methods=["GET"]),
            Route(chair, self._join, methods=["POST"]),
            Route(f"{chair}/live", self._live, methods=["GET"]),
            Route(f"{chair}/do", self._do, methods=["POST"]),
        ]

    async def _asset(self, request: Request) -> Response:
        place = request.url.path.lstrip("/")
        kind = _TYPES[Path(place).suffix]
        return Response(self._assets[place], media_type=kind)

    async def _new(self, _request: Request) -> Response:
        try:
            await self._tables.start()
        except OfficeError as problem:
            return self._form(Wish(), str(problem), 503)
        return self._form(Wish(), None, 200)

    async def _open(self, request: Request) -> Response:
        wish = Wish()
        try:
            wish = read_wish(read_fields(await _body(request)))
            host = None if request.client is None else request.client.host
            party, chair = await self._tables.open(
                owner_of(host), wish.rules, wish.order, wish.clock, wish.turns, wish.here
            )
        except (FormError, OfficeError, ActError) as problem:
            return self._form(wish, f"This table cannot be opened. {problem}", 409)
        return _moved(f"/t/{party.name}/{chair.secret}")

    def _form(self, wish: Wish, problem: str | None, status: int) -> Response:
        samples = self._tables.office.samples
        return _page(self._pages.new(wish, samples, problem), status)

    async def _look(self, request: Request) -> Response:
        party = self._party(request)
        if party is None:
            return self._nowhere()
        secret = request.path_params["secret"]
        if party.invites(secret):
            return _page(self._pages.join(party, None))
        chair = party.chair(secret)
        if chair is None:
            return self._nowhere()
        return _page(self._pages.table(party, chair, time.monotonic()))

    async def _join(self, request: Request) -> Response:
        party = self._party(request)
        if party is None or not party.invites(request.path_params["secret"]):
            return self._nowhere()
        try:
            chair = self._tables.seat(party, read_places(read_fields(await _body(request))))
        except (ActError, FormError) as problem:
            return _page(self._pages.join(party, f"You cannot sit down: {problem}."), 409)
        return _moved(f"/t/{party.name}/{chair.secret}")

    async def _live(self, request: Request) -> Response | StateStream:
        found = self._chair(request)
        if found is None:
            return self._nowhere()
        party, chair = found
        if chair.pages >= PAGES:
            return Response("expected fewer pages of one seat to be open", 429)

        def state() -> str | None:
            if self._tables.closing:
                return None
            return json.dumps(shown(party, chair, time.monotonic()), separators=(",", ":"))

        def opened(count: int) -> None:
            chair.pages += count
            party.change()

        return StateStream(state, lambda: party.changed, opened)

    async def _do(self, request: Request) -> Response:
        found = self._chair(request)
        if found is None:
            return JSONResponse({"problem": "there is no such table any more"}, 404)
        try:
            order = json.loads(await _body(request))
            if not isinstance(order, dict):
                raise ActError("expected something to do")
            await self._act(*found, cast("dict[str, Any]", order))
        except (ActError, OfficeError) as problem:
            return JSONResponse({"problem": str(problem)}, headers=_PRIVATE)
        except (ValueError, KeyError, RecursionError):
            return JSONResponse({"problem": "expected something to do"}, 400)
        return JSONResponse({}, headers=_PRIVATE)

    async def _act(self, party: Party, chair: Chair, order: dict[str, Any]) -> None:
        match order:
            case {"do": "move", "game": str(game), "ply": int(ply), "path": str(path)}:
                party.move(chair, game, ply, path[:BODY], offer=order.get("offer") is True)
            case {"do": "draw"}:
                party.agree(chair)
            case {"do": "resign", "seat": str(letter)}:
                party.resign(chair, letter)
            case {"do": "undo"}:
                party.wish_back(chair, None)
            case {"do": "agree"}:
                party.answer_back(chair, agreed=True)
            case {"do": "refuse"}:
                party.answer_back(chair, agreed=False)
            case {"do": "hint"}:
                await self._tables.hint(party, chair)
            case {"do": "again"} if chair.places:
                await self._tables.again(party)
            case {"do": "close"} if chair.is_host:
                await self._tables.close(party)
            case _:
                raise ActError("expected something that can be done here")

    def _party(self, request: Request) -> Party | None:
        return self._tables.get(request.path_params["table"])

    def _chair(self, request: Request) -> tuple[Party, Chair] | None:
        party = self._party(request)
        chair = None if party is None else party.chair(request.path_params["secret"])
        return None if party is None or chair is None else (party, chair)

    def _nowhere(self) -> Response:
        return _page(self._pages.nowhere(), 404)


def _page(text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, headers=_PRIVATE)


def _moved(place: str) -> Response:
    return RedirectResponse(place, 303, headers=_PRIVATE)


async def _body(request: Request) -> bytes:
    """What was sent with *request*, from a page of ours and not too much of it.

    Raises `FormError`.
    """
    if not is_from_here(request):
        raise FormError("expected to be asked by a page of this server")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY:
            raise FormError(f"expected at most {BODY} bytes")
    return body


def is_from_here(request: Request) -> bool:
    """Whether a browser says that a page of this server has sent *request*.

    Pages without a referrer send forms from the origin `null`, so what tells is another header. An
    older browser has the origin alone; what says nothing is no browser, which nobody could lead.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")
