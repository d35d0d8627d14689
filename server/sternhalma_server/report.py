"""A game told to people: who, by which rules, how it went move by move, and why it ended so.

Whoever has lost by time wants to see how it was measured. So each move is shown with when it was
asked for and answered, and a fall by time with the evidence for it: what was asked, how long there
was, and what came when.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sternhalma_server.clock import milliseconds
from sternhalma_server.drawing import draw
from sternhalma_server.explanation import FLUSHES
from sternhalma_server.forfeit import sentences_of, title_of, unended_text
from sternhalma_server.record import Draw, Out, Ply, Record, Slip
from sternhalma_server.telling import Telling, spoken, unfinished, wall
from sternhalma_server.timing import credit_left, length, moment
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment, sentence_of
from sternhalma_tournament.text import counted

BECAUSE: Final[Mapping[Reason, str]] = {
    Reason.GOAL: "enough players have filled their targets",
    Reason.PROGRESS: "the turn limit was reached, or everybody passed; placed by progress",
    Reason.SHARE: "the turn limit was reached, or everybody passed; those unfinished are level",
    Reason.AGREEMENT: "all agreed on a draw",
    Reason.RESIGN: "a player resigned",
    Reason.ILLEGAL: "a move broke the rules of the game",
    Reason.MALFORMED: "a line could not be read as any message",
    Reason.TIME: "a clock ran out",
    Reason.DISCONNECT: "a connection ended, and no answer came over another in time",
    Reason.FLOOD: "too many lines that were not asked for",
    Reason.NO_START: "a player was not there to begin with",
    Reason.SERVER_FAULT: "the server failed; void, counts for nobody",
    Reason.ABORTED: "broken off; void, counts for nobody",
}

_SHOWN_BEFORE_A_FALL: Final = 5  # moves of the seat that fell
MOVES_HEAD: Final = (
    "ply",
    "seat",
    "move",
    "charged",
    "left",
    "credit",
    "late",
    "asked",
    "answered",
)
FALL_HEAD: Final = ("ply", "asked", "answered", "took", "credit", "charged", "left", "late")
_UNTOLD: Final = "The record does not say how long it was waited for."
_NOTE: Final = (
    "Time counts from when the question was handed to the network to when the answer's packet",
    "arrived; how late the server then read it is not in it.",
)
LEFT_ALIGNED: Final = frozenset({"seat", "move"})


@dataclass(frozen=True, slots=True)
class Fall:
    """Why a seat has lost by time: a title, the rows under `FALL_HEAD`, and sentences.

    `note` is what holds of every such time, one sentence in lines.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]
    note: tuple[str, ...] = ()


def report(
    telling: Telling,
    rulings: Sequence[Amendment] = (),
    *,
    board: bool = False,
    said: str = "",
) -> list[str]:
    """The lines of the report, with the *board* as it stood if that is wanted.

    *rulings* are those of the host that change what the game counts, in their order; *said* are the
    raw lines of the seats as the store has them. Raises `ValueError` for a record whose moves or
    times cannot be read.
    """
    lines = [*_opening(telling, rulings), "", *_list(telling)]
    for out in telling.happened:
        if not isinstance(out, Out):
            continue
        if out.reason is Reason.TIME:
            fall = fall_of(telling, out, said)
            table = _columns(FALL_HEAD, fall.rows)
            lines += ["", f"{fall.title}:", *table, *fall.sentences, *fall.note]
        elif sentences := sentences_of(telling, out, said):
            lines += ["", f"{title_of(telling, out)}:", *sentences]
    if board or telling.upto is not None:
        lines += ["", *_standing(telling, board=board)]
    return lines


def said_lines(telling: Telling, said: str) -> list[str]:
    """The raw lines of the seats, *said* as the store has them, with when they came."""
    lines = spoken(telling, said)
    width = max((len(at) for at, _, _ in lines), default=0)
    return [f"{at:>{width}} {seat} {text}".rstrip() for at, seat, text in lines]


