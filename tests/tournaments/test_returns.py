from sternhalma_tournament.returns import Returns
from sternhalma_tournament.schedule import Pairing


def pairing(number: int, names: str, opening: str) -> Pairing:
    return Pairing(number, tuple(names), round=1, cycle=1, opening=opening)


def test_a_return_has_the_opening_of_the_first_game_and_its_seats_swapped() -> None:
    returns = Returns()
    first, later = pairing(1, "ab", "x"), pairing(2, "ab", "y")
    returns.wait(later)
    returns.wait(first)
    assert list(returns.of("b")["a"]) == [first, later]
    assert returns.take(pairing(3, "ab", "x")) is None
    assert returns.take(pairing(3, "ba", "z")) is None
    assert returns.take(pairing(3, "ba", "y")) == later
    assert returns.take(pairing(4, "ba", "y")) is None
    assert len(returns) == 1


def test_whose_games_are_dropped_is_waited_for_by_nobody() -> None:
    returns = Returns()
    returns.wait(pairing(1, "ab", "x"))
    returns.wait(pairing(2, "ca", "y"))
    returns.wait(pairing(3, "bc", "z"))
    returns.drop("a")
    assert not returns.of("a")
    assert list(returns.of("b")) == ["c"]
    assert len(returns) == 1
    returns.drop("nobody")
    assert len(returns) == 1
