"""Who has finished: whose target is filled, tested for every player at once."""

from __future__ import annotations

from sternhalma.board import Mask
from sternhalma.position import Position
from sternhalma.rules import HOST_COUNTS_AFTER, Filling
from sternhalma.seating import Lane, Seat


def finishers(position: Position) -> tuple[tuple[Seat, ...], ...]:
    """The seats that finish at *position* and had not before, in order, level ones together."""
    occupied = position.occupied
    empty = ~occupied
    seating = position.seating
    filled: list[Seat] = []
    for seat in position.active:
        fill = seating.fills[seat]
        # Most turns fill no target at all, whoever's marbles count, or only with those who start
        # there: this answers them.
        if fill & empty or not position.own(seat) & fill:
            continue
        if all(_fills(position, seat, lane, occupied) for lane in seating.lanes_of[seat]):
            filled.append(seat)
    return in_order(position, filled) if filled else ()


def in_order(position: Position, seats: list[Seat]) -> tuple[tuple[Seat, ...], ...]:
    """*seats* by progress, those that are level in one tuple; partners count together."""
    keys = {seat: position.unit_progress(seat).key for seat in seats}
    return tuple(
        tuple(seat for seat in seats if keys[seat] == key) for key in sorted(set(keys.values()))
    )


def _fills(position: Position, seat: Seat, lane: Lane, occupied: Mask) -> bool:
    own = position.marbles[lane.colour]
    if not own & lane.fill:
        return False
    return not lane.fill & ~(own | _helping(position, seat, lane, occupied))


def _helping(position: Position, seat: Seat, lane: Lane, occupied: Mask) -> int:
    """The marbles that count towards filling the target of *lane* besides its own."""
    helping = 0
    for group in position.out:
        for member in group:
            helping |= position.own(member)
    match position.rules.filling:
        case Filling.OWN:
            pass
        case Filling.HOST_LATER:
            if min(position.counts[other] for other in position.active) >= HOST_COUNTS_AFTER:
                helping |= position.marbles[lane.opposite]
        case Filling.ANY:
            partner = position.seating.partners[seat]
            helping |= occupied if partner is None else occupied & ~position.own(partner)
    return helping
