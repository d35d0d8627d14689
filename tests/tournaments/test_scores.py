import pytest
from hypothesis import given

from sternhalma_tournament.scores import GameResult, game_half_points
from tournaments.results import game, leagues


def test_two_share_a_point_and_each_place_below_is_worth_one() -> None:
    points = game_half_points(game(1, "abcd", (1, 2, 2, 4)))
    assert points == {"a": 6, "b": 3, "c": 3, "d": 0}


def test_a_partner_is_no_opponent() -> None:
    pairs = game(1, ("x", "y", "x", "y"), (1, 2, 1, 2))
    assert game_half_points(pairs) == {"x": 2, "y": 0}


@given(leagues())
def test_the_points_of_a_game_always_sum_to_the_number_of_its_pairs(
    league: tuple[list[str], list[GameResult]],
) -> None:
    for result in league[1]:
        sides = len(result.entries)
        assert sum(game_half_points(result).values()) == sides * (sides - 1)


def test_partners_on_different_places_are_refused() -> None:
    with pytest.raises(ValueError, match="expected partners on one place in game 9"):
        game(9, ("x", "y", "x", "y"), (1, 2, 3, 4))


def test_as_many_places_as_seats_are_needed() -> None:
    with pytest.raises(ValueError, match="expected as many places and forfeits as seats in game 9"):
        game(9, ("x", "y"), (1,))


def test_a_void_game_is_not_scored() -> None:
    assert not game(1, "ab", (1, 2), reason="server-fault").scored
    assert not game(1, "ab", (1, 2), reason="aborted").scored
    assert game(1, "ab", (1, 2), reason="time").scored
