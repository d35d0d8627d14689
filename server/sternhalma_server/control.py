"""Commands to a running server: a Unix socket in its results folder, for its own user only.

One line of JSON asks, one line of JSON answers: `{"command": "status"}`. A request that cannot be
read is answered too, with what is wrong with it.
"""

from __future__ import annotations

import json
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

import trio

SOCKET: Final = "control"
MAX_REQUEST: Final = 1 << 20  # bytes: an event file may be in it
CHUNK: Final = 1 << 16  # bytes
PAUSE: Final = 0.1  # seconds without accepting when the process has no descriptor left
PATIENCE: Final = 5.0  # seconds for a request to come, and for its answer to go
ANSWER: Final = 60.0  # seconds for what is asked to be done: to start an event takes its time

log = logging.getLogger(__name__)

Answer = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


class ControlError(Exception):
    """A server that cannot be asked, or refuses; says why in one sentence.

    `nobody` tells that no server answered at all.
    """

    def __init__(self, sentence: str, *, nobody: bool = False) -> None:
        super().__init__(sentence)
        self.nobody = nobody


async def serve_control(
    root: Path,
    answer: Answer,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer requests at the socket in the folder *root* until cancelled.

    Started (`trio.Nursery.start`) is it when it can be asked, or when that cannot be.
    """
    listener = _listener(root / SOCKET)
    task_status.started()
    if listener is None:
        return
    try:
        async with trio.open_nursery() as nursery:
            while True:
                try:
                    connection, _ = await listener.accept()
                except OSError:  # no descriptor left: whoever asks has to wait
                    await trio.sleep(PAUSE)
                else:
                    nursery.start_soon(_serve, connection, answer)
    finally:
        listener.close()
        with suppress(FileNotFoundError):
            (root / SOCKET).unlink()


def _listener(path: Path) -> trio.socket.SocketType | None:
    """The socket *path*, listened on; None where that cannot be.

    The event does not need it.
    """
    with suppress(FileNotFoundError):
        path.unlink()  # left behind by a server that was killed; the lock says it is gone
    # Bound and listened on at once: trio would have a thread bind it, and whoever asked meanwhile
    # would find a socket that answers nobody. Nobody can connect before it is private.
    try:
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError:
        return None  # no descriptor left, or no such sockets here
    try:
        bound.bind(socket_address(path))
        path.chmod(0o600)
        bound.listen(16)
    except OSError:
        bound.close()
        return None  # no such sockets here (a network drive, say)
    return trio.socket.from_stdlib_socket(bound)


async def _serve(connection: trio.socket.SocketType, answer: Answer) -> None:
    with connection, suppress(OSError):
        request = b""
        with trio.move_on_after(PATIENCE):
            while not request.endswith(b"\n") and len(request) < MAX_REQUEST:
                data = await connection.recv(CHUNK)
                if not data:
                    return
                request += data
        # What is asked for may have to wait for a disk, and is done even if nobody waits for it.
        reply = json.dumps(await _safely(request, answer)).encode() + b"\n"
        with trio.move_on_after(PATIENCE):
            await trio.SocketStream(connection).send_all(reply)


async def _safely(request: bytes, answer: Answer) -> Mapping[str, Any]:
    """The answer to one request; whatever goes wrong with it ends no server."""
    try:
        return await _answer(request, answer)
    except Exception:
        log.exception("a command could not be answered")
        return {"error": "expected a command that can be answered; the server's log says more"}


async def _answer(request: bytes, answer: Answer) -> Mapping[str, Any]:
    try:
        asked = json.loads(request)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        return {"error": "expected a line with a JSON object"}
    return await answer(cast("dict[str, Any]", asked))


def ask(root: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the server that runs in the folder *root*. Raises `ControlError`."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ANSWER)
            connection.connect(socket_address(root / SOCKET))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answers:
                line = answers.readline()
    except TimeoutError:
        raise ControlError(f"{root}: expected an answer within {ANSWER:g} s, got none") from None
    except OSError as error:
        sentence = f"{root}: no server runs here ({error.strerror or error})"
        raise ControlError(sentence, nobody=True) from None
    reply: dict[str, Any] = json.loads(line or b'{"error": "the server did not answer"}')
    if "error" in reply:
        raise ControlError(f"{root}: {reply['error']}")
    return reply


def socket_address(path: Path) -> str:
    """The address of the Unix socket *path*."""
    # It has room for about a hundred bytes; a folder's name may be longer, and then the way from
    # the present folder is often shorter.
    whole, short = str(path.absolute()), os.path.relpath(path)
    return min(whole, short, key=len)
