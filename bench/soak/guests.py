"""Bots of a league that dial in, answer at once, and come and go; and what they saw.

They play by no plan: the first, the last or the one in the middle of the moves they are told. What
counts is that they note when each of them was there and which games they were told the end of, so
that the server's store can be held against it.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import trio

AGAIN: Final = 0.1  # seconds until a connection that was lost is tried again
LATER: Final = 1.0  # seconds until another version is tried again
CHUNK: Final = 65536


@dataclass(slots=True)
class Diary:
    """What all guests saw: who came (True) and went when, in wall time, and which games ended.

    A presence without a name says that the ladder began anew, and with it all comparing.
    """

    presence: list[tuple[float, str, bool]] = field(default_factory=list[tuple[float, str, bool]])
    over: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])  # bot, game
    byes: Counter[str] = field(default_factory=Counter[str])
    refused: list[str] = field(default_factory=list[str])

    def note(self, bot: str, *, there: bool) -> None:
        """*bot* has its first connection from now on, or has none any more."""
        self.presence.append((time.time(), bot, there))

    def cut(self) -> None:
        """The ladder has begun anew."""
        self.presence.append((time.time(), "", False))

    @property
    def games(self) -> set[str]:
        """The names of games whose end somebody was told."""
        return {game for _, game in self.over}


class Guest:
    """One bot: *slots* connections to *port* on this machine, when it is there."""

    def __init__(self, name: str, number: int, slots: int, diary: Diary) -> None:
        self.name = name
        self.token = ""
        self.version = 1
        self.port = 0
        self._taste = number % 3
        self._slots = slots
        self._diary = diary
        self._seated = 0
        self._scope: trio.CancelScope | None = None

    @property
    def here(self) -> bool:
        """Whether it wants to be connected."""
        return self._scope is not None

    def come(self, nursery: trio.Nursery) -> None:
        """Connect all slots, and again whenever a connection is lost."""
        self._scope = trio.CancelScope()
        nursery.start_soon(self._attend, self._scope)

    def leave(self) -> None:
        """End all connections, without a word."""
        if self._scope is not None:
            self._scope.cancel()
            self._scope = None

    async def _attend(self, scope: trio.CancelScope) -> None:
        with scope:
            async with trio.open_nursery() as nursery:
                for slot in range(1, self._slots + 1):
                    nursery.start_soon(self._stay, slot)

    async def _stay(self, slot: int) -> None:
        while True:
            with suppress(OSError, trio.BrokenResourceError):
                stream = await trio.open_tcp_stream("127.0.0.1", self.port)
                try:
                    await self._talk(stream, slot)
                finally:
                    stream.socket.close()
            await trio.sleep(AGAIN)

    async def _talk(self, stream: trio.SocketStream, slot: int) -> None:
        login = f"login {self.name} slot={slot} token={self.token} version={self.version}"
        await stream.send_all(f"{login} moves=yes\n".encode())
        seated = False
        rest = b""
        try:
            while data := await stream.receive_some(CHUNK):
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if line.startswith(b"turn "):
                        await stream.send_all(self._answer(line))
                    elif line.startswith(b"over "):
                        self._diary.over[self.name, line.split(b" ", 2)[1].decode()] += 1
                    elif line.startswith(b"welcome "):
                        seated = True
                        self._sit(1)
                    elif line.startswith((b"bye ", b"error ")):
                        self._hear(line.decode())
                        # In a game that another version began: not before it has ended.
                        await trio.sleep(LATER if b" version " in line else 0)
        finally:
            if seated:
                self._sit(-1)

    def _answer(self, turn: bytes) -> bytes:
        _, game, ply, _ = turn.split(b" ", 3)
        moves = turn[turn.index(b" moves=") + 7 :].split(b" ", 1)[0].split(b",")
        return b"move %s %s %s\n" % (game, ply, moves[(0, -1, len(moves) // 2)[self._taste]])

    def _sit(self, more: int) -> None:
        before = bool(self._seated)
        self._seated += more
        if bool(self._seated) != before:
            self._diary.note(self.name, there=not before)

    def _hear(self, line: str) -> None:
        words = line.split(" ")
        self._diary.byes[" ".join(words[:2])] += 1
        if words[1] not in {"server-stops", "unregistered", "unknown-name", "version"}:
            self._diary.refused.append(f"{self.name}: {line}")
