"""Sites as their viewers find them, and events that go on only as far as a test says."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Final, Self

PATIENCE: Final = 60.0  # seconds for what takes a moment, on any machine
CROWD: Final = ("ada", "alan", "edith", "emil", "grace", "kurt")
_RUN: Final = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
_PORT: Final = re.compile(r"(?:listening|open) on \S+ port (\d+)")
_URL: Final = re.compile(r"(?:pages|pages of \S+) at http://\S+?:(\d+)/")


class Command:
    """`sternhalma` with *words*, as a process; `site` is the port of its pages, once they are told.

    `port` is where its server listens.
    """

    def __init__(self, *words: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _RUN, *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""

    @property
    def port(self) -> int:
        return int(self.wait_for(_PORT)[1])

    @property
    def site(self) -> int:
        return int(self.wait_for(_URL)[1])

    def wait_for(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """What it says that fits *pattern*."""
        assert self.process.stdout is not None
        while (found := pattern.search(self.said)) is None:
            line = self.process.stdout.readline()
            assert line, f"expected {pattern.pattern}, it said {self.said!r}"
            self.said += line
        return found

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit status after a signal; one more if it waits for games."""
        assert self.process.stdout is not None
        self.process.send_signal(number)
        if number == signal.SIGTERM:
            with suppress(subprocess.TimeoutExpired):
                return self.process.wait(0.5)
            self.process.send_signal(number)
        with self.process.stdout as rest:
            self.said += rest.read()
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Seat:
    """A bot that dials in and plays only what it is told to."""

    def __init__(self, port: int, name: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._lines = self._socket.makefile(encoding="utf-8", newline="\n")
        self.say(f"login {name} moves=yes version=1.0")
        self.game = ""

    def say(self, line: str) -> None:
        self._socket.sendall(f"{line}\n".encode())

    def turn(self) -> list[str]:
        """Wait until it is to move; the words of that line."""
        for line in self._lines:
            words = line.split()
            if words[0] == "turn":
                self.game = words[1]
                return words
        raise AssertionError("expected a turn, got the end of the connection")

    def move(self, number: int = 0) -> str:
        """Wait for a turn and play the move of that *number*; its path."""
        words = self.turn()
        moves = next(word for word in words if word.startswith("moves="))
        path = moves.removeprefix("moves=").split(",")[number]
        self.say(f"move {words[1]} {words[2]} {path}")
        return path

    def resign(self) -> None:
        """Wait for a turn and resign the game."""
        self.say(f"resign {self.turn()[1]}")

    def hurry(self, plies: int, left: threading.Semaphore, rest: threading.Event) -> None:
        """Play *plies* plies or one less of every game ahead, and resign then; if *left*, which all
        share, allows no more of that, wait for *rest*."""
        with suppress(AssertionError, OSError, ValueError):  # the event has been ended
            while True:
                words = self.turn()
                if int(words[2]) < plies + int(words[1]) % 2:
                    self.say(f"move {words[1]} {words[2]} {_farthest(words)}")
                elif left.acquire(blocking=False):
                    self.say(f"resign {words[1]}")
                else:
                    rest.wait()

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # whoever still reads it reads no more
        self._lines.close()
        self._socket.close()


def _farthest(turn: list[str]) -> str:
    """A move of a turn that goes far to the other side of the star."""
    moves = next(word for word in turn if word.startswith("moves=")).removeprefix("moves=")
    sign = 1 if turn[7] == "A" else -1

    def gain(move: str) -> tuple[int, str]:
        origin, target = move.split("-")
        return sign * (ord(target[0]) - ord(origin[0])), move

    # Not always the very best, or all games would be one.
    best = sorted(moves.split(","), key=gain)[-3:]
    return Random(" ".join(turn[1:3])).choice(best)


EVENT: Final = """\
name = "{name}"
rules = "{rules}"
players = 2
cycles = {cycles}
clock = "{clock}"
parallel = 1
[budgets]
drain = "1ms"
[[bots]]
name = "zoe"
remote = true
[[bots]]
name = "max"
remote = true
"""


def event_file(
    folder: Path, name: str = "live", rules: str = "tara", cycles: int = 20, clock: str = "none"
) -> Path:
    """An event of two bots that dial in, a game at a time."""
    path = folder / f"{name}.toml"
    path.write_text(EVENT.format(name=name, rules=rules, cycles=cycles, clock=clock))
    return path


class Live:
    """An event with its site, whose bots play what the test says."""

    def __init__(self, command: Command, root: Path) -> None:
        self.command = command
        self.root = root
        self.site = command.site
        self.zoe = Seat(command.port, "zoe")
        self.max = Seat(command.port, "max")
        self._ply = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.site}/"

    def move(self, number: int = 0) -> str:
        """The next move of the game."""
        self._ply += 1
        return (self.zoe, self.max)[self._ply % 2 == self._first].move(number)

    def resign(self) -> None:
        """Whoever is to move loses the game, and the other one begins the next."""
        self._ply += 1
        (self.zoe, self.max)[self._ply % 2 == self._first].resign()
        self._ply = 0
        self._first = 1 - self._first

    _first = 0  # whether zoe (0) or max moves first


