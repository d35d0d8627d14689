"""Why a program has lost on time, in words for whoever wrote it.

A bridge hands on whole lines only, so the server never learns of half a line, and says nothing of
it. Only here is it known what the program had written by then.
"""

from __future__ import annotations

from typing import Final

from sternhalma_bot.messages import Message, Out, Over

SHOWN: Final = 120  # characters of what was written


def lost_on_time(message: Message, seat: str | None) -> bool:
    """Whether *message* says that *seat* has run out of time."""
    match message:
        case Over(reason="time") | Out(reason="time"):
            return seat is not None and message.seat == seat
        case _:
            return False


def why_late(answer: bytes, unended: bytes, *, has_spoken: bool) -> str:
    """What the program did with its last turn.

    It gave *answer* (empty: none), had written *unended* of a line without its end, and
    `has_spoken` is whether any whole line came since it was asked.

    >>> why_late(b"", b"move 1 1 c5-e5", has_spoken=False)
    "the program had written 'move 1 1 c5-e5' without a line feed"
    """
    if answer:
        return f"the program's answer, {_quoted(answer)}, came too late"
    if unended:
        return f"the program had written {_quoted(unended)} without a line feed"
    if has_spoken:
        return "the program had written lines, but none of them answers this turn"
    return "nothing came from the program; does it flush its output after each line?"


def _quoted(data: bytes) -> str:
    text = data.decode("utf-8", "replace").rstrip("\r\n")
    return ascii(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
