"""The local bots of an event: which programs run, and starting one when a seat needs it."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable, Mapping

import trio

from sternhalma_server.admission import Known, token_digest
from sternhalma_server.clock import SECOND
from sternhalma_server.programs import Program, ProgramError, start_program
from sternhalma_server.seats import Holder, Lobby
from sternhalma_server.settings import Settings


class Crew:
    """Runs the programs of an event's local bots, one process for each slot.

    Each local bot gets a token of its own for this run, in its environment, so nobody else can log
    in under its name. *tell* is given sentences for the host.
    """

    def __init__(self, settings: Settings, tell: Callable[[str], None]) -> None:
        self._settings = settings
        self._tell = tell
        self._programs: dict[tuple[str, int], Program] = {}
        self._tokens = {
            bot.name: secrets.token_urlsafe(18) for bot in settings.event.bots if not bot.remote
        }
        # Starting many interpreters at once starves those that play already.
        self._starting = trio.Semaphore(os.cpu_count() or 1)

    def known(self) -> tuple[Known, ...]:
        """The local bots as the server's admission wants them."""
        return tuple(
            Known(name, token_digest(token), self._settings.slots(self._settings.bot(name)))
            for name, token in self._tokens.items()
        )

    def is_local(self, name: str) -> bool:
        """Whether the server starts this bot itself."""
        return name in self._tokens

    async def seat(
        self, name: str, slot: int, lobby: Lobby, nursery: trio.Nursery, address: tuple[str, int]
    ) -> Holder | None:
        """The connection of a local bot, started if it is not there; None if it does not come."""
        holder = lobby.get(name, slot)
        if holder is not None and holder.connection.ended is None:
            return holder
        async with self._starting:
            program = await self._start(name, slot, nursery, address)
            if program is None:
                return None
            seconds = self._settings.waits.start / SECOND
            with trio.move_on_after(seconds):
                while not program.ended:
                    holder = lobby.get(name, slot)
                    if holder is not None:
                        holder.alive = lambda: not program.ended
                        return holder
                    with trio.move_on_after(0.1):  # a program's end makes no event
                        await lobby.changed()
        fate = program.fate if program.ended else f"has not logged in within {seconds:g} s"
        self._tell(f"{name} (slot {slot}) {fate}{self._said(program)}")
        return None

    async def _start(
        self, name: str, slot: int, nursery: trio.Nursery, address: tuple[str, int]
    ) -> Program | None:
        old = self._programs.pop((name, slot), None)
        if old is not None:
            if old.ended:
                self._tell(f"{name} (slot {slot}) {old.fate}, starting it again{self._said(old)}")
            await old.stop()
        environment: Mapping[str, str] = {
            "STERNHALMA_HOST": address[0],
            "STERNHALMA_PORT": str(address[1]),
            "STERNHALMA_NAME": name,
            "STERNHALMA_SLOT": str(slot),
            "STERNHALMA_TOKEN": self._tokens[name],
        }
        try:
            program = start_program(
                self._settings.bot(name).argv, environment, self._settings.folder
            )
        except ProgramError as problem:
            self._tell(f"{name} (slot {slot}): {problem}")
            return None
        self._programs[name, slot] = program
        nursery.start_soon(program.listen)
        return program

    def _said(self, program: Program) -> str:
        output = program.output.strip()
        return f"; it printed:\n{output}" if output else ""

    async def stop(self) -> None:
        """End all programs: those that do not end by themselves at the server's good-bye."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for program in self._programs.values():
                    nursery.start_soon(program.stop)

    def kill(self) -> None:
        """End all programs at once."""
        for program in self._programs.values():
            program.signal(signal.SIGKILL)
