"""What goes into a store and comes out of it, and how a store refuses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, NewType, get_args

EventId = NewType("EventId", int)  # an event's number in its store

State = Literal["created", "open", "running", "paused", "closed"]
STATES: Final[tuple[State, ...]] = get_args(State)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event: `source` is its event file, byte for byte, `digest` the SHA-256 of that."""

    id: EventId
    name: str
    source: bytes
    digest: str
    state: State


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game to be stored: the text of its record, and the raw lines its seats said.

    `outcome` is in short how it ended, for those who read many games.
    """

    game: int
    record: str
    said: str
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game that is stored.

    `digest` is the SHA-256 of all the record's text, `chain` the head of the event's chain after
    this game, `place` its number in that chain, from 1, amendments counted; `outcome` is None in
    what older servers have stored.
    """

    game: int
    record: str
    said: str
    digest: str
    chain: str
    place: int
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    """How a stored game ended, in short; with its `record` where only that tells.

    `place` is its number in the event's chain.
    """

    game: int
    place: int
    outcome: str | None
    record: str | None


@dataclass(frozen=True, slots=True)
class RegisteredBot:
    """A bot of a league: the SHA-256 of its token, None once it has left, and since when (UTC)."""

    name: str
    digest: str | None
    since: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Something decided about an event, to be stored: what kind of thing, and what it says.

    Raises `ValueError` for a `kind` of more than one line.
    """

    kind: str
    text: str

    def __post_init__(self) -> None:
        if "\n" in self.kind:
            raise ValueError(f"expected a kind of one line, got {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Amendment:
    """A decision that is stored.

    `chain` is the head of the event's chain after it, `place` its number in that chain, which it
    shares with the games: it was made behind those of lower place.
    """

    kind: str
    text: str
    chain: str
    place: int


class StoreError(Exception):
    """A store that cannot be used as asked; one sentence."""


class StoreFullError(StoreError):
    """The disk has no room or does not take what is written.

    Nothing of the call was written, and the same call can be tried again.
    """


class StoreBusyError(StoreError):
    """Another program writes to the store for too long.

    Nothing of the call was written, and the same call can be tried again.
    """


class GameStoredError(StoreError):
    """Games that were to be stored for a second time; nothing of the call was written."""

    def __init__(self, games: Iterable[int]) -> None:
        self.games = frozenset(games)
        names = ", ".join(map(str, sorted(self.games)))
        super().__init__(f"expected each game to be stored once, got again {names}")
