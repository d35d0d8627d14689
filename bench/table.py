"""The bench's table: one figure a row, and beside it the ratio to what it is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_WIDTH: Final = 62


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: what it is, its text with the unit, and the ratio where there is one."""

    what: str
    figure: str
    ratio: str = ""


def format_table(title: str, ratio: str, rows: Sequence[Row]) -> str:
    """A section of the table; *ratio* names what the ratios are to."""
    wide = max(len(row.figure) for row in rows)
    lines = [f"{title:{_WIDTH}}  {'':{wide}}  {ratio}"]
    lines += [f"  {row.what:{_WIDTH - 2}}  {row.figure:>{wide}}  {row.ratio}" for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def each(seconds: float) -> str:
    """A time for each and how many a second, as text.

    >>> each(0.0000125)
    '12.50 us    80,000 /s'
    """
    return f"{1e6 * seconds:.2f} us {1 / seconds:>9,.0f} /s"
