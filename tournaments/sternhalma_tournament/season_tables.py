"""A season as text: Markdown for people, CSV for spreadsheets, JSON for programs.

Same season, same bytes, as with `tables`. Shared places make fractions of all kinds, so that
Markdown and JSON write a third as a third; a spreadsheet is given two decimals.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sternhalma_tournament.season import Placing, Season, SeasonRow, place_criterion
from sternhalma_tournament.tables import csv_text, json_text
from sternhalma_tournament.text import cell_text, decimal_text, markdown_table, points_text


def season_markdown(season: Season) -> str:
    """The table, points by event; what was dropped stands in brackets."""
    places = _deciding_places(season)
    direct = any(row.direct is not None for row in season.rows)
    head = ["rank", "entry", "points", *(event.name for event in season.events)]
    head += [place_criterion(place) for place in range(1, places + 1)]
    head += ["direct"] if direct else []
    rows = [
        [
            _rank(row),
            row.entry,
            fraction_text(row.points),
            *map(_cell, row.placings),
            *(fraction_text(share) for share in row.places[:places]),
            *([_optional(row.direct)] if direct else []),
            row.decided_by or "",
        ]
        for row in season.rows
    ]
    align = "rlr" + "r" * (len(season.events) + places + direct) + "l"
    table = markdown_table([*head, "decided by"], rows, align)
    return table + "\n" + "\n".join(_notes(season)) + "\n"


def season_csv(season: Season) -> str:
    """One line an entry: for every event the rank, the points and whether they count."""
    head = ["rank", "entry", "points"]
    for event in season.events:
        head += [f"{event.name} {what}" for what in ("rank", "points", "counted")]
    head += [f"place {place}" for place in range(1, _last_place(season) + 1)]
    head += ["direct comparison", "decided by"]
    rows: list[Sequence[str]] = [head]
    for row in season.rows:
        line = [_rank(row), row.entry, decimal_text(row.points)]
        for placing in row.placings:
            line += _columns(placing)
        line += map(decimal_text, row.places)
        line += ["" if row.direct is None else decimal_text(row.direct), row.decided_by or ""]
        rows.append(line)
    return csv_text(rows)


def season_json(season: Season) -> str:
    """Everything in the season in a fixed order; numbers that may be broken are texts: `16/3`."""
    return json_text(
        {
            "points": season.rules.points,
            "best": season.rules.best,
            "events": [{"name": event.name, "closed": event.closed} for event in season.events],
            "left_out": season.left_out,
            "rows": [
                {
                    "rank": row.rank,
                    "entry": row.entry,
                    "points": str(row.points),
                    "places": [str(share) for share in row.places],
                    "direct_comparison": None if row.direct is None else str(row.direct),
                    "decided_by": row.decided_by,
                    "events": {
                        event.name: _placing_json(placing)
                        for event, placing in zip(season.events, row.placings, strict=True)
                        if placing is not None
                    },
                }
                for row in season.rows
            ],
        }
    )


def fraction_text(value: Fraction) -> str:
    """A number from 0 as people write it.

    >>> [fraction_text(Fraction(n, 6)) for n in (0, 3, 6, 15, 32, 2)]
    ['0', '½', '1', '2½', '5 1/3', '1/3']
    """
    if value.denominator <= 2:
        return points_text(value)
    whole, rest = divmod(value, 1)
    return f"{whole} {rest}" if whole else str(rest)


def _notes(season: Season) -> list[str]:
    points = ", ".join(map(str, season.rules.points))
    notes = [f"Points for places: {points}."]
    best = season.rules.best
    if best is not None:
        count = "event of each entry counts" if best == 1 else f"{best} events of each entry count"
        notes.append(f"The best {count}.")
    if season.interim:
        notes.append(f"Interim table: {_listed(season.interim)} not closed.")
    if season.left_out:
        notes.append(f"Left out: {_listed(season.left_out)} not closed.")
    return [" ".join(notes)]


def _listed(names: Sequence[str]) -> str:
    return f"{cell_text(', '.join(names))} {'is' if len(names) == 1 else 'are'}"


def _last_place(season: Season) -> int:
    return max((len(row.places) for row in season.rows), default=0)


def _deciding_places(season: Season) -> int:
    """The last place that put anybody below anybody: columns beyond it would tell nothing."""
    decided = {row.decided_by for row in season.rows}
    places = range(1, _last_place(season) + 1)
    return max((place for place in places if place_criterion(place) in decided), default=0)


def _cell(placing: Placing | None) -> str:
    if placing is None:
        return ""
    if placing.rank is None:
        return placing.status or "-"
    points = fraction_text(placing.points)
    return points if placing.counted else f"({points})"


def _columns(placing: Placing | None) -> list[str]:
    if placing is None:
        return ["", "", ""]
    if placing.rank is None:
        return [placing.status, "0", "no"]
    return [str(placing.rank), decimal_text(placing.points), "yes" if placing.counted else "no"]


def _placing_json(placing: Placing) -> dict[str, Any]:
    return {
        "rank": placing.rank,
        "points": str(placing.points),
        "counted": placing.counted,
        "status": placing.status,
    }


def _rank(row: SeasonRow) -> str:
    return "" if row.rank is None else str(row.rank)


def _optional(value: Fraction | None) -> str:
    return "" if value is None else fraction_text(value)
