"""What the bench expects of the peer, whose rules differ from ours in one point."""

from bench.peer import expected
from bench.positions import load

import sternhalma as sh


def pairs(position: sh.Position) -> set[tuple[int, int]]:
    """The moves of the seat to move under our own rules."""
    return {(m.origin, m.target) for m in sh.Game.from_position(position).legal_moves()}


def test_who_hops_over_others_only_has_some_of_the_moves_of_duel() -> None:
    some = all_ = 0
    for position in load("tara", 2, as_rules="duel"):
        found = expected(position)
        assert found == sorted(set(found))
        assert set(found) <= pairs(position)
        some, all_ = some + len(found), all_ + len(pairs(position))
    assert some < all_


def test_a_lone_marble_among_those_of_others_has_the_moves_of_duel() -> None:
    text = "duel 1/2/3/4/13/12/11/3DD5/4A4/4D5/5D5/12/13/4/3/2/1 A,D A 9,9 -"
    position = sh.parse_position(text, puzzle=True)
    assert set(expected(position)) == pairs(position)


def test_own_marbles_are_not_hopped_over() -> None:
    text = "duel 1/2/3/4/13/12/11/10/3AA4/10/11/12/13/4/3/2/1 A,D A 9,9 -"
    position = sh.parse_position(text, puzzle=True)
    assert len(pairs(position)) - len(expected(position)) == 2
