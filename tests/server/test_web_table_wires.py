"""What keeps a table together: the process of the games, a person's connection, a page's stream."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from server.kept import CUP, games_of, keep
from server.people import Visitor
from server.sites import site_of
from sternhalma_server.web.tables import stream
from sternhalma_server.web.tables.lines import Told, Welcomed
from sternhalma_server.web.tables.office import Office, OfficeError
from sternhalma_server.web.tables.person import Person
from sternhalma_server.web.tables.stream import StateStream

DUEL = {"owner": "192.0.2.1", "rules": "duel", "seats": ["person", "person"]}


def test_a_process_of_games_that_is_killed_takes_its_tables_along_and_another_is_started() -> None:
    async def scene() -> None:
        gone = asyncio.Event()
        office = Office({"each": 1}, lambda _name, _why: None, gone.set)
        await office.order("open", **DUEL)
        with pytest.raises(OfficeError, match="from your address"):
            await office.order("open", **DUEL)
        pid = office.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await gone.wait()
        assert "table" in await office.order("open", **DUEL)
        assert office.pid != pid
        await office.stop()

    asyncio.run(scene())


def test_a_person_whose_connection_is_lost_connects_again_until_it_is_sent_away() -> None:
    logins: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"sternhalma 1 line=1024\n")
        logins.append((await reader.readline()).decode())
        last = len(logins) == 3
        writer.write(b"welcome t1.1 slot=1\n" + (b"bye table-closed enough\n" if last else b""))
        await writer.drain()
        writer.close()

    async def scene() -> list[Told]:
        heard: list[Told] = []
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            person = Person("t1.1", "secret", lambda _person, told: heard.append(told))
            await person.run(*server.sockets[0].getsockname())
            assert not person.is_connected
        return heard

    heard = asyncio.run(scene())
    assert logins == ["login t1.1 token=secret\n"] * 3
    assert sum(isinstance(told, Welcomed) for told in heard) == 3


class Viewer:
    """Who asks for a stream: what it was sent, and what it does when it is sent something."""

    def __init__(self, taking: Callable[[str], Awaitable[None]]) -> None:
        self.sent: list[str] = []
        self.dropped = False
        self._taking = taking

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body" and message["body"]:
            self.sent.append(message["body"].decode())
            await self._taking(self.sent[-1])

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    def drop(self) -> None:
        self.dropped = True

    @property
    def scope(self) -> dict[str, Any]:
        return {"method": "GET", "state": {"drop": self.drop}}


def test_a_stream_passes_over_what_came_and_went_while_it_was_being_read() -> None:
    async def scene() -> list[str]:
        state, changed = 0, asyncio.Event()
        counts: list[int] = []

        async def take(text: str) -> None:
            nonlocal state, changed
            state = -1 if state == 9 else state + 3
            changed.set()
            changed = asyncio.Event()

        viewer = Viewer(take)
        source = StateStream(
            lambda: None if state < 0 else str(state), lambda: changed, counts.append
        )
        await source(viewer.scope, viewer.receive, viewer.send)
        assert counts == [1, -1]
        return viewer.sent

    sent = asyncio.run(scene())
    assert [text.partition("data: ")[2].strip() for text in sent] == ["0", "3", "6", "9"]


def test_a_page_that_does_not_take_what_it_is_sent_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "PATIENCE", 0.01)

    async def scene() -> bool:
        async def take(_text: str) -> None:
            await asyncio.Event().wait()

        viewer = Viewer(take)
        source = StateStream(lambda: "0", asyncio.Event, lambda _count: None)
        await source(viewer.scope, viewer.receive, viewer.send)
        return viewer.dropped

    assert asyncio.run(scene())


def test_a_site_with_pages_of_an_event_has_tables_beside_them_if_it_is_told_to(
    tmp_path: Path,
) -> None:
    keep(tmp_path, CUP, games_of(CUP))
    with site_of(tmp_path, "--tables", "--each", "1") as port:
        visitor = Visitor(f"http://127.0.0.1:{port}")
        host = visitor.open("here", "person")
        assert visitor.state(host)["phase"] == "waiting"
        assert visitor.send("/tables/new", [("seat-0", "here")])[0] == 409
        status, text, _ = visitor.ask("GET", "/index.html")
        assert (status, 'href="tables/new"' in text) == (200, True)
        _, text, _ = visitor.ask("GET", host)
        assert 'href="../../index.html"' in text
