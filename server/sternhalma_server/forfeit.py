"""Why a seat went out, where no clock was to blame: in the words that its bot was told, and more.

The record has the line, and what is wrong with it follows from the position; of a connection that
ended it has how long was waited for another one that brings an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sternhalma_server.clock import milliseconds
from sternhalma_server.comeback import comebacks
from sternhalma_server.explanation import explain
from sternhalma_server.record import Out
from sternhalma_server.telling import Telling, unfinished
from sternhalma_server.timing import length
from sternhalma_server.verdict import Reason
from sternhalma_tournament.text import counted


def sentences_of(telling: Telling, out: Out, said: str = "") -> list[str]:
    """Why *out*, which is told of in *telling*, came about; none where its reason says all.

    *said* are the raw lines of the seats as the store has them.
    """
    match out.reason:
        case Reason.ILLEGAL | Reason.MALFORMED:
            return [] if out.line is None else explain(_before(telling, out).game, out.line)
        case Reason.DISCONNECT:
            return list(_gone(telling, out, said))
        case _:
            return []


def title_of(telling: Telling, out: Out) -> str:
    """What is to be said: who went out, by what, and when."""
    bot = next(player.bot for player in telling.record.players if player.seat == out.seat)
    return f"why {out.seat} {bot} went out by {out.reason} at ply {out.ply}"


def _before(telling: Telling, out: Out) -> Telling:
    """The game as it stood when *out* came about."""
    happened = telling.record.happened
    before = happened[: happened.index(out)]
    return replace(telling, record=replace(telling.record, happened=before), upto=None)


def _gone(telling: Telling, out: Out, said: str) -> Iterator[str]:
    keys = dict(out.evidence)
    if out.line is not None:
        yield f"It had said that it leaves: {out.line}"
        return
    if "sent" in keys:
        yield f"It was asked at {telling.since(keys['sent'])} s."
    then = ""
    if "waited" in keys:
        then = f"{milliseconds(length(keys['waited']))} ms after the question "
    yield f"Its connection ended, and {then}no answer had come over any other."
    back = comebacks(said, out.seat)
    if back:
        yield f"It came back {counted(back, 'time')} in that turn and never answered."
    begun = unfinished(telling, said, out.seat)
    if begun is not None:
        yield unended_text(telling, keys, begun)


def unended_text(telling: Telling, keys: Mapping[str, str], begun: tuple[str, str]) -> str:
    """What had come of a line, *begun*, and when; *keys* are the evidence for who went out."""
    at, text = begun
    is_early = "sent" in keys and float(at) < float(telling.since(keys["sent"]))
    early = ", before it was asked" if is_early else ""
    return f"This had come at {at} s{early}, and the line feed never: {text}"
