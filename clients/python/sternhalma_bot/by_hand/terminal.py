"""The person's terminal: lines in, text out, and a connection to the server.

There is one thread and nothing waits for two things at once. While others are to move the server is
listened to, and when the person is asked the keyboard; what has come meanwhile is heard before what
was typed. So a game in which the time has run out is over before the late move is looked at.

In a pipe it does the same without editing and completion, and repeats the lines it has read, so
that what comes out reads as on a terminal.
"""

from __future__ import annotations

import socket
import ssl
import sys
import time
from collections.abc import Callable
from typing import Protocol

from sternhalma_bot.by_hand.sitting import Sitting, Wants
from sternhalma_bot.comeback import Comeback
from sternhalma_bot.messages import Bye
from sternhalma_bot.place import Place
from sternhalma_bot.run import dial
from sternhalma_bot.socket_options import CONNECT, RECEIVE, no_welcome


class Terminal(Protocol):
    """Where a person reads and types."""

    def write(self, text: str) -> None:
        """Show *text*."""
        ...

    def read(self, prompt: str) -> str | None:
        """The next line that is typed behind *prompt*, None at the end of the input."""
        ...


class Pipe:
    """Standard input and output that are no terminal."""

    def write(self, text: str) -> None:
        """Show *text*."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def read(self, prompt: str) -> str | None:
        """The next line, repeated behind *prompt*."""
        line = sys.stdin.readline()
        self.write(f"{prompt}{line.rstrip()}\n")
        return line or None


class Keyboard(Pipe):
    """A terminal with a line that can be edited and completed, where Python has readline."""

    def __init__(self, complete: Callable[[str, str], list[str]]) -> None:
        try:
            import readline
        except ImportError:  # not on every system
            return

        def completer(word: str, number: int) -> str | None:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            found = complete(before, word)
            return found[number] if number < len(found) else None

        readline.set_completer(completer)
        readline.set_completer_delims(" ")
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")

    def read(self, prompt: str) -> str | None:
        """The next line that is typed behind *prompt*."""
        try:
            return input(prompt)
        except EOFError:
            self.write("\n")
            return None


def sit(sitting: Sitting, place: Place, terminal: Terminal) -> Bye | OSError | None:
    """Let a person play at *place*, until the person or the server has enough.

    Returns how it ended, None if the person left. Raises `ProtocolError` if the server cannot be
    understood, and `OSError` if there is no connection.
    """
    comeback = Comeback(place.patience)
    while True:
        end = _attempt(sitting, place, terminal)
        if end is None:
            return None
        try:
            outcome = comeback.after(end, welcomed=sitting.core.welcomed, now=time.monotonic())
        except OSError:
            if not sitting.core.welcomed and sitting.core.key is None:
                raise
            outcome = Bye("lost", str(end))
        if isinstance(outcome, Bye):
            sitting.finish()
            _converse(sitting, terminal, None)
            return end
        sitting.reconnect(sitting.core.again())
        terminal.write(sitting.shown())
        time.sleep(outcome)


def _attempt(sitting: Sitting, place: Place, terminal: Terminal) -> Bye | OSError | None:
    """How one connection ended, None if the person left."""
    try:
        connection = dial(place)
    except OSError as error:
        return error
    with connection:
        return _converse(sitting, terminal, connection)


def _converse(
    sitting: Sitting, terminal: Terminal, connection: socket.socket | None
) -> Bye | OSError | None:
    while True:
        terminal.write(sitting.shown())
        if connection is not None:
            try:
                connection.sendall(sitting.outgoing())
            except OSError as error:
                _overhear(sitting, connection)  # why it was ended may have come before
                return sitting.core.farewell or error
        match sitting.wants:
            case Wants.NOBODY:
                return None
            case Wants.PERSON:
                line = terminal.read(sitting.prompt)
                if connection is not None:
                    _overhear(sitting, connection)
                if line is None:
                    sitting.leave()
                else:
                    sitting.typed(line)
            case Wants.SERVER:
                assert connection is not None
                if sitting.core.farewell is not None:
                    return sitting.core.farewell
                end = _listen(sitting, connection)
                if end is not None:
                    return end


def _listen(sitting: Sitting, connection: socket.socket) -> OSError | None:
    """Wait for the server to say something; how the connection ended, if it did."""
    connection.settimeout(None if sitting.core.welcomed else CONNECT)
    try:
        data = connection.recv(RECEIVE)
    except TimeoutError:
        return no_welcome()
    except OSError as error:
        return error
    if not data:
        return ConnectionError("the server ended the connection without a goodbye")
    sitting.receive(data, time.monotonic())
    return None


def _overhear(sitting: Sitting, connection: socket.socket) -> None:
    """Take what the server has said while the person was typing, without waiting."""
    connection.settimeout(0)
    try:
        while data := connection.recv(RECEIVE):
            sitting.receive(data, time.monotonic())
    except (BlockingIOError, ssl.SSLWantReadError):
        pass
    except OSError:
        pass  # it is found again when the server is listened to
    connection.settimeout(None)
