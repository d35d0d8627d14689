"""Tables in Markdown, taken apart again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sternhalma_server.sheet import Grid, Line, parse_sheet
from sternhalma_tournament.text import markdown_table

cells = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])).map(str.strip)


@given(st.lists(st.tuples(cells, cells), min_size=1))
def test_a_table_comes_back_as_it_was_written(rows: list[tuple[str, str]]) -> None:
    (grid,) = parse_sheet(markdown_table(["entry", "points"], rows, "lr"))
    assert grid == Grid(("entry", "points"), (False, True), tuple(rows))


def test_lines_between_tables_keep_their_order_and_their_kind() -> None:
    text = "# zoe\n\n- rank 1\n12 games\n\n| a |\n| --- |\n| 1 |\n"
    assert list(parse_sheet(text)) == [
        Line("zoe", "#"),
        Line(""),
        Line("rank 1", "-"),
        Line("12 games"),
        Line(""),
        Grid(("a",), (False,), (("1",),)),
    ]
