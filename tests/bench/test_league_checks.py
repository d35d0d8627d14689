"""How far the soak says that one bot of a ladder drew away from another."""

from __future__ import annotations

from bench.soak.guests import Diary
from bench.soak.league_checks import Stored, gained

CALM = {"a", "b", "c"}


def diary(*presence: tuple[float, str, bool]) -> Diary:
    return Diary(presence=list(presence))


def games(*played: tuple[float | None, str]) -> dict[int, Stored]:
    """Games by number: when each began, and who played, a letter each."""
    return {
        number: Stored("", began, tuple(bots), (), void=False)
        for number, (began, bots) in enumerate(played, start=1)
    }


ALL_THERE = diary((0, "a", True), (0, "b", True), (0, "c", True))


def test_nobody_gains_by_games_against_each_other() -> None:
    assert (
        gained(games(*((at, "ab") for at in range(1, 9))), diary(*ALL_THERE.presence[:2]), CALM)
        == 0
    )


def test_who_plays_others_gains_a_game_each_time() -> None:
    assert gained(games((1, "ax"), (2, "ay"), (3, "ax")), ALL_THERE, CALM) == 3


def test_what_is_gained_is_from_the_one_end_to_the_other() -> None:
    played = games((1, "ax"), (2, "ax"), *((at, "bx") for at in range(3, 8)))
    assert gained(played, diary(*ALL_THERE.presence[:2]), CALM) == 5


def test_who_is_not_there_loses_nothing() -> None:
    there = diary((0, "a", True), (0.5, "b", True), (1.5, "b", False), (3.5, "b", True))
    assert gained(games((1, "ax"), (2, "ax"), (3, "ax"), (4, "ax")), there, CALM) == 1


def test_a_ladder_that_begins_anew_compares_anew() -> None:
    there = diary(*ALL_THERE.presence, (2.5, "", False))
    assert gained(games((1, "ax"), (2, "ax"), (3, "ax")), there, CALM) == 2


def test_bots_of_events_are_not_compared() -> None:
    assert gained(games((1, "ax"), (2, "ax")), ALL_THERE, {"b", "c"}) == 0


def test_a_game_without_a_move_began_with_the_one_before_it() -> None:
    there = diary(*ALL_THERE.presence, (1.5, "b", False), (1.5, "c", False))
    assert gained(games((1, "ax"), (None, "ax"), (2, "ax")), there, CALM) == 2
