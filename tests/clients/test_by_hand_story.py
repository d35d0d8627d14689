"""What has happened in a game, from what the server tells of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sternhalma
from sternhalma_bot.by_hand.replay import Replay
from sternhalma_bot.by_hand.story import Story
from sternhalma_bot.messages import Game, Moved, Out
from sternhalma_bot.protocol import ProtocolError

DUEL = Game("7", "duel", "A", (("A", "you"), ("D", "max")), limit=200, at_limit="share")
THREE = Game("7", "corner", "A", (("A", "you"), ("C", "ida"), ("E", "kim")))


def played(plies: int, seed: int) -> Story:
    """The story of a game of three by chance, in which C goes out before the fifth ply."""
    rng = random.Random(seed)
    story = Story.of(THREE)
    for _ in range(plies):
        game = story.now
        if game.ply == 5 and len(game.position.active) == 3:
            story = story.out(Out("7", "C", "time"))
            continue
        assert game.turn is not None
        path = game.format_move(game.resolve(rng.choice(game.legal_moves())))
        story = story.moved(Moved("7", game.ply, story.letters[game.turn], path))
    return story


def test_a_story_has_the_game_after_each_move() -> None:
    story = Story.of(DUEL).moved(Moved("7", 1, "A", "d5-e5"))
    assert str(story.now) == str(sternhalma.Game.new("duel").play("d5-e5"))
    assert [(step.ply, step.seat, step.path) for step in story.steps] == [(1, "A", "d5-e5")]


@pytest.mark.parametrize(
    "told", [Moved("7", 2, "D", "n13-m13"), Moved("7", 1, "A", "a5-e9"), Moved("7", 1, "A", "x")]
)
def test_a_move_that_does_not_fit_waits_for_the_next_position(told: Moved) -> None:
    story = Story.of(DUEL)
    assert story.moved(told) is story


@pytest.mark.parametrize("seat", ["A", "B"])
def test_a_seat_goes_out_once_and_only_if_it_is_there(seat: str) -> None:
    story = Story.of(THREE).out(Out("7", "A", "time"))
    assert story.out(Out("7", seat, "time")) is story


@given(st.integers(0, 12), st.integers(0, 5), st.integers(0, 12))
@settings(max_examples=30, deadline=None)
def test_a_position_of_the_story_cuts_it_there(plies: int, seed: int, at: int) -> None:
    story = played(plies, seed)
    games = [story.start, *(step.after for step in story.steps)]
    wanted = games[at % len(games)]
    assert str(story.at(str(wanted)).now) == str(wanted)
    earlier = Story.of(THREE).at(str(wanted), [story])
    assert str(earlier.now) == str(wanted)
    assert earlier.steps == story.steps[: len(earlier.steps)]


def test_an_unknown_position_begins_the_story_anew() -> None:
    there = sternhalma.Game.new("duel").play("d5-e5").play("n13-m13")
    story = Story.of(DUEL).at(str(there))
    assert (str(story.now), story.steps, story.now.terms.limit) == (str(there), (), 200)


def test_plies_that_nobody_chose_are_nobodys() -> None:
    story = Story.of(DUEL).moved(Moved("7", 1, "A", "d5-e5", by="opening"))
    story = story.moved(Moved("7", 2, "D", "n13-m13")).moved(Moved("7", 3, "A", "e5-f5"))
    assert story.plies_of("A") == [3]
    assert story.plies_of("D") == [2]


@pytest.mark.parametrize("game", [Game("7", "chess", "A", DUEL.seats), Game("7", "duel", "A")])
def test_a_game_that_nobody_can_play_is_the_servers_fault(game: Game) -> None:
    with pytest.raises(ProtocolError, match="expected a game that can be played: expected "):
        Story.of(game)


@given(st.integers(0, 12), st.integers(0, 5), st.integers(-1, 14))
@settings(max_examples=30, deadline=None)
def test_a_number_leads_to_the_last_step_of_its_ply(plies: int, seed: int, number: int) -> None:
    story = played(plies, seed)
    replay = Replay(story).to(number)
    assert replay.ply == min(max(number, 0), replay.last_ply)
    assert replay.shown == len(story.steps) or replay.next().ply > replay.ply


@given(st.integers(1, 12), st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_as_many_steps_back_as_forth_are_the_start(plies: int, seed: int) -> None:
    replay = Replay(played(plies, seed))
    for _ in range(plies):
        replay = replay.next()
    assert str(replay.game) == str(replay.story.now)
    assert replay.next() == replay
    for _ in range(plies):
        replay = replay.back()
    assert replay == Replay(replay.story)
    assert replay.back() == replay
