import pytest

from sternhalma_tournament.contenders import Contender, neediest, opponents
from sternhalma_tournament.entries import Entry
from sternhalma_tournament.strength import Strength


def contender(name: str, begun: int = 0, mean: float = 0, deviation: float = 100) -> Contender:
    return Contender(
        name,
        Entry(name, (name,)),
        luck=ord(name),
        begun=begun,
        strength=Strength(mean, deviation**2),
    )


def test_fewest_games_come_first_and_then_who_is_known_least() -> None:
    few, many = contender("a", begun=3), contender("b", begun=9, deviation=300)
    assert neediest([many, few]) is few
    unsure = contender("c", begun=3, deviation=101)
    assert neediest([few, unsure, many]) is unsure


@pytest.mark.parametrize(
    ("other", "than"),
    [
        (contender("b", mean=50), contender("c", mean=300)),
        (contender("b", deviation=120), contender("c", deviation=100)),
        (contender("b", mean=400, deviation=300), contender("c", mean=0, deviation=20)),
    ],
)
def test_an_opponent_is_close_or_unknown(other: Contender, than: Contender) -> None:
    one = contender("a")
    assert opponents([one], [than, other, one], 2) == (one, other)


def test_one_met_lately_waits_until_others_were_met() -> None:
    one, close, far = contender("a"), contender("b"), contender("c", mean=250)
    assert opponents([one], [close, far], 2)[1] is close
    for _ in range(2):
        one.meet(("a", "b"))
    assert opponents([one], [close, far], 2)[1] is far


def test_with_more_sides_the_third_fits_the_second_too() -> None:
    one = contender("a", deviation=20)
    second = contender("b", mean=200, deviation=350)
    near_second, near_first = contender("c", mean=150), contender("d", mean=-150)
    game = opponents([one], [near_first, near_second, second], 3)
    assert game == (one, second, near_second)


def test_a_new_version_has_met_nobody() -> None:
    one = contender("a")
    one.meet(("a", "b", "c"))
    assert one.met_lately() == {"b": 1, "c": 1}
    one.renew("2")
    assert one.met_lately() == {}
    assert one.begun == 0


def test_only_the_last_opponents_are_remembered() -> None:
    one = contender("a")
    for number in range(100):
        one.meet(("a", f"n{number % 50}"))
    assert one.held == sum(one.met_lately().values()) == 32


def test_four_games_in_one_company_are_enough_but_not_in_another() -> None:
    one = contender("a")
    for games in range(5):
        assert one.is_tired_of("ab") == (games >= 4)
        one.meet("ab")
    assert one.is_tired_of("ba")
    assert not one.is_tired_of("abc")
    one.meet("ac")
    assert not one.is_tired_of("ab")
    assert not one.is_tired_of("ac")
