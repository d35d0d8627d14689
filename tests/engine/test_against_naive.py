"""The engine plays random games exactly as the naive rules do."""

import pytest

from engine.naive_text import every_game
from engine.random_play import SideBySide

GAMES = every_game()


@pytest.mark.parametrize(("rules_id", "players"), GAMES)
def test_a_random_game_goes_the_same_way_by_both(rules_id: str, players: int) -> None:
    # Rules without options are one row of many here, and are played most.
    for number in range(max(4, 24 >> rules_id.count("+"))):
        SideBySide(f"{rules_id} {players} {number}", rules_id, players).run(plies=60)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
@pytest.mark.parametrize(("rules_id", "players"), GAMES)
def test_many_random_games_go_the_same_way_by_both(rules_id: str, players: int, batch: int) -> None:
    for number in range(25):
        SideBySide(f"{rules_id} {players} {batch}.{number}", rules_id, players).run(plies=500)
