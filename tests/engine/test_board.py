"""The boards as RULES.md counts them, seen through the moves of a lone marble."""

from collections import Counter

import pytest

import sternhalma as sh
from engine.both import BOTH, TextGame, position
from engine.naive_board import naive_board

both = pytest.mark.parametrize("implementation", BOTH)


def steps_of_a_lone_marble(
    implementation: type[TextGame], rules_id: str, seats: str
) -> dict[str, set[str]]:
    """For every hole where a marble alone on the board can go, one that no lock holds there."""
    steps = {}
    board = naive_board(rules_id)
    for name, hole in board.by_name.items():
        letter = seats[-1] if hole in board.points[seats[-1]] else "A"
        text = position(rules_id, f"{letter} {name}", seats=seats, turn=letter)
        game = implementation.load(text, puzzle=True)
        steps[name] = {end for _, end in game.moves()}
    return steps


@both
def test_the_star_has_121_holes_312_neighbour_pairs_and_534_short_hops(
    implementation: type[TextGame],
) -> None:
    steps = steps_of_a_lone_marble(implementation, "duel", "A,D")
    assert len(steps) == 121
    assert Counter(len(ends) for ends in steps.values()) == {2: 6, 4: 36, 5: 6, 6: 73}
    assert sum(len(ends) for ends in steps.values()) == 2 * 312
    hops = 0
    for name, ends in steps.items():
        for over in ends:
            text = position("duel", f"A {name}; D {over}")
            reached = {end for _, end in implementation.load(text, puzzle=True).moves()}
            hops += len(reached - ends)
            assert reached >= ends - {over}
    assert hops == 534


@both
def test_the_square_has_eight_directions(implementation: type[TextGame]) -> None:
    steps = steps_of_a_lone_marble(implementation, "halma13", "A,C")
    assert Counter(len(ends) for ends in steps.values()) == {3: 4, 5: 56, 8: 196}


@both
@pytest.mark.parametrize(("rules_id", "seats"), [("duel", "A,D"), ("halma19", "A,C")])
def test_a_neighbour_is_a_neighbour_both_ways(
    implementation: type[TextGame], rules_id: str, seats: str
) -> None:
    steps = steps_of_a_lone_marble(implementation, rules_id, seats)
    assert all(name in steps[end] for name, ends in steps.items() for end in ends)


@pytest.mark.parametrize(("board", "size"), [(sh.STAR, 121), (sh.HALMA13, 256), (sh.HALMA19, 256)])
def test_holes_are_numbered_row_by_row_from_the_north(board: sh.Board, size: int) -> None:
    rows = naive_board("tara" if size == 121 else "halma19").rows
    names = [board.format_hole(sh.Hole(number)) for number in range(size)]
    first_row_first = [(first, second) for row in rows for first, second in row]
    assert names == ["abcdefghijklmnopq"[f - 1] + str(s) for f, s in first_row_first]
    assert [board.parse_hole(name) for name in names] == list(range(size))
