"""A server that keeps nothing, to know what keeping costs.

python -m bench.soak.unstored EVENT.toml
"""

from __future__ import annotations

import sys
from pathlib import Path

import trio

from sternhalma_server.announce import Table
from sternhalma_server.app import run_event
from sternhalma_server.happening import Happening
from sternhalma_server.listener import Listener
from sternhalma_server.referee import Finished
from sternhalma_server.settings import load_settings
from sternhalma_server.testing import CollectedGame, Collector
from sternhalma_tournament.trial import TrialState


class Quiet:
    """Says where it listens, and what is wrong."""

    def listening(self, host: str, port: int) -> None:
        """The server listens there."""
        print(f"listening on {host} port {port}", flush=True)

    def planned(self, games: int) -> None:
        """So many games there are to be."""

    def resumed(self, finished: int, running: int) -> None:
        """Never: nothing was kept."""

    def started(self, table: Table) -> None:
        """A game has started."""

    def finished(self, finished: Finished) -> None:
        """A game is over."""

    def tested(self, trial: TrialState) -> None:
        """Nothing is tested."""

    def tell(self, sentence: str) -> None:
        """Something the host should know."""
        print(sentence, flush=True)


class Forgotten(CollectedGame):
    """The ledger of a game of which nothing is written down."""

    def log(self, happening: Happening) -> None:
        """Something has happened."""


class Oblivion(Collector):
    """A keeper that keeps nothing, not even for a while."""

    def open(self, table: Table, letters: list[str]) -> Forgotten:
        """The ledger of a game."""
        return Forgotten(self, int(table.game), letters)


async def forget(finished: Finished) -> None:
    """Let go of *finished*."""


def main() -> None:
    """Play the event of the command line."""
    settings = load_settings(Path(sys.argv[1]))
    trio.run(run_event, settings, Listener("127.0.0.1", 0), Oblivion(forget), Quiet())


if __name__ == "__main__":
    main()
