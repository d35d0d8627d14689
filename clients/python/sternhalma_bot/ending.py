"""How a bot's program ends: its exit status, and a sentence on standard error if it is not 0."""

from __future__ import annotations

import sys
from typing import Final

from sternhalma_bot.messages import Bye
from sternhalma_bot.place import Place
from sternhalma_bot.protocol import ProtocolError

INTERRUPTED: Final = 3


def status_of(place: Place, end: Bye | OSError | ProtocolError) -> int:
    """0 if the event ended, 1 if anything else did, after saying what."""
    match end:
        case Bye(code="event-over"):
            return 0
        case Bye():
            complain(place, f"the server said: {end.sentence or end.code}")
        case _:
            complain(place, f"{place}: {end}")
    return 1


def complain_of_loss(place: Place, end: Bye | OSError) -> None:
    """Say that a good connection has ended and is tried again: nothing is mended in silence."""
    why = f"the server said: {end.sentence or end.code}" if isinstance(end, Bye) else str(end)
    complain(place, f"{why}, trying again")


def complain(place: Place, sentence: str) -> None:
    """Print *sentence* on standard error, with the name and slot that it is about."""
    print(f"{place.name} slot {place.slot}: {sentence}", file=sys.stderr, flush=True)


def alone(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one exception in *group*, or *group* where it has more than one.

    What a bot raises is to come through as it is, not wrapped by a loop of ours.
    """
    first, *others = group.exceptions
    return group if others else first
