"""A share of an event's games, for many machines that know nothing of each other.

All games are known before the first move where the format says so, and which of them are whose
follows from their numbers. So n machines play an event without anything between them, each into a
store of its own, and the stores are merged in the end (`merging`). A store says in its chain which
share it has, so that nobody takes it for the whole event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sternhalma_server.settings import Settings
from sternhalma_server.store import EventId, Store, StoreError
from sternhalma_tournament.event import SCHEDULED
from sternhalma_tournament.listed import ListedScheduler
from sternhalma_tournament.reading import EventFileError, wrong_value
from sternhalma_tournament.roundrobin import schedule_of
from sternhalma_tournament.schedule import Pairing

SHARD: Final = "shard"  # the kind of the store's amendment that says so


@dataclass(frozen=True, slots=True)
class Shard:
    """Share *index* of *count*, from 1: the games whose numbers leave that rest."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def numbers(self, first: int, last: int) -> range:
        """The numbers of its games from *first* to *last*."""
        start = first + (self.index - first) % self.count
        return range(start, last + 1, self.count)


def parse_shard(text: str) -> Shard:
    """The shard written I/N, as `str` writes it. Raises `ValueError`."""
    index, slash, count = text.partition("/")
    numbers = [int(word) for word in (index, count) if word.isdecimal() and len(word) < 7]
    if not slash or len(numbers) < 2 or not 1 <= numbers[0] <= numbers[1]:
        raise ValueError(f"expected a shard such as 1/4, from 1/N to N/N, got {text[:40]!r}")
    return Shard(*numbers)


def shard_of(store: Store, event: EventId) -> Shard | None:
    """Which share of the event the store has; None for the whole. Raises `StoreError`."""
    for amendment in store.amendments(event):
        if amendment.kind == SHARD:
            try:
                return parse_shard(amendment.text)
            except ValueError as error:
                raise StoreError(f"{store.path}: {error}") from None
    return None


def check_divisible(settings: Settings, where: str) -> None:
    """Raise `EventFileError` unless all games of the event are known before; *where* names it."""
    event = settings.event
    if event.format not in SCHEDULED:
        expected = f"one of {', '.join(SCHEDULED)} for a shard, where all games are known before"
        raise wrong_value(where, "format", expected, event.format)
    if event.sprt is not None:
        raise EventFileError(
            f"{where}: sprt: expected no test in a shard, which does not know the other results"
        )


def check_programs(settings: Settings, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise `EventFileError` if a bot is another program *now* than it was *before*."""
    for bot, digest in now.items():
        if before.get(bot, digest) != digest:
            raise EventFileError(
                f"{settings.event.name}: expected the program of {bot!r} that has played the event"
                f" before, {before[bot]}, got {digest};"
                " choose another folder with --out, or play anew with --again"
            )


def share_of(settings: Settings, shard: Shard) -> tuple[ListedScheduler, int]:
    """The scheduler of the games of *shard*, and how many there are."""
    schedule = schedule_of(settings.event)
    numbers = shard.numbers(schedule.before + 1, schedule.last)

    def pairings() -> Iterator[Pairing]:
        return (schedule.pairing(number) for number in numbers)

    seats = settings.event.players // settings.sides
    scheduler = ListedScheduler(pairings(), len(numbers), settings.entries, seats)
    return scheduler, len(numbers)
