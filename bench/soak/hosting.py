"""Servers as hosts start them, which can be killed, asked for their memory, and looked behind."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

MARK: Final = "STERNHALMA_SOAK"  # in the environment of a server and of all it starts
START: Final = 60.0  # seconds to listen
RUN: Final = "import sys; from sternhalma_server.cli import main; sys.exit(main())"
_LISTENING: Final = re.compile(r"(?:listening|open) on \S+ port (\d+)")


class SoakError(Exception):
    """A server that did not do what it should; says what it said."""


class Server:
    """`sternhalma run` on the file *event* with results in *out*; *said* is where it prints."""

    def __init__(
        self,
        event: Path,
        out: Path,
        said: Path,
        command: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.said = said
        self.out = out
        self._mark = secrets.token_hex(8)
        words = command or [sys.executable, "-c", RUN, "run", str(event), "--port", "0"]
        # Into a file: nobody reads what the server prints, and a full pipe would stop it.
        with said.open("w") as printed:
            self.process = subprocess.Popen(
                [*words, "--out", str(out)] if not command else words,
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env=os.environ | {MARK: self._mark} | dict(environment or {}),
            )

    def port(self) -> int:
        """Where it listens; waits for it. Raises `SoakError`."""
        until = time.monotonic() + START
        while time.monotonic() < until:
            found = _LISTENING.search(self.said.read_text())
            if found is not None:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise SoakError(f"expected a server that listens, it said {self.said.read_text()!r}")

    @property
    def memory(self) -> int:
        """Its resident memory, in bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * 4096

    def kill(self) -> None:
        """End it at once, without a word."""
        self.process.kill()
        self.process.wait()

    def stop(self, seconds: float = 60.0) -> int:
        """Have it stop at once, but properly; its exit status."""
        for _ in range(2):
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                return self.process.wait(0.5)
        return self.process.wait(seconds)

    def started(self) -> list[int]:
        """The processes that it has started, and those that these have."""
        return [pid for pid in _marked(self._mark) if pid != self.process.pid]

    def left_running(self, patience: float = 2.0) -> list[int]:
        """Which processes that it has started are still there after *patience* seconds."""
        until = time.monotonic() + patience
        while found := self.started():
            if time.monotonic() > until:
                return found
            time.sleep(0.02)
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        if self.process.stdin is not None:
            self.process.stdin.close()


def _marked(mark: str) -> list[int]:
    """The processes whose environment has *mark*."""
    wanted = f"{MARK}={mark}".encode()
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
    return found


def figures(printed: str) -> Mapping[str, int]:
    """The `key value` lines that a load prints; others are passed over."""
    pairs = [line.split(" ") for line in printed.splitlines()]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and _is_whole(pair[1])}


def _is_whole(word: str) -> bool:
    return word.removeprefix("-").isdecimal()
