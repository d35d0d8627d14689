"""Who may ask a site, and what becomes of viewers who do not read."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from sternhalma_server.web import serving
from sternhalma_server.web.guard import is_known
from sternhalma_server.web.places import Place
from sternhalma_server.web.serving import DroppingProtocol
from sternhalma_server.web.site import Hearing
from sternhalma_server.web.streams import DROP, Streams, drop
from sternhalma_server.website import parse_address


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8080",
        "10.1.2.3",
        "[::1]",
        "[::1]:8080",
        "localhost:8080",
        "LOCALHOST",
        "league.example.org",
        "league.example.org:443",
        "league.example.org.",
    ],
)
def test_an_address_and_a_known_name_are_let_in(host: str) -> None:
    assert is_known([host], {"localhost", "league.example.org"})


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["evil.example.org"],
        ["localhost.evil.example.org"],
        ["127.0.0.1.evil.example.org"],
        ["127.0.0.1", "evil.example.org"],
        ["localhost:8080:1"],
        ["localhost:http"],
        ["[::1"],
        ["[::1]x"],
        ["127.0.0.1/"],
        ["2130706433"],
    ],
)
def test_any_other_host_is_refused(hosts: list[str]) -> None:
    assert not is_known(hosts, {"localhost", "league.example.org"})


class _Site:
    closing = False


def test_a_viewer_who_reads_nothing_is_dropped() -> None:
    async def viewing() -> tuple[list[str], int]:
        dropped: list[str] = []
        streams = Streams(_Site(), patience=0.01)  # type: ignore[arg-type]
        hearing = Hearing(Place("index"))
        hearing.feed.update({"a": 1})

        async def send(_message: Any) -> None:
            await asyncio.Event().wait()

        scope = {"type": "http", "state": {DROP: lambda: dropped.append("gone")}}
        await streams.tell(hearing, scope, send)
        return dropped, streams.viewers

    assert asyncio.run(viewing()) == (["gone"], 0)


def test_a_viewer_is_told_the_latest_when_it_has_read() -> None:
    async def viewing() -> list[str]:
        site = _Site()
        streams = Streams(site)  # type: ignore[arg-type]
        hearing = Hearing(Place("index"))
        hearing.feed.update({"a": 0})
        told: list[str] = []

        async def send(message: Any) -> None:
            told.append(message["body"].decode())
            if len(told) == 1:
                # While this one is on its way much happens, of which the last state counts.
                for number in range(1, 10):
                    hearing.feed.update({"a": number})
                    hearing.changed.set()
                    hearing.changed = asyncio.Event()
            else:
                site.closing = True
                hearing.changed.set()

        await streams.tell(hearing, {"type": "http"}, send)
        return told

    told = asyncio.run(viewing())
    assert '"a":0' in told[0]
    assert '"a":9' in told[1]
    assert "event: end" in told[-1]
    assert len(told) == 3


def test_a_server_that_cannot_drop_is_asked_for_nothing() -> None:
    drop({"type": "http"})


def test_a_connection_that_is_dropped_ends_at_once_whatever_is_still_to_be_sent() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        # More than any buffer on the way takes: nobody reads it.
        blocked = asyncio.create_task(
            send({"type": "http.response.body", "body": bytes(1 << 25), "more_body": True})
        )
        await asyncio.sleep(0)
        drop(scope)
        await blocked

    async def dropped() -> bytes:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            config = uvicorn.Config(
                app, http=DroppingProtocol, lifespan="off", log_config=None, loop="asyncio"
            )
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            port = listener.getsockname()[1]
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            heard = b""
            with suppress(ConnectionResetError):
                while data := await reader.read(1 << 16):
                    heard += data
            writer.close()
            server.should_exit = True
            await serving
            return heard

    assert len(asyncio.run(dropped())) < 1 << 25


class Wire(asyncio.Transport):
    """A connection of which a test says what it takes; `aborted` is set when it is ended."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol: DroppingProtocol
        self.left = 0
        self.aborted = asyncio.Event()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def get_write_buffer_size(self) -> int:
        return self.left

    def is_closing(self) -> bool:
        return self.aborted.is_set()

    def write(self, data: Any) -> None:
        """Whatever the server says in the end, nobody reads it."""

    def abort(self) -> None:
        self.aborted.set()
        self.protocol.connection_lost(ConnectionAbortedError())


async def over_wire(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[DroppingProtocol, Wire], None]
) -> Wire:
    """A connection whose limits are no time at all, and on which *act* is done."""
    monkeypatch.setattr(serving, "ASKING", 0.0)
    monkeypatch.setattr(serving, "TAKING", 0.0)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    config = uvicorn.Config(app, lifespan="off", log_config=None)
    config.load()
    wire, protocol = Wire(), DroppingProtocol(config, ServerState(), {})
    wire.protocol = protocol
    protocol.connection_made(wire)
    act(protocol, wire)
    return wire


REQUEST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n123456789"


def some(of: int) -> Callable[[DroppingProtocol, Wire], None]:
    return lambda protocol, _: protocol.data_received(REQUEST[:of]) if of else None


def takes_nothing(protocol: DroppingProtocol, wire: Wire) -> None:
    protocol.data_received(REQUEST)
    wire.left = 1000
    protocol.pause_writing()


def takes_all(protocol: DroppingProtocol, wire: Wire) -> None:
    takes_nothing(protocol, wire)
    protocol.resume_writing()


def asks_again(protocol: DroppingProtocol, wire: Wire) -> None:
    protocol.data_received(REQUEST[:40])
    protocol.data_received(REQUEST[40:])


@pytest.mark.parametrize("act", [some(0), some(5), some(len(REQUEST) - 1), takes_nothing])
def test_who_asks_for_nothing_or_takes_nothing_is_dropped(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[DroppingProtocol, Wire], None]
) -> None:
    async def dropped() -> None:
        await (await over_wire(monkeypatch, act)).aborted.wait()

    asyncio.run(dropped())


@pytest.mark.parametrize("act", [some(len(REQUEST)), asks_again, takes_all])
def test_who_has_asked_and_takes_what_comes_may_stay(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[DroppingProtocol, Wire], None]
) -> None:
    async def stays() -> bool:
        wire = await over_wire(monkeypatch, act)
        # Timers go off in the order of their moments: any that was left would be before this one.
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, later.set)
        await later.wait()
        return not wire.aborted.is_set()

    assert asyncio.run(stays())


def test_who_takes_something_now_and_then_may_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow() -> int:
        def act(protocol: DroppingProtocol, wire: Wire) -> None:
            takes_nothing(protocol, wire)
            monkeypatch.setattr(wire, "get_write_buffer_size", lambda: next(sizes))

        sizes = iter([800, 10, 9, 9])
        await (await over_wire(monkeypatch, act)).aborted.wait()
        return len([*sizes])

    assert asyncio.run(slow()) == 0


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8080", ("127.0.0.1", 8080)),
        ("0", ("127.0.0.1", 0)),
        ("0.0.0.0:80", ("0.0.0.0", 80)),
        ("[::1]:8080", ("::1", 8080)),
        ("league.example.org:8080", ("league.example.org", 8080)),
    ],
)
def test_an_address_of_a_site_is_a_port_or_has_a_host_before_it(
    text: str, address: tuple[str, int]
) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "x", "65536", ":80", "::1:80", "a b:80", "80:", "-1"])
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="expected PORT or HOST:PORT"):
        parse_address(text)