def _opening(telling: Telling, rulings: Sequence[Amendment]) -> Iterator[str]:
    """Who plays, by which rules, how it ended, and what was ruled about it."""
    record = telling.record
    yield f"game {record.game} of {record.event}: {terms_text(record)}"
    outs = {out.seat: out for out in record.happened if isinstance(out, Out)}
    for player, place in zip(record.players, record.places, strict=True):
        version = f" {player.version}" if player.version else ""
        entry = f" for {player.entry}" if player.entry != player.bot else ""
        placed = f", place {place}" if place else ""
        out = outs.get(player.seat)
        fell = f", out at ply {out.ply} by {out.reason}" if out else ""
        yield f"{player.seat} {player.bot}{version}{entry}{placed}{fell}"
    yield ending_text(telling)
    for ruling in rulings:
        yield ruling_text(ruling)
    if telling.start is not None:
        yield times_text(telling.start)


def terms_text(record: Record) -> str:
    """By which rules the game was played, by how many, for how long."""
    then = "placed by progress" if record.at_limit == "progress" else "level"
    clock = "no clock" if record.clock == "none" else f"clock {record.clock}"
    return (
        f"{record.rules}, {len(record.players)} players, {record.limit} turns each, then {then},"
        f" {clock}"
    )


def ending_text(telling: Telling) -> str:
    """How the game ended, or how far it has come."""
    record = telling.record
    played = counted(record.ply, "ply", "plies")
    if telling.running:
        return f"still running, {played} so far"
    return f"over by {record.reason}, {played}: {BECAUSE[record.reason]}"


def ruling_text(ruling: Amendment) -> str:
    """What the host has ruled."""
    return f"ruled by the host: {sentence_of(ruling)}"


def times_text(start: int) -> str:
    """What the times of the moves count from, *start* being the first question's."""
    return (
        f"first question at {wall(start)}; asked and answered are seconds since then,"
        " all else is milliseconds"
    )


def _list(telling: Telling) -> list[str]:
    """The list of moves, and between them what else happened."""
    rows = [move_row(telling, one) for one in telling.happened if isinstance(one, Ply)]
    table = iter(_columns(MOVES_HEAD, rows))
    lines = [next(table)] if rows else []
    return lines + [
        next(table) if isinstance(one, Ply) else event_text(one) for one in telling.happened
    ]


def event_text(happening: Out | Slip | Draw) -> str:
    """What happened between the moves."""
    match happening:
        case Out(seat, reason, ply, _, line):
            quoted = "" if line is None else f": {line}"
            return f"{seat} goes out at ply {ply} by {reason}{quoted}"
        case Slip(seat, reason, ply, line):
            return f"{seat} is forgiven at ply {ply}, {reason}: {line}"
        case Draw(ply):
            return f"a draw is agreed on at ply {ply}"


def move_row(telling: Telling, ply: Ply) -> list[str]:
    """A move under `MOVES_HEAD`."""
    keys = dict(ply.evidence)
    offer = " offers a draw" if keys.get("draw") == "offer" else ""
    times = [keys.get(key, "") for key in ("charged", "left", "credit", "late")]
    moments = [telling.since(keys.get(key)) for key in ("sent", "received")]
    return [
        str(ply.number),
        ply.seat,
        ply.path + (f" by {ply.source}" if ply.source else offer),
        *times,
        *moments,
    ]


