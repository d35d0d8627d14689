"""What people call themselves: hostile input, made fit to stand on other people's pages.

It is escaped wherever it is shown, as everything is. Here goes what escaping does not help against:
signs that turn the text around them, that are not seen, or that fill the page.
"""

from __future__ import annotations

import unicodedata
from typing import Final

LONGEST: Final = 24  # characters of a name
_MARKS: Final = 2  # combining marks in a row, at most


def clean_name(typed: str, default: str) -> str:
    """The name that was *typed*, or the *default* where nothing of it is left.

    >>> clean_name("  Zoë \\u202e x\\n", "A"), clean_name("\\u200b", "player A")
    ('Zoë x', 'player A')
    """
    kept: list[str] = []
    marks = 0
    for sign in unicodedata.normalize("NFC", typed[: 8 * LONGEST]):
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind.startswith("M") else 0
        if kind.startswith("Z") or sign in "\t\r\n":
            kept.append(" ")
        elif not kind.startswith("C") and marks <= _MARKS:
            kept.append(sign)
    return " ".join("".join(kept).split())[:LONGEST].strip() or default
