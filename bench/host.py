"""The server under load: a whole event, as `sternhalma run` plays it, without keeping its records.

    python -m bench.host GAMES CLOCK LIMIT [--profile FILE]

The event is generated: two bots a game, all remote, in a round robin whose first round seats them
all at once. It prints its port and goes on until its standard input ends. What the director is told
about games that go wrong is printed to the standard error.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import resource
import sys

import trio

from sternhalma_server.announce import Table
from sternhalma_server.app import run_event
from sternhalma_server.listener import Listener
from sternhalma_server.referee import Finished
from sternhalma_server.settings import Settings, settings_of
from sternhalma_server.testing import Collector


class Forgetful:
    """Keeps no record and tells only what is wrong: what it would cost is not a move's cost."""

    def resumed(self, finished: int, running: int) -> None:
        """Never."""

    def started(self, table: Table) -> None:
        """Say nothing of *table*."""

    def finished(self, finished: Finished) -> None:
        """Say nothing of *finished*."""

    def tell(self, sentence: str) -> None:
        """Pass on what the host should know."""
        print(sentence, file=sys.stderr)


def event_of(games: int, clock: str, limit: int) -> Settings:
    """The settings of an event whose first round is *games* games of `duel` at once."""
    bots = "".join(
        f'[[bots]]\nname = "b{number:05}"\nremote = true\nconnections = 1\n'
        for number in range(2 * games)
    )
    text = (
        f'name = "bench"\nrules = "duel"\nplayers = 2\nclock = "{clock}"\n'
        f"limit = {limit}\nparallel = {games}\n{bots}"
    )
    return settings_of(text.encode(), "the bench's event")


async def host(settings: Settings, listener: Listener) -> None:
    """Play the event until the standard input ends."""
    quiet = Forgetful()

    async def keep(finished: Finished) -> None:
        """Let go of *finished*: the bench measures play, not keeping."""

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_event, settings, listener, Collector(keep), quiet)
        print(listener.port, flush=True)
        await trio.lowlevel.wait_readable(sys.stdin)
        nursery.cancel_scope.cancel()


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="A server to be put under load.")
    parser.add_argument("games", type=int)
    parser.add_argument("clock")
    parser.add_argument("limit", type=int)
    parser.add_argument("--profile", metavar="FILE", help="write cProfile's statistics there")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    settings = event_of(options.games, options.clock, options.limit)
    listener = Listener("127.0.0.1", 0)
    if options.profile is None:
        trio.run(host, settings, listener)
        return
    profile = cProfile.Profile()
    profile.runcall(trio.run, host, settings, listener)
    profile.dump_stats(options.profile)


if __name__ == "__main__":
    main()
    # The games under way are nobody's loss; unwinding thousands of them would only take time.
    os._exit(0)