def fall_of(telling: Telling, out: Out, said: str = "") -> Fall:
    """The evidence for a fall by time, and the sentences that say why it was one.

    *said* are the raw lines of the seats as the store has them: of a line whose line feed did not
    come they have what had come.
    """
    begun = unfinished(telling, said, out.seat)
    bot = next(player.bot for player in telling.record.players if player.seat == out.seat)
    keys = dict(out.evidence)
    moves = [
        one
        for one in telling.happened
        if isinstance(one, Ply) and one.seat == out.seat and one.evidence and one.number < out.ply
    ][-_SHOWN_BEFORE_A_FALL:]
    answered = "too late" if out.line is not None else "nothing" if begun is None else "half"
    last = (str(out.ply), telling.since(keys.get("sent")), answered, keys.get("waited", ""))
    is_told = {"sent", "waited", "limit"} <= keys.keys()
    asked = float(telling.since(keys.get("sent")) or 0)
    heard = [
        (at, text)
        for at, seat, text in spoken(telling, said)
        if seat == out.seat and float(at) >= asked and text != out.line
    ]
    return Fall(
        title=f"why {out.seat} {bot} lost by time at ply {out.ply}",
        rows=(*(_fall_row(telling, move) for move in moves), (*last, "", "", "", "")),
        sentences=tuple(_because(telling, out, keys, begun, heard)) if is_told else (_UNTOLD,),
        note=_NOTE if is_told else (),
    )


def _fall_row(telling: Telling, ply: Ply) -> tuple[str, ...]:
    keys = dict(ply.evidence)
    took = ""
    if {"sent", "received"} <= keys.keys():
        took = milliseconds(max(0, moment(keys["received"]) - moment(keys["sent"])))
    return (
        str(ply.number),
        telling.since(keys.get("sent")),
        telling.since(keys.get("received")),
        took,
        *(keys.get(key, "") for key in ("credit", "charged", "left", "late")),
    )


def _because(
    telling: Telling,
    out: Out,
    keys: Mapping[str, str],
    begun: tuple[str, str] | None,
    heard: Sequence[tuple[str, str]],
) -> Iterator[str]:
    """Why *out* was a loss by time; *begun* is what had come of a line, *heard* what else came in
    the turn, each with when."""
    waited, limit = length(keys["waited"]), length(keys["limit"])
    credit = 0
    with suppress(ValueError):  # times that do not hold are told as they are
        credit = credit_left(telling.record, out.seat, telling.lag) or 0
    credited = f", and {milliseconds(credit)} ms of credit for the network" if credit else ""
    yield (
        f"It was asked at {telling.since(keys['sent'])} s and had {milliseconds(limit)} ms"
        f" for the move{credited}."
    )
    over = waited - limit - credit
    if out.line is None:
        what = "No answer to it" if heard and begun is None else "No whole line"
        yield f"{what} had come {milliseconds(waited)} ms after the question, when the flag fell."
        if begun is not None:
            yield unended_text(telling, keys, begun)
        elif heard:
            at, text = heard[-1]
            yield f"This had come at {at} s, and answered nothing: {text}"
        else:
            yield f"{FLUSHES.capitalize()} One that does not looks silent."
        if over > 0:
            yield (
                f"What counts are the {milliseconds(limit + credit)} ms. The flag falls a quarter"
                " of a second later: what came in time may be read late."
            )
    else:
        yield (
            f"Its answer came {milliseconds(waited)} ms after the question,"
            f" {milliseconds(max(0, over))} ms too late: {out.line}"
        )


def _standing(telling: Telling, *, board: bool) -> Iterator[str]:
    """The position then, and whose turn it was."""
    game = telling.game
    if board:
        yield from draw(game.position)
        yield ""
    yield f"after ply {game.ply - 1}: {game}"
    if game.turn is not None:
        seat = game.position.seats[game.turn][0]
        bot = next(player.bot for player in telling.record.players if player.seat == seat)
        yield f"ply {game.ply} is {seat} {bot}'s"


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table; a column that is empty in all rows is left out."""
    kept = filled(head, rows)
    widths = {at: max(len(line[at]) for line in (head, *rows)) for at in kept}
    for line in (head, *rows):
        cells = [
            line[at].ljust(widths[at]) if head[at] in LEFT_ALIGNED else line[at].rjust(widths[at])
            for at in kept
        ]
        yield "  ".join(cells).rstrip()


def filled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The columns in which any of *rows* has something: the others are not worth showing."""
    return [at for at in range(len(head)) if any(row[at] for row in rows)]
