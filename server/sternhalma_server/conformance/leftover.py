"""What a bot said in a game and had begun for another: no play of this game brings it about again.

Whoever loses by time answers all the same, a second later: that line stands in the transcript of
its next game, and answers nothing there. What was said too early or too late depends on how fast
everybody was. So a bot at home may say such a line again, and need not.
"""

from __future__ import annotations

from collections.abc import Sequence

from sternhalma_server.conversation import Conversation, Utterance
from sternhalma_server.wire import MoveMade, WireError, parse_message, quote

_NOTED = ("note early ", "note stale ")


def leftovers(conversation: Conversation) -> frozenset[int]:
    """The places of the lines of the bot that answered nothing; none where no game is named: what
    was written by hand is meant as it is written."""
    if "game" not in conversation.head:
        return frozenset()
    lines = conversation.lines
    asked: list[str] = []
    found: set[int] = set()
    for place, one in enumerate(lines):
        words = one.text.split(" ")
        if one.side == "S" and words[0] == "turn":
            asked = words[1:3]
        elif one.side == "B" and (move := _move(one.text)) is not None:
            is_answer = [move.game, str(move.ply)] == asked and not _is_noted(lines[place + 1 :])
            if not is_answer:
                found.add(place)
    return frozenset(found)


def begun_before(expected: str, came: str, game: str | None) -> str | None:
    """What stood in front of *came* in the line *expected*, in words; None if that is not all the
    difference.

    It had come without a line feed, so that the next line was taken for the rest of it. *game* is
    the one that the conversation is of, None if none is named.
    """
    front = expected.removesuffix(came)
    if game is None or not came or front in {"", expected}:
        return None
    words = front.split(" ")
    whose = words[1] if words[0] == "move" and len(words) > 2 else game
    left = "" if whose == game else f" was left over from game {whose} and"
    return f"{quote(front, 60)} in front of it{left} had come without a line feed"


def _move(text: str) -> MoveMade | None:
    try:
        message = parse_message(text)
    except WireError:
        return None
    return message if isinstance(message, MoveMade) else None


def _is_noted(behind: Sequence[Utterance]) -> bool:
    """Whether the next line of the server is a note that the line answered nothing."""
    following = next((one.text for one in behind if one.side == "S"), "")
    return following.startswith(_NOTED)
