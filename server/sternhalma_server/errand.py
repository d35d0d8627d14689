"""What a worker does with an order: it has a batch played in a process of its own.

A worker is somebody else's process with threads and a loop of its own, and may be killed at any
moment. The batch is tied to it by a lifeline like a bot to its server, so that no game outlives the
worker whose core it had; and it is out of reach of a Ctrl-C that is meant for the driver.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from sternhalma_server.orders import AnyReport, Ended, Refused, parse_report
from sternhalma_server.programs import ScarcityError, start_program


class Answer(msgspec.Struct, frozen=True):
    """What came of an order on a worker: its reports, and if it broke off, how, in words."""

    reports: tuple[AnyReport, ...]
    fate: str | None = None


def run_errand(order: bytes) -> bytes:
    """Have *order* played and return when that is over; `parse_answer` reads what comes back."""
    # Nothing is imported from the folder that it is started in.
    command = [sys.executable, "-P", "-m", "sternhalma_server.batch"]
    try:
        program = start_program(command, {}, Path("/"), stdio=True)
    except ScarcityError as error:
        return msgspec.json.encode(Answer((), str(error)))
    assert program.sock is not None
    lines: list[bytes] = []
    try:
        with program.sock as sock:
            sock.setblocking(True)
            with suppress(OSError):  # whoever is gone is missed below
                sock.sendall(order + b"\n")
                with sock.makefile("rb") as file:
                    lines.extend(line for line in file if line.endswith(b"\n"))
    finally:
        program.kill()
    reports = tuple(map(parse_report, lines))
    fate = None
    if not reports or not isinstance(reports[-1], Ended | Refused):
        said = program.output.strip()
        fate = f"{program.fate}; it printed:\n{said}" if said else program.fate
    return msgspec.json.encode(Answer(reports, fate))


def parse_answer(text: bytes) -> Answer:
    """The answer that `run_errand` has written; ValueError if it is none."""
    return _ANSWERS.decode(text)


_ANSWERS = msgspec.json.Decoder(Answer)
