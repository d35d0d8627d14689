"""Programs that the server starts: one process for each connection of a local bot.

A program learns from its environment where to connect and as whom. What it prints is kept, the
head and the tail of it, so that a crash can be explained. Each runs in a process group of its own,
so that nothing it has started outlives it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

KEPT: Final = 4096  # bytes of output kept from the start, and as many from the end
PATIENCE: Final = 2.0  # seconds between asking a program to end and ending it


class ProgramError(Exception):
    """A program that cannot be started; says which and why."""


class Program:
    """A running program."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._head = bytearray()
        self._tail = bytearray()

    @property
    def ended(self) -> bool:
        """Whether the program is no longer running."""
        return self._process.poll() is not None

    @property
    def output(self) -> str:
        """What it has printed: the head, and after a gap the tail."""
        head, tail = bytes(self._head), bytes(self._tail)
        gap = b"\n[...]\n" if len(tail) >= KEPT else b""
        return (head + gap + tail).decode("utf-8", "backslashreplace")

    @property
    def fate(self) -> str:
        """How it ended, for people."""
        status = self._process.poll()
        if status is None:
            return "still running"
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"

    async def listen(self) -> None:
        """Keep what the program prints, until it prints no more."""
        pipe = self._process.stdout
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
        with pipe:
            while True:
                await trio.lowlevel.wait_readable(pipe)
                data = pipe.read(65536)
                if data == b"":
                    return
                if data:
                    self._keep(data)

    def _keep(self, data: bytes) -> None:
        room = KEPT - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(room, 0) :]
        del self._tail[:-KEPT]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program and all it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def stop(self) -> None:
        """Ask the program to end, and end it if it does not."""
        self.signal(signal.SIGTERM)
        with trio.move_on_after(PATIENCE):
            while not self.ended:
                await trio.sleep(0.01)
        self.signal(signal.SIGKILL)
        self._process.wait()


def start_program(argv: Sequence[str], environment: Mapping[str, str], folder: Path) -> Program:
    """Start *argv* in *folder*, with *environment* added to the server's own.

    The folder of the server's own Python comes first on the path, so that `python` is the one it
    runs with and the commands installed beside it are found. Raises `ProgramError`.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    try:
        process = subprocess.Popen(
            [shutil.which(argv[0], path=path) or argv[0], *argv[1:]],
            cwd=folder,
            env={**os.environ, "PATH": path, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramError(f"cannot start {argv[0]!r}: {error.strerror}") from None
    return Program(process)
