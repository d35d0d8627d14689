"""Charts as SVG: what is high stands high, and nothing of a name is taken for markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.charts import (
    Dated,
    Interval,
    Spent,
    history_chart,
    interval_chart,
    time_chart,
)

SVG = "{http://www.w3.org/2000/svg}"
MS = 1_000_000
texts = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))
elos = st.none() | st.floats(-9000, 9000)


def heights(svg: str, seat: str) -> list[float]:
    """How high the bars of *seat* are."""
    (drawn,) = re.findall(rf'class="bars {seat}"[^>]* d="([^"]*)"', svg)
    strokes = re.findall(r"M[\d.]+ (\d+)V([\d.]+)", drawn)
    return [int(base) - float(top) for base, top in strokes]


def test_a_move_of_ten_times_the_time_is_one_line_higher() -> None:
    spent = [Spent(1, "A", MS), Spent(3, "A", 10 * MS), Spent(5, "A", 100 * MS)]
    low, middle, high = heights(time_chart(spent, {"A": "zoe"}, 5), "a")
    assert low < middle < high
    assert abs((high - middle) - (middle - low)) <= 1.0


def test_each_seat_has_a_lane_of_its_own() -> None:
    seats = {"A": "zoe", "D": "max"}
    svg = time_chart([Spent(1, "A", MS), Spent(2, "D", 2 * MS)], seats, 2)
    bases = re.findall(r'd="M[\d.]+ (\d+)V', svg)
    assert len(set(bases)) == 2


def test_a_flag_that_fell_is_named() -> None:
    assert "flag fell" in time_chart([Spent(1, "A", MS, fell=True)], {"A": "zoe"}, 1)
    assert "flag fell" not in time_chart([Spent(1, "A", MS)], {"A": "zoe"}, 1)


def test_without_times_and_without_ratings_there_is_no_chart() -> None:
    assert time_chart([Spent(1, "A", 0)], {"A": "zoe"}, 1) == ""
    assert interval_chart([Interval("zoe", None, None, None)], "ratings", "r") == ""


def test_the_stronger_bot_stands_further_right() -> None:
    rows = [Interval("zoe", 1600.0, 1500.0, 1700.0), Interval("max", 1400.0, 1300.0, 1500.0)]
    svg = interval_chart(rows, "ratings", "r")
    zoe, best = map(float, re.findall(r'class="dot" cx="([\d.]+)"', svg))
    assert zoe > best
    spans = re.findall(r'class="span" d="M([\d.]+) \d+H([\d.]+)"', svg)
    assert all(
        float(low) < dot < float(high) for (low, high), dot in zip(spans, (zoe, best), strict=True)
    )


def test_an_interval_without_a_bound_is_drawn_as_open() -> None:
    rows = [Interval("zoe", 100.0, 50.0, None), Interval("max", 0.0, -50.0, 50.0)]
    assert interval_chart(rows, "ratings", "r").count('class="span open"') == 1


@given(st.lists(st.builds(Interval, texts, elos, elos, elos)), texts)
def test_any_ratings_and_names_make_a_whole_chart(rows: list[Interval], title: str) -> None:
    svg = interval_chart(rows, title, "r")
    if svg:
        root = ElementTree.fromstring(svg)
        named = [one.text or "" for one in root.iter(f"{SVG}text") if one.get("class") == "name"]
        assert named == [row.name for row in rows]
        for dot in root.iter(f"{SVG}circle"):
            assert 0 <= float(dot.get("cx", "")) <= 480


@given(st.lists(st.integers(0, 10**13), min_size=1), texts)
def test_any_times_and_names_make_a_whole_chart(times: list[int], bot: str) -> None:
    spent = [Spent(ply, "A", time) for ply, time in enumerate(times, start=1)]
    svg = time_chart(spent, {"A": bot}, len(times))
    if svg:
        root = ElementTree.fromstring(svg)
        assert root.findtext(f"{SVG}desc") == f"A is {bot}"
        assert all(0 < height <= 59 for height in heights(svg, "a"))


def test_a_rating_that_rises_goes_up_and_what_came_later_stands_further_right() -> None:
    rows = [
        Dated(0.0, "then", 1400.0, 1300.0, 1500.0),
        Dated(60.0, "later", 1500.0, 1450.0, 1550.0),
        Dated(100.0, "now", 1650.0, None, None),
    ]
    svg = history_chart(rows, "over time", "h")
    dots = [
        (float(x), float(y)) for x, y in re.findall(r'class="dot" cx="([\d.]+)" cy="([\d.]+)"', svg)
    ]
    assert [x for x, _ in dots] == sorted({x for x, _ in dots})
    assert [y for _, y in dots] == sorted({y for _, y in dots}, reverse=True)
    spans = re.findall(r'd="M[\d.]+ ([\d.]+)V([\d.]+)"', svg)
    assert all(
        float(high) < y < float(low) for (low, high), (_, y) in zip(spans, dots, strict=True)
    )
    assert svg.count("span open") == 1
    assert "then" in svg
    assert "now" in svg


def test_one_rating_is_no_history() -> None:
    assert history_chart([Dated(0.0, "then", 1400.0, None, None)], "over time", "h") == ""
    assert history_chart([], "over time", "h") == ""


@given(st.lists(st.tuples(st.floats(0, 1e9), elos, elos, elos), max_size=6), texts)
def test_a_history_is_well_formed_whatever_is_in_it(
    rows: list[tuple[float, float | None, float | None, float | None]], title: str
) -> None:
    times = sorted(row[0] for row in rows)
    dated = [Dated(at, title, *row[1:]) for at, row in zip(times, rows, strict=True)]
    svg = history_chart(dated, title, "h")
    if svg:
        root = ElementTree.fromstring(svg)
        assert root.find(f"{SVG}title") is not None
