"""People's tables as something beside the pages of a site, or alone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

from sternhalma_server.pages.templates import Linked, Templates
from sternhalma_server.web.app import Extension
from sternhalma_server.web.tables.pages import FOLDER, NEW, TablePages
from sternhalma_server.web.tables.routes import TableRoutes
from sternhalma_server.web.tables.tables import Tables

FOLDERS: Final = (FOLDER,)  # where the templates are
BESIDE: Final = (Linked("play", NEW),)  # what other pages lead to


def tables_extension(templates: Templates, tables: Tables, *, alone: bool = False) -> Extension:
    """*tables* for a site whose *templates* have `FOLDERS`; *alone* if it has no other pages.

    The process that plays their games is started when somebody wants to open one.
    """

    @asynccontextmanager
    async def running() -> AsyncGenerator[None]:
        try:
            yield
        finally:
            await tables.stop()

    pages = TablePages(templates, alone=alone)
    routes = TableRoutes(tables, pages, alone=alone).routes()
    return Extension(routes, running(), tables.end_streams)


def mounting(limits: Mapping[str, float]) -> Callable[[Templates], Extension]:
    """What mounts tables with *limits* into a site that has other pages, given its templates."""
    return lambda templates: tables_extension(templates, Tables(limits))
