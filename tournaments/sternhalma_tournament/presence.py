"""Who could sit down now.

The server tells by bot how many connections are free: a bot that is missing is not connected, one
with 0 is connected and busy. An entry may need one bot twice, or two bots, before its game can
begin.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sternhalma_tournament.entries import Entry

Free = Mapping[
    str, int
]  # connections free for a game, by bot; a bot that is not connected is missing


@dataclass(frozen=True, slots=True)
class Needs:
    """How many connections of which bots each entry takes for a game."""

    by_entry: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, entries: Iterable[Entry], seats: int) -> "Needs":
        """The needs of *entries* when each fills *seats* seats of a game."""
        return cls(
            {entry.name: Counter(entry.bot(turn) for turn in range(seats)) for entry in entries}
        )

    def present(self, entry: str, free: Free) -> bool:
        """Whether all bots of *entry* are connected, busy or not."""
        return all(bot in free for bot in self.by_entry[entry])

    def lack(self, entry: str, free: Free) -> str:
        """A sentence on what *entry* lacks to begin any game, empty if nothing."""
        needed = self.by_entry[entry]
        away = [bot for bot in needed if bot not in free]
        if away:
            return f"{entry} waits for {' and '.join(away)} to connect"
        for bot, count in needed.items():
            if free[bot] < count:
                more = f"{count} connections" if count > 1 else "a connection"
                return f"{entry} waits for {more} of {bot} to be free"
        return ""

    def ready(self, entries: Sequence[str], free: Free) -> bool:
        """Whether a game of *entries* could begin; no bot is in two entries."""
        return all(
            free.get(bot, 0) >= count
            for entry in entries
            for bot, count in self.by_entry[entry].items()
        )
