"""What is asked of the machine: by a file of an event or a league, or by nothing in particular."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sternhalma_server.settings import Settings
from sternhalma_tournament.charter import Charter
from sternhalma_tournament.event import Bot
from sternhalma_tournament.hosting import Tls

# Descriptors the server has for a program it starts: its connection, pipes, what it prints.
OF_A_PROGRAM: Final = 4


@dataclass(frozen=True, slots=True)
class Demand:
    """What a host means to do.

    `where` names the file in sentences, `folder` is where its commands are run, `root` where the
    results go. `parallel` is how many games at once it asks for, None where the server chooses.
    `seats` is how many seats a game has, or may have.
    """

    host: str
    port: int
    root: Path
    where: str = ""
    folder: Path = Path()
    bots: tuple[Bot, ...] = ()
    parallel: int | None = None
    seats: int = 2
    tls: Tls | None = None

    @property
    def programs(self) -> list[Bot]:
        """The bots that the server starts."""
        return [bot for bot in self.bots if not bot.remote]

    def descriptors(self, games: int) -> int:
        """How many descriptors so many *games* at once take."""
        dear = self.programs or not self.bots
        return games * self.seats * (OF_A_PROGRAM if dear else 1)


def of_event(settings: Settings, where: Path, host: str, port: int, root: Path) -> Demand:
    """What an event asks for."""
    event = settings.event
    return Demand(
        host=host,
        port=port,
        root=root,
        where=str(where),
        folder=settings.folder,
        bots=event.bots,
        parallel=event.parallel,
        seats=event.players,
        tls=event.tls,
    )


def of_league(charter: Charter, where: Path, host: str, port: int, root: Path) -> Demand:
    """What a league asks for."""
    return Demand(
        host=host,
        port=port,
        root=root,
        where=str(where),
        folder=where.parent,
        bots=charter.bots,
        parallel=charter.parallel,
        tls=charter.tls,
    )
