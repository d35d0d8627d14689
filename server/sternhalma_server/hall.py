"""What the events of one server share: who is connected, the local bots, and room for games."""

from __future__ import annotations

from dataclasses import dataclass, field

from sternhalma_server.audience import Audience
from sternhalma_server.crew import Crew
from sternhalma_server.seats import Holder, Lobby


@dataclass(slots=True, eq=False)
class Hall:
    """The connections and programs of a server; `address` is where local bots dial in.

    `room` is how many games there may be at once in all events together, None for no such limit;
    `running` is how many there are. `taken` are the slots of bots that a game of any event has or
    is about to have. With `named` the name of a game on the wire says its event. `farewell` is the
    code and the sentence that everybody is sent away with in the end.
    """

    lobby: Lobby
    crew: Crew
    audience: Audience
    address: tuple[str, int]
    room: int | None = None
    named: bool = False
    running: int = 0
    farewell: tuple[str, str] = ("server-stops", "the server stops, the event goes on later")
    taken: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    @property
    def connected(self) -> list[Holder]:
        """The bots' connections that have not ended."""
        return [holder for holder in self.lobby if holder.connection.ended is None]

    def gauges(self) -> dict[str, int]:
        """For who measures: connections of bots, who watches, and games that run."""
        return {
            "connections": len(self.connected),
            "watchers": self.audience.watching,
            "running": self.running,
        }

    @property
    def has_room(self) -> bool:
        """Whether one more game may begin."""
        return self.room is None or self.running < self.room
