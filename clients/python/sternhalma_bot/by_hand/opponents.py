"""A server to play on at home: `sternhalma practice`, started for one person and ended with it.

The kit and the server meet only on the wire. So the server is a program here, which is started by
its name and says on its standard output where it listens.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

_LISTENING: Final = re.compile(r": listening on (\S+) port ([0-9]+)$", re.ASCII)
_OTHERS: Final = re.compile(r"\S+ \(slot [0-9]+\) |game [0-9]", re.ASCII)  # no house bot's
PATIENCE: Final = 5.0  # seconds for the server to end
KEPT: Final = 100  # lines of what it said


class PracticeError(ValueError):
    """A practice that does not begin; a sentence for the person."""


class Practice:
    """A practice server at `host` and `port`, and what it says for its host."""

    def __init__(self, host: str, port: int, said: IO[str]) -> None:
        self.host, self.port = host, port
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._said = said
        # It is read in any case: a full pipe would stop the server.
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def why_not(self) -> str | None:
        """What it said last of an opponent that it cannot start, once it has ended."""
        lines = list(self._lines)
        heads = [at for at, line in enumerate(lines) if line.startswith("house-")]
        if not heads:
            return None
        ends = [at for at in range(heads[-1] + 1, len(lines)) if _OTHERS.match(lines[at])]
        about = lines[heads[-1] : ends[0]] if ends else lines[heads[-1] :]
        return "\n  ".join(line for line in about if line)

    def finish(self) -> None:
        """Read what is left of what it said; it has ended."""
        self._reader.join(PATIENCE)

    def _listen(self) -> None:
        # The pipe is closed where the server is ended, perhaps under this reader.
        with suppress(ValueError, OSError):
            for line in self._said:
                self._lines.append(line.rstrip())


@contextmanager
def practice(options: Sequence[str]) -> Generator[Practice]:
    """A practice server with those *options*. Raises `PracticeError`."""
    program = _program()
    # A group of its own: Ctrl-C is for the person's program, which then ends this one.
    with subprocess.Popen(
        [program, "practice", "--port", "0", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        process_group=0,
    ) as server:
        assert server.stdout is not None
        try:
            begun = Practice(*_address(server.stdout), server.stdout)
            try:
                yield begun
            finally:
                _end(server)
                begun.finish()
        finally:
            _end(server)


def _end(server: subprocess.Popen[str]) -> None:
    server.terminate()
    with suppress(subprocess.TimeoutExpired):
        server.wait(PATIENCE)
    server.kill()


def _program() -> str:
    beside = Path(sys.executable).parent
    path = os.pathsep.join([str(beside), os.environ.get("PATH", os.defpath)])
    program = shutil.which("sternhalma", path=path)
    if program is None:
        raise PracticeError("expected the program 'sternhalma' beside this one or on PATH")
    return program


def _address(said: IO[str]) -> tuple[str, int]:
    lines: list[str] = []
    for line in said:
        found = _LISTENING.search(line.rstrip())
        if found is not None:
            return found[1], int(found[2])
        # Who typed this command knows of no other.
        lines.append(line.strip().removeprefix("sternhalma practice: ").removeprefix("practice: "))
    raise PracticeError("; ".join(lines) or "expected the practice to begin, it ended")
