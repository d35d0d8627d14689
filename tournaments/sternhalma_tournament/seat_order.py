"""An order of seats that is even enough, found quickly.

Six entries have 720 orders, too many to look at before each game of a league without an end
(`SeatBook.seated` does, once a round). Exchanges of two find one that no further exchange betters,
and what is left uneven weighs the more in the games to come.
"""

from collections.abc import Iterator
from itertools import combinations

from sternhalma_tournament.seating import SeatBook


def seat_order(names: tuple[str, ...], book: SeatBook) -> tuple[str, ...]:
    """*names* in an order that no exchange of two makes more even; as they are if it is equal."""
    cost = book.cost(names)
    while True:
        best = min(_exchanged(names), key=book.cost)
        if book.cost(best) >= cost:
            return names
        names, cost = best, book.cost(best)


def _exchanged(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for one, other in combinations(range(len(names)), 2):
        seats = list(names)
        seats[one], seats[other] = names[other], names[one]
        yield tuple(seats)
