"""Random plies before a game: the same for everybody who holds the event file."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma import Game
from sternhalma_server.opening import draw, number, opening_of, opening_paths


def test_a_number_is_the_first_eight_bytes_of_the_sha_256_of_its_seed() -> None:
    # sha256("abc"), from FIPS 180-2.
    assert number("abc") == 0xBA7816BF8F01CFEA


@given(st.text(max_size=20), st.integers(1, 200))
def test_a_draw_is_one_of_the_choices_and_depends_on_the_seed_alone(
    seed: str, choices: int
) -> None:
    assert 0 <= draw(seed, choices) < choices
    digest = hashlib.sha256(seed.encode()).digest()
    assert draw(seed, choices) == int.from_bytes(digest[:8]) % choices


def test_draws_fall_evenly() -> None:
    counts = Counter(draw(f"seed/{n}", 7) for n in range(7000))
    assert all(900 < counts[choice] < 1100 for choice in range(7))


@pytest.mark.parametrize("rules", ["tara", "duel", "corner+pairs", "halma13"])
def test_an_opening_is_legal_plies_written_in_full(rules: str) -> None:
    players = 4 if rules in {"corner+pairs", "halma13"} else 2
    start = game = Game.new(rules, players)
    paths = opening_paths(start, 12, "seed")
    for path in paths:
        game = game.play(path)
        assert game.last is not None
        assert game.format_move(game.last) == path
    assert game.ply == 13


def test_the_same_seed_gives_the_same_opening_and_another_another() -> None:
    game = Game.new("duel")
    assert opening_paths(game, 6, "a") == opening_paths(game, 6, "a")
    assert opening_paths(game, 6, "a") != opening_paths(game, 6, "b")


def test_a_longer_opening_begins_like_a_shorter_one() -> None:
    game = Game.new("duel")
    assert opening_paths(game, 6, "a")[:4] == opening_paths(game, 4, "a")


def test_no_plies_are_no_opening() -> None:
    assert opening_paths(Game.new("duel"), 0, "a") == ()


def test_an_opening_stops_before_it_would_end_the_game() -> None:
    assert len(opening_paths(Game.new("duel", limit=2), 50, "a")) == 3


def test_a_meeting_has_one_opening_in_an_event() -> None:
    game = Game.new("duel")
    paths = opening_of(game, 5, 2026, "max+zoe:1")
    assert paths == opening_paths(game, 5, "2026/opening/max+zoe:1")
    assert paths != opening_of(game, 5, 2026, "max+zoe:2")
    assert paths != opening_of(game, 5, 2027, "max+zoe:1")
