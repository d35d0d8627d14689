"""Rules ids and numbers of players: those that may be played, and how the others are refused."""

import pytest

import sternhalma as sh
from engine.both import EngineGame
from engine.naive import NaiveGame
from engine.naive_text import NaiveError, every_game


@pytest.mark.parametrize(
    ("rules_id", "players", "named"),
    [
        ("tara", 5, "6"),
        ("corner", 5, "6"),
        ("tara", 1, "2"),
        ("tara", 0, "2"),
        ("duel", 3, "2"),
        ("halma19", 4, "2"),
        ("halma13", 3, "4"),
        ("corner+pairs", 3, "4"),
        ("corner+pairs", 2, "4"),
        ("halma13+pairs", 2, "4"),
        ("corner+15", 4, "2"),
        ("corner+2c", 6, "2"),
        ("corner+3c", 3, "2"),
        ("salta", 2, "tara"),
        ("", 2, "tara"),
        ("tara+through", 2, "long"),
        ("tara+first", 2, "long"),
        ("duel+long", 2, "duel"),
        ("halma19+through", 2, "out40"),
        ("halma19+pairs", 2, "out40"),
        ("halma13+15", 2, "out40"),
        ("corner+15+2c", 2, "15"),
        ("corner+2c+3c", 2, "2c"),
        ("corner+15+pairs", 2, "15"),
        ("corner+2c+pairs", 4, "2c"),
        ("corner+pairs+long", 4, r"corner\+long\+pairs"),
        ("corner+long+15", 2, r"corner\+15\+long"),
        ("corner+long+long", 2, r"corner\+long"),
        ("corner+Long", 2, "long"),
        ("corner +long", 2, "corner"),
    ],
)
def test_other_rules_and_numbers_of_players_are_refused_and_what_is_allowed_is_named(
    rules_id: str, players: int, named: str
) -> None:
    with pytest.raises(sh.RulesError, match=named):
        sh.Game.new(rules_id, players=players)
    with pytest.raises(NaiveError):
        NaiveGame.start(rules_id, players)


@pytest.mark.parametrize(("rules_id", "players"), every_game())
def test_every_allowed_game_starts_alike_in_both(rules_id: str, players: int) -> None:
    engine, naive = EngineGame.start(rules_id, players), NaiveGame.start(rules_id, players)
    assert engine.position_text() == naive.position_text()
    assert engine.moves() == naive.moves()
