"""What wins connect, and whether they can tell the seat, against slower ways to find it."""

from collections.abc import Sequence
from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.bradley_terry import Duel, Win, connected, seat_can_be_told, wins_of

links = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=15)


@given(links)
def test_connected_groups_are_those_in_which_all_reach_all(found: list[tuple[int, int]]) -> None:
    reach = {(node, node) for node in range(6)} | set(found)
    for middle, start, end in product(range(6), repeat=3):
        if (start, middle) in reach and (middle, end) in reach:
            reach.add((start, end))
    groups = connected(6, found)
    assert sorted(member for group in groups for member in group) == list(range(6))
    number = {member: position for position, group in enumerate(groups) for member in group}
    for start, end in product(range(6), repeat=2):
        both = (start, end) in reach and (end, start) in reach
        assert (number[start] == number[end]) == both
        if (start, end) in reach:
            assert number[start] <= number[end]


def rings(wins: Sequence[Win]) -> set[int]:
    """The signs of the seats added up along every ring without a crossing."""
    nodes = sorted({win.winner for win in wins} | {win.loser for win in wins})
    found: set[int] = set()
    for size in range(2, len(nodes) + 1):
        for ring in permutations(nodes, size):
            steps = [
                {win.seat for win in wins if (win.winner, win.loser) == pair}
                for pair in zip(ring, ring[1:] + ring[:1], strict=True)
            ]
            found |= {(sum(seats) > 0) - (sum(seats) < 0) for seats in product(*steps)}
    return found


pairs = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)).filter(
    lambda duel: duel[0] != duel[1]
)


@given(st.lists(pairs, max_size=7))
def test_the_seat_can_be_told_if_rings_of_wins_speak_for_either_seat(
    found: list[tuple[int, int, int]],
) -> None:
    wins = list(wins_of(Duel(first, second, 2, points) for first, second, points in found))
    assert seat_can_be_told(wins) == ({-1, 1} <= rings(wins))
