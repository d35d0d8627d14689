"""One epoll for a listener's connections: what has arrived is known without trying each socket.

Trio arms its epoll anew for every wait, and who wants to know that nothing has arrived must try to
read. With hundreds of moves in flight that is half of the system calls of a move. Here a socket is
registered once, edge-triggered: an event marks it, and a read that takes all there is unmarks it.
One look, which is one system call, then serves every connection.

Who expects something is called, not woken: a call costs a tenth of what it takes to schedule a task
and resume it. One turn of trio's loop costs as much as several calls, too, so in one turn all that
comes is served, and a moment is waited for more, unless a call has given a task something to do.
What else the server does, and it has never much to do, waits for some milliseconds at most.
"""

from __future__ import annotations

import select
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Final

import trio

EVENTS: Final = 1024  # taken at once
TURN: Final = 0.005  # seconds of calls in one turn of trio's loop
MOMENT: Final = 0.001  # seconds that more is waited for, in the same turn


class Watch:
    """What is known of one socket: `readable` is False while a read would find nothing.

    Whoever reads says with `emptied` that there is no more. Made by `Hub.watch`.
    """

    __slots__ = ("_hub", "_sock", "call", "closed", "ended", "readable")

    def __init__(self, hub: Hub, sock: socket.socket) -> None:
        self._hub = hub
        self._sock = sock
        self.readable = False  # the first look tells what had arrived before
        self.ended = False  # the peer sends nothing more: the end can always be read
        self.closed = False
        self.call: Callable[[], object] | None = None  # who expects something

    def look(self) -> bool:
        """Whether a read would find something now."""
        if not self.readable:
            self._hub.look()
        return self.readable

    def emptied(self) -> None:
        """A read has taken all there was."""
        self.readable = self.ended

    def expect(self, call: Callable[[], object]) -> None:
        """Have *call* called, once, when a read would find something or the watch is closed.

        It is called from the hub's own task, never from here, and must not raise. What it returns
        is true if it has given no task anything to do, so that other calls may follow at once.
        """
        self.call = call
        if self.readable:
            self._hub.call_soon(self)

    def give_up(self) -> None:
        """Expect nothing any more."""
        self.call = None

    async def wait(self) -> None:
        """Return when a read would find something. Raises `trio.ClosedResourceError`."""
        if self.call is not None:
            raise trio.BusyResourceError("expected one task to wait for this socket, another does")
        if self.look():
            await trio.lowlevel.checkpoint()
        else:
            self.expect(partial(trio.lowlevel.reschedule, trio.lowlevel.current_task()))
            await trio.lowlevel.wait_task_rescheduled(self._abort)
        if self.closed:
            raise trio.ClosedResourceError("the socket was closed")

    def _abort(self, _: object) -> trio.lowlevel.Abort:
        self.give_up()
        return trio.lowlevel.Abort.SUCCEEDED

    def close(self) -> None:
        """Watch no more; the socket is about to be closed."""
        if not self.closed:
            self.closed = self.readable = self.ended = True
            self._hub.forget(self._sock)
            if self.call is not None:
                self._hub.call_soon(self)


class Hub:
    """Watches sockets, as long as `run` runs. Only where there is epoll: see `make_hub`."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watches: dict[int, Watch] = {}
        self._ready: list[Watch] = []  # those to be called
        self._calling = False

    def watch(self, sock: socket.socket) -> Watch:
        """Begin to watch *sock*, until the watch is closed."""
        watch = self._watches[sock.fileno()] = Watch(self, sock)
        self._epoll.register(sock, select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLET)
        return watch

    def forget(self, sock: socket.socket) -> None:
        """Watch *sock* no more."""
        del self._watches[sock.fileno()]
        self._epoll.unregister(sock)

    def look(self) -> None:
        """Mark what has something to read by now; who expects it is called soon."""
        self._take(self._epoll.poll(0, EVENTS))

    def call_soon(self, watch: Watch) -> None:
        """Call who expects something of *watch*, after whatever is done just now."""
        if not self._calling and not self._ready:
            # Whoever made this known did so in passing: nothing wakes `run` for it.
            trio.lowlevel.current_trio_token().run_sync_soon(self._serve)
        self._ready.append(watch)

    async def run(self) -> None:
        """Call whoever expects something when it arrives, until cancelled."""
        number = self._epoll.fileno()
        while True:
            await trio.lowlevel.wait_readable(number)
            self._serve()

    def _take(self, events: list[tuple[int, int]]) -> None:
        while events:
            for number, event in events:
                watch = self._watches[number]
                watch.readable = True
                if event != select.EPOLLIN:
                    watch.ended = True
                if watch.call is not None:
                    self.call_soon(watch)
            events = self._epoll.poll(0, EVENTS) if len(events) == EVENTS else []

    def _serve(self) -> None:
        """Call for all that comes, as long as nobody else has anything to do, or for one turn."""
        self._calling = True
        until = time.monotonic() + TURN
        self.look()
        go_on = True
        while go_on and self._ready:
            ready, self._ready = self._ready, []
            for watch in ready:
                call = watch.call
                # Who is in the list twice, or has given up since, is called for nothing.
                if call is not None and watch.readable:
                    watch.call = None
                    if not call():
                        go_on = False
            if time.monotonic() >= until:
                break
            if go_on and not self._ready:
                self._take(self._epoll.poll(MOMENT, EVENTS))
        self._calling = False
        if self._ready:
            trio.lowlevel.current_trio_token().run_sync_soon(self._serve)


def make_hub() -> Hub | None:
    """A hub, None on systems without epoll."""
    return Hub() if sys.platform == "linux" else None
