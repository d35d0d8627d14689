"""One epoll for a listener's connections: what has arrived is known without trying each socket.

Trio arms its epoll anew for every wait, and who wants to know that nothing has arrived must try to
read. With hundreds of moves in flight that is half of the system calls of a move. Here a socket is
registered once, edge-triggered: an event marks it, and a read that takes all there is unmarks it.
One look, which is one system call, then serves every connection.
"""

from __future__ import annotations

import select
import socket
import sys
from typing import Final

import trio

EVENTS: Final = 1024  # taken at once


class Watch:
    """What is known of one socket: `readable` is False while a read would find nothing.

    Whoever reads says with `emptied` that there is no more. Made by `Hub.watch`.
    """

    __slots__ = ("_hub", "_sock", "closed", "ended", "readable", "task")

    def __init__(self, hub: Hub, sock: socket.socket) -> None:
        self._hub = hub
        self._sock = sock
        self.readable = False  # the first look tells what had arrived before
        self.ended = False  # the peer sends nothing more: the end can always be read
        self.closed = False
        self.task: trio.lowlevel.Task | None = None  # who waits

    def look(self) -> bool:
        """Whether a read would find something now."""
        if not self.readable:
            self._hub.look()
        return self.readable

    def emptied(self) -> None:
        """A read has taken all there was."""
        self.readable = self.ended

    async def wait(self) -> None:
        """Return when a read would find something. Raises `trio.ClosedResourceError`."""
        if self.task is not None:
            raise trio.BusyResourceError("expected one task to wait for this socket, another does")
        if self.closed or self.look():
            await trio.lowlevel.checkpoint()
        else:
            self.task = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._abort)
        if self.closed:
            raise trio.ClosedResourceError("the socket was closed")

    def _abort(self, _: object) -> trio.lowlevel.Abort:
        self.task = None
        return trio.lowlevel.Abort.SUCCEEDED

    def wake(self) -> None:
        """Wake who waits."""
        task, self.task = self.task, None
        if task is not None:
            trio.lowlevel.reschedule(task)

    def close(self) -> None:
        """Watch no more; the socket is about to be closed."""
        if not self.closed:
            self.closed = self.readable = self.ended = True
            self._hub.forget(self._sock)
            self.wake()


class Hub:
    """Watches sockets, as long as `run` runs. Only where there is epoll: see `make_hub`."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watches: dict[int, Watch] = {}

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
        """Mark what has something to read by now, and wake who waits for it."""
        more = True
        while more:
            events = self._epoll.poll(0, EVENTS)
            for number, event in events:
                watch = self._watches[number]
                watch.readable = True
                if event != select.EPOLLIN:
                    watch.ended = True
                if watch.task is not None:
                    watch.wake()
            more = len(events) == EVENTS

    async def run(self) -> None:
        """Wake whoever waits when something arrives, until cancelled."""
        number = self._epoll.fileno()
        while True:
            await trio.lowlevel.wait_readable(number)
            self.look()


def make_hub() -> Hub | None:
    """A hub, None on systems without epoll."""
    return Hub() if sys.platform == "linux" else None
