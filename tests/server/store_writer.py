"""A program that plays an event into a store until it is killed, for test_store_crash.py.

It is told the store on its command line and starts a player of its own, a fork, for each line it
reads. A player goes on where the store says the event is and prints

    pid PID         that it has started
    mark            whenever it is about to write, and when it has written
    done GAME       when a game's result has been confirmed
    over            when all games are over

and the program itself prints `ended` when its player has ended, in whatever way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import trio

from sternhalma_server.journal import Journal
from sternhalma_server.store import Decision, EventId, FinishedGame, Store

SIDE_BY_SIDE = 6
GAMES = 2000
PLIES = 12


def say(line: str) -> None:
    """Print at once: what was said before a kill was said."""
    os.write(1, f"{line}\n".encode())


def record(lines: list[str]) -> str:
    """The record of a game with these lines."""
    return "".join(f"{line}\n" for line in lines)


class Marking(Store):
    """A store that prints a mark before and after each write."""

    def write(
        self, event: EventId, segment: str, results: Sequence[FinishedGame | Decision]
    ) -> None:
        """Write, with marks."""
        say("mark")
        super().write(event, segment, results)
        say("mark")


async def play(path: Path) -> None:
    """Play all games that are not over yet, each from its last line."""
    with Marking.open(path) as store:
        event = store.events()[0].id
        journal = Journal(store, event, say)
        over, running = store.finished_numbers(event), store.running_lines(event)
        to_come = (number for number in range(1, GAMES + 1) if number not in over)
        random = Random(os.getpid())

        async def player() -> None:
            for number in to_come:
                lines = running.get(number, [])
                for ply in range(len(lines) + 1, PLIES + 1):
                    lines.append(f"ply {ply}")
                    journal.post(number, lines[-1])
                    await trio.sleep(random.random() / 500)
                await journal.finish(FinishedGame(number, record(lines), ""))
                say(f"done {number}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(journal.run)
            async with trio.open_nursery() as players:
                for _ in range(SIDE_BY_SIDE):
                    players.start_soon(player)
            nursery.cancel_scope.cancel()
        await journal.close()
    say("over")


def main() -> None:
    """Start a player for each line on standard input, one after the other."""
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            say(f"pid {os.getpid()}")
            trio.run(play, Path(sys.argv[1]))
            os._exit(0)
        os.waitpid(pid, 0)
        say("ended")


if __name__ == "__main__":
    main()
