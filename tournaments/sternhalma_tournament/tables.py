"""Standings as text: Markdown for people, CSV for spreadsheets, JSON for programs.

The same standings give the same bytes on every machine: line feeds only, no times, no locale. Times
go into a file of their own.
"""

import csv
import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

from sternhalma_tournament.standings import Row, SeatAdvantage, Standings
from sternhalma_tournament.text import cell_text, counted, decimal_text, markdown_table, points_text

_TITLES: Final = {
    "direct-encounter": "direct",
    "sonneborn-berger": "SB",
    "koya": "Koya",
    "buchholz": "Buchholz",
    "wins": "wins",
    "fewest-forfeits": "forfeits",
    "fewest-crashes": "crashes",
}


def standings_markdown(standings: Standings) -> str:
    """The standings, and below them what was ruled and what each seat was worth."""
    most = _worst_place(standings)
    byes = any(row.byes for row in standings.rows)
    status = any(row.status for row in standings.rows)
    # Wins have a column of their own unless they are a tie-break already.
    wins = "wins" not in standings.tie_breaks
    head = ["rank", "entry", "points", "games"]
    head += ["byes"] if byes else []
    head += [_TITLES[name] for name in standings.tie_breaks]
    head += ["wins"] if wins else []
    head += ["places", "faults", "decided by"]
    head += ["status"] if status else []
    rows = [
        [
            _rank(row),
            row.entry,
            points_text(row.points),
            str(row.games),
            *([str(row.byes)] if byes else []),
            *map(_optional, row.tie_breaks),
            *([str(row.wins)] if wins else []),
            "-".join(_by_place(row, most)),
            counts_text(row.forfeits),
            row.decided_by or "",
            *([row.status] if status else []),
        ]
        for row in standings.rows
    ]
    align = "rlrr" + "r" * (byes + len(standings.tie_breaks) + wins) + "lll" + "l" * status
    parts = [
        markdown_table(head, rows, align),
        _summary(standings),
        "".join(f"- {cell_text(note)}\n" for note in standings.notes),
        seats_markdown(standings.seats),
    ]
    return "\n".join(part for part in parts if part)


def standings_csv(standings: Standings) -> str:
    """One line an entry; points and tie-breaks as decimals, a column for every place."""
    most = _worst_place(standings)
    wins = "wins" not in standings.tie_breaks
    head = ["rank", "entry", "points", "games", "byes", *(["wins"] if wins else [])]
    head += [*standings.tie_breaks]
    head += [f"place {place}" for place in range(1, most + 1)]
    head += ["faults", "decided by", "status"]
    rows = [
        [
            _rank(row),
            row.entry,
            decimal_text(row.points),
            str(row.games),
            str(row.byes),
            *([str(row.wins)] if wins else []),
            *map(_optional, row.tie_breaks),
            *_by_place(row, most),
            counts_text(row.forfeits),
            row.decided_by or "",
            row.status,
        ]
        for row in standings.rows
    ]
    return csv_text([head, *rows])


def standings_json(
    standings: Standings,
    matches: Sequence[dict[str, Any]] = (),
    trial: dict[str, Any] | None = None,
) -> str:
    """Everything in the standings in a fixed order; points and tie-breaks are decimal texts.

    *matches* are those of a knockout, *trial* is the test of a match.
    """
    return json_text(
        {
            "games": standings.games,
            "void": standings.void,
            "planned": standings.planned,
            "least_games": standings.spread[0],
            "most_games": standings.spread[1],
            "tie_breaks": standings.tie_breaks,
            "rows": [_row_json(standings, row) for row in standings.rows],
            "seats": seats_json(standings.seats),
            "notes": standings.notes,
            **({"matches": matches} if matches else {}),
            **({} if trial is None else {"sprt": trial}),
        }
    )


def seats_markdown(seats: Sequence[SeatAdvantage]) -> str:
    """What was scored from each seat; nothing where nothing was played."""
    if not seats:
        return ""
    rows = [
        [
            str(seat.side + 1),
            str(seat.games),
            f"{seat.mean:.3f}",
            f"{seat.low:.3f} to {seat.high:.3f}",
        ]
        for seat in seats
    ]
    return markdown_table(["seat", "games", "points a game", "95 % interval"], rows, "rrrl")


def seats_json(seats: Sequence[SeatAdvantage]) -> list[dict[str, Any]]:
    """What was scored from each seat, as JSON values."""
    return [
        {
            "seat": seat.side + 1,
            "games": seat.games,
            "points_a_game": f"{seat.mean:.3f}",
            "low": f"{seat.low:.3f}",
            "high": f"{seat.high:.3f}",
        }
        for seat in seats
    ]


def csv_text(lines: Sequence[Sequence[str]]) -> str:
    """*lines* as CSV with line feeds."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def json_text(value: Any) -> str:
    """*value* as indented JSON with a line feed at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def counts_text(counts: Sequence[tuple[str, int]]) -> str:
    """Reasons with their numbers.

    >>> counts_text([("illegal", 1), ("time", 2)])
    'illegal 1, time 2'
    """
    return ", ".join(f"{reason} {count}" for reason, count in counts)


def _row_json(standings: Standings, row: Row) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "entry": row.entry,
        "points": decimal_text(row.points),
        "games": row.games,
        "byes": row.byes,
        "wins": row.wins,
        "places": {str(place): count for place, count in row.places},
        "forfeits": dict(row.forfeits),
        "tie_breaks": {
            name: None if value is None else decimal_text(value)
            for name, value in zip(standings.tie_breaks, row.tie_breaks, strict=True)
        },
        "decided_by": row.decided_by,
        "status": row.status,
    }


def _summary(standings: Standings) -> str:
    ended = standings.games + standings.void
    byes = sum(row.byes for row in standings.rows)
    if standings.planned is not None and ended + byes < standings.planned:
        planned = standings.planned - byes
        games = f"Interim table: {ended} of {counted(planned, 'game')}"
    else:
        games = counted(ended, "game")
    void = f", {standings.void} of them void" if standings.void else ""
    least, most = standings.spread
    played = str(least) if least == most else f"{least} to {most}"
    return f"{games}{void}; each entry has played {played}.\n"


def _rank(row: Row) -> str:
    return "" if row.rank is None else str(row.rank)


def _optional(value: Fraction | None) -> str:
    return "" if value is None else decimal_text(value)


def _worst_place(standings: Standings) -> int:
    return max((place for row in standings.rows for place, _ in row.places), default=2)


def _by_place(row: Row, most: int) -> list[str]:
    """Games by place, the first place first."""
    places = dict(row.places)
    return [str(places.get(place, 0)) for place in range(1, most + 1)]
