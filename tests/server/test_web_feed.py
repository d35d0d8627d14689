"""Viewers are told the latest of what has changed, and no more than that."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.web.feed import KEPT, Feed
from sternhalma_server.web.pace import WINDOW, Pace, progress
from sternhalma_server.web.places import Place, place_of

things = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), max_size=6)


class Viewer:
    """What a page shows by what it was told."""

    def __init__(self) -> None:
        self.known: int | None = None
        self.shown: dict[str, Any] = {}
        self.heard: list[str] = []

    def hear(self, feed: Feed) -> None:
        told = feed.since(self.known)
        self.known = feed.version
        if told is None:
            return
        self.heard.append(told)
        message = json.loads(f"{{{told}}}")
        if message["whole"]:
            self.shown = {}
        self.shown |= message["things"]
        self.shown = {key: thing for key, thing in self.shown.items() if thing is not None}


@given(st.lists(st.tuples(things, st.booleans()), max_size=20))
def test_a_viewer_shows_what_there_is_however_seldom_it_was_told(
    states: list[tuple[dict[str, int], bool]],
) -> None:
    feed, viewer = Feed(), Viewer()
    latest: dict[str, int] = {}
    for latest, looks in states:
        feed.update(latest)
        if looks:
            viewer.hear(feed)
            assert viewer.shown == latest
    viewer.hear(feed)
    assert viewer.shown == latest


def test_a_viewer_is_told_only_what_is_new() -> None:
    feed, viewer = Feed(), Viewer()
    feed.update({"a": 1, "b": 2})
    viewer.hear(feed)
    assert not feed.update({"a": 1, "b": 2})
    assert feed.since(viewer.known) is None
    feed.update({"a": 1, "b": 3})
    feed.update({"a": 1, "b": 4})
    viewer.hear(feed)
    assert viewer.heard[-1] == '"whole":false,"things":{"b":4}'


def test_viewers_who_know_the_same_are_told_the_same_text() -> None:
    feed = Feed()
    feed.update({"a": 1})
    assert feed.since(None) is feed.since(None)
    assert "a" in feed


def test_who_was_away_for_long_is_told_everything_anew() -> None:
    feed, viewer = Feed(), Viewer()
    feed.update({"old": 1})
    viewer.hear(feed)
    for number in range(KEPT + 2):
        feed.update({f"game {number}": 1})
    viewer.hear(feed)
    assert '"whole":true' in viewer.heard[-1]
    assert viewer.shown == {f"game {KEPT + 1}": 1}


def test_the_end_is_expected_by_how_fast_games_have_ended() -> None:
    pace = Pace()
    pace.see(100.0, 10)
    assert pace.left(101.0, 20) is None
    pace.see(120.0, 12)
    assert pace.left(120.0, 20) == 80.0
    assert Pace().left(0.0, 5) is None


def test_only_what_was_lately_counts_for_the_end() -> None:
    pace = Pace()
    for second in range(0, int(2 * WINDOW), 10):
        pace.see(float(second), second // 10)  # a game in ten seconds
    now = 2 * WINDOW
    for second in range(int(WINDOW)):
        pace.see(now + second, int(WINDOW / 5) + second)  # and then one each second
    left = pace.left(now + WINDOW, int(WINDOW / 5) + int(WINDOW) + 60)
    assert left == pytest.approx(61, abs=3)


NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ((3, 10, 2, None), "3 of 10 games over, 2 running"),
        ((3, None, 2, None), "3 games over, 2 running"),
        ((3, 10, None, 60.0), "3 of 10 games over; no server plays on now"),
        (
            (3, 10, 2, 400.0),
            "3 of 10 games over, 2 running; the end is expected in 7 minutes, about 12:06 UTC",
        ),
        (
            (3, 10, 2, timedelta(days=2).total_seconds()),
            (
                "3 of 10 games over, 2 running; the end is expected in 48.0 hours,"
                " about 12:00 UTC on 2026-12-02"
            ),
        ),
        ((10, 10, 0, 0.0), "10 of 10 games over, 0 running"),
    ],
)
def test_how_far_an_event_is_is_a_sentence(
    facts: tuple[int, int | None, int | None, float | None], sentence: str
) -> None:
    assert progress(*facts, NOON) == sentence


@pytest.mark.parametrize(
    ("path", "league", "place"),
    [
        ("", False, Place("index")),
        ("index.html", False, Place("index")),
        ("games/index.html", False, Place("games")),
        ("games/list-2.html", False, Place("games", number=2)),
        ("events/cup/games/list-1.html", True, Place("games", "cup", number=1)),
        ("games/list-0.html", False, None),
        ("games/000012.html", False, Place("game", number=12)),
        ("games/000012.txt", False, Place("record", number=12)),
        ("bots/b_2e_4.html", False, Place("entry", name="b_2e_4")),
        ("index.html", True, Place("league")),
        ("bots/zoe.html", True, Place("bot", name="zoe")),
        ("events/cup/index.html", True, Place("index", "cup")),
        ("events/cup/", True, Place("index", "cup")),
        ("events/cup/games/1000000.html", True, Place("game", "cup", number=1_000_000)),
        ("events/cup/bots/zoe.html", True, Place("entry", "cup", "zoe")),
        ("games/12.html", False, None),
        ("games/000012.html/x", False, None),
        ("bots/../secret.html", False, None),
        ("../index.html", False, None),
        ("store.sqlite", False, None),
        ("games/index.html", True, None),
        ("events/cup/store.sqlite", True, None),
        ("events/a/events/b/index.html", True, None),
    ],
)
def test_an_address_names_a_page_or_nothing(
    path: str, *, league: bool, place: Place | None
) -> None:
    assert place_of(path, league=league) == place
