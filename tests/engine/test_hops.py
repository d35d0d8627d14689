"""The tables behind the moves: what they keep, and that what they keep changes no answer."""

import sternhalma as sh
from sternhalma.board import Hole
from sternhalma.hops import LineHops

KEPT = 512


def row_of_thirteen() -> tuple[int, LineHops]:
    """Row e of the star, seen from its hole in the middle."""
    board = sh.Rules.parse("tara+long").board
    middle = board.parse_hole("e7")
    east, west = board.rays[middle][:2]
    return middle, LineHops((east, west))


def test_a_table_of_long_hops_keeps_no_more_than_so_many_patterns() -> None:
    middle, hops = row_of_thirteen()
    most = 0
    patterns = [pattern << middle - 6 for pattern in range(4 * KEPT)]
    for pattern in patterns:
        assert hops[pattern & hops.line] >= 0
        most = max(most, len(hops))
    assert most == KEPT


def test_a_long_hop_that_was_forgotten_is_found_again() -> None:
    middle, hops = row_of_thirteen()
    over = 1 << middle + 2
    before = hops[over]
    for pattern in range(KEPT):
        assert hops[pattern << middle + 3] >= 0
    assert over not in hops
    assert hops[over] == before == 1 << middle + 4


def test_hops_to_both_sides_of_a_line_are_found_at_once() -> None:
    middle, hops = row_of_thirteen()
    assert hops[1 << middle + 3 | 1 << middle - 1] == 1 << middle + 6 | 1 << middle - 2
    assert hops.line == sum(1 << Hole(middle + step) for step in range(-6, 7) if step)
