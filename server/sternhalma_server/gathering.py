"""From the chairs of a game to the connections in them, and back out of the door.

A slot was reserved when the game was found; its bot may have to be started for it, or may have gone
since.
"""

from __future__ import annotations

from collections.abc import Sequence

import trio

from sternhalma_server.hall import Hall
from sternhalma_server.programs import ScarcityError
from sternhalma_server.referee import Finished
from sternhalma_server.roster import Chair
from sternhalma_server.seats import Holder
from sternhalma_server.session import State
from sternhalma_server.verdict import Reason


async def gather(chairs: Sequence[Chair], game: str, hall: Hall) -> list[Holder | None]:
    """The connections for *chairs*, each claimed for *game*; None for who did not come.

    Raises `ScarcityError`, with none claimed, if a local bot could not be started for want of what
    this machine has.
    """
    scarcity: list[ScarcityError] = []
    holders: list[Holder | None] = [None] * len(chairs)

    async def fetch(seat: int, chair: Chair) -> None:
        if chair.slot is None:
            return
        if hall.crew.is_local(chair.bot):
            try:
                holder = await hall.crew.seat(chair.bot, chair.slot, hall.lobby, hall.address)
            except ScarcityError as problem:
                scarcity.append(problem)
                return
        else:
            holder = hall.lobby.get(chair.bot, chair.slot)
        if holder is not None and holder.connection.ended is None:
            await hall.lobby.claim(holder, game)
            holders[seat] = holder

    async with trio.open_nursery() as nursery:
        for seat, chair in enumerate(chairs):
            nursery.start_soon(fetch, seat, chair)
    if scarcity:
        for holder in holders:
            if holder is not None:
                hall.lobby.release(holder)
        raise scarcity[0]
    return holders


def has_just_gone(chairs: Sequence[Chair], holders: Sequence[Holder | None], hall: Hall) -> bool:
    """Whether a remote bot was there when its chair was reserved and is not any more."""
    return any(
        holder is None and chair.slot is not None and not hall.crew.is_local(chair.bot)
        for chair, holder in zip(chairs, holders, strict=True)
    )


def send_away(finished: Finished, holders: Sequence[Holder | None], hall: Hall) -> None:
    """Close the connections of bots that left or flooded the server during the game."""
    for fall in finished.falls:
        holder = holders[fall.seat]
        if holder is not None and fall.reason is Reason.FLOOD:
            holder.session.close("flood", "expected fewer lines that answer nothing")
        elif holder is not None and fall.reason is Reason.DISCONNECT:
            holder.session.state = State.CLOSED
            hall.crew.report(*holder.key)