@contextmanager
def live_event(folder: Path, *options: str, **terms: Any) -> Generator[Live]:
    """The event of `event_file` in *folder* while it is played, with these *options* of `run`."""
    root = folder / "results"
    words = ["run", event_file(folder, **terms), "--port", "0", "--web", "0", "--out", root]
    words += options
    with Command(*words) as command, ExitStack() as stack:
        live = Live(command, root)
        for seat in (live.zoe, live.max):
            stack.enter_context(closing(seat))
        yield live


@contextmanager
def crowded_event(folder: Path, games: int, plies: int) -> Generator[Command]:
    """An event of six bots, three games at once, which play by themselves once their site is there:
    so many *games* to their end, and then *plies* plies of three more."""
    path = folder / "evening.toml"
    bots = "".join(f'[[bots]]\nname = "{name}"\nremote = true\n' for name in CROWD)
    path.write_text(
        'name = "evening"\nrules = "tara"\nplayers = 2\ncycles = 10\nspread = 50\nclock = "10m"\n'
        f'parallel = 3\nbudgets = {{ drain = "1ms" }}\n{bots}'
    )
    left, rest = threading.Semaphore(games), threading.Event()
    words = ["run", path, "--port", "0", "--web", "0", "--out", folder / "evening"]
    with Command(*words) as command, ExitStack() as stack:
        stack.callback(rest.set)
        port = command.port
        seats = [stack.enter_context(closing(Seat(port, name))) for name in CROWD]
        with closing(Viewer(command.site, "index.html")) as viewer:
            viewer.until("part/state", "3 running")
        for seat in seats:
            told = (plies, left, rest)
            threading.Thread(target=seat.hurry, args=told, daemon=True).start()
        yield command


@contextmanager
def site_of(root: Path, *words: str) -> Generator[int]:
    """The port of `sternhalma web` for the folder *root*."""
    with Command("web", root, "--port", "0", *words) as command:
        yield command.site


class Answer:
    """What a site has answered."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read().decode()


def ask(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    """The answer to one request; underscores in the names of *headers* are hyphens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with closing(connection):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        return Answer(connection.getresponse())


class Viewer:
    """A page that hears what changes: `things` are the latest."""

    def __init__(self, port: int, path: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.connection.request("GET", f"/live/{path}")
        self.response = self.connection.getresponse()
        self.things: dict[str, Any] = {}
        self.messages = 0

    def events(self) -> Iterator[tuple[str, str]]:
        """The kind and the data of each event that comes, until the end of the stream."""
        kind, data = "message", ""
        for raw in self.response:
            line = raw.decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data = line.removeprefix("data: ")
            elif not line and data:
                yield kind, data
                kind, data = "message", ""

    def until(self, key: str, text: str = "") -> Any:
        """Hear until the thing *key* is there with *text* in it, and what it is then."""
        found = self.things.get(key)
        if found is not None and text in json.dumps(found):
            return found
        for kind, data in self.events():
            if kind != "message":
                continue
            message = json.loads(data)
            self.messages += 1
            if message["whole"]:
                self.things.clear()
            self.things |= message["things"]
            found = self.things.get(key)
            if found is not None and text in json.dumps(found):
                return found
        raise AssertionError(f"expected {key} with {text!r}, got {self.things.get(key)!r}")

    def close(self) -> None:
        self.response.close()
        self.connection.close()
