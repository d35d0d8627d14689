"""What a trial makes of its games: pairs in their order, one verdict, whatever ended first."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_tournament.scores import GameResult
from sternhalma_tournament.sprt import Sprt
from sternhalma_tournament.trial import Trial, TrialState
from sternhalma_tournament.trial_text import trial_json, trial_line, trial_markdown
from tournaments.results import game

TEST = Sprt(0, 100, 0.1, 0.1, "logistic")
PLACES = {2: (1, 2), 1: (1, 1), 0: (2, 1)}  # of the tested one, by its half points


def played(number: int, won: int | None) -> GameResult:
    """A game with swapped seats by turns, in which zoe has *won* half points; None: void."""
    entries = ("zoe", "max") if number % 2 else ("max", "zoe")
    if won is None:
        return game(number, entries, (0, 0), reason="aborted")
    places = PLACES[won]
    return game(number, entries, places if number % 2 else places[::-1])


def match(*halves: int | None) -> list[GameResult]:
    return [played(number, won) for number, won in enumerate(halves, start=1)]


def tried(results: list[GameResult], most: int = 200) -> TrialState:
    trial = Trial("zoe", "max", TEST, most)
    for result in results:
        trial.enter(result)
    return trial.state


def test_pairs_are_counted_by_the_half_points_of_the_tested_one() -> None:
    state = tried(match(0, 0, 0, 1, 1, 1, 2, 0, 2, 1, 2, 2))
    assert state.counts == (1, 1, 2, 1, 1)
    assert state.llr == TEST.llr((1, 1, 2, 1, 1))
    assert (state.pairs, state.verdict, state.uncounted) == (6, None, 0)


def test_a_pair_counts_once_all_before_it_are_over() -> None:
    games = match(2, 2, 1, 1, 0, 0)
    assert tried(games[:2] + games[4:]).counts == (0, 0, 0, 0, 1)
    assert tried(games[:2] + games[4:]).uncounted == 2
    assert tried(games).counts == (1, 0, 1, 0, 1)


def test_a_pair_with_a_void_game_is_left_out() -> None:
    state = tried(match(2, None, 1, 1))
    assert (state.counts, state.void, state.uncounted) == ((0, 0, 1, 0, 0), 1, 0)


WINS = match(*[2] * 60)


def test_who_wins_everything_is_accepted_as_the_stronger_one() -> None:
    state = tried(WINS)
    assert state.verdict == "H1"
    assert state.over


def test_who_loses_everything_is_not() -> None:
    assert tried(match(*[0] * 60)).verdict == "H0"


def test_games_behind_the_verdict_do_not_count() -> None:
    state = tried(WINS)
    at = 2 * state.pairs
    assert tried(WINS[:at]).verdict == "H1"
    assert tried(WINS[: at - 1]).verdict is None
    later = tried(WINS[:at] + match(*[0] * 100)[at:])
    assert (later.verdict, later.counts, later.llr) == ("H1", state.counts, state.llr)
    assert later.uncounted == 100 - at


@given(
    st.lists(st.sampled_from([0, 1, 2, 2, 2, None]), min_size=40, max_size=120),
    st.randoms(use_true_random=False),
)
def test_the_order_in_which_games_end_changes_nothing(
    halves: list[int | None], chance: Random
) -> None:
    games = match(*halves)
    mixed = list(games)
    chance.shuffle(mixed)
    assert tried(mixed) == tried(games)


def test_a_trial_that_was_not_decided_is_over_when_all_pairs_are() -> None:
    state = tried(match(1, 1, 2, 0), most=2)
    assert (state.verdict, state.over) == (None, True)
    assert trial_line(state).endswith("after 2 pairs, not decided")


def test_a_trial_that_goes_on_says_how_many_pairs_there_are_at_most() -> None:
    line = trial_line(tried(match(1, 1)))
    assert line.startswith("LLR ")
    assert line.endswith("(-2.20 to 2.20) after 1 pair, of 200 at most")


def test_the_section_says_what_is_tested_and_what_does_not_count() -> None:
    state = tried([*match(2, None, 2, 1), played(6, 2)])
    assert trial_markdown(state) == (
        "SPRT, is zoe stronger than max: H0 by 0, H1 by 100 (Elo), alpha 0.1, beta 0.1.\n"
        f"{trial_line(state)}.\n"
        "Left out: 1 pair with a void game.\n"
        "In the table and not in the test: 1 game ahead of a pair that is not over.\n"
        "\n"
        "| points of zoe in a pair |   0 |   ½ |   1 |  1½ |   2 |\n"
        "| ----------------------- | --: | --: | --: | --: | --: |\n"
        "| pairs                   |   0 |   0 |   0 |   1 |   0 |\n"
    )


def test_a_program_is_told_the_same() -> None:
    state = tried(WINS)
    facts = trial_json(state)
    assert (facts["verdict"], facts["pairs"], facts["counts"]) == (
        "H1",
        state.pairs,
        state.counts,
    )
    assert float(facts["llr"]) == pytest.approx(state.llr, abs=1e-4)
    assert "H1 is accepted" in trial_markdown(state)
