"""Who of a growing number of entries is there, told from the bots that are connected.

A league knows every bot that ever registered, and few of them are there: so this looks at the bots
that are connected, where `Needs` goes through all entries of an event.
"""

from collections import Counter
from collections.abc import Callable, Collection

from sternhalma_tournament.entries import Entry
from sternhalma_tournament.presence import Free, Needs, Survey


class Attendance:
    """Entries that may still become more, each on *seats* seats of a game."""

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self._names: set[str] = set()  # without regard to case
        self._bots: set[str] = set()
        self._alone: dict[str, tuple[str, int]] = {}  # by bot: entry and connections for a game
        self._two: dict[str, Counter[str]] = {}  # by entry: connections of each of its bots

    def join(self, entry: Entry) -> None:
        """Know *entry* from now on; ValueError if its name or a bot of it is known already."""
        if entry.name.casefold() in self._names:
            raise ValueError(f"expected a new name for an entry, got {entry.name!r}")
        needs = Counter(entry.bot(turn) for turn in range(self._seats))
        taken = [bot for bot in needs if bot in self._bots]
        if taken:
            raise ValueError(f"expected bots that are in no entry, got {taken[0]!r} in {entry!r}")
        self._names.add(entry.name.casefold())
        self._bots.update(needs)
        if len(needs) == 1:
            self._alone.update((bot, (entry.name, count)) for bot, count in needs.items())
        else:
            self._two[entry.name] = needs

    def survey(
        self, free: Free, withdrawn: Collection[str], playing: Callable[[str], bool]
    ) -> Survey:
        """Everybody but the *withdrawn*; *playing* tells whether an entry is in a game.

        Who could begin no game and is in none is not there, even if connected: its connections are
        too few, or taken by something else for nobody knows how long, and nobody should wait for
        that.
        """
        present: set[str] = set()
        ready: set[str] = set()
        for bot, connections in free.items():
            name, count = self._alone.get(bot, ("", 0))
            if not name or name in withdrawn:
                continue
            if connections >= count:
                present.add(name)
                ready.add(name)
            elif playing(name):
                present.add(name)
        for name, needs in self._two.items():
            if name in withdrawn or not needs.keys() <= free.keys():
                continue
            if all(free[bot] >= count for bot, count in needs.items()):
                present.add(name)
                ready.add(name)
            elif playing(name):
                present.add(name)
        return Survey(present, ready)

    def lack(self, entry: Entry, free: Free) -> str:
        """A sentence on what *entry* lacks to begin any game, empty if nothing."""
        return Needs.of([entry], self._seats).lack(entry.name, free)
