"""What ratings were after so many games, told from the games alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from server.kept_league import CHARTER, cup_games, keep_league, ladder_games
from sternhalma_server.archive import STORE
from sternhalma_server.pages.history import History
from sternhalma_server.pages.summary import Summary, summary_of
from sternhalma_server.rated import RatedGame, rated_games
from sternhalma_server.store import Store
from sternhalma_server.yearbook import rated_in
from sternhalma_tournament.charter import parse_charter

CHARTER_ = parse_charter(CHARTER, "league.toml")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[RatedGame], list[Summary], Path]:
    """The games of a league, what its events come to, and its folder."""
    root = tmp_path_factory.mktemp("league") / "club"
    keep_league(root, ladder_games(20), cup_games())
    with Store.read(root / STORE) as store:
        events = store.events()
        games = list(rated_games(store, [event.name for event in events]))
        return games, [summary_of(store, event) for event in events], root


Told = tuple[Sequence[RatedGame], list[Summary], Path]


def test_the_last_moment_is_what_the_ratings_are_now(told: Told) -> None:
    games, summaries, root = told
    moments = History(CHARTER_).moments(games, summaries)
    with Store.read(root / STORE) as store:
        rated = rated_in(store, CHARTER_)
    assert rated is not None
    rows = {row.name: row for row in rated[1].rows}
    for rating in moments[-1].ratings.values():
        assert rating.rating == pytest.approx(rows[rating.name].rating)
        assert rating.games == rows[rating.name].games


def test_moments_go_on_in_time_and_know_only_what_was_before(told: Told) -> None:
    games, summaries, _ = told
    moments = History(CHARTER_).moments(games, summaries)
    assert [moment.games for moment in moments] == [8, 14, 25, len(games)]
    assert [moment.at for moment in moments] == sorted(moment.at for moment in moments)
    first = sum(rating.games for rating in moments[0].ratings.values())
    assert first == 2 * moments[0].games


def test_what_was_fitted_once_is_kept_until_a_ruling_changes_it(told: Told) -> None:
    games, summaries, _ = told
    history = History(CHARTER_)
    before = history.moments(games, summaries)
    again = history.moments(games, summaries)
    assert all(one is other for one, other in zip(before, again, strict=True))
    ruled = [
        replace(game, places=(1, 2) if game.sides[0] < game.sides[1] else (2, 1)) for game in games
    ]
    after = history.moments(ruled, summaries)
    assert all(one.ratings != other.ratings for one, other in zip(before, after, strict=True))


def test_without_games_there_is_no_moment() -> None:
    assert History(CHARTER_).moments([], []) == []
