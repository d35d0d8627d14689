"""How often a bot came back into the turn that it was lost in, as the store has it.

A bot that crashes at a question and is started again comes back, is asked again and crashes again;
to say of it that it stayed away would be untrue. What happened to the game is in its record; this
stands behind the last line that the seat had said.
"""

from __future__ import annotations

import re
from typing import Final

_TEXT: Final = re.compile(r"<came back: ([1-9][0-9]{0,8})>")


def format_comebacks(number: int) -> str:
    """What is kept in the place of a line; `comebacks` reads it back."""
    return f"<came back: {number}>"


def comebacks(said: str, seat: str) -> int:
    """How often *seat*, a letter, had come back when it was lost; *said* are the raw lines of the
    seats as the store has them."""
    for line in reversed(said.splitlines()):
        speaker, _, text = [*line.split(" ", 2), "", ""][:3]
        if speaker == seat:
            found = _TEXT.fullmatch(text)
            return int(found[1]) if found else 0
    return 0
