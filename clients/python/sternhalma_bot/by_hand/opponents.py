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
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

_LISTENING: Final = re.compile(r": listening on (\S+) port ([0-9]+)$", re.ASCII)
PATIENCE: Final = 5.0  # seconds for the server to end


class PracticeError(ValueError):
    """A practice that does not begin; a sentence for the person."""


@contextmanager
def practice(options: Sequence[str]) -> Generator[tuple[str, int]]:
    """The host and port of a practice server with those *options*. Raises `PracticeError`."""
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
            yield _address(server.stdout)
        finally:
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
            # What it says later is for hosts. But it is read: a full pipe would stop the server.
            threading.Thread(target=_drain, args=(said,), daemon=True).start()
            return found[1], int(found[2])
        # Who typed this command knows of no other.
        lines.append(line.strip().removeprefix("sternhalma practice: ").removeprefix("practice: "))
    raise PracticeError("; ".join(lines) or "expected the practice to begin, it ended")


def _drain(said: IO[str]) -> None:
    # The pipe is closed where the server is ended, perhaps under this reader.
    with suppress(ValueError, OSError):
        for _ in said:
            pass
