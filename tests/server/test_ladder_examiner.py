"""A ladder's games held against its file: what was played passes, what was chosen is found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.conducted import conducted
from server.kept_league import LADDER, ladder_games, table_of, with_bots
from sternhalma_server.examiner import opening_played
from sternhalma_server.ladder_examiner import LadderExaminer
from sternhalma_server.record import Record, RecordError
from sternhalma_server.settings import settings_of
from sternhalma_tournament.schedule import Pairing, opening_key

SETTINGS = settings_of(LADDER, "ladder.toml", league=True)


def wrong(games: Iterable[Record]) -> list[str]:
    """What is wrong with the openings of *games*, in which nothing else is."""
    examiner = LadderExaminer(SETTINGS)
    for record in games:
        examiner.check(record)
    return examiner.end()


def first(number: int, names: tuple[str, str], opening: str | None = None) -> Record:
    """The game *number* of two with a new opening, or with that of another key."""
    key = opening_key(names, str(number)) if opening is None else opening
    return conducted(table_of(SETTINGS, Pairing(number, names, 1, 1, opening=key)), number)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_what_a_ladder_has_played_passes_in_whatever_order_its_games_end(seed: int) -> None:
    assert not wrong(ladder_games(14, seed))


def test_a_return_passes_though_it_ends_before_its_first_game() -> None:
    game = first(1, ("zoe", "max"))
    answer = first(2, ("max", "zoe"), opening_key(("zoe", "max"), "1"))
    assert not wrong([game, answer])
    assert not wrong([answer, game])


@pytest.mark.parametrize("at", range(8))
def test_an_opening_that_was_chosen_is_found(at: int) -> None:
    games = ladder_games(8)
    number, (one, other) = games[at].game, (player.entry for player in games[at].players)
    games[at] = first(number, (one, other), "chosen")
    found = wrong(games)
    assert any(sentence.startswith(f"game {number}: expected the opening of") for sentence in found)


def test_an_opening_is_returned_once_only() -> None:
    key = opening_key(("zoe", "max"), "1")
    games = [first(1, ("zoe", "max")), *(first(n, ("max", "zoe"), key) for n in (2, 3))]
    (sentence,) = wrong(games)
    assert sentence.startswith("game 3: expected the opening of this game, or of one before it")


def test_an_opening_that_comes_again_from_the_same_seats_is_found() -> None:
    key = opening_key(("zoe", "max"), "1")
    (sentence,) = wrong([first(1, ("zoe", "max")), first(2, ("zoe", "max"), key)])
    assert sentence.startswith("game 2: ")


def test_an_opening_of_two_others_is_found() -> None:
    key = opening_key(("zoe", "max"), "1")
    (sentence,) = wrong([first(1, ("zoe", "max")), first(2, ("Ida", "zoe"), key)])
    assert sentence.startswith("game 2: ")


def test_a_return_of_a_later_game_is_none() -> None:
    key = opening_key(("zoe", "max"), "2")
    (sentence,) = wrong([first(1, ("max", "zoe"), key), first(2, ("zoe", "max"))])
    assert sentence.startswith("game 1: ")


def test_a_bot_that_plays_for_another_one_is_found() -> None:
    forged = with_bots(first(1, ("zoe", "max")), "zoe", "kim")
    with pytest.raises(RecordError, match=r"game 1, line 6: expected bots that play for themselve"):
        wrong([forged])


def test_a_bot_against_itself_is_found() -> None:
    record = first(1, ("zoe", "max"))
    players = tuple(replace(player, bot="zoe", entry="zoe") for player in record.players)
    with pytest.raises(RecordError, match="expected bots that play for themselves"):
        wrong([replace(record, players=players)])


def test_other_terms_than_those_of_the_file_are_found() -> None:
    other = settings_of(LADDER.replace(b'"2s"', b'"9s"'), "ladder.toml", league=True)
    record = conducted(table_of(other, Pairing(1, ("zoe", "max"), 1, 1, opening="max+zoe:1")), 1)
    with pytest.raises(RecordError, match="clock"):
        wrong([record])


def test_openings_that_are_alike_by_chance_are_returned_each_to_its_own() -> None:
    names = ("zoe", "max")
    drawn: dict[tuple[str, ...], int] = {}
    earlier, number = 0, 0
    while earlier >= number - 1:
        number += 1
        earlier = drawn.setdefault(tuple(opening_played(first(number, names))), number)
    key = opening_key(names, str(earlier))
    games = [first(earlier, names), first(number, names)]
    answers = [first(number + 1, names[::-1], key), first(earlier + 1, names[::-1], key)]
    assert not wrong([*games, *answers])
