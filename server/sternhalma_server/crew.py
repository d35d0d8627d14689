"""The local bots of a server: which programs run, and starting one when a seat needs it."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import trio

from sternhalma_server.admission import Known, token_digest
from sternhalma_server.archive import STOPPED, add_printed
from sternhalma_server.clock import SECOND
from sternhalma_server.limits import Limits
from sternhalma_server.lookup import ProgramError
from sternhalma_server.programs import Program, ScarcityError, start_program
from sternhalma_server.sandbox import Sandbox
from sternhalma_server.seats import Holder, Lobby
from sternhalma_server.sentence import Sentence
from sternhalma_server.transport import SocketTransport
from sternhalma_server.wire import MAX_SLOT
from sternhalma_tournament.event import Bot
from sternhalma_tournament.hosting import BotLimits

AGAIN: Final = 1.0  # seconds between two tries to start a program that this machine lacks room for


class Crew:
    """Runs the programs of a server's local bots, one process for each slot.

    *bots* are those that have a command; it is run in *folder*, with *limits*, and has *start*
    nanoseconds to log in. Each local bot gets a token of its own for this run, in its environment,
    so nobody else can log in under its name. *tell* is given sentences for the host. In the results
    folder *root*, if there is one, stays what programs have printed; bots in a sandbox see neither
    that nor the folders *hidden*.
    """

    def __init__(
        self,
        bots: Iterable[Bot],
        folder: Path,
        limits: BotLimits,
        start: int,
        tell: Callable[[str], None],
        root: Path | None = None,
        hidden: Iterable[Path] = (),
    ) -> None:
        self._bots = {bot.name: bot for bot in bots}
        self._folder = folder
        self._patience = start / SECOND
        self._tell = tell
        self._programs: dict[tuple[str, int], Program] = {}
        self._reported: set[Program] = set()
        self._root = root
        self._limits = Limits(limits.memory, limits.processes, limits.files, limits.cpu)
        self._sandbox = Sandbox((*hidden, *(() if root is None else (root,))))
        self._tokens = {name: secrets.token_urlsafe(18) for name in self._bots}
        # Starting many interpreters at once starves those that play already.
        self._starting = trio.Semaphore(os.cpu_count() or 1)

    def known(self) -> tuple[Known, ...]:
        """The local bots as the server's admission wants them."""
        return tuple(
            Known(name, token_digest(token), self.slots(name))
            for name, token in self._tokens.items()
        )

    def slots(self, name: str) -> int:
        """How many connections a local bot may have."""
        return min(self._bots[name].connections or MAX_SLOT, MAX_SLOT)

    def is_local(self, name: str) -> bool:
        """Whether the server starts this bot itself."""
        return name in self._tokens

    async def seat(
        self, name: str, slot: int, lobby: Lobby, address: tuple[str, int]
    ) -> Holder | None:
        """The connection of a local bot, started if it is not there; None if it does not come.

        Raises `ScarcityError` if this machine has too little left to start it, however often that
        was tried in the time it has to log in.
        """
        holder = lobby.get(name, slot)
        if holder is not None:
            # A program that ends after its game may have ended a moment ago.
            holder.connection.read()
            if holder.connection.ended is None:
                return holder
            lobby.dismiss(holder)
        async with self._starting:
            program = await self._start(name, slot, lobby, address)
        if program is None:
            return None
        holder = lobby.get(name, slot)
        if holder is not None:
            holder.alive = lambda: self._runs(name, slot)
            holder.restart = lambda: self._restart(name, slot, lobby, address)
        elif program.ended:
            self.report(name, slot)
        else:
            said, seconds = _said(program), self._patience
            self._say(name, slot, f" has not logged in within {seconds:g} s{said}")
        return holder

    async def _start(
        self, name: str, slot: int, lobby: Lobby, address: tuple[str, int]
    ) -> Program | None:
        """A program that has been started and has had its time to log in, None for one that cannot
        be; what this machine lacks for it is waited for. Raises `ScarcityError`."""
        give_up = trio.current_time() + self._patience
        told = False
        while True:
            try:
                return await self._try_to_start(name, slot, lobby, address)
            except ScarcityError as problem:
                if trio.current_time() >= give_up:
                    raise
                if not told:
                    again = f"trying again for {self._patience:g} s"
                    self._say(name, slot, f": {problem}; {again}")
                    told = True
            await trio.sleep(AGAIN)

    async def _try_to_start(
        self, name: str, slot: int, lobby: Lobby, address: tuple[str, int]
    ) -> Program | None:
        old = self._programs.pop((name, slot), None)
        if old is not None:
            await old.stop()
        program = self._launch(name, slot, lobby, address)
        if program is None:
            return None
        with trio.move_on_after(self._patience):
            await _login_or_end(program, lobby, name, slot)
        if program.starved:
            raise ScarcityError(program.fate)
        return program

    def _runs(self, name: str, slot: int) -> bool:
        program = self._programs.get((name, slot))
        return program is not None and not program.ended

    def _restart(self, name: str, slot: int, lobby: Lobby, address: tuple[str, int]) -> bool:
        """Start a program that has ended once more, in the middle of things; whether that went.

        Raises `ScarcityError`: the game is then one that the server has failed.
        """
        if self._runs(name, slot):
            return False
        self._say(name, slot, " had ended when its game began and is started again")
        self._programs.pop((name, slot), None)
        return self._launch(name, slot, lobby, address) is not None

    def _launch(
        self, name: str, slot: int, lobby: Lobby, address: tuple[str, int]
    ) -> Program | None:
        environment: Mapping[str, str] = {
            "STERNHALMA_HOST": address[0],
            "STERNHALMA_PORT": str(address[1]),
            "STERNHALMA_NAME": name,
            "STERNHALMA_SLOT": str(slot),
            "STERNHALMA_TOKEN": self._tokens[name],
        }
        bot = self._bots[name]
        try:
            program = start_program(
                bot.argv,
                environment,
                self._folder,
                stdio=bot.stdio,
                limits=self._limits,
                sandbox=self._sandbox if bot.sandbox else None,
                at_end=partial(self._keep, name, slot, datetime.now(UTC)),
            )
        except ProgramError as problem:
            self._say(name, slot, f": {problem}")
            return None
        self._programs[name, slot] = program
        lobby.nursery.start_soon(program.listen)
        if program.sock is not None:
            # Its standard streams are a connection like any other, from this machine.
            peer = f"127.0.0.1:{name}"
            transport = SocketTransport(program.sock, peer, stamped=program.stamped)
            lobby.nursery.start_soon(lobby.serve, transport)
        return program

    def _keep(self, name: str, slot: int, started: datetime, program: Program) -> None:
        """Keep what a program that has ended had printed, for whoever looks into it later."""
        if self._root is None or not program.output:
            return
        seconds = (datetime.now(UTC) - started).total_seconds()
        how = STOPPED if program.was_stopped else program.fate
        run = f"{how} after {seconds:.1f} s, started {started:%Y-%m-%d %H:%M:%S} UTC"
        try:
            add_printed(self._root, name, slot, run, program.output)
        except FileNotFoundError:
            pass  # the whole folder is gone, which the journal tells
        except OSError as problem:
            self._say(name, slot, f": cannot keep what it printed: {problem.strerror}")

    def report(self, name: str, slot: int) -> None:
        """Tell the host, once, how a program ended and what it had printed."""
        program = self._programs.get((name, slot))
        if program is not None and program.ended and program not in self._reported:
            self._reported.add(program)
            self._say(name, slot, f" {program.fate}{_said(program)}")

    def _say(self, name: str, slot: int, what: str) -> None:
        self._tell(Sentence(f"{name} (slot {slot}){what}", bot=name, slot=slot))

    async def stop(self) -> None:
        """End all programs: those that do not end by themselves at the server's good-bye."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for program in self._programs.values():
                    nursery.start_soon(program.see_off)

    def kill(self) -> None:
        """End all programs at once."""
        for program in self._programs.values():
            program.signal(signal.SIGKILL)
        for program in self._programs.values():
            program.kill()


async def _login_or_end(program: Program, lobby: Lobby, name: str, slot: int) -> None:
    """Return when the bot has logged in, or when its program has ended."""
    async with trio.open_nursery() as nursery:

        async def end() -> None:
            await program.listen()
            nursery.cancel_scope.cancel()

        nursery.start_soon(end)
        while lobby.get(name, slot) is None:
            await lobby.changed()
        nursery.cancel_scope.cancel()


def _said(program: Program) -> str:
    output = program.output.strip()
    return f"; it printed:\n{output}" if output else ""
