"""The page of a game: the board with its replay, the moves, their times, and why it ended so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sternhalma_server.charts import Spent, time_chart
from sternhalma_server.pages.places import EventPlaces
from sternhalma_server.pages.replays import replay_data
from sternhalma_server.pages.templates import data_block, drawn
from sternhalma_server.pages.views import Cell, Table, table_of
from sternhalma_server.picture import picture
from sternhalma_server.record import Out, Player, Ply
from sternhalma_server.report import (
    FALL_HEAD,
    LEFT_ALIGNED,
    MOVES_HEAD,
    ending_text,
    event_text,
    fall_of,
    filled,
    move_row,
    ruling_text,
    terms_text,
    times_text,
)
from sternhalma_server.telling import Telling, ply_of
from sternhalma_server.timing import length
from sternhalma_server.verdict import Reason
from sternhalma_tournament.amendments import Amendment


@dataclass(frozen=True, slots=True)
class Seated:
    """A player as the page names it; `out` says how it went out, empty if it did not."""

    seat: str
    bot: str
    href: str | None
    version: str
    entry: str
    place: str
    out: str
    shouted: bool


@dataclass(frozen=True, slots=True)
class Move:
    """A row of the list of moves: cells of a move, or the sentence of something else.

    `anchor` is set for the first row of its ply, which a link to the ply leads to.
    """

    ply: int
    anchor: bool
    cells: tuple[Cell, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why somebody lost by time; `note` is one sentence."""

    title: str
    table: Table
    sentences: tuple[str, ...]
    note: str


def game_values(
    telling: Telling,
    rulings: Sequence[Amendment],
    said: str,
    places: EventPlaces,
    hrefs: Mapping[str, str],
) -> dict[str, Any]:
    """What the template of a game is given; *hrefs* are the pages of the bots.

    Raises `ValueError` for a record whose moves or times cannot be read.
    """
    record, game = telling.record, telling.game
    outs = {one.seat: one for one in telling.happened if isinstance(one, Out)}
    start = telling.start
    path = () if game.last is None else game.last.path
    title = f"game {record.game} of {record.event}"
    head, moves = _moves(telling)
    bots = {player.seat: player.bot for player in record.players}
    # Who goes out does so at a ply that may never have been played.
    last = max([record.ply, *(out.ply for out in outs.values())])
    return {
        "title": title,
        "event": record.event,
        "places": places,
        "number": record.game,
        "running": telling.running,
        "still": not telling.running,
        "terms": terms_text(record),
        "ending": ending_text(telling),
        "rulings": [ruling_text(ruling) for ruling in rulings],
        "times": "" if start is None else times_text(start),
        "seats": [
            _seated(player, place, outs.get(player.seat), hrefs)
            for player, place in zip(record.players, record.places, strict=True)
        ],
        "board": drawn(picture(game.position, f"{title}, its last position", path=path)),
        "data": data_block(replay_data(telling)),
        "head": head,
        "moves": moves,
        "chart": drawn(time_chart(_spent(telling), bots, last)),
        "falls": [
            _evidence(telling, out, said) for out in outs.values() if out.reason is Reason.TIME
        ],
    }


def _seated(player: Player, place: int, out: Out | None, hrefs: Mapping[str, str]) -> Seated:
    return Seated(
        seat=player.seat,
        bot=player.bot,
        href=hrefs.get(player.bot),
        version=player.version or "",
        entry=player.entry if player.entry != player.bot else "",
        place=str(place) if place else "",
        out="" if out is None else f"out at ply {out.ply} by {out.reason}",
        shouted=out is not None and out.reason.is_forfeit,
    )


def _moves(telling: Telling) -> tuple[list[Cell], list[Move]]:
    """The head of the list of moves, of the columns that say something, and its rows."""
    rows = {one: move_row(telling, one) for one in telling.happened if isinstance(one, Ply)}
    kept = shown_columns(telling, list(rows.values()))
    moves: list[Move] = []
    known: set[int] = set()
    for one in telling.happened:
        ply = ply_of(one)
        if isinstance(one, Ply):
            cells = tuple(Cell(rows[one][at], right=_right(at)) for at in kept)
            moves.append(Move(ply, ply not in known, cells, ""))
        else:
            moves.append(Move(ply, ply not in known, (), event_text(one)))
        known.add(ply)
    return [Cell(MOVES_HEAD[at], right=_right(at)) for at in kept], moves


def shown_columns(telling: Telling, rows: Sequence[Sequence[str]]) -> list[int]:
    """The columns of the list of moves, by number: those that say something, or may do so yet."""
    if not telling.running:
        return filled(MOVES_HEAD, rows)
    credited = telling.lag is not None or any(row[MOVES_HEAD.index("credit")] for row in rows)
    return [at for at, head in enumerate(MOVES_HEAD) if credited or head != "credit"]


def _right(column: int) -> bool:
    return MOVES_HEAD[column] not in LEFT_ALIGNED


def _spent(telling: Telling) -> list[Spent]:
    spent: list[Spent] = []
    for one in telling.happened:
        if isinstance(one, Ply) and one.charged is not None:
            spent.append(Spent(one.number, one.seat, one.charged))
        elif isinstance(one, Out) and one.reason is Reason.TIME:
            waited = dict(one.evidence).get("waited")
            if waited is not None:
                spent.append(Spent(one.ply, one.seat, length(waited), fell=True))
    return spent


def _evidence(telling: Telling, out: Out, said: str) -> Evidence:
    fall = fall_of(telling, out, said)
    kept = filled(FALL_HEAD, fall.rows)
    rows = [[row[at] for at in kept] for row in fall.rows]
    head = [FALL_HEAD[at] for at in kept]
    return Evidence(
        fall.title,
        table_of(fall.title, head, rows, "r" * len(kept)),
        fall.sentences,
        " ".join(fall.note),
    )
