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
class Survey:
    """The entries all of whose bots are connected, and of those the ones that could sit down."""

    present: set[str]
    ready: set[str]


@dataclass(frozen=True, slots=True)
class Needs:
    """How many connections of which bots each entry takes for a game."""

    by_entry: Mapping[str, Mapping[str, int]]
    # Nearly all entries are one bot: those are gone through quickly, entry, bot and count.
    alone: tuple[tuple[str, str, int], ...]

    @classmethod
    def of(cls, entries: Iterable[Entry], seats: int) -> "Needs":
        """The needs of *entries* when each fills *seats* seats of a game."""
        by_entry = {
            entry.name: Counter(entry.bot(turn) for turn in range(seats)) for entry in entries
        }
        alone = [
            (entry, bot, count)
            for entry, needed in by_entry.items()
            if len(needed) == 1
            for bot, count in needed.items()
        ]
        return cls(by_entry, tuple(alone))

    def present(self, entry: str, free: Free) -> bool:
        """Whether all bots of *entry* are connected, busy or not."""
        return all(bot in free for bot in self.by_entry[entry])

    def survey(self, free: Free) -> Survey:
        """Everybody at one glance."""
        present: set[str] = set()
        ready: set[str] = set()
        for entry, bot, count in self.alone:
            connections = free.get(bot)
            if connections is not None:
                present.add(entry)
                if connections >= count:
                    ready.add(entry)
        if len(self.alone) < len(self.by_entry):
            pairs = [entry for entry, needed in self.by_entry.items() if len(needed) > 1]
            present.update(entry for entry in pairs if self.present(entry, free))
            ready.update(entry for entry in pairs if self.ready((entry,), free))
        return Survey(present, ready)

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
