"""A bad network, to be put between a bot and a server.

TCP promises that bytes come whole and in order or not at all, and nothing about when, in which
pieces, or for how long. The proxy keeps that promise and nothing more: it delays, splits what was
sent at once, joins what was sent apart, stalls for a while, and ends connections in the middle of a
line, with a good-bye or a reset. What it does follows from a seed and from what is said.

    python -m sternhalma_server.testing.proxy HOST:PORT --cut 0.01 --delay 50

The same works in memory, on trio's clock (`disturb`).
"""

from __future__ import annotations

import argparse
import random
import socket
import sys
from dataclasses import dataclass, fields
from typing import Final

import trio

from sternhalma_server.testing.ends import End, SocketEnd, dial

BACKLOG: Final = 64
PAUSE: Final = 0.001  # seconds, enough for two pieces to be two packets
MOST: Final = 40  # bytes of a piece that has been split off


@dataclass(frozen=True, slots=True)
class Faults:
    """How bad the network is.

    `delay` is the longest time in milliseconds that a piece is under way. The others are chances
    for each piece that comes: to be split into a few bytes each, to be held for as long as `delay`
    to be joined with what follows, to stall for `stall_for` milliseconds, and that the connection
    ends behind a part of it, for both sides, with a close (`cut`) or a reset.
    """

    delay: float = 0.0
    split: float = 0.0
    join: float = 0.0
    stall: float = 0.0
    stall_for: float = 1000.0
    cut: float = 0.0
    reset: float = 0.0

    def __post_init__(self) -> None:
        for name in ("split", "join", "stall", "cut", "reset"):
            chance = getattr(self, name)
            if not 0 <= chance <= 1:
                raise ValueError(f"expected a chance from 0 to 1 for {name}, got {chance!r}")
        for name in ("delay", "stall_for"):
            time = getattr(self, name)
            if not 0 <= time < 3_600_000:
                raise ValueError(f"expected milliseconds below an hour for {name}, got {time!r}")


async def disturb(here: End, there: End, faults: Faults, chance: random.Random) -> None:
    """Carry what comes from either end to the other, as a bad network does, until both have ended.

    Both ends are closed when this returns.
    """
    seeds = chance.random(), chance.random()
    try:
        async with trio.open_nursery() as nursery:
            for (source, target), seed in zip(((here, there), (there, here)), seeds, strict=True):
                way = _Way(source, target, faults, random.Random(seed))
                nursery.start_soon(_carry, way, nursery.cancel_scope)
    finally:
        here.close()
        there.close()


async def _carry(way: _Way, both: trio.CancelScope) -> None:
    if not await way.carry():
        both.cancel()


class _Way:
    """One direction of a bad network."""

    def __init__(self, source: End, target: End, faults: Faults, chance: random.Random) -> None:
        self._source = source
        self._target = target
        self._faults = faults
        self._chance = chance

    async def carry(self) -> bool:
        """Carry until the source has ended what it sends; False if the whole connection is over."""
        try:
            while data := await self._receive():
                if not await self._pass_on(data):
                    return False
            self._target.finish()
        except ConnectionResetError:
            self._target.abort()
            return False
        except (OSError, trio.ClosedResourceError):
            return False
        return True

    async def _pass_on(self, data: bytes) -> bool:
        """Carry one piece; False if the connection has ended meanwhile."""
        faults = self._faults
        if self._happens(faults.join):
            with trio.move_on_after(max(faults.delay / 1000, PAUSE)):
                data += await self._receive()
        await trio.sleep(faults.delay / 1000 * self._chance.random())
        if self._happens(faults.stall):
            await trio.sleep(faults.stall_for / 1000)
        if self._happens(faults.cut):
            await self._send(data[: self._chance.randrange(len(data))])
            return False
        if self._happens(faults.reset):
            await self._send(data[: self._chance.randrange(len(data))])
            self._source.abort()
            self._target.abort()
            return False
        if self._happens(faults.split):
            while len(data) > 1:
                piece = self._chance.randint(1, min(MOST, len(data) - 1))
                await self._send(data[:piece])
                await trio.sleep(PAUSE)
                data = data[piece:]
        await self._send(data)
        return True

    def _happens(self, likelihood: float) -> bool:
        return self._chance.random() < likelihood

    async def _receive(self) -> bytes:
        while True:
            await self._source.wait_readable()
            try:
                return self._source.receive()[0]
            except BlockingIOError:
                continue

    async def _send(self, data: bytes) -> None:
        while data:
            try:
                data = data[self._target.send(data) :]
            except BlockingIOError:
                await self._target.wait_writable()


class FaultProxy:
    """A bad network over TCP: listens on this machine, leads to the server at *host* and *port*.

    `port` is where it listens. What it does follows from *seed*, the number of the connection and
    the pieces in which the system hands over what is sent.
    """

    def __init__(self, host: str, port: int, faults: Faults, seed: int = 0, own: int = 0) -> None:
        self._upstream = (host, port)
        self._faults = faults
        self._seed = seed
        self._listener = socket.create_server(("127.0.0.1", own), backlog=BACKLOG)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self.connections = 0

    async def serve(self) -> None:
        """Carry all connections until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                await trio.lowlevel.wait_readable(self._listener)
                try:
                    sock, address = self._listener.accept()
                except OSError:  # it has ended before it was accepted
                    continue
                sock.setblocking(False)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections += 1
                here = SocketEnd(sock, f"{address[0]}:{address[1]}")
                nursery.start_soon(self._lead, here, self.connections)

    async def _lead(self, here: SocketEnd, number: int) -> None:
        try:
            there = await dial(*self._upstream)
        except OSError:
            here.abort()
            return
        except BaseException:
            here.close()
            raise
        await disturb(here, there, self._faults, random.Random(f"{self._seed}/{number}"))

    def close(self) -> None:
        """Listen no more; to be called when `serve` has ended."""
        self._listener.close()


async def _serve(proxy: FaultProxy) -> None:
    print(f"listening on 127.0.0.1 port {proxy.port}", flush=True)
    await proxy.serve()


def main() -> int:
    """Read the command line, and be a bad network until interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m sternhalma_server.testing.proxy",
        description="A bad network between bots and a server.",
    )
    parser.add_argument("server", metavar="HOST:PORT", help="where it leads")
    parser.add_argument("--port", type=int, default=0, help="where it listens, on 127.0.0.1")
    parser.add_argument("--seed", type=int, default=0)
    for field in fields(Faults):
        unit = "MS" if field.name in {"delay", "stall_for"} else "CHANCE"
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=float, default=field.default, metavar=unit)
    options = parser.parse_args()
    host, _, port = options.server.rpartition(":")
    if not host or not port.isdecimal():
        parser.error(f"expected HOST:PORT, got {options.server!r}")
    try:
        faults = Faults(**{field.name: getattr(options, field.name) for field in fields(Faults)})
    except ValueError as problem:
        parser.error(str(problem))
    proxy = FaultProxy(host, int(port), faults, options.seed, options.port)
    try:
        trio.run(_serve, proxy)
    except KeyboardInterrupt:
        return 0
    finally:
        proxy.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
