"""The site of an event or a league as a process beside its server, and the socket it is served on.

The socket is opened here, before anything else is begun: so an address that is taken is told at
once, the site keeps its address when its process is started again, and whoever comes meanwhile
waits. The process ends with the server, however that comes about (`lifeline`). Its own end is told
and changes nothing else: events are played by the server alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import trio

from sternhalma_server.lookup import ProgramError
from sternhalma_server.programs import Program, ScarcityError, start_program

T = TypeVar("T")

PAUSES: Final = (
    1.0,
    5.0,
    30.0,
)  # seconds until the process is started again, the last from then on
LASTED: Final = 60.0  # seconds after which a process has not failed at once
BACKLOG: Final = 512
NEEDED: Final = ("jinja2", "starlette", "uvicorn", "prometheus_client")
TABLES: Final = "tables"  # for the process, that people may open some; else it is told PAGES
PAGES: Final = "pages"

_ADDRESS: Final = re.compile(r"(?:(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):)?([0-9]{1,5})", re.ASCII)


class WebsiteError(Exception):
    """A site that cannot be served here; says why in one sentence."""


def parse_address(text: str) -> tuple[str, int]:
    """Host and port in `PORT` or `HOST:PORT`, the host being this machine if nothing is said.

    Raises `ValueError`.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > 65535:
        raise ValueError(f"expected PORT or HOST:PORT with a port up to 65535, got {text[:60]!r}")
    return (found[1] or "127.0.0.1").strip("[]"), int(found[2])


def check_installed() -> None:
    """Raise `WebsiteError` where something that the extra `web` brings is missing."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise WebsiteError(
            f"expected {', '.join(missing)}, which the extra 'web' brings:"
            " pip install 'sternhalma[web]', or in a clone pip install --editable '.[web]'"
        )


def listen(host: str, port: int) -> socket.socket:
    """A socket that is listened on, for a site. Raises `WebsiteError`."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(BACKLOG)
        except OSError:
            sock.close()
            raise
    except OSError as error:
        raise WebsiteError(
            f"cannot listen on {host} port {port}: {error.strerror or error}"
        ) from None
    return sock


def url_of(sock: socket.socket, host: str) -> str:
    """The address of the site on *sock*, which was to listen on *host*, for people."""
    port: int = sock.getsockname()[1]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}/"
    if address.is_unspecified:  # every address of this machine: one that works on it
        return f"http://localhost:{port}/"
    return f"http://[{host}]:{port}/" if address.version == 6 else f"http://{host}:{port}/"


class Website:
    """The site of the folder *root* on *sock*, known as *host* and by *names* too.

    With *tables* people may open some.
    """

    def __init__(
        self,
        root: Path,
        sock: socket.socket,
        host: str,
        names: Sequence[str] = (),
        *,
        tables: bool = False,
    ) -> None:
        self._root = root
        self._sock = sock
        self._host = host
        self._names = tuple(names)
        self._kind = TABLES if tables else PAGES
        self._program: Program | None = None

    @property
    def url(self) -> str:
        """Its address, for people."""
        return url_of(self._sock, self._host)

    async def run(self, tell: Callable[[str], None]) -> None:
        """Keep the process running until cancelled; then it is gone. *tell* is given sentences."""
        tell(f"pages at {self.url}")
        tries = 0
        try:
            while True:
                began = trio.current_time()
                why = await self._run_once()
                tries = 1 if trio.current_time() - began >= LASTED else tries + 1
                pause = PAUSES[min(tries, len(PAUSES)) - 1]
                tell(f"pages: {why}; again in {pause:g} s, games go on meanwhile")
                await trio.sleep(pause)
        finally:
            if self._program is not None:
                with trio.CancelScope(shield=True):
                    await self._program.stop()

    async def _run_once(self) -> str:
        """Run the process to its end, and how it ended."""
        descriptor = self._sock.fileno()
        command = [sys.executable, "-m", "sternhalma_server.web", str(self._root.absolute())]
        try:
            self._program = start_program(
                [*command, str(descriptor), self._kind, self._host, *self._names],
                {},
                Path(),
                descriptors=[descriptor],
            )
        except (ProgramError, ScarcityError) as error:
            return str(error)
        await self._program.listen()
        said = self._program.output.strip().splitlines()
        return f"{self._program.fate}{f': {said[-1]}' if said else ''}"


def add_web_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--web`, which gives host and port of a site, or None, and what goes with it."""

    def address(text: str) -> tuple[str, int]:
        try:
            return parse_address(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    parser.add_argument(
        "--web",
        type=address,
        metavar="[HOST:]PORT",
        help="serve pages too that change while one looks, as 'sternhalma web' does",
    )
    parser.add_argument(
        "--web-name",
        action="append",
        default=[],
        metavar="NAME",
        help="with --web: a name of the site, such as league.example.org; may be given again",
    )
    parser.add_argument(
        "--tables", action="store_true", help="with --web: let people open tables on these pages"
    )


@contextmanager
def website_at(
    address: tuple[str, int] | None,
    root: Path,
    names: Sequence[str] = (),
    *,
    tables: bool = False,
) -> Generator[Website | None]:
    """The site of *root* at *address*, its socket open during the block; None without an address.

    It is known by *names*, and with *tables* people may open some. Raises `WebsiteError`.
    """
    if names and address is None:
        raise WebsiteError("expected --web PORT with --web-name, the name of its pages")
    if tables and address is None:
        raise WebsiteError("expected --web PORT with --tables, which are opened on its pages")
    if address is None:
        yield None
        return
    check_installed()
    with closing(listen(*address)) as sock:
        yield Website(root, sock, address[0], names, tables=tables)


async def beside(
    website: Website | None, tell: Callable[[str], None], play: Callable[[], Awaitable[T]]
) -> T:
    """What *play* comes to, with the process of *website* running meanwhile, if there is one.

    *tell* is given sentences on the site.
    """
    if website is None:
        return await play()
    outcome: list[T] = []
    problem: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(website.run, tell)
        try:
            outcome.append(await play())
        except Exception as error:  # raised as it is, and not in a group with nothing else
            problem = error
        nursery.cancel_scope.cancel()
    if problem is not None:
        raise problem
    return outcome[0]
