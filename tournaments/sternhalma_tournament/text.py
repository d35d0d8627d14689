"""Numbers and names as tables show them, and the layout of a table that is readable as it is."""

import unicodedata
from collections.abc import Sequence
from fractions import Fraction


def points_text(points: Fraction) -> str:
    """Points with the half as people write it.

    >>> points_text(Fraction(15, 2)), points_text(Fraction(1, 2)), points_text(Fraction(3))
    ('7½', '½', '3')
    """
    whole, half = divmod(points * 2, 2)
    return (f"{whole or ''}½") if half else str(whole)


def points_text_of_half(half_points: int) -> str:
    """`points_text` of a number of half points."""
    return points_text(Fraction(half_points, 2))


def decimal_text(value: Fraction) -> str:
    """An exact decimal for halves and quarters, two places for anything else.

    >>> decimal_text(Fraction(215, 4)), decimal_text(Fraction(7, 2)), decimal_text(Fraction(5))
    ('53.75', '3.5', '5')
    """
    # Rounded as a fraction: a float could tip over at the second place.
    hundredths = round(value * 100)
    whole, rest = divmod(abs(hundredths), 100)
    text = f"{whole}.{rest:02}".rstrip("0").rstrip(".")
    return f"-{text}" if hundredths < 0 else text


def counted(number: int, noun: str, many: str | None = None) -> str:
    """A number of things in words; *many* is the plural of a noun that does not take an `s`.

    >>> counted(1, "game"), counted(0, "game"), counted(2, "ply", "plies")
    ('1 game', '0 games', '2 plies')
    """
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"


def fixed_text(value: float | None, decimals: int) -> str:
    """*value* with so many decimals, never a zero with a sign; nothing for None."""
    return "" if value is None else f"{round(value, decimals) + 0.0:.{decimals}f}"


def percent_text(share: float | None) -> str:
    """A share of 0 to 1 in percent; nothing for None."""
    return "" if share is None else f"{fixed_text(100 * share, 1)} %"


def interval_text(low: float | None, high: float | None) -> str:
    """Bounds in Elo; nothing for what is not bounded, and for an anchor, whose rating was given."""
    if low is None or high is None or low == high:
        return ""
    return f"{fixed_text(low, 0)} to {fixed_text(high, 0)}"


def cell_text(text: str) -> str:
    """*text* as one cell of a Markdown table: one line, and no bar that would end the cell."""
    line = "".join(" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text)
    return " ".join(line.split(" ")).replace("\\", "\\\\").replace("|", "\\|")


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    """An aligned Markdown table, a line feed after each line; *align*: l or r for each column."""
    cells = [[cell_text(cell) for cell in row] for row in (head, *rows)]
    widths = [max(3, *(_width(row[i]) for row in cells)) for i in range(len(head))]
    rule = [
        ("-" * (w - 1) + ":") if a == "r" else "-" * w for w, a in zip(widths, align, strict=True)
    ]
    lines = [[_pad(c, w, a) for c, w, a in zip(row, widths, align, strict=True)] for row in cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in (lines[0], rule, *lines[1:]))


def _pad(text: str, width: int, align: str) -> str:
    space = " " * (width - _width(text))
    return space + text if align == "r" else text + space


def _width(text: str) -> int:
    """Columns of a terminal: wide letters take two, combining marks none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
