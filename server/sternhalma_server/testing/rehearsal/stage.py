"""A rehearsal while it is held: the real server on the copy of the event, house bots coming in.

A house bot that dials in is a program that starts again after each of its games, whatever it has
done to its connection. Its token lets it take over what is left of the old one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from sternhalma_server.announce import Table
from sternhalma_server.hosting import host_event
from sternhalma_server.listener import Listener
from sternhalma_server.programs import start_program
from sternhalma_server.referee import Finished
from sternhalma_server.testing.rehearsal.field import Field
from sternhalma_server.testing.rehearsal.findings import Findings
from sternhalma_tournament.trial import TrialState

MARGIN: Final = 120.0  # seconds beyond three times what a rehearsal should take


async def rehearse(
    field: Field, listener: Listener, folder: Path, say: Callable[[str], None]
) -> Findings:
    """Hold the rehearsal of *field* in *folder*, which is its own; *say* is given sentences.

    It ends when all games are over, when it is interrupted, or when it takes far too long.
    """
    stage = _Stage(field, say)
    began = time.monotonic()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stage.bring_house_bots)
        with trio.move_on_after(3 * field.seconds + MARGIN) as bound:
            summary = await host_event(field.settings, listener, folder, stage)
            stage.findings.complete = summary.complete
        stage.findings.overrun = bound.cancelled_caught
        nursery.cancel_scope.cancel()
    stage.findings.seconds = time.monotonic() - began
    return stage.findings


class _Stage:
    """Watches the rehearsal, as the observer of its event, and sends in who dials in."""

    def __init__(self, field: Field, say: Callable[[str], None]) -> None:
        self.findings = Findings(field)
        self._field = field
        self._say = say
        self._planned = field.games
        self._address = trio.Event()
        self._port = 0
        self._over = {name: trio.Event() for name in field.house}

    def listening(self, host: str, port: int) -> None:
        """The server listens there."""
        del host  # always this machine
        self._port = port
        self.findings.opened()
        self._address.set()

    def planned(self, games: int) -> None:
        """So many games are to be played in all."""
        self._planned = games

    def resumed(self, finished: int, running: int) -> None:
        """Never: a rehearsal is not gone on with."""

    def started(self, table: Table) -> None:
        """A game has started."""
        self.findings.begun(table)

    def finished(self, finished: Finished) -> None:
        """A game is over."""
        said = self.findings.add(finished)
        self._say(f"[{self.findings.games}/{self._planned}] {said}")
        for name in self._field.house.keys() & set(finished.table.bots):
            self._over[name].set()
            self._over[name] = trio.Event()

    def tested(self, trial: TrialState) -> None:
        """Where the test of a match stands is in its tables."""

    def tell(self, sentence: str) -> None:
        """Something the host should know: kept for who wants to look."""
        self.findings.told.append(sentence)

    async def bring_house_bots(self) -> None:
        """Run the house bots that dial in until cancelled."""
        await self._address.wait()
        async with trio.open_nursery() as nursery:
            for name in self._field.tokens:
                for slot in range(1, self._field.needs + 1):
                    nursery.start_soon(self._bring, name, slot)

    async def _bring(self, name: str, slot: int) -> None:
        environment = {
            "STERNHALMA_HOST": "127.0.0.1",
            "STERNHALMA_PORT": str(self._port),
            "STERNHALMA_NAME": name,
            "STERNHALMA_SLOT": str(slot),
            "STERNHALMA_TOKEN": self._field.tokens[name],
        }
        while True:
            over = self._over[name]
            program = start_program(self._field.commands[name], environment, Path())
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(program.listen)
                    await over.wait()
                    await program.stop()
            finally:
                program.kill()
