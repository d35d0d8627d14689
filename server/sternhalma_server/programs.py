"""Programs that the server starts: one process for each connection of a local bot.

A program learns from its environment where to connect and as whom, or speaks over its standard
streams. Between it and the server stands a supervisor (`lifeline`), which keeps the head and the
tail of what the program prints, so that a crash can be explained, and ends the program and all that
it has started when the server ends, however that comes about. What a program prints never reaches
the server's own loop, so a bot that prints all day delays no clock.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Final

import trio

from sternhalma_server import lifeline
from sternhalma_server.lifeline import Kept
from sternhalma_server.limits import Limits
from sternhalma_server.lookup import ProgramError, find_program, search_path
from sternhalma_server.sandbox import SPARE, Sandbox
from sternhalma_server.transport import stamp_arrivals

FAREWELL: Final = 1.0  # seconds for a program to end by itself at the good-bye
PATIENCE: Final = 2.0  # seconds between asking a program to end and ending it
_NO_LIMITS: Final = Limits()
# What this machine lacks when it has too few files, processes or memory, or a full disk.
_SCARCE: Final = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT}
)


class ScarcityError(Exception):
    """A program that cannot be started now, for which the machine has not enough left.

    That is nobody's fault but the server's, and may be over in a moment.
    """


class Program:
    """A running program, from its start until all that it has started is gone.

    Whoever starts one sees it through with `listen`, `stop` or `kill`, which tidy up behind it.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        line: socket.socket,
        kept: IO[bytes],
        speech: tuple[socket.socket, bool] | None,
        at_end: Callable[[Program], None] | None = None,
    ) -> None:
        line.setblocking(False)
        self._at_end = at_end
        self._process = process
        self._line = line
        self._kept = kept
        self._heard = bytearray()
        self._reports: dict[str, str] = {}
        self._last: tuple[bytes, int, bytes] | None = None  # what was kept, once all is over
        self._waiting = trio.Lock()
        self.was_stopped = False  # by the server, and had not ended by itself before
        self.sock: socket.socket | None = speech[0] if speech else None
        self.stamped = speech is not None and speech[1]

    @property
    def pid(self) -> int | None:
        """The program's own process, None while it is not known to have started."""
        self._hear()
        return int(self._reports["started"]) if "started" in self._reports else None

    @property
    def ended(self) -> bool:
        """Whether the program is no longer running, nor anything it has started."""
        return self._process.poll() is not None

    @property
    def starved(self) -> bool:
        """Whether it ended before it ran, because the machine had not enough left to run it."""
        if not self.ended:
            return False
        self._hear()
        match self._reports:
            case {"failed": reason}:
                return reason in {os.strerror(number) for number in _SCARCE}
            case {"started": _}:
                return False
            case _:  # its supervisor could not even fork, or did not come to it
                return self._process.returncode > 0

    @property
    def output(self) -> str:
        """What it has printed: the head, and after a gap the tail."""
        head, dropped, tail = self._print()
        gap = f"\n[... {dropped} bytes dropped ...]\n".encode() if dropped else b""
        return (head + gap + tail).decode("utf-8", "backslashreplace")

    @property
    def dropped(self) -> int:
        """How many bytes of what it has printed are not kept."""
        return self._print()[1]

    @property
    def fate(self) -> str:
        """How it ended, for people."""
        if not self.ended:
            return "still running"
        self._hear()
        match self._reports:
            case {"failed": reason}:
                return f"could not be started: {reason}"
            case {"over": count}:
                return f"was ended, it had {count} processes and threads"
            case {"ended": status} if int(status) < 0:
                return f"ended by {_signal_name(-int(status))}"
            case {"ended": status}:
                return f"ended with status {status}"
            case _:
                return "ended with its supervisor"

    async def listen(self) -> None:
        """Return when the program has ended, and all that it has started; tidies up."""
        async with self._waiting:  # two tasks cannot wait on one socket
            with suppress(trio.ClosedResourceError):  # `kill` has been quicker
                while not self._hear():
                    await trio.lowlevel.wait_readable(self._line)
            self._tidy()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program and its process group; SIGKILL ends all it has started."""
        with suppress(OSError):  # it has ended
            self._line.send(bytes([number]))

    async def see_off(self) -> None:
        """Let the program end by itself, as a bot does at the server's good-bye, and stop it if it
        does not: what it has to say about its last game it may just be about to print."""
        with trio.move_on_after(FAREWELL):
            await self.listen()
        await self.stop()

    async def stop(self) -> None:
        """Ask the program to end, and end it if it does not."""
        self.was_stopped = self.was_stopped or not self.ended
        try:
            self.signal(signal.SIGTERM)
            with trio.move_on_after(PATIENCE):
                await self.listen()
        finally:
            self.signal(signal.SIGKILL)
        with trio.move_on_after(PATIENCE):
            await self.listen()
        self.kill()

    def kill(self) -> None:
        """End the program and all that it has started at once, and wait for that.

        It takes milliseconds for each; to end several, send SIGKILL to all of them first.
        """
        self.was_stopped = self.was_stopped or not self.ended
        self.signal(signal.SIGKILL)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()  # a supervisor that somebody has stopped
        self._tidy()

    def _hear(self) -> bool:
        """Take in what the supervisor reports; whether it is gone."""
        if self._last is not None:
            return True
        try:
            while data := self._line.recv(4096):
                self._heard += data
                *lines, self._heard = self._heard.split(b"\n")
                for word, _, rest in (line.decode().partition(" ") for line in lines):
                    self._reports[word] = rest
        except BlockingIOError:
            return False
        except ConnectionError:  # it did not read a last signal
            return True
        return True

    def _tidy(self) -> None:
        """Close what belongs to a program whose supervisor is gone."""
        if self._last is not None:
            return
        self._process.wait()
        self._hear()
        if "ended" not in self._reports and "started" in self._reports:
            # The supervisor itself was killed: what can still be reached is the program's group.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(int(self._reports["started"]), signal.SIGKILL)
        self._last = self._print()
        if trio.lowlevel.in_trio_run():
            trio.lowlevel.notify_closing(self._line)
        self._line.close()
        self._kept.close()
        if self._at_end is not None:
            self._at_end(self)

    def _print(self) -> tuple[bytes, int, bytes]:
        return self._last if self._last is not None else Kept(self._kept.fileno()).read()


def start_program(
    argv: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    *,
    stdio: bool = False,
    limits: Limits = _NO_LIMITS,
    sandbox: Sandbox | None = None,
    at_end: Callable[[Program], None] | None = None,
    descriptors: Sequence[int] = (),
) -> Program:
    """Start *argv* in *folder*, with *environment* added to the server's own.

    The folder of the server's own Python comes first on the path, so that `python` is the one it
    runs with and the commands installed beside it are found; a name with a slash is a path from
    *folder*. With *stdio* the program's standard input and output are one end of a socket, the
    other is its `sock`, non-blocking and the caller's to close; only such a program can be put in a
    *sandbox*. *at_end* is called with the program, once, when it is gone and all that it has
    started. It has *descriptors* of this process under the same numbers. Raises `ProgramError`, and
    `ScarcityError` for what is no fault of the program; one that the system refuses to run only
    when it is asked to (a wrong format, a script without its
    interpreter) is one that has ended, its `fate` says so.
    """
    if sandbox is not None and not stdio:
        raise ValueError("expected stdio=True with a sandbox, which has no network, got False")
    path = search_path()
    program = find_program(argv[0], folder)
    command = [str(program), *argv[1:]]
    if sandbox is not None:
        cover = sandbox.cover(program, folder)
        if cover is not None:
            raise ProgramError(f"cannot start {argv[0]!r}: a sandbox has nothing in {str(cover)!r}")
        command = sandbox.wrap(command, folder)
    words = limits.words(spare=0 if sandbox is None else SPARE)
    try:
        with ExitStack() as ours, ExitStack() as theirs:
            line, other_end = socket.socketpair()
            ours.enter_context(line)
            theirs.enter_context(other_end)
            kept = ours.enter_context(tempfile.TemporaryFile())
            Kept.create(kept.fileno())
            speech, passed = None, list(descriptors)
            if stdio:
                sock, bots, stamped = _tcp_pair() if sandbox is None else _unix_pair()
                speech = (ours.enter_context(sock), stamped)
                passed.append(theirs.enter_context(bots).fileno())
                sock.setblocking(False)
                words.append(f"speech={passed[-1]}")
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", lifeline.__file__, *words, "--", *command],
                cwd=folder,
                env={**os.environ, "PATH": path, **environment},
                stdin=other_end.fileno(),
                stdout=kept,
                pass_fds=passed,
                start_new_session=True,
            )
            ours.pop_all()
    except OSError as error:
        kind = ScarcityError if error.errno in _SCARCE else ProgramError
        raise kind(f"cannot start {argv[0]!r} in {str(folder)!r}: {error}") from None
    return Program(process, line, kept, speech, at_end)


def _tcp_pair() -> tuple[socket.socket, socket.socket, bool]:
    """A connection over the loopback, this end and the other, and whether arrivals are stamped.

    Unix sockets have no stamps, and without them a busy server charges a bot for its own delays.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        stamped = stamp_arrivals(listener)
        other = socket.create_connection(listener.getsockname())
        while True:
            this, peer = listener.accept()
            if peer == other.getsockname():
                break
            this.close()  # somebody else on this machine has found the port
    for end in (this, other):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return this, other, stamped


def _unix_pair() -> tuple[socket.socket, socket.socket, bool]:
    """A connection that leads nowhere else, see `sandbox`."""
    return *socket.socketpair(), False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most of the real-time ones have no name
        return f"signal {number}"
