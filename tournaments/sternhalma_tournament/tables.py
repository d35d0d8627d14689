"""Standings as text: Markdown for people, CSV for spreadsheets, JSON for programs.

The same standings give the same bytes on every machine: line feeds only, no times, no locale.
Times go into a file of their own.
"""

import csv
import io
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from sternhalma_tournament.standings import Row, SeatAdvantage, Standings
from sternhalma_tournament.text import decimal_text, markdown_table, points_text

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
    """The standings, and below them what each seat was worth."""
    most = max((place for row in standings.rows for place, _ in row.places), default=2)
    # Without tie-breaks asked by that name, wins still have a column of their own.
    wins = "wins" not in standings.tie_breaks
    head = ["rank", "entry", "points", "games"]
    head += [_TITLES[name] for name in standings.tie_breaks]
    head += (["wins"] if wins else []) + ["places", "faults", "decided by"]
    rows = [
        [
            str(row.rank),
            row.entry,
            points_text(row.points),
            str(row.games),
            *("" if value is None else decimal_text(value) for value in row.tie_breaks),
            *([str(row.wins)] if wins else []),
            _places(row, most),
            counts_text(row.forfeits),
            row.decided_by or "",
        ]
        for row in standings.rows
    ]
    numbers = len(standings.tie_breaks) + wins
    align = "rlrr" + "r" * numbers + "lll"
    return markdown_table(head, rows, align) + "\n" + _summary(standings) + _seats(standings.seats)


def standings_csv(standings: Standings) -> str:
    """One line an entry; points and tie-breaks as decimals, places and faults as in Markdown."""
    most = max((place for row in standings.rows for place, _ in row.places), default=2)
    head = ["rank", "entry", "points", "games", "wins", *standings.tie_breaks]
    head += [*(f"place {place}" for place in range(1, most + 1)), "faults", "decided by"]
    lines: list[Sequence[str]] = [head]
    for row in standings.rows:
        places = dict(row.places)
        lines.append(
            [
                str(row.rank),
                row.entry,
                decimal_text(row.points),
                str(row.games),
                str(row.wins),
                *("" if value is None else decimal_text(value) for value in row.tie_breaks),
                *(str(places.get(place, 0)) for place in range(1, most + 1)),
                counts_text(row.forfeits),
                row.decided_by or "",
            ]
        )
    return csv_text(lines)


def standings_json(standings: Standings) -> str:
    """Everything in the standings in a fixed order; points and tie-breaks are decimal texts."""
    return json_text(
        {
            "games": standings.games,
            "void": standings.void,
            "least_games": standings.spread[0],
            "most_games": standings.spread[1],
            "tie_breaks": list(standings.tie_breaks),
            "rows": [_row_json(standings, row) for row in standings.rows],
            "seats": [
                {
                    "seat": seat.side + 1,
                    "games": seat.games,
                    "points_a_game": f"{seat.mean:.3f}",
                    "low": f"{seat.low:.3f}",
                    "high": f"{seat.high:.3f}",
                }
                for seat in standings.seats
            ],
        }
    )


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
        "wins": row.wins,
        "places": {str(place): count for place, count in row.places},
        "forfeits": dict(row.forfeits),
        "tie_breaks": {
            name: None if value is None else decimal_text(value)
            for name, value in zip(standings.tie_breaks, row.tie_breaks, strict=True)
        },
        "decided_by": row.decided_by,
    }


def _places(row: Row, most: int) -> str:
    """Games by place, the first place first: '5-2-1'."""
    places = dict(row.places)
    return "-".join(str(places.get(place, 0)) for place in range(1, most + 1))


def _summary(standings: Standings) -> str:
    least, most = standings.spread
    played = f"{least}" if least == most else f"{least} to {most}"
    void = f", {standings.void} void" if standings.void else ""
    return f"{standings.games} games{void}; each entry has played {played}.\n"


def _seats(seats: Sequence[SeatAdvantage]) -> str:
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
    return "\n" + markdown_table(["seat", "games", "points a game", "95 % interval"], rows, "rrrl")
