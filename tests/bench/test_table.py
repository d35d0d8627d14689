"""The table that is printed."""

from bench.table import Row, each, format_table


def test_figures_stand_below_each_other() -> None:
    table = format_table("title", "times", [Row("a", "1 us", "2.0"), Row("b", "100 us")])
    title, first, second = table.splitlines()
    assert title.startswith("title ")
    assert title.endswith("times")
    assert first.index("1 us") + 4 == second.index("100 us") + 6
    assert first.endswith("2.0")
    assert title.index("times") == first.index("2.0")


def test_a_time_is_told_with_its_rate() -> None:
    assert each(0.000_01) == "10.00 us   100,000 /s"
