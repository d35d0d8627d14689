"""House bots: the ways in which bots fail their servers, to be met before an event and not in it.

As programs they dial in, or are started by an event file:

    python -m sternhalma_server.testing.house_bots silent

In memory they come through a `Door`, on trio's clock.
"""

from sternhalma_server.testing.house_bots.acts import HOUSE_BOTS, HouseBot, honest, misbehave
from sternhalma_server.testing.house_bots.door import (
    Diary,
    Door,
    Visit,
    memory_door,
    read_diary,
    visit_over,
)

__all__ = [
    "HOUSE_BOTS",
    "Diary",
    "Door",
    "HouseBot",
    "Visit",
    "honest",
    "memory_door",
    "misbehave",
    "read_diary",
    "visit_over",
]
